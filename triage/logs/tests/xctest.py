"""Reads XCTest and Swift Testing, plain and as xcpretty shows them: `file.swift:12: error: -[Tests test] : …`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import Tally, Told, failure_of, is_hole, line_in, number_in, output_start
from triage.logs.tests.reporting import any_line_has
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame, Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "xctest"


_ERROR = regex(r"(\S.*?\.(?:swift|mm?|cpp)):(\d+): error: (?:-\[)?([\w.]+)[ .](\w+)\]? : (.*)$")
_CASE = regex(r"Test Case '(?:-\[)?([\w.]+)[ .](\w+)\]?' (failed|passed) \(")
_EXECUTED = regex(r"\s*Executed (\d+) tests?, with (?:(\d+) tests? skipped and )?(\d+) failures?")
_ISSUE = regex(r"[✘􀢄] Test (.+?) recorded an issue at (\S+?):(\d+):\d+: (.*)$")
_ENDED = regex(r"[✘􀢄] Test (.+?) failed after [\d.]+ seconds")
_PRETTY_OWNER = regex(r"([\w.]+(?:Tests?|TestCase|Spec)\w*)\s*$")
_PRETTY = regex(r"(?:nl)?  (\w+), (.+)$")
_PRETTY_PLACE = regex(r"  (/\S+\.(?:swift|mm?)):(\d+)\s*$")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Apple's runners said in these lines; None where none ran."""
    if not any_line_has(lines, "Executed ", " recorded an issue at ", "Test Case '", ": error: -["):
        return None
    reader = _Reader(lines)
    for index in range(len(lines)):
        reader.read_line(index)
    return reader.report()


class _Reader:
    """Gathers what each failed test said first; the whole suite's counts come last and are the greatest."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self._lines = lines
        self._failures: dict[str, TestFailure] = {}
        self._passed: set[str] = set()
        self._owner = ""
        self._pretty: tuple[int, str, str] | None = None
        self._counts: tuple[int, int] | None = None
        self._first = -1
        self._last = -1

    def read_line(self, index: int) -> None:
        """Read the line at this index."""
        line, text = self._lines[index], self._lines[index].text
        if is_hole(self._lines, index):
            self._owner, self._pretty = "", None
        if error := _ERROR.match(text) if ": error: " in text else None:
            self._add(index, index, f"{error[3]}.{error[4]}", error[5], (error[1], error[2]))
        elif case := _CASE.match(text):
            self._read_case(index, case)
        elif issue := _ISSUE.match(text):
            self._add(index, index, issue[1], issue[4], (issue[2], issue[3]))
        elif executed := _EXECUTED.match(text):
            ran, failed = number_in(executed[1]) - number_in(executed[2]), number_in(executed[3])
            self._counts = max(self._counts or (0, 0), (ran, failed))
            self._touch(index)
        elif ended := _ENDED.match(text):
            self._touch(index)
            self._failures.setdefault(ended[1], failure_of([line], Told(message=text), test_id=ended[1], runner=NAME))
        else:
            self._read_pretty(index, text)

    def _touch(self, index: int) -> None:
        self._first = index if self._first < 0 else self._first
        self._last = index

    def _add(self, start: int, end: int, test_id: str, words: str, place: tuple[str, str]) -> None:
        self._touch(end)
        self._passed.discard(test_id)
        if test_id in self._failures:
            return  # what went wrong first is what is told
        frame = Frame(relative_path(place[0]), line_in(place[1]))
        told = Told(message=words, line=self._lines[start].number, frames=(frame,))
        block = self._lines[start : end + 1]
        self._failures[test_id] = failure_of(block, told, test_id=test_id, runner=NAME, file=frame.path)

    def _read_case(self, index: int, case: re.Match[str]) -> None:
        test_id = f"{case[1]}.{case[2]}"
        self._touch(index)
        if case[3] == "passed":
            self._passed.add(test_id)
        elif test_id not in self._failures:
            line = self._lines[index]
            self._failures[test_id] = failure_of([line], Told(message=line.text), test_id=test_id, runner=NAME)

    def _read_pretty(self, index: int, text: str) -> None:
        """Read xcpretty's list of failures at the end: class, then test with words, then place."""
        if owner := _PRETTY_OWNER.fullmatch(text):
            self._owner = owner[1]
        elif self._owner and (said := _PRETTY.match(text)):
            self._pretty = (index, f"{self._owner}.{said[1]}", said[2])
        elif self._pretty and (place := _PRETTY_PLACE.match(text)):
            start, test_id, words = self._pretty
            self._add(start, index, test_id, words, (place[1], place[2]))
            self._pretty = None

    def report(self) -> TestReport | None:
        """Return what was read, at the end of the log; a test that passed when it was tried again is flaky."""
        if self._counts is None and not self._failures:
            return None
        failures = tuple(
            replace(failure, outcome=Outcome.FLAKY) if test_id in self._passed else failure
            for test_id, failure in self._failures.items()
        )
        ran, failed = self._counts or (None, 0)
        tally = Tally()
        start = output_start(self._lines, self._first, "xcodebuild", "swift test")
        tally.wrote(self._lines[start].number, self._lines[self._last].number)
        return TestReport(
            runners=(NAME,),
            ran=ran,
            passed=max(0, ran - failed) if ran is not None else None,
            failures=failures,
            line_ranges=tuple(tally.ranges),
        )
