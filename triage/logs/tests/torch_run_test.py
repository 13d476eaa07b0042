"""Reads PyTorch's `run_test.py`: it runs files under pytest, and what failed again, in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.model import LogLine


_RUNNER = "run_test.py"
_BEGUN = regex(r"Running (\S{1,300}) (\d+/\d+) \.\.\. \[")
_FAILED = regex(r"(?:.{0,60}\s)?(\S{1,300}) (\d+/\d+) failed!(.{0,200})$")
_TIMED_OUT = ("timed out", "Command took >")
_CONSISTENTLY = regex(r"FAILED CONSISTENTLY: (\S.{0,400})$|The following tests failed consistently: \[(.{0,4000})\]$")
_MENDED = regex(r"The following tests failed and then succeeded when run in a new process\s?\[(.{0,4000})\]$")
_NAME = regex(r"'([^']{1,400})'")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what `run_test.py` said in these lines; None where it did not run."""
    if not any_line_has(lines, " failed!", "FAILED CONSISTENTLY", "The following tests failed"):
        return None
    failures = list(_failures(lines))
    if not failures:
        return None
    return TestReport(runners=(_RUNNER,), failures=keep_last(failures))


def _failures(lines: Sequence[LogLine]) -> Iterator[TestFailure]:
    begun: dict[str, int] = {}
    for index, line in enumerate(lines):
        text = line.text
        if text.startswith("Running ") and (started := _BEGUN.match(text)):
            begun[f"{started[1]} {started[2]}"] = index
        elif "failed!" in text and (failed := _FAILED.match(text)):
            outcome = Outcome.TIMED_OUT if failed[3].strip(" []").startswith(_TIMED_OUT) else Outcome.FAILED
            start = begun.get(f"{failed[1]} {failed[2]}", index)
            yield _failure(lines, failed[1], outcome, start, index)
        elif (consistently := _CONSISTENTLY.match(text)) is not None:
            for name in [consistently[1]] if consistently[1] else _NAME.findall(consistently[2]):
                yield _failure(lines, name, Outcome.FAILED, index, index)
        elif (mended := _MENDED.match(text)) is not None:
            for name in _NAME.findall(mended[1]):
                yield _failure(lines, name, Outcome.FLAKY, index, index)


def _failure(lines: Sequence[LogLine], name: str, outcome: Outcome, start: int, end: int) -> TestFailure:
    path = name.partition("::")[0]
    file = path if path.endswith(".py") else f"test/{path}.py"
    return TestFailure(
        id=name,
        runner=_RUNNER,
        outcome=outcome,
        file=file if file.startswith("test/") else f"test/{file}",
        first_line=lines[start].number,
        last_line=lines[end].number,
        error_line=lines[end].number,
    )
