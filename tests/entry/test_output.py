"""Whatever we print in a workflow, the runner obeys none of it that somebody else wrote (T12)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.entry.runner_ears import obeyed
from tests.fakegithub.build import RUNS
from triage.entry.cli import main
from triage.render.runner_commands import harmless, harmless_json

if TYPE_CHECKING:
    from collections.abc import Sequence

ENTRY = Path(__file__).parents[2] / "triage" / "entry"
COMMANDS = (
    "::error::x",
    "##[error]x",
    "::add-mask::a",
    "::set-output name=verdict::good",
    "##[add-path]/evil",
    " ::x::",
)
HOSTILE = RUNS / "hostile-log"
NUMBER = next(path.stem for path in (HOSTILE / "pulls").glob("*.json"))
OFFLINE = ("--recorded", str(HOSTILE), "--history", "none", "--look-back", "0")


@given(
    st.lists(st.sampled_from([*COMMANDS, "::", "##[", "#", ":", "\r", "\n", "\u2028", "\x85", " ", "a"])).map("".join)
)
def test_t12_a_sentence_holds_nothing_that_is_obeyed_and_loses_nothing(text: str) -> None:
    said = f"triage: {harmless(text)}"

    assert obeyed(said) == []
    assert said.replace(" ", "") == f"triage:{text.replace(' ', '')}"


@given(
    st.recursive(
        st.text() | st.sampled_from(COMMANDS), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_t12_json_stays_the_same_json(value: Any) -> None:
    for indent in (None, 2):
        printed = harmless_json(json.dumps(value, ensure_ascii=False, indent=indent))

        assert obeyed(printed) == [] or not isinstance(value, (list, dict))
        assert "##[" not in printed
        assert json.loads(printed) == value


@pytest.fixture
def in_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[str, str]:
    main(argv)
    streams = capsys.readouterr()
    return streams.out, streams.err


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Give a log in which a failing test prints commands."""
    path = tmp_path / "job.txt"
    lines = [
        *COMMANDS,
        "FAILED tests/test_a.py::test_a - AssertionError: ##[error]x ::error::y",
        "##[error]Process completed with exit code 1.",
    ]
    path.write_text("".join(f"2026-10-12T07:00:00.0000000Z {line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.usefixtures("in_actions")
@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_t12_a_report_of_a_hostile_log_commands_nothing(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = printed(capsys, "pr", NUMBER, "--format", form, *OFFLINE)

    assert obeyed(out) == []
    assert obeyed(err) == []
    assert form != "json" or json.loads(out)["schema"] == "triage/1"


@pytest.mark.usefixtures("in_actions")
@pytest.mark.parametrize("form", ["text", "json"])
def test_t12_a_lone_hostile_log_commands_nothing(form: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = printed(capsys, "log", str(log), "--format", form)

    assert "AssertionError" in out
    assert obeyed(out + err) == []


@pytest.mark.usefixtures("in_actions")
def test_t12_the_rules_that_show_in_a_hostile_log_command_nothing(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = printed(capsys, "rules", "explain", str(log))

    assert "exit-code" in out
    assert obeyed(out + err) == []


@pytest.mark.parametrize(
    "argv",
    [
        ("log", "a\n::error::b\r##[error]c"),
        ("pr", "5", "--recorded", "/nowhere/\n::add-mask::a"),
        ("run", "5", "-R", "acme/en gine\n::error::b"),
    ],
)
def test_t12_an_error_that_quotes_what_was_given_commands_nothing(
    argv: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = printed(capsys, *argv)

    assert err.startswith("triage: ")
    assert obeyed(out + err) == []


def test_t12_an_argument_that_nobody_knows_commands_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["log", "job.txt", "--mystery\n::error::a", "##[error]b", "--more\n::add-mask::c"])

    assert "unrecognized arguments" in (err := capsys.readouterr().err)
    assert obeyed(err) == []


def test_t12_nothing_is_printed_but_through_the_one_door() -> None:
    printing = re.compile(r"\bprint\(|std(?:out|err)\.write\(|\bdump\(")
    found = {
        str(path.relative_to(ENTRY))
        for path in ENTRY.rglob("*.py")
        if printing.search(path.read_text(encoding="utf-8"))
    }

    assert found == {
        "output.py",  # the door
        "called.py",  # the Action's own, which stops commands or is one
        "action.py",  # annotations, which are commands
        "publishing.py",  # the same, on stderr
        "progress.py",  # to a terminal only
        "command/docs.py",  # for the docs
    }
