"""Recorded output of the tools themselves, and what is read of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.logs.tests_python.log_text import by_id, lines_of, report_of, said

if TYPE_CHECKING:
    from triage.model import TestFailure, TestReport

__all__ = ["LOGS", "by_id", "errors_of", "lines_of", "report_of", "report_of_file", "said", "said_in_file", "text_of"]

LOGS = Path(__file__).parent / "logs"


def text_of(name: str) -> str:
    """Return a recorded log."""
    return (LOGS / name).read_text(encoding="utf-8")


def report_of_file(name: str) -> TestReport:
    """Read the failed tests of a recorded log with every reader there is."""
    return report_of(text_of(name))


def said_in_file(name: str, number: int) -> str:
    """Return the line of that number of a recorded log, without blanks around it."""
    return said(text_of(name), number).strip()


def errors_of(name: str) -> dict[str, str]:
    """Return for each failed test of a recorded log the line that is said to tell its error."""
    return {failure.id: said_in_file(name, failure.error_line) for failure in report_of_file(name).failures}


def outcomes_of(failures: tuple[TestFailure, ...]) -> dict[str, str]:
    """Return how each test ended."""
    return {failure.id: failure.outcome.value for failure in failures}
