"""Where rules show in a log. What that means, and which of several rules is right, is decided in `triage.classify`."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from triage.matching import find, places_of
from triage.model import Fault, Log, LogLine
from triage.rules.ruleset import AGAIN, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from triage.matching import Scanner
    from triage.model import Rule
    from triage.rules.ruleset import RuleSet

BLAMES_CODE = frozenset({Fault.CODE, Fault.UNKNOWN})
"""Faults that ask the author to look."""

NEAR = 40
"""Most lines between the deciding line and one that silences the rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A rule that shows in a log.

    Attributes:
        line: The line that decides: the one of the rule's last pattern.
        lines: One line for each pattern, in order.
        captures: The named groups of all patterns. They are the identity of the failure.
    """

    rule: Rule
    line: LogLine
    lines: tuple[LogLine, ...]
    captures: Mapping[str, str] = field(default_factory=dict)


def matches(rules: RuleSet, log: Log) -> tuple[Match, ...]:
    """Find where rules show in a log that was scanned for `rules.patterns()`.

    Returns:
        Every match, by line and, on one line, in file order of the rules. Where a rule may hold is not looked at.
    """
    lines = _Lines(log)
    found = [
        (match.line.number, order, match)
        for order, rule in enumerate(rules.rules)
        for match in _matches_of(rule, log.hits, lines)
    ]
    found.sort(key=lambda entry: entry[:2])
    return tuple(match for _, _, match in found)


def read_text(text: str, scanner: Scanner) -> Log:
    """Scan a short text, such as an annotation or an excerpt, as if it were a log of its own."""
    hits: dict[str, list[int]] = {}
    for index, key in scanner.scan_block(text.encode("utf-8", "replace")):
        hits.setdefault(key, []).append(index + 1)
    lines = tuple(LogLine(number, line) for number, line in enumerate(text.split("\n"), start=1))
    return Log(
        lines=lines,
        total_lines=len(lines),
        hits={key: tuple(sorted(set(numbers))) for key, numbers in hits.items()},
    )


def _matches_of(rule: Rule, hits: Mapping[str, Sequence[int]], lines: _Lines) -> Iterator[Match]:
    for number in hits.get(key_of(rule), ()):
        deciding = lines.at(number)
        if deciding is None or _refusing(rule, deciding) is not None or _silencing(rule, deciding, lines) is not None:
            continue
        if chain := _chain(rule, deciding, lines):
            yield Match(rule=rule, line=deciding, lines=chain, captures=_captures(rule, chain))


class _Lines:
    """The kept lines of a log, by number."""

    def __init__(self, log: Log) -> None:
        self._lines = log.lines
        self._numbers = [line.number for line in log.lines]
        self._total = log.total_lines

    def at(self, number: int) -> LogLine | None:
        place = bisect_left(self._numbers, number)
        return self._lines[place] if place < len(self._numbers) and self._numbers[place] == number else None

    def between(self, first: int, last: int) -> Sequence[LogLine]:
        return self._lines[bisect_left(self._numbers, first) : bisect_left(self._numbers, last + 1)]

    def has_all(self, first: int, last: int) -> bool:
        """Whether every line of the log from `first` to `last` was kept."""
        return len(self.between(first, last)) == min(last, self._total) - max(first, 1) + 1


def _chain(rule: Rule, deciding: LogLine, lines: _Lines) -> tuple[LogLine, ...]:
    """Walk up from the deciding line: for each earlier pattern, its nearest line above, at most `within` lines away.

    Returns:
        One line for each pattern, in order; none at all when one of them is missing.
    """
    chain = [deciding]
    for pattern in reversed(rule.lines[:-1]):
        above = lines.between(chain[0].number - rule.within, chain[0].number - 1)
        places = places_of(pattern, [line.text for line in above])
        if not places:
            return ()
        chain.insert(0, above[places[-1]])
    return tuple(chain)


def _refusing(rule: Rule, deciding: LogLine) -> str | None:
    """Return the pattern of `but_not` that matches the deciding line."""
    return next((pattern for pattern in rule.but_not if find(pattern, deciding.text) is not None), None)


def _silencing(rule: Rule, deciding: LogLine, lines: _Lines) -> str | None:
    """Say why a rule is silent on a line: another near it, or that not all lines near it were kept to look at.

    What could not be looked at excuses nothing; a rule that blames the code speaks all the same.
    """
    if not rule.unless:
        return None
    near = lines.between(deciding.number - NEAR, deciding.number + NEAR)
    texts = [line.text for line in near]
    found = [near[places[0]].number for pattern in rule.unless if (places := places_of(pattern, texts))]
    if found:
        return f"`unless` holds: line {min(found)} silences it"
    if rule.fault in BLAMES_CODE or lines.has_all(deciding.number - NEAR, deciding.number + NEAR):
        return None
    return f"`unless` may hold: not all of the {NEAR} lines above and below were kept"


def _captures(rule: Rule, lines: Sequence[LogLine]) -> Mapping[str, str]:
    captures: dict[str, str] = {}
    for pattern, line in zip(rule.lines, lines, strict=True):
        groups = find(pattern, line.text) or {}
        captures.update({name.partition(AGAIN)[0]: text for name, text in groups.items() if text})
    return captures


class NearMiss(NamedTuple):
    """A line on which a rule's last pattern matches although the rule is silent there, and what silences it."""

    rule: Rule
    line: int
    why: str


def near_misses(rules: RuleSet, log: Log) -> tuple[NearMiss, ...]:
    """Find the lines on which only a rule's conditions keep it silent, by line, then in file order."""
    lines = _Lines(log)
    found = [miss for rule in rules.rules for miss in _near_misses_of(rule, log.hits, lines)]
    return tuple(sorted(found, key=lambda miss: miss.line))


def _near_misses_of(rule: Rule, hits: Mapping[str, Sequence[int]], lines: _Lines) -> Iterator[NearMiss]:
    for number in hits.get(key_of(rule), ()):
        if (deciding := lines.at(number)) is None:
            continue
        if not _chain(rule, deciding, lines):
            yield NearMiss(rule, number, f"its other patterns do not stand within {rule.within} lines above")
        elif (silencing := _silencing(rule, deciding, lines)) is not None:
            yield NearMiss(rule, number, silencing)
        elif (refused := _refusing(rule, deciding)) is not None:
            yield NearMiss(rule, number, f"`but_not` holds: the line matches `{refused}`")
