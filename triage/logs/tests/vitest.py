"""Reads Vitest: ` FAIL  file > suite > test` blocks between rules, errors nobody handled, then the counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests import javascript
from triage.logs.tests.failure_blocks import Tally, block_end, failure_of, is_hole, number_in, output_end, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "vitest"


_RUN = regex(r" *(?:RUN|DEV) +v\d+\.")
_FAIL = regex(r" *FAIL +(?:\|[^|]+\| +|\([^)]*\) +)?(\S+?\.\w+)(?: > (.+)| \[ .+ \])?$")
_COUNTS = regex(r" +(Test Files|Tests|Errors) +(.*\d.*)$")
_COUNT = regex(r"\b(\d++) (failed|passed|skipped|todo|error)")
_LIST = regex(r"⎯+ Failed (?:Suites|Tests|Benchmarks|Typechecks?) \d+ ⎯+")
_UNHANDLED = regex(r"⎯+ (Unhandled (?:Rejection|Error|Exception)|Uncaught Exception|Serialized Error) ⎯+")
_ORIGIN = regex(r'This error originated in "([^"]+)" test file')
_LATEST = regex(r'The latest test that might\'ve caused the error is "([^"]+)"')
_FLAKY = regex(r" +✓ (?:\|[^|]+\| +)?(\S+\.\w+ > .+?)(?: \d+m?s)? \(retry x\d+\)")
_TIMED_OUT = regex(r"(?:Test|Hook) timed out in")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Vitest said in these lines; None where it did not run."""
    if not any_line_has(lines, " RUN  v", " Test Files  ", " FAIL  ", " DEV  v"):
        return None
    reader = _Reader(lines)
    index = 0
    while index < len(lines):
        index = reader.read_line(index)
    return reader.report()


class _Reader:
    """Reads failures, which stand after all files, and holds them against the counts below."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self._lines = lines
        self._open: list[TestFailure] = []
        self._settled: list[TestFailure] = []
        self._first = -1
        self._floor = 0
        self._seen = False
        self._listing = False  # failures are listed after all files; what looks like one above was printed by a test
        self._files_failed: bool | None = None
        self._tally = Tally()

    def read_line(self, index: int) -> int:
        """Read the line at this index; return the index of the next one."""
        text = self._lines[index].text
        if is_hole(self._lines, index):
            self._listing = True  # where the list begins may not have been kept
        if _RUN.match(text):
            self._seen, self._first, self._listing = True, index, False
        elif _LIST.match(text):
            self._listing = True
        elif fail := _FAIL.match(text.rstrip()) if self._listing and "FAIL" in text else None:
            return self._read_failure(index, fail)
        elif text.startswith("⎯") and _UNHANDLED.match(text):
            return self._read_unhandled(index)
        elif counts := _COUNTS.match(text):
            self._read_counts(index, counts)
        elif flaky := _FLAKY.match(text):
            self._settled.append(_flaky(self._lines[index], flaky[1]))
        return index + 1

    def _begin(self, index: int) -> None:
        if self._first < 0:
            self._first = output_start(self._lines, index, "vitest", "test", floor=self._floor)

    def _read_failure(self, index: int, fail: re.Match[str]) -> int:
        """Read one block; tests that failed with the same error are named one below the other."""
        named = [fail]
        start = index
        while index + 1 < len(self._lines) and not is_hole(self._lines, index + 1):
            following = _FAIL.match(self._lines[index + 1].text.rstrip())
            if not following:
                break
            named.append(following)
            index += 1
        end = block_end(self._lines, index, _ends_block)
        block = self._lines[start:end]
        self._begin(start)
        told = javascript.told_by(self._lines[index + 1 : end])
        for one in named:
            file, name = relative_path(one[1]), one[2]
            outcome = Outcome.FAILED if name else Outcome.NOT_COLLECTED
            if _TIMED_OUT.search(told.message):
                outcome = Outcome.TIMED_OUT
            test_id = f"{file} > {name}" if name else file
            self._open.append(failure_of(block, told, test_id=test_id, runner=NAME, outcome=outcome, file=file))
        return end

    def _read_unhandled(self, index: int) -> int:
        end = block_end(self._lines, index, lambda text: text.startswith("⎯"))
        block = self._lines[index:end]
        origin = next((found for line in block if (found := _ORIGIN.search(line.text))), None)
        if not origin:
            return end
        latest = next((found for line in block if (found := _LATEST.search(line.text))), None)
        told = javascript.told_by(block[1:])
        file = relative_path(origin[1])
        test_id = f"{file} > {latest[1]}" if latest else file
        self._open.append(failure_of(block, told, test_id=test_id, runner=NAME, outcome=Outcome.ERROR, file=file))
        return end

    def _read_counts(self, index: int, found: re.Match[str]) -> None:
        counts = {word: number_in(number) for number, word in _COUNT.findall(found[2])}
        if found[1] == "Test Files":
            self._seen = True
            self._begin(index)
            self._files_failed = counts.get("failed", 0) > 0
        elif found[1] == "Tests" and self._files_failed is not None:
            self._tally.add(passed=counts.get("passed", 0), failed=counts.get("failed", 0))
            self._end(index, failed=self._files_failed or counts.get("failed", 0) > 0)

    def _end(self, index: int, *, failed: bool) -> None:
        """The counts decide; an error that nobody handled has none of its own in older versions and always counts."""
        self._settled += [one for one in self._open if failed or one.outcome is Outcome.ERROR]
        unloaded = sum(one.outcome is Outcome.NOT_COLLECTED for one in self._open)
        if unloaded:
            self._tally.not_run.append(f"{unloaded} test file{'s' * (unloaded > 1)} could not be loaded")
        self._tally.wrote(self._lines[self._first].number, self._lines[index].number)
        self._open, self._files_failed, self._first, self._floor = [], None, -1, index + 1

    def report(self) -> TestReport | None:
        """Return what was read, at the end of the log."""
        if not self._seen:
            return None
        if self._first >= 0:
            last = output_end(self._lines, self._first)
            self._tally.wrote(self._lines[self._first].number, self._lines[last].number)
        return TestReport(
            runners=(NAME,),
            ran=self._tally.ran,
            passed=self._tally.passed,
            failures=keep_last([*self._settled, *self._open]),
            not_run=tuple(self._tally.not_run),
            line_ranges=tuple(self._tally.ranges),
        )


def _ends_block(text: str) -> bool:
    return text.startswith(("⎯⎯", " FAIL  ", " Test Files  ")) or _COUNTS.match(text) is not None


def _flaky(line: LogLine, name: str) -> TestFailure:
    file = relative_path(name.partition(" > ")[0])
    told = javascript.told_by(())
    return failure_of([line], told, test_id=name, runner=NAME, outcome=Outcome.FLAKY, file=file)
