"""What to show when no rule and no test runner knows the failure: lines that look like the error.

A guess never blames anybody. It is worded as one, and its fault stays unknown; what it is worth is the lines it puts
before the reader.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.signature import signature_of_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.classify.view import LogView, Section
    from triage.model import LogLine

SIGNS: tuple[tuple[int, re.Pattern[str]], ...] = (
    (6, re.compile(r"^(?:\S+: )?(?:internal compiler |fatal )?(?:error|ERROR|Error)(?:\[\w+\])?:")),
    (6, re.compile(r"^\S+?[:(]\d+(?:[:,]\d+)?\)?:? (?:fatal )?(?:error|Error)\b")),
    (6, re.compile(r"^(?:E  +)?(?:[a-z_]+\.)*[A-Z]\w*(?:Error|Exception|Failure|Interrupt|Exit)(?::|$)")),
    (5, re.compile(r"^(?:##\[error\]|\[ERROR\]|ERROR|FATAL|fatal:|E:|panic:|CRITICAL)")),
    (5, re.compile(r"thread '.*' panicked at|terminate called|[Ss]egmentation fault|core dumped|Traceback")),
    (
        4,
        re.compile(
            r"\b(?:AssertionError|assertion|Assertion|expected|Expected)\b.*\b(?:fail|got|but|actual|to be|was)"
        ),
    ),
    (4, re.compile(r"(?i)\b(?:could not|cannot|can't|unable to|failed to|no such file|not found|undefined|denied)\b")),
    (3, re.compile(r"(?i)\b(?:error|failed|failure|fatal|exception|abort(?:ed|ing)?|killed|timed out|timeout)\b")),
    (2, re.compile(r"✗|✘|❌|✖|×")),
)
"""Weight and look of lines that state errors; the first that fits gives the weight."""

HARMLESS = re.compile(
    r"(?i)\b(?:0|no) (?:errors?|failures?|failed)\b|\bwarn(?:ing)?s?\b|deprecat|\berror[_-]?(?:count|rate|message)\b"
    r"|^\s*(?:\+|\$|#|//)|\b(?:retry(?:ing)?|ignored|ignoring)\b|-Werror|if-no-files-found|continue-on-error|fail-fast"
    r"|\b(?:PASSED|passed|\.\.\. ok)\b"
)
"""Lines that only sound like an error."""

BLOCK = 25
"""Lines that may lie between two errors of one outburst."""

REACH = 2_500
"""How far above the end of the failing part errors are looked for."""

PLAIN, SOUNDING = 5, 3
"""Weight from which a line states an error, and from which it only sounds like one."""

CLOSING = 3
"""Lines just before the end that are shown too: a tool that names no error prints its complaint last."""


def error_lines(view: LogView, section: Section, *, most: int = 7) -> tuple[LogLine, ...]:
    """Return the lines of the failing part that most look like its error, best first.

    The last outburst of plain errors counts, its heaviest lines first, and among equals the first: a build's first
    error explains the rest. Without one, the last words before the end come first.
    """
    last = section.end.number - 1 if section.end else section.last
    told = [line for line in view.between(max(section.first, last - REACH), last) if _says_something(line.text)]
    weighed = [(weight, line) for line in told if (weight := weigh(line.text))]
    closing = told[-CLOSING:]
    plain = _last_outburst(weighed, PLAIN)
    near = (
        [line for line in _last_outburst(weighed, SOUNDING) if told and line.number >= told[-CLOSING].number - BLOCK]
        if (len(told) >= CLOSING)
        else []
    )
    ranked = [*plain[: most - CLOSING], *near[:2], *closing]
    return tuple(dict.fromkeys(ranked))[:most]


def weigh(text: str) -> int:
    """Return how much a line looks like the statement of an error: 0 to 6."""
    if HARMLESS.search(text):
        return 0
    return next((weight for weight, sign in SIGNS if sign.search(text)), 0)


def _says_something(text: str) -> bool:
    """Whether a line holds words of its own: not empty, not a wrapper that only says that something failed."""
    return len(text.strip()) >= _SHORTEST and signature_of_line(text) is not None


_SHORTEST = 6


def _last_outburst(weighed: Sequence[tuple[int, LogLine]], least: int) -> list[LogLine]:
    """The last run of lines of at least that weight, heaviest first, then in their order."""
    heavy = [(weight, line) for weight, line in weighed if weight >= least]
    block = list(_walk_up(heavy))
    return [line for _, line in sorted(block, key=lambda entry: (-entry[0], entry[1].number))]


def _walk_up(weighed: Sequence[tuple[int, LogLine]]) -> Iterator[tuple[int, LogLine]]:
    below: LogLine | None = None
    for weight, line in reversed(weighed):
        if below is not None and below.number - line.number > BLOCK:
            return
        yield weight, line
        below = line
