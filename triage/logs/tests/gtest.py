"""Reads GoogleTest's output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.logs.tests.reporting import any_line_has, keep_last, one_line, total
from triage.logs.tests.source_paths import frame_of, relative_path
from triage.logs.tests.steps import FAILED_STEP, StepMarks
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine


_RUNNER = "gtest"
_TEST = r"([A-Za-z_]\w{0,200}(?:/[\w.-]{1,200})?\.[\w]{1,300}(?:/[\w.-]{1,200})?|[\w/]{1,300}\.[\w/]{1,300})"
_RUN = regex(rf"\[ RUN      \] {_TEST}")
_DONE = regex(rf"(.{{0,200}}?)\[(       OK |  FAILED  |  SKIPPED )\] {_TEST}")
_BY_CTEST = r"(?:\d{1,6}: )?"  # before each line of a test's output, when ctest shows it as it comes (`ctest -V`)
_PREFIX = regex(rf"^{_BY_CTEST}")
_WHERE = regex(rf"{_BY_CTEST}(?:(\S.{{0,400}}?)(?::(\d+)|\((\d+)\)): (?:Failure|error: ?(.*))$|unknown file: Failure)")
_RAN = regex(r"\[==========\] (\d{1,9}) tests? from .{0,60} ran\.")
_PASSED = regex(r"\[  PASSED  \] (\d{1,9}) tests?\.")
_RESULT = "    Result: "
_CONDITION_WORDS = r"\s*(?:Actual|Expected): (?:false|true)(?: \(.{0,200}\))?$"
_CONDITION = regex(_CONDITION_WORDS)
_COMPARES = regex(rf"{_BY_CTEST}Expected equality of these values:$")
_FRAME_OF_CHECK = regex(rf"Failed$|{_CONDITION_WORDS}")
_CRASH = (
    "Segmentation fault",
    "Aborted",
    "terminate called after",
    "core dumped",
    "Fatal signal",
    "SIGSEGV",
    *FAILED_STEP,
)
_MESSAGE_LINES = 8


@dataclass(slots=True)
class _Run:
    """One run of a test program; positions are indices, `end` is exclusive."""

    start: int
    end: int
    ran: int | None = None
    passed: int | None = None
    failures: list[TestFailure] = field(default_factory=list)


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what GoogleTest said in these lines; None where it did not run."""
    if not any_line_has(lines, "[ RUN      ]", "[  FAILED  ]", "[  PASSED  ]", "[==========]"):
        return None
    walk = _Walk(lines)
    for index in range(len(lines)):
        walk.step(index)
    walk.close(len(lines), "")
    if not walk.runs:
        return None
    return TestReport(
        runners=(_RUNNER,),
        ran=total(run.ran for run in walk.runs),
        passed=total(run.passed for run in walk.runs),
        failures=keep_last(failure for run in walk.runs for failure in run.failures),
        line_ranges=tuple((lines[run.start].number, lines[run.end - 1].number) for run in walk.runs),
    )


