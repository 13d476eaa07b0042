"""Which of the lines that are quoted stands first: policy, as a table.

The first line is read by everybody, the others by few. Some lines decide what is believed and yet say little: they name
a place, count, or tell what came of the trouble. Where a line that says more is quoted too, it goes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.classify.signs import SOUNDING, look_at
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.classify.view import LogView
    from triage.model import LogLine

HEADINGS: tuple[str, ...] = (
    r"CMake (?:Deprecation )?Error at \S+:\d+ \(\w+\):$",
    r"^\s*(?:E +)?Error in .* ?:\s*$|^(?:cabal: )?Could not resolve dependencies:$|^\[__\d+\] (?:trying|next goal): ",
    r"^\S+:\d+:\d+: error:(?: \[GHC-\d+\])?$",
    r"[Tt]he following files (?:had|have) format violations:$|^Warning, treated as error:$",
    r"\bterminate called after throwing an instance of ",
    r"\bterminate called recursively$",
    r"^(?:E +)?(?:[\w.]+\.)?\w*(?:Error|Exception): *$",
    r"(?i:\berror: .*\b(?:could not|cannot|unable to|failed to) (?:resolve|solve|satisfy)\b.*:$)",
    r"^\s*Got exception outside of a @test$|^\s*Error:\s+Not equal:\s*$",
    r"\bTT_(?:THROW|FATAL|ASSERT) @ \S+: tt::exception(?: \(\w+\.\w+:\d+\))?$|^(?:E +)?info:$",
)
"""Lines under which the very next line says what is wrong."""

RUNNING: tuple[str, ...] = (
    r"^\s*(?:\d+: )?\[ RUN      \] ",
    r"^\s*Start +\d+: ",
    r"^\S+::\S+ *$",
    r"^##\[error\]Process completed with exit code",
    r"^(?:mypy|pyright|pyrefly|pylint|flake8|ruff[ -]check|eslint|tsc|clippy|golangci-lint)\b.*\.{3,}Failed$",
    r"^(?:shellcheck|actionlint|codespell|typos)\b.*\.{3,}Failed$",
)
"""What a harness prints before a test or a checker, and a shell's end: they give way to nothing but an error."""

SAYS_LESS: tuple[str, ...] = (
    *HEADINGS,
    # What a controller does once it has said that an agent does not answer.
    r"^\S+ was marked offline: |^Could not connect to \S+ to send interrupt signal to process|^Finished: [A-Z]+$",
    r"^Setting status of [0-9a-f]{7,40} to \w+",
    # What came of a transfer that broke off.
    r"fatal: (?:fetch-pack: invalid index-pack output|early EOF|expected flush after ref listing)",
    r"fetch-pack: unexpected disconnect|error: \d+ bytes of body are still expected",
    r"npm (?:ERR!|error) network This is a problem related to network",
    r"tar: (?:Child returned status|Error is not recoverable|Exiting with failure)",
    r"ERROR: Could not find a version that satisfies the requirement",
    # What a server adds to its answer.
    r"^We had to rate limit your IP",
    # What a package manager calls it, before it tells it.
    r"npm (?:ERR!|error) code (?:ERESOLVE|EBADENGINE|E40\d|ETARGET|EUSAGE|EACCES|EJSONPARSE|ENOENT|EBADPLATFORM)$",
    r"^npm (?:ERR!|error) (?:workspace|location|path|command|cwd|errno|syscall|Lifecycle script|code \d+)\b",
    r"^Error: (?:\S+: )?Failed to download resource |^build finished with problems, \d+ warnings?",
    r"Another git process seems to be running",
    r"E: Unable to acquire the dpkg frontend lock",
    # What a harness prints before a test, and what it counts after it.
    *RUNNING,
    r"^\s*\[  FAILED  \] |^\s*\d+/\d+ Test +#\d+: .*(?:\*\*\*(?:Failed|Timeout)\b|Subprocess \w+\*\*\*)",
    r"^\d+% tests passed|^Total Test time|^The following tests FAILED:",
    r"\(Wstat: \d+|^# Looks like you (?:failed|planned)|^\s*\[ERROR\] Found \d+ errors?\s*$",
    r"^\s*(?:✖|✗|×) \d+ (?:problems?|errors?) \(",
    r"^✗ FAILED: \S+ returned exit code",
    r"^Execution failed for task '|^Failed to stop service '",
    r"\bfailed waiting for process: exit status \d+",
    # What is said of a compiler that does not work, before its own words.
    r"^\s*(?:The \w+ compiler$|is not able to compile a simple test program|It fails with the following output:)",
    # How a program ended that had said why.
    r"process didn't exit successfully: .*\(signal: \d+",
    r"^error: (?:Process '.*' exited|Exited) with unexpected signal code \d+",
    r"^Fatal Python error: Aborted|^\[\d+\] signal \d+ \(-?\d+\): Aborted$|^signal \(6\): Aborted$",
    r"^##\[error\]The process '.*' failed with exit code",
    r"^(?:E +)?subprocess\.CalledProcessError: ",
    r"\b(?:RuntimeError|Exception): (?:Server p|P)rocess (?:\d+ )?exited with (?:error |exit )?code -?\d+",
    r"\bSee root cause above\b",
    # What a framework calls it; the cause is named below.
    r"\bIllegalStateException: (?:Failed to load ApplicationContext|ApplicationContext failure threshold)",
    r"\bNeuron Runtime could not be initialized\b",
    r"\bDistBackendError: NCCL error in: ",
    r"\bERR\d{5} \w+ call acl api failed$",
    r"^ImportError while loading conftest '|: `makedocs` encountered an error \[",
    # What the runner puts up with, and then fails of; what a process only felt of another.
    r"^##\[warning\]Failed to (?:resolve action download info|download action)\b|^\s*\*\* \(EXIT\) time out$",
    # Where, and how far.
    r"^File \"[^\"]+\", lines? \d+(?:-\d+)?, characters \d+-\d+:$|^\++ Timeout \++$",
    r"^(?:Current thread|Thread) 0x[0-9a-f]+|^\s+(?:File \"|at )|\d%\|",
)
"""Lines that say less than those beside them."""

