"""Where rules show in a log. What that means, and which of several rules is right, is decided in `triage.classify`."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from triage.matching import find, first_with
from triage.model import Log, LogLine
from triage.rules.ruleset import AGAIN, keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from triage.matching import Scanner
    from triage.model import Rule
    from triage.rules.ruleset import RuleSet

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
    by_number = {line.number: line for line in log.lines}
    found = [
        (match.line.number, order, match)
        for order, rule in enumerate(rules.rules)
        for match in _matches_of(rule, log.hits, by_number)
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


def _matches_of(rule: Rule, hits: Mapping[str, Sequence[int]], lines: Mapping[int, LogLine]) -> Iterator[Match]:
    found = [hits.get(key, ()) for key in keys(rule)]
    if not all(found):
        return
    for number in found[-1]:
        chain = _chain(found, number, rule.within)
        if chain is None or _silencing(rule, number, lines) is not None:
            continue
        at = tuple(lines[each] for each in chain if each in lines)
        if len(at) == len(chain) and not any(find(pattern, at[-1].text) is not None for pattern in rule.but_not):
            yield Match(rule=rule, line=at[-1], lines=at, captures=_captures(rule, at))


def _chain(found: Sequence[Sequence[int]], last: int, within: int) -> tuple[int, ...] | None:
    """Walk up from the deciding line: for each earlier pattern, its nearest hit above, at most `within` lines away."""
    chain = [last]
    for numbers in reversed(found[:-1]):
        above = bisect_left(numbers, chain[0]) - 1
        if above < 0 or chain[0] - numbers[above] > within:
            return None
        chain.insert(0, numbers[above])
    return tuple(chain)


def _silencing(rule: Rule, at: int, lines: Mapping[int, LogLine]) -> int | None:
    """Return the first line near a deciding one that silences the rule there."""
    if not rule.unless:
        return None
    near = [lines[number] for number in range(at - NEAR, at + NEAR + 1) if number in lines]
    texts = [line.text for line in near]
    places = [place for pattern in rule.unless if (place := first_with(pattern, texts)) is not None]
    return near[min(places)].number if places else None


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
    by_number = {line.number: line for line in log.lines}
    found = [miss for rule in rules.rules for miss in _near_misses_of(rule, log.hits, by_number)]
    return tuple(sorted(found, key=lambda miss: miss.line))


def _near_misses_of(rule: Rule, hits: Mapping[str, Sequence[int]], lines: Mapping[int, LogLine]) -> Iterator[NearMiss]:
    found = [hits.get(key, ()) for key in keys(rule)]
    for number in found[-1]:
        missing = next((place for place, numbers in enumerate(found, start=1) if not numbers), None)
        refused = next(
            (one for one in rule.but_not if number in lines and find(one, lines[number].text) is not None), None
        )
        if missing is not None:
            yield NearMiss(rule, number, f"its pattern {missing} of {len(found)} shows nowhere")
        elif _chain(found, number, rule.within) is None:
            yield NearMiss(rule, number, f"its other patterns do not stand within {rule.within} lines above")
        elif (near := _silencing(rule, number, lines)) is not None:
            yield NearMiss(rule, number, f"`unless` holds: line {near} silences it")
        elif refused is not None:
            yield NearMiss(rule, number, f"`but_not` holds: the line matches `{refused}`")
