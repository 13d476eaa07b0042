"""Which step wrote which lines, from the times GitHub gives and the marks the runner leaves."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from datetime import timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING

from triage.logs.marks import COMPLETE, POST, RUN
from triage.model import Conclusion, StepSpan
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from triage.logs.marks import Mark
    from triage.model import Step

SET_UP = "Set up job"
_COMPLETE_JOB = "Complete job"
_NAMES = {RUN: "Run", POST: "Post job cleanup", COMPLETE: _COMPLETE_JOB}

_WITHOUT_MARK = frozenset({SET_UP, "Initialize containers", "Stop containers"})
"""Steps of the runner's own, whose first line is like any other."""

# A step without a name that uses an action is called so, and so is its mark.
_ACTION = regex(r"Run [\w.-]+/[\w./-]+@\S+")
_AFTER_ACTION = regex(r"Post Run [\w.-]+/[\w./-]+@\S+")

# GitHub cuts step times to whole seconds, and they come from another clock than those of the lines.
_SLACK = timedelta(seconds=1)

# How well a mark fits a step. A name that is equal outweighs a second that is equal: steps share seconds, not titles.
_FITS_KIND = 2
_FITS_NAME = 8
_FITS_SECOND = 4
_FITS_NEARLY = 2


def find_spans(
    steps: Sequence[Step],
    marks: Sequence[Mark],
    *,
    errors: Sequence[int],
    second_starts: Mapping[datetime, int],
    total_lines: int,
) -> tuple[StepSpan, ...]:
    """Tell which step wrote which lines.

    Args:
        steps: Of the job, in any order; skipped ones write nothing. Without steps, the marks alone divide the log.
        marks: Where steps may start, by line. A program may print such lines too, and an action made of others does.
        errors: Lines that open with `##[error]`: the first one stands in the step that failed.
        second_starts: The first line at or after a step's start, for steps that leave no mark.
        total_lines: Of the log.

    Returns:
        Spans by line, without overlap. A step of which no line could be told has none.
    """
    starts = _starts_of(steps, marks, errors, second_starts) if steps else _starts_from_marks(marks)
    if not starts or not total_lines:
        return ()
    ends = [line - 1 for _, _, line in starts[1:]] + [total_lines]
    return tuple(
        StepSpan(number=number, name=name, first_line=first, last_line=last)
        for (number, name, first), last in zip(starts, ends, strict=True)
    )


def step_at(spans: Sequence[StepSpan], line: int) -> int | None:
    """Return the number of the step that wrote a line; None where that could not be told."""
    index = bisect_right(spans, line, key=lambda span: span.first_line) - 1
    return spans[index].number if index >= 0 and line <= spans[index].last_line else None


def failed_span(steps: Sequence[Step], spans: Sequence[StepSpan]) -> StepSpan | None:
    """Return the lines of the step that broke; None where there is none or its lines could not be told."""
    failed = _failed(sorted(steps, key=lambda step: step.number))
    return next((span for span in spans if failed is not None and span.number == failed.number), None)


_Start = tuple[int, str, int]
"""Number and name of a step, and its first line."""


def _starts_from_marks(marks: Sequence[Mark]) -> list[_Start]:
    if not marks:
        return []
    begun = [(mark.title or _NAMES[mark.kind], mark.line) for mark in marks]
    if begun[0][1] > 1:
        begun.insert(0, (SET_UP, 1))
    return [(number, name, line) for number, (name, line) in enumerate(begun, start=1)]


def _starts_of(
    steps: Sequence[Step], marks: Sequence[Mark], errors: Sequence[int], second_starts: Mapping[datetime, int]
) -> list[_Start]:
    ran = [step for step in sorted(steps, key=lambda step: step.number) if _has_run(step)]
    starts = _placed(ran, marks, errors, second_starts)
    failed = _failed(ran)
    if (
        failed is None
        or not errors
        or any(_has_error(starts, step, errors) for step in ran if step.conclusion is failed.conclusion)
    ):
        return starts
    # Nothing went wrong where it should have: the clock of this machine may be another one than GitHub's.
    timeless = [replace(step, started_at=None, completed_at=None) for step in ran]
    by_order = _placed(timeless, marks, errors, {})
    is_named = any(mark.title == failed.name and (failed.number, failed.name, mark.line) in by_order for mark in marks)
    if (is_named or _is_one_each(ran, marks)) and _has_error(by_order, failed, errors):
        return by_order
    by_clock = _placed(ran, _set_right(ran, marks), errors, {})
    return by_clock if _has_error(by_clock, failed, errors) else starts


def _set_right(ran: Sequence[Step], marks: Sequence[Mark]) -> list[Mark]:
    """Put back the times of marks by as much as the first action's mark lies beside the start of its step."""
    begun = {step.name: step.started_at for step in ran if _ACTION.fullmatch(step.name)}
    for mark in marks:
        at = begun.get(mark.title)
        if at is not None and mark.at is not None:
            wrong_by = mark.at - at
            return [other._replace(at=other.at - wrong_by if other.at else None) for other in marks]
    return list(marks)


def _is_one_each(ran: Sequence[Step], marks: Sequence[Mark]) -> bool:
    """Whether there are as many marks as steps that leave one: then their order tells which is whose."""
    leaving = [step for step in ran if step.name not in {*_WITHOUT_MARK, _COMPLETE_JOB}]
    return sum(mark.kind == RUN for mark in marks) == sum(not step.name.startswith("Post ") for step in leaving)