NEAR = 7
"""Quoted lines among which one that says more is looked for."""

LEAST = 12
"""Characters that another line must hold to be taken for one that says the same in full."""

_MARKS = regex(
    r"^(?:\[[\w:-]+\] )?(?:##\[error\].*?\bfailed with: |##\[error\]|\S? ?\[ERROR\] |\s*:?\d+\s{2,})(?:ERROR: )?"
)
"""What stands before the words of an error that another line may hold in full: a mark, a line's number in a table."""

_PLACED = regex(r"[\w./\\-]+\.\w+:\d+:\d+: ")
_LESS = regex("|".join(SAYS_LESS))
_HEADING = regex("|".join(HEADINGS))
_RUNNING = regex("|".join(RUNNING))


def says_less(line: LogLine) -> bool:
    """Whether a line only names a place, counts, or tells what came of the trouble."""
    return _LESS.search(line.text) is not None


def lead(lines: Sequence[LogLine], view: LogView) -> tuple[LogLine, ...]:
    """Return the lines with one in front that says what is wrong, where there is one.

    Args:
        lines: What is to be quoted, in order.
        view: The log: what stands under a heading may not be among them yet.
    """
    lines = _lead(tuple(dict.fromkeys(lines)), view)
    named = _named_below(lines[0], view) if lines else None
    return lines if named is None else (named, *(line for line in lines if line != named))


def _lead(lines: tuple[LogLine, ...], view: LogView) -> tuple[LogLine, ...]:
    if not lines:
        return lines
    if not says_less(lines[0]):
        return _in_full(lines)
    below = _below(lines[0], view)
    near = [*([below] if below is not None else []), *lines[1:NEAR]]
    spoken = [line for line in near if line.text.strip(" E") and not says_less(line) and not _repeats(line, lines[0])]
    stating = [look.line for look in look_at(spoken) if look.weight >= SOUNDING]
    told = spoken if below in spoken else stating or ([] if _RUNNING.search(lines[0].text) else spoken)
    return (told[0], *(line for line in lines if line != told[0])) if told else lines


def _named_below(line: LogLine, view: LogView) -> LogLine | None:
    """The reason that a library gives further down, under a heading of its own, for what the line only reports."""
    for said, heading, reach in REASONS:
        if said.search(line.text):
            below = view.between(line.number + 1, line.number + reach)
            head = next((other for other in below if heading.search(other.text)), None)
            reason = view.line(head.number + 1) if head is not None else None
            return reason if reason is not None and _WORDS.search(reason.text) else None
    return None


REASONS = (
    (regex(r"\bDistBackendError: NCCL error in: |^\W*(?:rank\d+\W+)?nccl[A-Z]\w+: "), regex(r"\bLast error:\s*$"), 4),
    (regex(r"\bWatchdog caught collective operation timeout: "), regex(r"\bDesync report:\s*$"), 40),
)
"""What a library reports, the heading under which it gives the reason, and how many lines below it may stand."""

_WORDS = regex(r"[a-z]{3,}.*\b[a-z]{3,}")


def _in_full(lines: tuple[LogLine, ...]) -> tuple[LogLine, ...]:
    """Put in front the line that says all of what the first one says, and then goes on, or says where."""
    said = _MARKS.sub("", lines[0].text).strip()
    if len(said) < LEAST or said == lines[0].text.strip() or _PLACED.search(lines[0].text):
        return lines
    full = next((line for line in lines[1:NEAR] if _says_more(line.text.rstrip(), said)), None)
    return lines if full is None else (full, *(line for line in lines if line is not full))


def _says_more(text: str, said: str) -> bool:
    before, found, after = text.partition(said)
    return bool(found) and (bool(after) or _PLACED.search(before) is not None)


def _below(line: LogLine, view: LogView) -> LogLine | None:
    """The first line under a heading, and under the headings that follow it; None where the line is none."""
    below: LogLine | None = line
    while below is not None and _HEADING.search(below.text):
        below = view.line(below.number + 1)
    return None if below is line else below


def _repeats(line: LogLine, heading: LogLine) -> bool:
    """Whether a line only says again what stands in the one above it, `what():  std::bad_alloc`."""
    return line.text.rpartition(":  ")[2].strip() in heading.text
