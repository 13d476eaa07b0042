"""Logs as text for the tests of the readers."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from triage.logs.tests import TEST_TRIGGERS, read_tests
from triage.matching import Scanner
from triage.model import Log, LogLine, TestFailure, TestReport

if TYPE_CHECKING:
    from collections.abc import Sequence

SCANNER = Scanner(TEST_TRIGGERS)

LOGS = Path(__file__).parent / "logs"


def lines_of(text: str) -> tuple[LogLine, ...]:
    """Number the lines of a text, without the indent that it has in a test."""
    return tuple(LogLine(number, line) for number, line in enumerate(dedent(text).strip("\n").split("\n"), start=1))


def report_of(text: str) -> TestReport:
    """Read the failed tests of a text as of a whole log."""
    lines = lines_of(text)
    return read_tests(scanned(lines))


def scanned(lines: Sequence[LogLine], *, complete: bool = True) -> Log:
    """Return the lines as a log in which the marks of the test runners were looked for."""
    hits: dict[str, list[int]] = {}
    text = "\n".join(line.text.replace("\n", " ") for line in lines)
    for index, key in SCANNER.scan_block(text.encode("utf-8", "replace")):
        hits.setdefault(key, []).append(lines[index].number)
    return Log(
        lines=tuple(lines),
        total_lines=lines[-1].number if lines else 0,
        hits={key: tuple(numbers) for key, numbers in hits.items()},
        complete=complete,
    )


def report_of_file(name: str) -> TestReport:
    """Read the failed tests of a recorded log."""
    return report_of((LOGS / name).read_text(encoding="utf-8"))


def by_id(report: TestReport) -> dict[str, TestFailure]:
    """Return the failures by their ids."""
    return {failure.id: failure for failure in report.failures}


def said(text: str, number: int) -> str:
    """Return the line of that number, as `report_of` numbers them."""
    return lines_of(text)[number - 1].text


def said_in_file(name: str, number: int) -> str:
    """Return the line of that number of a recorded log."""
    return said((LOGS / name).read_text(encoding="utf-8"), number)
