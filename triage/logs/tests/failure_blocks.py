"""What the readers of many runners share: where a block ends, where tests began to write, a failure out of a block."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.logs.tests.reporting import one_line
from triage.model import Outcome, TestFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from triage.model import Frame, LogLine

# No error of a test is longer; what follows is output that somebody prints without an end.
LONGEST_BLOCK = 2_000

# Lines of the platform or of a shell that no test writes: what stands above them was written before the tests ran.
_BOUNDARIES = ("##[group]", "##[endgroup]", "[command]", "##[section]", "travis_time:start", "section_start:")
_ECHOES = ("$ ", "+ ", "> ", "[INFO] --- ")

# What runners print when a step is over; a failure's block never reaches beyond it.
_AFTERMATH = (
    "##[",
    "npm ERR!",
    "npm error",
    "error Command failed",
    "The command ",
    "make: ***",
    "Post job cleanup",
    "Process exited with",
)

# What the platform says of a step that is over. Other `##[error]` lines may be what a test's own reporter asked for.
_STEP_ENDS = (
    "##[error]Process completed with exit code",
    "##[error]The operation was canceled",
    "##[error]The runner has received a shutdown signal",
    "##[error]The action ",
    "##[group]Run ",
    "Post job cleanup",
    "Cleaning up orphan processes",
    'The command "',
)

_TEST_WORDS = ("test", "spec", "__tests__", ".cy.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the lines of one failed test say of its error.

    Attributes:
        message: Not yet on one line; "" where nothing is said.
        line: Raw number of the line that says it best; 0 where none does.
        exception: Type of the deepest exception.
        wrapped_by: Type of the exception that reached the runner, where that is another one.
        frames: Outermost first.
    """

    message: str = ""
    line: int = 0
    exception: str | None = None
    wrapped_by: str | None = None
    frames: tuple[Frame, ...] = ()


NOTHING_TOLD = Told()


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts of the runner's own summaries, added up over all its runs in one log; None until one was seen."""

    ran: int | None = None
    passed: int | None = None
    not_run: list[str] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)

    def add(self, *, passed: int, failed: int) -> None:
        """Add one summary."""
        self.ran = (self.ran or 0) + passed + failed
        self.passed = (self.passed or 0) + passed

    def wrote(self, first: int, last: int) -> None:
        """Note that running tests wrote these lines of the log; joined with what touches them."""
        if first > last:
            return
        if self.ranges and first <= self.ranges[-1][1] + 1:
            before = self.ranges.pop()
            first, last = min(first, before[0]), max(last, before[1])
        self.ranges.append((first, last))


def number_in(digits: str | None) -> int:
    """Return the number, 0 where there is none. Nine digits are read: no runner counts further."""
    return int(digits[:9]) if digits else 0


def line_in(digits: str) -> int | None:
    """Return the line of a file; None for a number of more digits than any file has lines."""
    return int(digits) if len(digits) < 8 else None


def is_hole(lines: Sequence[LogLine], index: int) -> bool:
    """Whether lines of the raw log are missing before this one."""
    return index > 0 and lines[index].number != lines[index - 1].number + 1


def is_step_end(text: str) -> bool:
    """Whether the platform says that the step is over."""
    return text.startswith(_STEP_ENDS)


def is_aftermath(text: str) -> bool:
    """Whether a runner's caller speaks: the step is over."""
    return text.startswith(_AFTERMATH)


def block_end(lines: Sequence[LogLine], start: int, ends: Callable[[str], bool]) -> int:
    """Return the index after the block that starts here: at the first line that ends it, a hole, or the step's end."""
    last = min(len(lines), start + LONGEST_BLOCK)
    for index in range(start + 1, last):
        text = lines[index].text
        if is_hole(lines, index) or is_aftermath(text) or ends(text):
            return index
    return last


def output_start(lines: Sequence[LogLine], index: int, *commands: str, floor: int = 0) -> int:
    """Return the index where running tests may have begun to write, given a line that they surely wrote.

    Too early rather than too late: a line is only outside of tests when the step, a hole, or a command of the runner
    stands between. Blank lines at the start do not count.
    """
    start = index
    while start > floor and not is_hole(lines, start) and not _begins_after(lines, start - 1, commands):
        start -= 1
    while start < index and not lines[start].text.strip():
        start += 1
    return start


def output_end(lines: Sequence[LogLine], start: int) -> int:
    """Return the index of the last line that a run which never told its result may have written."""
    for index in range(start + 1, len(lines)):
        if lines[index].step != lines[start].step or is_step_end(lines[index].text):
            return index - 1
    return len(lines) - 1


def _begins_after(lines: Sequence[LogLine], index: int, commands: tuple[str, ...]) -> bool:
    return lines[index].step != lines[index + 1].step or is_boundary(lines[index].text, *commands)


def is_boundary(text: str, *commands: str) -> bool:
    """Whether the platform or a shell wrote this: a step begins, or a command with one of these words is echoed."""
    return text.startswith(_BOUNDARIES) or (text.startswith(_ECHOES) and any(word in text for word in commands))


def failure_of(
    block: Sequence[LogLine],
    told: Told,
    *,
    test_id: str,
    runner: str,
    outcome: Outcome = Outcome.FAILED,
    file: str | None = None,
) -> TestFailure:
    """Build a failure from its block of at least one line; where no file is given, one is looked for in the frames."""
    last = next((line for line in reversed(block) if line.text.strip()), block[-1])
    return TestFailure(
        id=one_line(test_id),
        runner=runner,
        outcome=outcome,
        file=file or file_in(told.frames),
        exception=told.exception,
        message=one_line(told.message),
        frames=told.frames,
        first_line=block[0].number,
        last_line=last.number,
        error_line=told.line or block[0].number,
        wrapped_by=told.wrapped_by if told.wrapped_by != told.exception else None,
    )


def file_in(frames: Iterable[Frame]) -> str | None:
    """Return the first file in the frames that looks like a test's own; None where none does."""
    for frame in frames:
        if frame.in_repository and any(word in frame.path.lower() for word in _TEST_WORDS):
            return frame.path
    return None