def _has_error(starts: Sequence[_Start], step: Step, errors: Sequence[int]) -> bool:
    for (number, _, first), later in zip_longest(starts, starts[1:]):
        if number == step.number:
            return any(first <= error and (later is None or error < later[2]) for error in errors)
    return False


def _placed(
    ran: Sequence[Step], marks: Sequence[Mark], errors: Sequence[int], second_starts: Mapping[datetime, int]
) -> list[_Start]:
    marked = _with_failed(ran, _align(ran, marks), marks, errors)
    starts: list[_Start] = []
    for index, step in enumerate(ran):
        earliest = starts[-1][2] + 1 if starts else 1
        latest = min((line for later, line in marked.items() if later > index), default=None)
        line = marked.get(index) or _after_failure(
            ran, index, starts, errors, _unmarked_start(ran, index, second_starts)
        )
        if line is not None and earliest <= line and (latest is None or line < latest):
            starts.append((step.number, step.name, line))
    return starts


def _failed(steps: Sequence[Step]) -> Step | None:
    """Return the first step that failed, or else was left unfinished, or else was cancelled."""
    for wanted in ((Conclusion.FAILURE, Conclusion.TIMED_OUT), (None,), (Conclusion.CANCELLED,)):
        for step in steps:
            if step.conclusion in wanted:
                return step
    return None


def _with_failed(
    ran: Sequence[Step], marked: dict[int, int], marks: Sequence[Mark], errors: Sequence[int]
) -> dict[int, int]:
    """Where no mark was like the failed step's, give it the one before the first error."""
    failed = _failed(ran)
    if failed is None or not errors or (index := ran.index(failed)) in marked:
        return marked
    before = [mark for mark in marks if mark.line < errors[0] and mark.kind == RUN]
    if not before or _time_fit(failed, before[-1].at) is None:
        return marked
    line = before[-1].line
    return {
        index: line,
        **{other: start for other, start in marked.items() if (start < line if other < index else start > line)},
    }


def _has_run(step: Step) -> bool:
    return step.conclusion is not Conclusion.SKIPPED and (step.conclusion is not None or step.started_at is not None)


def _unmarked_start(ran: Sequence[Step], index: int, second_starts: Mapping[datetime, int]) -> int | None:
    """Place a step without a mark by its time, unless the step before started in the same second."""
    step = ran[index]
    if step.name == SET_UP and index == 0:
        return 1
    if step.started_at is None or (index and ran[index - 1].started_at == step.started_at):
        return None
    return second_starts.get(step.started_at)


def _after_failure(
    ran: Sequence[Step], index: int, starts: Sequence[_Start], errors: Sequence[int], line: int | None
) -> int | None:
    """Let a step that ended well begin below the error of the failed step before it: both may share a second."""
    failed = _failed(ran)
    if line is None or failed is None or not starts or ran[index].conclusion is not Conclusion.SUCCESS:
        return line
    number, _, first = starts[-1]
    error = next((error for error in errors if error >= first), None)
    return error + 1 if number == failed.number and error is not None and error >= line else line


def _align(ran: Sequence[Step], marks: Sequence[Mark]) -> dict[int, int]:
    """Give steps their marks, both in order, so that they fit best together; of equal fits the earliest.

    Returns:
        Index of the step -> line of its mark.
    """
    # best[i][j]: how well steps from i on can be fitted to marks from j on.
    best = [[0] * (len(marks) + 1) for _ in range(len(ran) + 1)]
    for i in reversed(range(len(ran))):
        for j in reversed(range(len(marks))):
            fit = _fit(ran[i], marks[j])
            together = fit + best[i + 1][j + 1] if fit else 0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], together)
    chosen: dict[int, int] = {}
    i = j = 0
    while i < len(ran) and j < len(marks):
        fit = _fit(ran[i], marks[j])
        if fit and best[i][j] == fit + best[i + 1][j + 1]:
            chosen[i] = marks[j].line
            i, j = i + 1, j + 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            i += 1
    return chosen


def _fit(step: Step, mark: Mark) -> int:
    """Say how well a mark fits a step; 0 when it cannot be its start."""
    if step.name in _WITHOUT_MARK or (mark.kind == COMPLETE) != (step.name == _COMPLETE_JOB):
        return 0
    if _ACTION.fullmatch(step.name) and step.name != mark.title:
        return 0
    is_post = step.name.startswith("Post ")
    if (mark.kind == POST and not is_post) or (mark.kind == RUN and _AFTER_ACTION.fullmatch(step.name)):
        return 0
    time_fit = _time_fit(step, mark.at)
    if time_fit is None:
        return 0
    # A workflow may well have a step of its own named "Post …", which then starts like any other.
    kind_fit = _FITS_KIND if is_post == (mark.kind == POST) else 1
    name_fit = _FITS_NAME if mark.kind == RUN and mark.title == step.name else 0
    return kind_fit + name_fit + time_fit


def _time_fit(step: Step, at: datetime | None) -> int | None:
    if at is None or step.started_at is None:
        return 0
    if at < step.started_at - _SLACK or (step.completed_at is not None and at > step.completed_at + 2 * _SLACK):
        return None
    if at.replace(microsecond=0) == step.started_at:
        return _FITS_SECOND
    return _FITS_NEARLY if abs(at - step.started_at) <= 2 * _SLACK else 0
