"""What looks like a secret is in nothing that leaves the process; what a reader needs to find a commit is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.fakegithub import FakeGitHub, StoredLog
from tests.fakegithub.build import RUNS
from tests.reliability.test_faults import few_rules, pull_number
from tests.security.shapes import DISGUISES, NO_SECRETS, SECRETS
from triage.app import triage
from triage.entry.boundary import crash_report
from triage.github import connect
from triage.github.translate import clean_message
from triage.history.store import Store
from triage.publish.check_run import check_run_of
from triage.recorded import Recorder
from triage.redact import MASK, redact
from triage.render.annotations import render_annotations
from triage.render.json_report import render_json
from triage.render.markdown import render_markdown
from triage.render.step_summary import render_step_summary
from triage.render.terminal import render_terminal
from triage.source.request import PullRequestRequest

if TYPE_CHECKING:
    from pathlib import Path

    from triage.model import Report


def test_there_are_at_least_forty_shapes() -> None:
    assert len(SECRETS) >= 40


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_masked_in_a_line(name: str) -> None:
    line, secret = SECRETS[name]

    masked = redact(line)

    assert secret not in masked
    assert MASK in masked


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_masked_in_a_line_of_json(name: str) -> None:
    line, secret = SECRETS[name]
    escaped = line.replace('"', '\\"')

    assert secret not in redact(f'{{"log": "one\\n{escaped}\\nthree"}}')


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_secret_is_masked_in_every_disguise(disguise: str) -> None:
    seen = {}
    for name, (line, secret) in SECRETS.items():
        text, hidden = DISGUISES[disguise](line, secret)
        masked = redact(text)
        if hidden in masked or masked.count("\n") != text.count("\n"):
            seen[name] = masked

    assert seen == {}


def test_both_parts_of_a_wrapped_secret_are_masked() -> None:
    seen = {}
    for name, (line, secret) in SECRETS.items():
        text, _ = DISGUISES["wrapped"](line, secret)
        rest = secret[max(8, len(secret) * 2 // 3) :]
        if len(rest) >= 8 and rest in redact(text):
            seen[name] = redact(text)

    assert seen == {}


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("line", NO_SECRETS)
def test_what_is_no_secret_is_none_in_any_disguise(line: str, disguise: str) -> None:
    text, _ = DISGUISES[disguise](line, line[len(line) // 2 :])

    assert redact(text) == text


def test_the_lines_after_a_masked_one_are_left_as_they_are() -> None:
    line, _ = SECRETS["GitHub personal"]
    after = [
        "3f2a1bc9d4",
        "Compiling",
        "tests/test_pool.py",
        "6f1c0d5e-8a0e-4a44-9a3c-0c4f1c7f9d11",
        *NO_SECRETS,
    ]

    for below in after:
        assert redact(f"{line}\n{below}").endswith(f"***\n{below}")


@pytest.mark.parametrize("line", NO_SECRETS)
def test_commits_digests_and_ids_are_left_as_they_are(line: str) -> None:
    assert redact(line) == line
    assert redact(f"see {line}, please") == f"see {line}, please"


# ---------------------------------------------------------------------------------------------------------------------
# Everything that leaves the process


def failing_log() -> str:
    """Return the log of a job in which each failed test says a secret, and what comes before the failure says all."""
    lines = [line for line, _ in SECRETS.values()] + list(NO_SECRETS)
    disguised = [disguise(line, secret)[0] for disguise in DISGUISES.values() for line, secret in SECRETS.values()]
    tests = [f"FAILED tests/test_pool.py::test_{place} - RuntimeError: {line}" for place, line in enumerate(lines)]
    return "\n".join(
        [
            *lines,
            *disguised,
            "============ short test summary info ============",
            *tests,
            f"============ {len(tests)} failed, 3 passed in 4.56s ============",
            "##[error]Process completed with exit code 1.",
            *[f"Error: {line}" for line in [*lines, *disguised]],
        ]
    )


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Triage a pull request whose logs are full of secrets; return all that came out of it."""
    folder = tmp_path_factory.mktemp("out")
    with FakeGitHub.from_recording(RUNS / "regression") as fake:
        number = next(number for number, log in fake.state.logs.items() if log.status == 200)
        fake.state.logs[number] = StoredLog(data=failing_log().encode())
        for pull in fake.state.pulls.values():
            pull["title"] = " ".join(line for line, _ in list(SECRETS.values())[:3])
        with (
            connect(fake.repository, token=fake.token, api_url=fake.api_url) as live,
            Store.open(folder / "history.db") as store,
        ):
            reads = Recorder(live, folder / "recording", request=PullRequestRequest(pull_number()))
            report = triage(PullRequestRequest(pull_number()), reads, few_rules(), store=store)
        token = fake.token
    return {**renderings(report), **files(folder), "messages": messages(), "our own token": token}


def renderings(report: Report) -> dict[str, str]:
    # Told whole: what is left out because of its length is not what this is about.
    loud = replace(report, headline=" ".join(line for line, _ in SECRETS.values()))
    return {
        "Markdown": render_markdown(loud),
        "step summary": render_step_summary(loud),
        "terminal": render_terminal(loud, width=10_000, colour=True),
        "JSON": render_json(loud),
        "annotations": render_annotations(loud),
        "check run": str(check_run_of(loud)),
    }


def files(folder: Path) -> dict[str, str]:
    recording = [path.read_text("utf-8", "replace") for path in (folder / "recording").rglob("*") if path.is_file()]
    return {
        "recording": "\n".join(recording),
        "history": (folder / "history.db").read_bytes().decode("utf-8", "replace"),
    }


def messages() -> str:
    """Return what is said of a GitHub that answers with secrets, and of a mistake of ours with one in its words."""
    lines = [line for line, _ in SECRETS.values()]
    lines += [disguise(line, secret)[0] for disguise in DISGUISES.values() for line, secret in SECRETS.values()]
    said = [clean_message(line) for line in lines]
    try:
        _break_down("\n".join(lines))
    except ValueError:
        said.append(crash_report())
    return "\n".join(said)


def _break_down(words: str) -> None:
    raise ValueError(words)


OUTPUTS = (
    "Markdown",
    "step summary",
    "terminal",
    "JSON",
    "annotations",
    "check run",
    "recording",
    "history",
    "messages",
)


@pytest.mark.parametrize("output", OUTPUTS)
def test_no_secret_is_in_any_output(everything: dict[str, str], output: str) -> None:
    text = everything[output]

    assert len(text) > 200
    assert [name for name, (_, secret) in SECRETS.items() if secret in text] == []
    hidden = {
        (name, disguise): make(line, secret)[1]
        for name, (line, secret) in SECRETS.items()
        for disguise, make in DISGUISES.items()
    }
    assert [which for which, part in hidden.items() if part in text] == []
    assert everything["our own token"] not in text


@pytest.mark.parametrize("output", ["JSON", "recording"])
def test_what_a_reader_needs_is_in_the_outputs(everything: dict[str, str], output: str) -> None:
    assert "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x14336 and 2048x2048)" in everything[output]
