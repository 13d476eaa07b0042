"""A job's log as the classifiers look at it: lines by number, the part that failed, and who wrote which line."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import Log, LogLine, StepSpan, TestFailure, TestReport


@dataclass(frozen=True, kw_only=True)
class LogView:
    """Look-ups over one log; numbers are raw line numbers, ranges include both ends."""

    log: Log
    tests: TestReport

    @cached_property
    def _numbers(self) -> list[int]:
        return [line.number for line in self.log.lines]

    def line(self, number: int) -> LogLine | None:
        """Return the kept line of that number; None when it was not kept."""
        at = bisect.bisect_left(self._numbers, number)
        lines = self.log.lines
        return lines[at] if at < len(lines) and lines[at].number == number else None

    def between(self, first: int, last: int) -> Sequence[LogLine]:
        """Return the kept lines of a range, by rising number."""
        start = bisect.bisect_left(self._numbers, first)
        return self.log.lines[start : bisect.bisect_right(self._numbers, last)]

    def span_of(self, number: int) -> StepSpan | None:
        """Return the step that wrote a line, where that could be told."""
        return next((span for span in self.log.spans if span.first_line <= number <= span.last_line), None)

    def begin_of(self, number: int) -> int:
        """Return the number of the line by which the command began that wrote a line; 1 where none shows."""
        return max((first for first, _ in self._inputs if first <= number), default=1)

    def is_in_tests(self, number: int) -> bool:
        """Whether running tests wrote the line: such a line proves nothing by itself (law 2)."""
        return any(first <= number <= last for first, last in self._test_ranges)

    def is_surely_in_tests(self, number: int) -> bool:
        """Whether nothing else can have written the line: it does not follow a run that never said that it ended."""
        return self.is_in_tests(number) and not any(first <= number <= last for first, last in self.tests.unended)

    @cached_property
    def _test_ranges(self) -> tuple[tuple[int, int], ...]:
        blocks = ((test.first_line, test.last_line) for test in self.tests.failures)
        return (*self.tests.line_ranges, *blocks)

    def is_input(self, number: int) -> bool:
        """Whether the runner shows a step's commands, `with:` and `env:` there: what was asked for, not what came."""
        return any(first <= number <= last for first, last in self._inputs)

    @cached_property
    def _inputs(self) -> tuple[tuple[int, int], ...]:
        opened: int | None = None
        ranges = []
        for line in self.log.lines:
            if line.text.startswith("##[group]"):
                opened = line.number if line.text.startswith("##[group]Run ") else None
            elif opened is not None and line.text.startswith("##[endgroup]"):
                ranges.append((opened, line.number))
                opened = None
        return tuple(ranges)

    @cached_property
    def failing_tests(self) -> tuple[TestFailure, ...]:
        """Failures that were not mended by a retry of the same run."""
        from triage.model import Outcome

        return tuple(test for test in self.tests.failures if test.outcome is not Outcome.FLAKY)


class Section(NamedTuple):
    """A part of the log: raw line numbers, both ends included. `end` is the line that says the section failed."""

    first: int
    last: int
    end: LogLine | None = None
    span: StepSpan | None = None

    def holds(self, number: int) -> bool:
        """Whether a line lies in the section."""
        return self.first <= number <= self.last
