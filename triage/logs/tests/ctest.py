"""Reads CTest's output. It starts other programs: what their own runners tell says more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.logs.tests.reporting import any_line_has, keep_last, one_line, total
from triage.logs.tests.steps import StepMarks
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine


_RUNNER = "ctest"
_STARTED = regex(r"(?:\d+: )?\s{0,8}Start\s+\d+: (\S.{0,300})$")
_RESULT = regex(r"\s{0,20}(?:\d+/\d+ )?Test\s{1,8}#(\d+): (\S+) ?(.*)$")
_SHOWN = regex(r"(\d{1,6}): ")
_TIME = regex(r"\s+\d[\d.]* sec$")
_SUM = regex(r"\d{1,3}% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})")
_LISTED = regex(r"\s+\d+ - (\S+) \(([\w: ]{1,40})\)")
_NO_TESTS = "No tests were found!!!"
_LEFT_OUT = regex(r"Skipped\b|Not Run \(Disabled\)|Disabled$")
"""What became of a test that was not to run."""

_NEXT = regex(r"test \d{1,6}$")
"""How the output of the next test begins, where ctest shows all of it as it comes."""

_OUTCOMES: tuple[tuple[str, Outcome], ...] = (
    ("Timeout", Outcome.TIMED_OUT),
    ("Exception", Outcome.CRASHED),
    ("SEGFAULT", Outcome.CRASHED),
    ("Subprocess", Outcome.CRASHED),
    ("Not Run", Outcome.NOT_COLLECTED),
)


@dataclass(slots=True)
class _Result:
    """One result of a test; positions are indices, `end` is exclusive and follows what was printed for it."""

    test: str
    number: str
    start: int
    said_at: int
    end: int
    failed: str


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what CTest said in these lines; None where it did not run."""
    if not any_line_has(lines, "Test #", "Test  #", "tests passed, ", "Test project ", _NO_TESTS):
        return None
    walk = _Walk(lines)
    for index in range(len(lines)):
        walk.step(index)
    walk.close(len(lines))
    if not walk.showed_itself:
        return None
    return TestReport(
        runners=(_RUNNER,),
        ran=total(walk.ran),
        passed=total(walk.passed),
        failures=keep_last(walk.failures()),
        line_ranges=tuple((lines[start].number, lines[end - 1].number) for start, end in walk.spans if end > start),
    )


class _Walk:
    """Goes through the lines once."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self.lines = lines
        self.marks = StepMarks(command=())
        self.results: list[_Result] = []
        self.listed: dict[str, tuple[int, str]] = {}
        self.spans: list[tuple[int, int]] = []
        self.ran: list[int] = []
        self.passed: list[int] = []
        self.start: int | None = None
        self.begun: tuple[str, int] | None = None
        self.shown: dict[str, int] = {}
        self.open: _Result | None = None

    @property
    def showed_itself(self) -> bool:
        """Whether anything here is CTest's: a result, a sum."""
        return bool(self.results or self.ran or self.listed)

    def step(self, index: int) -> None:
        """Read one line."""
        text = self.lines[index].text
        if self.marks.see(index, self.lines[index]):
            self.close(index)
        if text.startswith("Test project "):
            self.close(index)
            self.start = index
            return
        if text[:1].isdigit() and (shown := _SHOWN.match(text)):
            self.shown.setdefault(shown[1], index)
        result = _RESULT.match(text) if "Test" in text else None
        started = _STARTED.match(text) if "Start" in text else None
        if result:
            self._end_output(index)
            self._take(index, result[1], result[2], result[3])
        elif started:
            self._end_output(index)
            self.begun = (started[1], index)
        else:
            self._note_sums(index, text)

    def close(self, index: int) -> None:
        """End a run of CTest at `index`."""
        self._end_output(index)
        if self.start is not None:
            self.spans.append((self.start, index))
        self.start, self.begun = None, None
        self.shown.clear()

    def _end_output(self, index: int) -> None:
        if self.open is not None:
            self.open.end = index
        self.open = None

    def _take(self, index: int, number: str, test: str, words: str) -> None:
        """Take a result; its output stands above it where ctest showed that as it came."""
        shown = self.shown.pop(number, index)
        if "***" not in words and "Passed" not in words:
            return
        begun = self.begun[1] if self.begun and self.begun[0] == test else shown
        self.start = begun if self.start is None else self.start
        before, _, failed = _TIME.sub("", words).partition("***")
        said = f"{before.strip(' .')} {failed}".strip() if failed and not _LEFT_OUT.match(failed) else ""
        self.open = _Result(test, number, begun, index, index + 1, said)
        self.results.append(self.open)

    def _note_sums(self, index: int, text: str) -> None:
        found = _SUM.match(text)
        if found:
            self._end_output(index)
            failed, all_of_them = int(found[1]), int(found[2])
            self.ran.append(all_of_them)
            self.passed.append(max(0, all_of_them - failed))
        elif text.startswith(_NO_TESTS):
            self.ran.append(0)
        elif text.startswith((" ", "\t")) and (listed := _LISTED.match(text)):
            if _LEFT_OUT.match(listed[2]):
                return
            self.listed[listed[1]] = (index, listed[2])

    def failures(self) -> list[TestFailure]:
        """Return the failures: a test that passed in a later try of the same run is flaky."""
        last = {result.test: result for result in self.results}
        told = [self._of_result(result, last[result.test]) for result in self.results if result.failed]
        known = {failure.id for failure in told}
        bare = [self._of_listed(test, *row) for test, row in self.listed.items() if test not in known]
        return [*told, *bare]

    def _of_result(self, result: _Result, last: _Result) -> TestFailure:
        below = self.lines[result.said_at + 1 : result.end]
        body = [line for line in below if line.text.strip() and not _is_of_another(line.text, result.number)]
        return TestFailure(
            id=result.test,
            runner=_RUNNER,
            outcome=_outcome_of(result.failed) if last.failed else Outcome.FLAKY,
            message=one_line(body[-1].text if body else result.failed),
            first_line=self.lines[result.start].number,
            last_line=self.lines[max(result.start, result.end - 1)].number,
            error_line=self.lines[result.said_at].number,
        )

    def _of_listed(self, test: str, index: int, how: str) -> TestFailure:
        number = self.lines[index].number
        return TestFailure(
            id=test,
            runner=_RUNNER,
            outcome=_outcome_of(how),
            message=how,
            first_line=number,
            last_line=number,
            error_line=number,
        )


def _is_of_another(text: str, number: str) -> bool:
    """Whether another test than that one printed the line, or its output begins with it."""
    shown = _SHOWN.match(text)
    return shown[1] != number if shown else _NEXT.match(text) is not None


def _outcome_of(words: str) -> Outcome:
    return next((outcome for mark, outcome in _OUTCOMES if mark in words), Outcome.FAILED)
