"""Reads plain Python scripts of the repository that die of an exception: benchmarks, smoke tests, tools of the CI."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.logs.tests import wrappers
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.steps import FAILED_STEP, StepMarks
from triage.logs.tests.traceback import HEADER, read_chains, root_of
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.logs.tests.traceback import Chain
    from triage.model import Frame, LogLine


RUNNER = "python"
# A script that tests something: what it printed before it died cannot excuse it.
_IS_TEST = regex(
    r"(?:^|[/_.-])(?:tests?|bench\w{0,12}|e2e|smoke|check\w{0,4}|eval\w{0,8}|examples?)(?:[/_.-]|$)", re.IGNORECASE
)
# What CI systems other than GitHub, and make, say when a command failed.
_TOLD = regex(r"exited with [1-9]|exit (?:code|status) [1-9]|: Error [1-9]\d{0,2}$|Job failed|marked build as failure")
_NEAR = 60


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return the scripts that died; None where none did.

    Only a step that failed counts, and only a traceback that began in a script of the repository: what a tool
    (pip, conda) or a server's thread prints is no failure of a script.
    """
    if not any_line_has(lines, HEADER):
        return None
    found = [row for start, end in _failed_steps(lines) for row in _deaths(lines, start, end)]
    if not found:
        return None
    return TestReport(
        runners=(RUNNER,),
        failures=keep_last(failure for failure, _ in found),
        line_ranges=tuple(span for _, span in found if span is not None),
    )


def _failed_steps(lines: Sequence[LogLine]) -> Iterator[tuple[int, int]]:
    """Yield the output of each step that failed, as a half-open range; the whole log where it has no marks of steps."""
    marks = StepMarks(command=("",))
    start, marked = 0, False
    for index, line in enumerate(lines):
        if not marks.see(index, line):
            continue
        marked = marked or line.text.startswith("##[")
        if line.text.startswith(FAILED_STEP):
            output = marks.start_of_command(index)
            yield output if output < index else start, index
        start = index
    if not marked:
        yield from _ends_told_in_words(lines)


def _ends_told_in_words(lines: Sequence[LogLine]) -> Iterator[tuple[int, int]]:
    """Yield each traceback that is followed at once by words about a failed command, or by the end of the log."""
    done = 0
    for index, line in enumerate(lines):
        if HEADER in line.text and index >= done:
            told = next(
                (at for at in range(index, min(len(lines), index + _NEAR)) if _TOLD.search(lines[at].text)), None
            )
            if told is not None or len(lines) - index < _NEAR:
                done = told if told is not None else len(lines)
                yield index, done


def _deaths(lines: Sequence[LogLine], start: int, end: int) -> Iterator[tuple[TestFailure, tuple[int, int] | None]]:
    for chain in read_chains(lines[start:end]):
        script = _script_of(chain)
        if script is None:
            continue
        root = root_of(chain)
        # A child process failed: what it printed is the failure, and that is no exception of the script's.
        if wrappers.is_wrapper(root.raised.type, root.raised.message):
            continue
        first, last = chain[0].first_line, chain[-1].last_line
        failure = TestFailure(
            id=script.path,
            runner=RUNNER,
            outcome=Outcome.FAILED,
            file=script.path,
            exception=root.raised.type,
            message=root.raised.message,
            frames=root.frames,
            first_line=first,
            last_line=last,
            error_line=root.raised.line,
            wrapped_by=root.wrapper.type if root.wrapper else None,
        )
        yield failure, (lines[start].number, last) if is_test(script.path) else None


def is_test(path: str) -> bool:
    """Whether a script by its name tests something, instead of preparing or building."""
    return _IS_TEST.search(path) is not None


def _script_of(chain: Chain) -> Frame | None:
    """Return the frame of the script in which this exception ended the interpreter; None when it did not."""
    frames = chain[-1].frames
    if not frames or not (frames[0].function == "<module>" or frames[0].path.startswith("<")):
        return None
    # `python -m x` and `python -c "…"` have frames without a file before the first one of their own.
    script = next((frame for frame in frames if not frame.path.startswith("<")), None)
    return script if script is not None and script.in_repository else None
