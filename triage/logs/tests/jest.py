"""Reads Jest: `FAIL file`, then one `  ● suite › test` block a failure, then the counts that decide."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.logs.tests import javascript
from triage.logs.tests.failure_blocks import Tally, block_end, failure_of, is_hole, number_in, output_end, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "jest"


_FILE = regex(r" ?(PASS|FAIL) +(?:\S+ +)?(\S+\.\w+)(?: \([\d.,]+ ?m?s\)| \([\d.]+ MB heap size\))*\s*$")
_HEAD = regex(r"  ● (\S.*)$")
_COUNT = regex(r"\b(\d++) (failed|passed|skipped|todo|total|of)")
_UNLOADED = "Test suite failed to run"
_NO_TEST = ("Console", "Cannot log after tests are done", "Validation Error", "Deprecation Warning")
_TIMED_OUT = regex(r"Exceeded timeout of|Async callback was not invoked within|jest did not exit")
_SNAPSHOT = regex(r"expect\(\w+\)\.toMatch(?:Inline)?Snapshot\(|expect\(\w+\)\.toMatchImageSnapshot\(")
_DIED = regex(r"A jest worker process .* was terminated|Call retries were exceeded|signal=SIG")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Jest said in these lines; None where it did not run."""
    if not any_line_has(lines, "  ● ", "Test Suites: "):
        return None
    reader = _Reader(lines)
    index = 0
    while index < len(lines):
        index = reader.read_line(index)
    return reader.report()


class _Reader:
    """Keeps the file whose failures are being printed, and what failed since the last counts."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self._lines = lines
        self._file: str | None = None
        self._in_failed_file = True
        self._open: list[TestFailure] = []
        self._settled: list[TestFailure] = []
        self._first = -1
        self._floor = 0
        self._suites = ""
        self._tally = Tally()

    def read_line(self, index: int) -> int:
        """Read the line at this index; return the index of the next one."""
        text = self._lines[index].text
        if is_hole(self._lines, index):
            self._file, self._in_failed_file = None, True
        if file := _FILE.match(text):
            self._begin(index)
            self._file, self._in_failed_file = relative_path(file[2]), file[1] == "FAIL"
        elif head := _HEAD.match(text):
            return self._read_failure(index, head[1].strip())
        elif text.startswith("Test Suites: "):
            self._begin(index)
            self._suites = text
        elif text.startswith("Tests: ") and " total" in text:
            self._end(index, text)
        return index + 1

    def _begin(self, index: int) -> None:
        if self._first < 0:
            self._first = output_start(self._lines, index, "jest", "test", floor=self._floor)

    def _read_failure(self, index: int, name: str) -> int:
        end = block_end(self._lines, index, _ends_block)
        if name.startswith(_NO_TEST) or not self._in_failed_file:
            return end
        self._begin(index)
        block = self._lines[index:end]
        whole_file = name == _UNLOADED
        told = javascript.told_by(_from_error(block[1:]) if whole_file else block[1:])
        if _SNAPSHOT.match(told.message):
            told = replace(told, line=block[0].number)  # which test it was says more than that it has a snapshot
        said = f"{told.exception or ''} {told.message}"
        outcome = Outcome.NOT_COLLECTED if whole_file else Outcome.FAILED
        if _TIMED_OUT.search(said):
            outcome = Outcome.TIMED_OUT
        elif _DIED.search(said):
            outcome = Outcome.CRASHED
        parts = ([self._file] if self._file else []) + ([] if whole_file else [name])
        test_id = " › ".join(parts) or _UNLOADED
        self._open.append(failure_of(block, told, test_id=test_id, runner=NAME, outcome=outcome, file=self._file))
        return end

    def _end(self, index: int, tests: str) -> None:
        """The counts decide: where nothing failed, what looked like a failure was printed by a test."""
        suites = _counts(self._suites)
        counts = _counts(tests)
        self._tally.add(passed=counts.get("passed", 0), failed=counts.get("failed", 0))
        if counts.get("failed") or suites.get("failed") or not self._suites:
            self._settled += self._open
        if suites.get("of"):
            total = suites.get("total", 0)
            self._tally.not_run.append(f"{max(0, total - suites['of'])} of {total} test suites never ran")
        unloaded = sum(one.outcome is Outcome.NOT_COLLECTED for one in self._open)
        if unloaded:
            self._tally.not_run.append(f"{unloaded} test suite{'s' * (unloaded > 1)} could not be loaded")
        self._begin(index)
        self._tally.wrote(self._lines[self._first].number, self._lines[index].number)
        self._open, self._suites, self._first, self._floor = [], "", -1, index + 1

    def report(self) -> TestReport | None:
        """Return what was read, at the end of the log."""
        failures = [*self._settled, *self._open]
        if self._tally.ran is None and not failures:
            return None
        if self._first >= 0:
            last = output_end(self._lines, self._first)
            self._tally.wrote(self._lines[self._first].number, self._lines[last].number)
        return TestReport(
            runners=(NAME,),
            ran=self._tally.ran,
            passed=self._tally.passed,
            failures=keep_last(failures),
            not_run=tuple(self._tally.not_run),
            line_ranges=tuple(self._tally.ranges),
        )


def _ends_block(text: str) -> bool:
    """Jest indents all that belongs to a failure by four."""
    return bool(text.strip()) and not text.startswith("    ")


def _counts(text: str) -> dict[str, int]:
    """Read `1 failed, 3 of 10 total`, which says that 7 never ran, into a number for each word."""
    return {word: number_in(number) for number, word in _COUNT.findall(text)}


def _from_error(block: Sequence[LogLine]) -> Sequence[LogLine]:
    """Skip Jest's long advice on a file it cannot parse: the error itself stands below `Details:`."""
    for index, line in enumerate(block):
        if line.text.strip() == "Details:":
            return block[index + 1 :]
    return block
