"""Reads `cargo nextest run`: one status line a test and attempt, with its output below; retries are told apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.logs.tests import rust_panics
from triage.logs.tests.failure_blocks import Tally, Told, failure_of, is_aftermath, is_hole, number_in, output_end
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "nextest"


_STATUS = regex(
    r"(?:\(\s*\d+/\d+\) )?\s*(?:TRY (?P<attempt>\d+) )?(?P<status>[A-Z][A-Z-]*[A-Z])(?: (?P<of>\d+/\d+))?"
    r" \[[ >]*[\d.]+s\] (?:\([^)]*\) )?(?P<binary>\S+) +(?P<test>\S.*)$"
)
_HEADER = regex(r"\s*-{3,} (?:TRY \d+ )?(?:STDOUT|STDERR|OUTPUT): +(?P<binary>\S+) (?P<test>\S+) -*$")
_STARTING = regex(r"\s+Starting (\d+) tests? across ")
_SUMMARY = regex(r"\s+Summary \[[ \d.]+s\] (\d+)(?:/(\d+))? tests? run: (\d+) passed")
_BAD = frozenset({"FAIL", "TIMEOUT", "TMT", "ABORT", "LEAK-FAIL", "LKFAIL", "XFAIL"})
_FLAKY = frozenset({"FLAKY", "FLKY-FL", "FLKYFL"})
_GOOD = frozenset({"PASS", "LEAK"})


@dataclass(slots=True)
class _Test:
    """One test with what its last failed attempt wrote."""

    verdict: LogLine
    status: str = ""
    lines: list[LogLine] = field(default_factory=list)
    failed: bool = False
    flaky: LogLine | None = None


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what nextest said in these lines; None where it did not run."""
    if not any_line_has(lines, "Nextest run", "Summary [", "FLAKY ", "FLKY-FL ", " tests across "):
        return None
    reader = _Reader(lines)
    for index in range(len(lines)):
        reader.read_line(index)
    return reader.report()


class _Reader:
    """Keeps the test whose output is being printed: that of the status line, or of the header, above."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self._lines = lines
        self._tests: dict[str, _Test] = {}
        self._current: _Test | None = None
        self._first = -1
        self._tally = Tally()
        self._seen = False

    def read_line(self, index: int) -> None:
        """Read the line at this index."""
        line = self._lines[index]
        text = line.text
        if is_hole(self._lines, index) or is_aftermath(text) or text.startswith(("error: ", "────")):
            self._current = None
        if _STARTING.match(text):
            self._seen, self._first = True, index
        elif summary := _SUMMARY.match(text):
            self._read_summary(index, summary)
        elif "[" in text and (status := _STATUS.match(text)):
            self._read_status(line, status)
        elif header := _HEADER.match(text):
            self._current = self._tests.get(f"{header['binary']} {header['test']}")
            if self._current is not None and not header[0].lstrip().startswith("--- TRY"):
                self._current.lines.append(line)
        elif self._current is not None:
            self._current.lines.append(line)

    def _read_status(self, line: LogLine, found: re.Match[str]) -> None:
        name, status = f"{found['binary']} {found['test']}", found["status"]
        self._current = None
        if status in _FLAKY:
            test = self._tests.setdefault(name, _Test(line))
            test.flaky = line
        elif status in _BAD or status.startswith("SIG"):
            self._read_failure(line, name, status)
        elif status in _GOOD and found["attempt"] and name in self._tests:
            self._tests[name].flaky = self._tests[name].flaky or line

    def _read_failure(self, line: LogLine, name: str, status: str) -> None:
        """Start a failure anew; the list at the end repeats the status, and then what was read before is kept."""
        test = self._tests.setdefault(name, _Test(line))
        test.failed, test.status = True, status
        if self._first >= 0 or not test.lines:
            test.verdict, test.lines = line, []
        self._current = test

    def _read_summary(self, index: int, found: re.Match[str]) -> None:
        self._seen = True
        ran, passed = number_in(found[1]), number_in(found[3])
        self._tally.add(passed=passed, failed=max(0, ran - passed))
        if found[2] and number_in(found[2]) > ran:
            self._tally.not_run.append(f"{number_in(found[2]) - ran} of {found[2]} tests were not run")
        first = self._first if self._first >= 0 else index
        self._tally.wrote(self._lines[first].number, self._lines[index].number)
        self._first, self._current = -1, None

    def report(self) -> TestReport | None:
        """Return what was read, at the end of the log."""
        failures = [_failure(name, test) for name, test in self._tests.items() if test.failed or test.flaky]
        if not self._seen:
            return None
        if self._first >= 0:
            last = output_end(self._lines, self._first)
            self._tally.wrote(self._lines[self._first].number, self._lines[last].number)
        return TestReport(
            runners=(NAME,),
            ran=self._tally.ran,
            passed=self._tally.passed,
            failures=keep_last(sorted(failures, key=lambda failure: failure.first_line)),
            not_run=tuple(self._tally.not_run),
            line_ranges=tuple(self._tally.ranges),
        )


def _failure(name: str, test: _Test) -> TestFailure:
    told = rust_panics.told_by(test.lines, name.partition(" ")[2])
    outcome = _outcome(test)
    if test.flaky is not None:
        # What proves a flake is that the test passed afterwards.
        told = Told(message=told.message, line=test.flaky.number, exception=told.exception, frames=told.frames)
    elif not told.message:
        told = Told(message=test.verdict.text.strip().partition(" [")[0], line=test.verdict.number)
    file = next((frame.path for frame in reversed(told.frames) if frame.in_repository), None)
    return failure_of([test.verdict, *test.lines], told, test_id=name, runner=NAME, outcome=outcome, file=file)


def _outcome(test: _Test) -> Outcome:
    if test.flaky is not None:
        return Outcome.FLAKY
    if test.status in {"TIMEOUT", "TMT"}:
        return Outcome.TIMED_OUT
    return Outcome.CRASHED if test.status.startswith(("SIG", "ABORT")) else Outcome.FAILED
