"""Reads Gradle's test events: `StoreTest > adds() FAILED` with the exception below, whatever framework ran them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from triage.logs.tests import jvm
from triage.logs.tests.failure_blocks import Tally, block_end, failure_of, number_in, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "gradle"


_EVENT = regex(
    r"(?:Gradle suite > Gradle test > )?([\w.$]+ > .+|(?:\w+\.)+[A-Z][\w$]*\.\w+)"
    r" (FAILED|PASSED|SKIPPED|STANDARD_OUT|STANDARD_ERROR)$"
)
_TASK = regex(r"(?:> Task )?:((?:[\w.-]+:)*)([\w.-]+)(?: [A-Z-]+)?$")
_TOTAL = regex(r"(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?")
# What a framework adds for one set of parameters: `[2] 1, 2`, `adds(int, int)[2]`, `org.acme.T.adds(int)[2]`.
_INVOCATION = regex(r"\[\d+\]")
_SETUPS = frozenset({"classMethod", "initializationError", "executionError"})
_TIMEOUTS = ("TestTimedOutException", "TimeoutException")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Gradle said of tests in these lines; None where it ran none."""
    if not any_line_has(lines, " FAILED", " PASSED", " tests completed, "):
        return None
    if not any_line_has(
        lines, "> Task :", "Gradle", "gradle", "BUILD SUCCESSFUL", "BUILD FAILED", " tests completed, "
    ):
        return None
    reader = _Reader(lines)
    reader.read()
    return reader.report()


class _Reader:
    """Reads event after event; Gradle's own verdict on the build settles them."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self._lines = lines
        self._open: list[TestFailure] = []
        self._passed: set[str] = set()
        self._settled: list[TestFailure] = []
        self._first = -1
        self._last = -1
        self._task = -1
        self._floor = 0
        self._tally = Tally()
        self._seen = False

    def read(self) -> None:
        index = 0
        while index < len(self._lines):
            index = self._read_line(index)
        self._close_task()
        self._end_build(success=False)

    def report(self) -> TestReport | None:
        """Return what was read; None where no test's event and no count was."""
        if not self._seen:
            return None
        tally = self._tally
        return TestReport(
            runners=(NAME,),
            ran=tally.ran,
            passed=tally.passed,
            failures=keep_last(self._settled),
            line_ranges=tuple(tally.ranges),
        )

    def _read_line(self, index: int) -> int:
        text = self._lines[index].text.rstrip()
        event = _EVENT.match(text) if text.endswith(("ED", "STANDARD_OUT", "STANDARD_ERROR")) else None
        if event:
            return self._read_event(index, event)
        total = _TOTAL.match(text)
        if total:
            ran, failed, skipped = number_in(total[1]), number_in(total[2]), number_in(total[3])
            self._tally.add(passed=max(0, ran - failed - skipped), failed=failed)
            self._touch(index)
            self._close_task()
        elif _TASK.match(text):
            self._close_task()
            self._task = index
        elif text.startswith(("BUILD SUCCESSFUL", "BUILD FAILED")):
            self._end_build(success=text.startswith("BUILD SUCCESSFUL"))
        return index + 1

    def _read_event(self, index: int, event: re.Match[str]) -> int:
        end = block_end(self._lines, index, _ends_event)
        self._touch(index)
        self._last = end - 1
        # TestNG's set-up methods are printed in one word: `com.acme.StoreTest.open FAILED`.
        parts = event[1].split(" > ") if " > " in event[1] else list(event[1].rpartition(".")[::2])
        test_id = _name_of(parts)
        if event[2] == "PASSED":
            self._passed.add(test_id)
        elif event[2] == "FAILED":
            self._passed.discard(test_id)
            self._open.append(_failure(self._lines[index:end], test_id, parts))
        return end

    def _touch(self, index: int) -> None:
        self._seen = True
        if self._first < 0:
            self._first = (
                self._task if self._task >= 0 else output_start(self._lines, index, "gradle", floor=self._floor)
            )
        self._last = index

    def _close_task(self) -> None:
        if self._first >= 0:
            self._tally.wrote(self._lines[self._first].number, self._lines[self._last].number)
            self._floor = self._last + 1
        self._first = self._last = -1

    def _end_build(self, *, success: bool) -> None:
        """Settle what failed: a test that passed afterwards is flaky; in a good build the rest did not matter."""
        for failure in self._open:
            if failure.id in self._passed:
                self._settled.append(replace(failure, outcome=Outcome.FLAKY))
            elif not success:
                self._settled.append(failure)
        self._open = []
        self._passed = set()


def _ends_event(text: str) -> bool:
    """Everything that belongs to an event is indented."""
    return bool(text) and not text.startswith((" ", "\t"))


def _name_of(parts: Sequence[str]) -> str:
    """Return class and method, without the descriptions of single sets of parameters below and without types."""
    kept = [part for index, part in enumerate(parts) if index < 2 or not _INVOCATION.search(part)]
    return ".".join(re.split(r"[(\[{]", part, maxsplit=1)[0].strip() or part for part in kept)


def _failure(block: Sequence[LogLine], test_id: str, parts: Sequence[str]) -> TestFailure:
    told = jvm.told_by(block[1:], parts[0])
    outcome = Outcome.TIMED_OUT if (told.exception or "").endswith(_TIMEOUTS) else Outcome.FAILED
    if parts[-1] in _SETUPS:
        outcome = Outcome.ERROR
    file = jvm.file_of_class(parts[0], told.frames)
    return failure_of(block, told, test_id=test_id, runner=NAME, outcome=outcome, file=file)
