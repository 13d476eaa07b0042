from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.rules.yaml_rules import rules_file, with_field
from triage.entry.cli import main
from triage.entry.commands.rules_winners import TABLE, changes

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = "set/a infrastructure disk-full\nset/b unknown (guess)\nset/c code rust-compile-error\n"


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (BEFORE, []),
        (
            BEFORE.replace("infrastructure disk-full", "infrastructure disk-slow"),
            ["rule disk-slow now takes set/a from rule disk-full"],
        ),
        (
            BEFORE.replace("unknown (guess)", "code disk-slow"),
            ["rule disk-slow now takes set/b from no rule (guess); it is code now, not unknown"],
        ),
        (
            BEFORE.replace("code rust", "unknown rust"),
            ["rule rust-compile-error still wins set/c, and it is unknown now, not code"],
        ),
        (BEFORE + "set/d code (tests)\n", ["set/d is new, and won by no rule (tests)"]),
        (BEFORE.split("\n", 1)[1], ["set/a is gone; it was won by rule disk-full"]),
    ],
)
def test_a_new_rule_shows_what_it_takes(now: str, told: list[str]) -> None:
    assert list(changes(BEFORE, now)) == told


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "full.yaml").write_text("label: infrastructure\n")
    (folder / "full.log").write_text(
        "tar: write error: No space left on device\n##[error]Process completed with exit code 2.\n"
    )
    return folder


def test_the_table_is_kept_beside_the_logs(cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.yml"
    mine.write_text(with_field("advice: Ask.").replace("disk-full", "our-disk"))
    # A table says what was true, whoever wrote it.
    (cases / TABLE).write_text("cases/full infrastructure disk-full\n")

    assert main(["rules", "check", str(mine), "--cases", str(cases)]) == 1
    assert "rule our-disk now takes cases/full from rule disk-full\n" in capsys.readouterr().out
    assert main(["rules", "check", str(mine), "--cases", str(cases), "--write"]) == 0
    assert (cases / TABLE).read_text() == "cases/full infrastructure our-disk\n"
    assert main(["rules", "check", str(mine), "--cases", str(cases)]) == 0


def test_without_a_table_there_is_nothing_to_compare_with(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.yml"
    mine.write_text(rules_file())

    assert main(["rules", "check", str(mine), "--cases", str(cases)]) == 2
    assert "--write makes it" in capsys.readouterr().err
    assert main(["rules", "check", str(mine), "--write"]) == 2
    assert "--write needs --cases DIR" in capsys.readouterr().err
