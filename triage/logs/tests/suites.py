"""Reads runners that start one Python file after the other and print `Begin (5/29):` and `End (5/29):` round each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.logs.tests.steps import FAILED_STEP, StepMarks
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine


_RUNNER = "suite"
_MARK = regex(r"(Begin|End) \((\d{1,6})/(\d{1,6})\):")
_FILE = regex(r"(?:\S*python[\d.]* (?:-\S+ ){0,4}|filename=')(\S+?\.py)\b")
_FAILED = regex(r"(?:✗ )?(FAILED|TIMEOUT): (\S+) (returned exit code (-?\d+)|after \S+ seconds)")
_MENDED = regex(r"(?:✓ )?PASSED on retry \(attempt \d+\): (\S+)")
_GAVE_UP = regex(r"\[CI Retry\] (\S+) failed with .{0,300} - not retrying")
# The last line of the test program itself; what its children print later is no test's output any more.
_VERDICT = regex(r"(?:FAILED|OK)(?: \(.{1,200}\))?$|=* ?\d+ (?:passed|failed|error).{0,200} in [\d.]+ ?s")


@dataclass(slots=True)
class _File:
    """One try of one file; positions are indices, `end` is exclusive. `number` counts from 0 up to `last`."""

    number: int
    last: int
    start: int
    end: int
    path: str = ""
    verdict: int | None = None
    failed: Outcome | None = None
    why: str = ""
    said_at: int | None = None
    open: bool = True


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what such a runner said in these lines; None where none ran."""
    if not any_line_has(lines, "Begin (", "End ("):
        return None
    walk = _Walk(lines)
    for index in range(len(lines)):
        walk.step(index)
    walk.finish(len(lines))
    if not walk.files:
        return None
    failures = (_failure(lines, file) for file in walk.files if file.failed is not None)
    return TestReport(
        runners=(_RUNNER,),
        failures=keep_last(failures),
        not_run=tuple(dict.fromkeys(walk.not_run)),
        line_ranges=tuple(
            (lines[file.start].number, lines[max(file.start, _end_of_tests(file) - 1)].number) for file in walk.files
        ),
    )


def _end_of_tests(file: _File) -> int:
    return file.end if file.verdict is None else file.verdict + 1


def _failure(lines: Sequence[LogLine], file: _File) -> TestFailure:
    said = lines[file.said_at if file.said_at is not None else file.start]
    return TestFailure(
        id=relative_path(file.path) or f"file {file.number + 1} of {file.last + 1}",
        runner=_RUNNER,
        outcome=file.failed or Outcome.FAILED,
        file=relative_path(file.path) or None,
        message=file.why,
        first_line=lines[file.start].number,
        last_line=max(lines[max(file.start, file.end - 1)].number, said.number),
        error_line=said.number,
    )


class _Walk:
    """Goes through the lines once."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self.lines = lines
        self.files: list[_File] = []
        self.not_run: list[str] = []
        self.marks = StepMarks(command=())
        self.first_of_suite = 0
        self.went_well = False

    @property
    def at(self) -> _File | None:
        """The file of the suite at hand that began last."""
        return self.files[-1] if len(self.files) > self.first_of_suite else None

    def step(self, index: int) -> None:
        """Read one line."""
        text = self.lines[index].text
        if self.marks.see(index, self.lines[index]):
            self._end_suite(index, failed=text.startswith(FAILED_STEP))
        mark = _MARK.match(text)
        if mark:
            self._mark(index, mark[1], int(mark[2]), int(mark[3]))
        elif self.at is not None:
            self._note(self.at, index, text)

    def finish(self, index: int) -> None:
        """Take the end of the log for the end of the last suite."""
        self._end_suite(index, failed=False)

    def _mark(self, index: int, word: str, number: int, last: int) -> None:
        at = self.at
        if word == "End" and at is not None and at.number == number:
            at.end, at.open = index, False
            return
        if at is not None and at.open:
            at.end, at.open = index, False
        if at is not None and (number < at.number or last != at.last):
            self._end_suite(index, failed=False)
        if word == "Begin":
            self.files.append(_File(number=number, last=last, start=index, end=index + 1))

    def _note(self, at: _File, index: int, text: str) -> None:
        if not at.path and index <= (at.start if at.open else at.end) + 6:
            named = _FILE.match(text)
            at.path = named[1] if named else ""
        if at.open and _VERDICT.match(text):
            at.verdict = index
        failed = _FAILED.match(text)
        if failed:
            outcome = Outcome.TIMED_OUT if failed[1] == "TIMEOUT" else Outcome.FAILED
            self._fail(failed[2], outcome, failed[3], index)
        elif text.startswith(("PASSED", "✓")) and (mended := _MENDED.match(text)):
            self._mend(mended[1])
        elif text.startswith("[CI Retry]") and (gave_up := _GAVE_UP.match(text)):
            self._fail(gave_up[1], Outcome.FAILED, "", index)
        elif text.startswith("Success. Time elapsed"):
            self.went_well = True
        elif text.startswith("Fail. Time elapsed") and all(f.failed is None for f in self.files[self.first_of_suite :]):
            self._fail(at.path, Outcome.FAILED, "", index)

    def _tries(self, path: str) -> list[_File]:
        suite = self.files[self.first_of_suite :]
        return [file for file in suite if file.path == path or file.path.endswith(f"/{path.removeprefix('./')}")]

    def _fail(self, path: str, outcome: Outcome, why: str, index: int) -> None:
        tries = self._tries(path) or ([self.at] if self.at else [])
        for file in tries[-1:]:
            file.failed = outcome
            file.why, file.said_at = (why, index) if why or not file.why else (file.why, file.said_at)

    def _mend(self, path: str) -> None:
        """All tries but the last failed, and the last one passed."""
        for file in self._tries(path)[:-1]:
            file.failed, file.why = Outcome.FLAKY, "passed on retry"

    def _end_suite(self, index: int, *, failed: bool) -> None:
        at = self.at
        if at is None:
            return
        if at.open:
            at.end, at.open = index, False
        if failed and not self.went_well and all(f.failed is None for f in self.files[self.first_of_suite :]):
            at.failed = Outcome.FAILED
        left = at.last - max(file.number for file in self.files[self.first_of_suite :])
        if left > 0 and not self.went_well:
            self.not_run.append(f"{left} of {at.last + 1} files never ran")
        self.first_of_suite, self.went_well = len(self.files), False
