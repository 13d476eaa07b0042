"""What a test printed, where its error only says that something failed: a client gave up, a process ended with 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from triage.logs.tests import wrappers
from triage.logs.tests.reporting import one_line
from triage.logs.tests.traceback import Raised, bare_exception, read_chains, root_of
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.logs.tests.traceback import Root
    from triage.model import Frame, LogLine

_IN_WORDS = regex(
    r"\b((?:[A-Za-z_]\w{0,60}\.){0,6}[A-Z]\w{0,60}Error): ([^()]{1,300}(?:\([^()]{0,100}\)[^()]{0,300})?)"
)
_COMPLAINT = regex(
    r"(?:^|[\s:])(?:fatal )?[Ee]rror(?:\[\w+\])?: \S|Segmentation fault|Segfault encountered|terminate called after"
    r"|Watchdog caught collective|CUDA error|Fatal Python error|NCCL WARN|Memory access fault by GPU|failed assertion "
    r"|C\+\+ exception with description \""
)
# PyTorch's own runner of tests in several processes tells so what came out of the test in one of them.
_OF_ONE_PROCESS = regex(
    r"(?:\[rank\d{1,5}\]:)?E\d{4} [\d:.]{8,18} +\d+ \S*/testing/_internal/common_distributed\.py:\d+\] \S"
)
# A log of hundreds of thousands of lines is not searched for what a wrapper hides: the last of it is.
_MAX_LINES = 4_000


class Printed:
    """The output of one test, or of a run up to its failures. Looked through only when asked, and once."""

    def __init__(self, lines: Sequence[LogLine] = ()) -> None:
        self._lines = lines[-_MAX_LINES:]

    @cached_property
    def _stated(self) -> tuple[Raised, ...]:
        """All exceptions in it, those with tracebacks first, each kind in the order of the log."""
        roots = [root_of(chain).raised for chain in read_chains(self._lines)]
        bare = [raised for line in self._lines if (raised := _stated_by(line)) is not None]
        return (*bare, *roots)

    @cached_property
    def mistake(self) -> Raised | None:
        """The last exception in it that a mistake in code raises; one with a traceback before others."""
        return next((raised for raised in reversed(self._stated) if wrappers.is_mistake(raised.type)), None)

    @cached_property
    def of_one_process(self) -> Raised | None:
        """The first exception that a runner of tests in several processes saw come out of the test in one of them."""
        told = (line for line in self._lines if _OF_ONE_PROCESS.match(line.text))
        return next((raised for line in told if (raised := bare_exception(line)) is not None), None)

    @cached_property
    def complaint(self) -> int | None:
        """The number of the line that says best what went wrong: the last real exception, else a tool's first error."""
        for raised in reversed(self._stated):
            if not wrappers.hides_cause(raised.type, raised.message):
                # What repeats it on its way up says at least as much.
                repeated = [other.line for other in self._stated if raised.message and raised.message in other.message]
                return max([raised.line, *repeated])
        return next((line.number for line in self._lines if _COMPLAINT.search(line.text)), None)


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause after a look at what the test printed.

    `raised` is None where nothing states it; `error_line` is set where another line than the error's says most.
    """

    raised: Raised | None
    frames: tuple[Frame, ...] = ()
    wrapper: Raised | None = None
    error_line: int | None = None


def hidden_cause(root: Root | None, printed: Printed) -> Cause:
    """Look for the cause in a test's own output, where the error is a wrapper or was not printed.

    Only exceptions that a mistake in code raises are believed: what a machine's failure looks like is printed by
    healthy tests too (a client that polls a starting server), and must never come to excuse a failure. What the runner
    itself saw come out of a test is no such print. Of others only the line is pointed at.
    """
    if root is None and printed.mistake is None and printed.of_one_process is not None:
        return Cause(printed.of_one_process)
    if root is None:
        return Cause(printed.mistake, printed.mistake.frames if printed.mistake else (), None, printed.complaint)
    plain = Cause(root.raised, root.frames, root.wrapper)
    if not wrappers.hides_cause(root.raised.type, root.raised.message):
        return plain
    found = printed.mistake
    if found is not None:
        return Cause(found, (*root.frames, *found.frames), root.wrapper or root.raised)
    return Cause(root.raised, root.frames, root.wrapper, printed.complaint)


def _stated_by(line: LogLine) -> Raised | None:
    """Return the exception a line states, by itself or in words: `attempt 4/4 failed (TypeError: no), retrying`."""
    bare = bare_exception(line)
    if bare is not None or "Error: " not in line.text:
        return bare
    found = _IN_WORDS.search(line.text)
    if found is None:
        return None
    return Raised(type=found[1], message=one_line(found[2]), first_line=line.number, line=line.number)