class _Walk:
    """Goes through the lines once."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self.lines = lines
        self.runs: list[_Run] = []
        self.marks = StepMarks(command=())
        self.run: _Run | None = None
        self.test: tuple[str, int] | None = None
        self.listing = False

    def step(self, index: int) -> None:
        """Read one line."""
        text = self.lines[index].text
        if self.marks.see(index, self.lines[index]):
            self.close(index, text)
        if "[" not in text:
            return
        started = _RUN.search(text)
        done = None if started else _DONE.match(text)
        if started:
            self._open(index)
            self.test = (started[1], index)
        elif done:
            self._open(index).end = index + 1
            if not self.listing:
                self._end_test(index, done[3], failed="FAILED" in done[2])
        else:
            self._note_sums(index, text)

    def close(self, index: int, text: str) -> None:
        """End the run at `index`. A test without a result died, when the step failed there by itself."""
        if self.run is not None and self.test is not None and (text.startswith(FAILED_STEP) or self._crashed(index)):
            self.run.end = index
            self.run.failures.append(_crash(self.lines, self.test, index))
        self.run, self.test, self.listing = None, None, False

    def _crashed(self, index: int) -> bool:
        return self.test is not None and any(
            line.text.startswith(_CRASH) for line in self.lines[max(self.test[1], index - 40) : index]
        )

    def _open(self, index: int) -> _Run:
        if self.run is None:
            self.run = _Run(index, index + 1)
            self.runs.append(self.run)
        self.run.end = index + 1
        return self.run

    def _end_test(self, index: int, name: str, *, failed: bool) -> None:
        start = self.test[1] if self.test and self.test[0] == name else index
        if failed and self.run is not None:
            self.run.failures.append(_failure(self.lines, name, start, index))
        self.test = None

    def _note_sums(self, index: int, text: str) -> None:
        if "[==========]" in text:
            if self.run is not None and "Running " in text:
                self.close(index, text)
            run = self._open(index)
            ran = _RAN.search(text)
            run.ran = int(ran[1]) if ran else run.ran
            self.listing = self.listing or ran is not None
        elif "[  PASSED  ]" in text:
            passed = _PASSED.search(text)
            run = self._open(index)
            run.passed = int(passed[1]) if passed else run.passed
            self.listing = True
        elif "[  FAILED  ]" in text and "listed below" in text:
            self._open(index)
            self.listing = True


def _failure(lines: Sequence[LogLine], name: str, start: int, end: int) -> TestFailure:
    """Read the failure of one test from its own lines: its first `Failure` tells where and what."""
    at = next((index for index in range(start, end) if _WHERE.match(lines[index].text)), None)
    found = _WHERE.match(lines[at].text) if at is not None else None
    if at is None or found is None:
        return TestFailure(
            id=name,
            runner=_RUNNER,
            first_line=lines[start].number,
            last_line=lines[end].number,
            error_line=lines[end].number,
        )
    following = range(at + 1, min(end, at + 1 + _MESSAGE_LINES))
    told = [found[4] or "", *(lines[index].text for index in following)]
    said = at if found[4] or not following else _said(lines, following)
    said = at if _COMPARES.match(lines[said].text) else said
    frame = frame_of(found[1], found[2] or found[3]) if found[1] else None
    return TestFailure(
        id=name,
        runner=_RUNNER,
        file=relative_path(frame.path) if frame else None,
        message=one_line(" ".join(_PREFIX.sub("", text) for text in told)),
        frames=(frame,) if frame else (),
        first_line=lines[start].number,
        last_line=lines[end].number,
        error_line=lines[said].number,
    )


def _said(lines: Sequence[LogLine], following: range) -> int:
    """Return which of the lines under the place of a failure says what was wrong.

    A death test states its outcome below the statement that was to die; a condition only says that it does not hold,
    and what the test's author wrote of it stands below.
    """
    texts = {index: lines[index].text for index in following}
    result = next((index for index, text in texts.items() if text.startswith(_RESULT)), None)
    if result is not None:
        return result
    spoken = [index for index, text in texts.items() if text.strip() and not _FRAME_OF_CHECK.match(text)]
    is_condition = any(_CONDITION.match(text) for text in texts.values())
    words = [index for index in spoken if not (is_condition and texts[index].startswith("Value of: "))]
    return (words or spoken or [following[0]])[0]


def _crash(lines: Sequence[LogLine], test: tuple[str, int], end: int) -> TestFailure:
    name, start = test
    words = next((line for line in reversed(lines[start:end]) if line.text.startswith(_CRASH)), lines[start])
    return TestFailure(
        id=name,
        runner=_RUNNER,
        outcome=Outcome.CRASHED,
        message=one_line(words.text) if words is not lines[start] else "the program ended while this test was running",
        first_line=lines[start].number,
        last_line=lines[max(start, end - 1)].number,
        error_line=words.number,
    )
