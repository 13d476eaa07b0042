"""Reads what the interpreter prints when it dies: `Fatal Python error: Segmentation fault` and the stacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.logs.said import said
from triage.logs.tests.source_paths import frame_of
from triage.logs.tests.steps import FAILED_STEP
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import Frame, LogLine

NAME = "Fatal Python error"
HEADER = f"{NAME}: "

_FRAME = regex(r'\s{0,12}File "([^"]{1,1000})", line (\d+) in (.{1,300})')
_REST = ("Thread 0x", "Current thread", "Extension modules:", "Python runtime state:", "<no Python frame>", "  ...")
_DIED = ("Segmentation fault", "Bus error", "Aborted", "Illegal instruction", "core dumped", *FAILED_STEP)
_WENT_ON = regex(r"OK(?: \(.{0,80}\))?$|=* ?\d+ passed\b[^=]{0,120} in \d|\[  PASSED  \]")
_NEAR = 60
# What the C library, a driver or a framework says just before it gives up; the interpreter only says that it ended.
_LAST_WORDS = regex(
    r"(?:malloc|free|realloc|munmap_chunk|corrupted size|double free)\b.{0,3}[(:]|double free or corruption"
    r"|\*\*\* stack smashing detected|terminate called |.*\bAssertion .{1,400} failed|.*\bfailed assertion "
    r"|Memory access fault by GPU|.*\bHSA_STATUS_ERROR|LLVM ERROR: |fatal error: |Check failed: |F\d{4} \d\d:"
)
_ABOVE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump:
    """One crash: the error's name, the frames of the thread that died (outermost first), half-open range of lines."""

    error: str
    frames: tuple[Frame, ...]
    start: int
    end: int

    def why(self, lines: Sequence[LogLine]) -> LogLine:
        """Return the line that says best why it died: last words just above the dump, else the dump's own first."""
        above = reversed(lines[max(0, self.start - _ABOVE) : self.start])
        return next((line for line in above if _LAST_WORDS.match(said(line.text))), lines[self.start])

    @property
    def test_frame(self) -> Frame | None:
        """The frame of the test function: the one that the test runner's own frames called."""
        ours = [frame for frame in self.frames if frame.in_repository]
        tests = (frame for frame in ours if frame.function.startswith(("test", "bench")))
        return next(tests, ours[0] if ours else None)

    @property
    def of_pytest(self) -> bool:
        """Whether pytest was running in the process that died."""
        return any("_pytest/" in frame.path for frame in self.frames)


def dumps_in(lines: Sequence[LogLine]) -> tuple[Dump, ...]:
    """Find all crash dumps, in order."""
    dumps: list[Dump] = []
    index = 0
    while index < len(lines):
        at = lines[index].text.find(HEADER)
        if at < 0:
            index += 1
            continue
        dump = _dump_at(lines, index, lines[index].text[at + len(HEADER) :].strip())
        dumps.append(dump)
        index = dump.end
    return tuple(dumps)


def _dump_at(lines: Sequence[LogLine], start: int, error: str) -> Dump:
    stacks: list[list[Frame]] = []
    died: list[Frame] | None = None
    end = index = start + 1
    while index < len(lines):
        text = lines[index].text
        frame = _FRAME.match(text)
        if frame is not None:
            if not stacks:
                stacks.append([])
            stacks[-1].append(frame_of(frame[1], frame[2], frame[3]))
        elif text.startswith(_REST):
            if "(most recent call first)" in text:
                stacks.append([])
                died = stacks[-1] if text.startswith("Current thread") else died
        elif text.strip():
            break
        index += 1
        end = index if text.strip() else end
    chosen = died if died is not None else (stacks[0] if stacks else [])
    return Dump(error=error, frames=tuple(reversed(chosen)), start=start, end=end)


def failure_of(dump: Dump, lines: Sequence[LogLine], *, test: str, runner: str) -> TestFailure:
    """Build the failure of the test, or script, that was running when the interpreter died."""
    at = dump.test_frame
    return TestFailure(
        id=test,
        runner=runner,
        outcome=Outcome.CRASHED,
        file=at.path if at else None,
        exception=NAME,
        message=dump.error[:200],
        frames=dump.frames[-60:],
        first_line=lines[dump.start].number,
        last_line=lines[dump.end - 1].number,
        error_line=dump.why(lines).number,
    )


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return the scripts that died in the interpreter; what died under pytest is told by its reader."""
    if not any(HEADER in line.text for line in lines):
        return None
    dumps = [dump for dump in dumps_in(lines) if not dump.of_pytest and _was_the_end(dump, lines)]
    failures = tuple(
        failure_of(dump, lines, test=dump.test_frame.path if dump.test_frame else "python", runner="python")
        for dump in dumps
    )
    return TestReport(runners=("python",), failures=failures) if failures else None


def _was_the_end(dump: Dump, lines: Sequence[LogLine]) -> bool:
    """Whether the job noticed: a crash that a passing test provoked on purpose is no failure."""
    following = lines[dump.end : dump.end + _NEAR]
    if any(_WENT_ON.match(line.text) for line in following):
        return False
    return not following or any(mark in line.text for line in following for mark in _DIED)
