"""What to show when no rule and no test runner knows the failure: lines that look like the error.

A guess never blames anybody. It is worded as one, and its fault stays unknown; what it is worth is the lines it puts
before the reader. Eight lines from different places tell more than eight of one place.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from triage.classify.signs import PLAIN, SOUNDING, Look, look_at, shape_of
from triage.logs.said import is_grave
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from triage.classify.ending import Ending
    from triage.classify.view import LogView, Section
    from triage.model import LogLine

BLOCK = 12
"""Lines that may lie between two errors of one outburst."""

REACH = 6_000
"""How far above the end of the failing part errors are looked for."""

REACH_ABOVE = 2_000
"""How far above the failing part."""

OF_ONE_KIND = 2
"""Lines of one kind that an outburst gives."""

CLOSING = 3
"""Lines just before the end that are shown too: a tool that names no error prints its complaint last."""

COMMON = 8
"""A line of which there are more than this many alike is progress or a habit, hardly the error."""


class Outburst(NamedTuple):
    """Errors that stand together, by rising line."""

    entries: tuple[Look, ...]

    @property
    def weight(self) -> int:
        """How much its heaviest line looks like the error."""
        return max(entry.weight for entry in self.entries)

    @property
    def best(self) -> list[LogLine]:
        """Its lines, the heaviest first and among equals the first: a build's first error explains the rest.

        Of one kind a few, so that a long list of complaints does not hide what stands beside it.
        """
        ranked = sorted(self.entries, key=lambda look: (-look.weight, look.line.number))
        seen: Counter[int] = Counter()
        chosen = []
        for look in ranked:
            seen[look.sign] += 1
            if seen[look.sign] <= OF_ONE_KIND:
                chosen.append(look.line)
        return chosen


def error_lines(view: LogView, ending: Ending, *, most: int = 7) -> tuple[LogLine, ...]:
    """Return the lines that most look like the error, best first.

    Args:
        view: The log.
        ending: Its failing parts. The first one counts most; the others and what stands above them are looked at for
            errors that a wrapper passed on.
        most: How many lines are wanted.
    """
    told = told_in(view, ending.failing)
    bursts = _outbursts(told)
    closing = _closing(told)
    plain = [burst for burst in bursts if burst.weight >= PLAIN]
    sounding = [burst for burst in bursts if SOUNDING <= burst.weight < PLAIN]
    near = [burst for burst in sounding if told[-NEAR:][0].line.number <= burst.entries[-1].line.number]
    ranked = [line for burst in plain[-1:] or near[-1:] for line in burst.best[:3]]
    ranked[1:1] = _below(told, ranked[:1])
    ranked += closing[:1]
    if plain:
        first = max(plain, key=lambda burst: burst.weight).best[:1]
        ranked += [*first, *_below(told, first)]
    ranked += _passed_on(view, ending.failing)
    ranked += [burst.best[0] for burst in plain[-2:-4:-1]]
    ranked += [burst.best[0] for burst in near[-1:]]
    ranked += [burst.best[0] for burst in sounding[-1:-3:-1]]
    ranked += closing[1:]
    return tuple(_diverse(ranked))[:most]


def telling_lines(lines: Sequence[LogLine], *, most: int, of_libraries: bool = False) -> tuple[LogLine, ...]:
    """Return the lines that state errors, best first; empty where none does.

    Args:
        lines: What one program printed.
        most: How many lines are wanted.
        of_libraries: Only lines before which a library or another process put the gravest of its levels.
    """
    looks = (look for look in look_at(lines) if not look.idle and not look.wraps)
    stating = [look for look in _without_habits([look for look in looks if look.weight]) if look.weight >= PLAIN]
    if of_libraries:
        stating = [look for look in stating if is_grave(look.line.text)]
    return tuple(_diverse(look.line for look in sorted(stating, key=lambda look: -look.weight)))[:most]


def last_words(view: LogView, ending: Ending) -> tuple[LogLine, ...]:
    """Return what a job that was stopped said last, and the line that says so; what it repeats all along is no word."""
    section = ending.failing
    last = min(section.last, section.end.number - 1) if section.end else section.last
    lines = view.between(max(section.first, last - REACH), last)
    alike = Counter(shape_of(line.text) for line in lines)
    told = (line for line in reversed(lines) if _WORD.search(line.text) and not view.is_input(line.number))
    word = next((line for line in told if alike[shape_of(line.text)] <= COMMON), None)
    return tuple(line for line in (word, ending.line) if line is not None)


_WORD = regex(r"^(?!##\[).*\w{2}")


def names_cause(end: LogLine) -> bool:
    """Whether the line that says that a step failed tells why: an action's own words behind the runner's mark."""
    words = end.text.removeprefix(_MARK).removeprefix("Error: ").strip()
    look = next(look_at([replace(end, text=words)]))
    long = _WORDS if look.weight >= SOUNDING else _SENTENCE
    return end.text.startswith(_MARK) and not look.wraps and len(words) >= long


_MARK = "##[error]"
_WORDS, _SENTENCE = 20, 30
"""Characters from which words tell more than that something failed: with a sign of an error in them, and without."""


def states_error(lines: Sequence[LogLine]) -> bool:
    """Whether any of some lines states an error, and does not only sound like one."""
    return any(look.weight >= PLAIN for look in look_at(lines))


def _closing(told: Sequence[Look]) -> list[LogLine]:
    """The last words, the very last first; a program that explains its options complained before it did."""
    usage = next((place for place, look in enumerate(told[-USAGE:]) if USAGE_OPENS.match(look.line.text)), None)
    spoken = told if usage is None else told[: max(0, len(told) - USAGE) + usage]
    words = [look.line for look in spoken or told if not look.wraps and not look.progress]
    return (words or [look.line for look in told if not look.wraps])[: -CLOSING - 1 : -1]


USAGE_OPENS = regex(r"\s*usage\b:?", re.IGNORECASE)
USAGE = 60
"""The most lines of an explanation of options."""


def _below(told: Sequence[Look], lines: Sequence[LogLine]) -> list[LogLine]:
    """The line under each of some lines: the first words on what a heading names."""
    numbers = {line.number for line in lines}
    return [below.line for above, below in pairwise(told) if above.line.number in numbers and not below.wraps]


def _passed_on(view: LogView, section: Section) -> list[LogLine]:
    """The last error above the failing part that a wrapper passed on: what was broken there may only show later."""
    looks = [look for look in look_at(view.between(section.first - REACH_ABOVE, section.first - 1)) if not look.idle]
    for place in range(len(looks) - 1, -1, -1):
        if looks[place].wraps:
            above = [look for look in looks[max(0, place - BLOCK) : place] if look.weight >= PLAIN]
            if above:
                return [max(above, key=lambda look: look.weight).line]
    return []


NEAR = 10
"""Told lines before the end among which words that only sound like an error are taken for it."""


def told_in(view: LogView, section: Section) -> list[Look]:
    """The failing part's lines that hold words of a program."""
    last = min(section.last, section.end.number - 1) if section.end else section.last
    lines = view.between(max(section.first, last - REACH), last)
    return [look for look in look_at(lines) if not look.idle and not view.is_input(look.line.number)]


def _outbursts(told: Sequence[Look]) -> list[Outburst]:
    """Group the lines that look like errors, by rising line."""
    groups: list[list[Look]] = []
    for entry in _without_habits([look for look in told if look.weight]):
        if not groups or entry.line.number - groups[-1][-1].line.number > BLOCK:
            groups.append([])
        groups[-1].append(entry)
    return [Outburst(tuple(group)) for group in groups]


def _without_habits(weighed: Sequence[Look]) -> Iterator[Look]:
    alike = Counter(shape_of(entry.line.text) for entry in weighed)
    for entry in weighed:
        yield (
            entry if alike[shape_of(entry.line.text)] <= COMMON else entry._replace(weight=min(entry.weight, SOUNDING))
        )


def _diverse(lines: Iterable[LogLine]) -> Iterator[LogLine]:
    """Each kind of line once."""
    shapes: set[str] = set()
    for line in lines:
        shape = shape_of(line.text)
        if shape not in shapes:
            shapes.add(shape)
            yield line
