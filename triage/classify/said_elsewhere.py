"""What tells more of a failed test than its error does and stands elsewhere: a kernel's own words, stacks of a hang."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from triage.model import Outcome
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.classify.view import LogView
    from triage.model import LogLine, TestFailure

PRINTED = 200
"""Lines above a test's error in which a kernel of that test may have printed why it stopped."""

MOST_STACKS = 3
"""Stacks of a hang of which a line is quoted."""

_OF_DEVICE = regex(
    r"\b(?:CUDA|HIP) error: (?!device-side assert)|\b(?:cuda|hip)Error(?!Assert)[A-Z]"
    r"|\b(?:CUBLAS|CUDNN|CUSPARSE|HIPBLAS)_STATUS_"
)
"""What the host calls it that met a broken device; `device-side assert triggered` says so much by itself."""

_ASSERTS = regex(r"^\S+: .*\bblock: \[\d+,\d+,\d+\], thread: \[\d+,\d+,\d+\],? Assertion `(?P<what>.+)` failed")

_TIMED_OUT = regex(r"^\++ Timeout \++$")
_STACK = regex(r"^~+ Stack of (?P<thread>.+) \(\d+\) ~+$")
_FRAME = regex(r'^\s+File "(?P<path>[^"]+)", line \d+, in ')
_FOREIGN = regex(r"/(?:site|dist)-packages/|/lib/python3|^<")


def said_elsewhere(view: LogView, test: TestFailure) -> Iterator[LogLine]:
    """Yield what tells more than the test's error, the most telling line first; nothing for most tests."""
    error = view.line(test.error_line)
    if error is None:
        return
    if test.outcome is Outcome.TIMED_OUT and _TIMED_OUT.match(error.text):
        yield from _of_hang(view, test)
    elif _OF_DEVICE.search(error.text):
        printed = view.between(test.error_line - PRINTED, test.error_line)
        found = [(line, match["what"]) for line in printed if (match := _ASSERTS.match(line.text))]
        yield from [line for line, what in found if what == found[-1][1]][:1]


def _of_hang(view: LogView, test: TestFailure) -> Iterator[LogLine]:
    """The line that names the test, and of each thread the innermost frame of the project: the test's own first."""
    above = view.between(test.error_line - PRINTED, test.error_line - 1)
    yield from [line for line in above if line.text.startswith(test.id)][-1:]
    stacks = sorted(_stacks(view.between(test.error_line, test.last_line)), key=lambda stack: stack[0] != "MainThread")
    for _, lines in stacks[:MOST_STACKS]:
        yield from _innermost(lines)


def _stacks(lines: Sequence[LogLine]) -> list[tuple[str, list[LogLine]]]:
    stacks: list[tuple[str, list[LogLine]]] = []
    for line in lines:
        if head := _STACK.match(line.text):
            stacks.append((head["thread"], []))
        elif stacks:
            stacks[-1][1].append(line)
    return stacks


def _innermost(lines: Sequence[LogLine]) -> list[LogLine]:
    """The code at the last frame that is no library's, or the frame where its code is not shown."""
    own: LogLine | None = None
    for line, below in pairwise([*lines, None]):
        frame = _FRAME.match(line.text) if line is not None else None
        if frame is not None and line is not None and not _FOREIGN.search(frame["path"]):
            own = below if below is not None and below.text[:1].isspace() and not _FRAME.match(below.text) else line
    return [own] if own is not None else []
