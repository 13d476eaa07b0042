"""Proves every example: the rule alone lands on the marked line, and in the whole set the right rule wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.errors import Problem
from triage.matching import Scanner
from triage.rules.match import matches, read_text
from triage.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from triage.model import Rule
    from triage.rules.match import Match
    from triage.rules.ruleset import Example


def check_examples(rules: RuleSet) -> tuple[Problem, ...]:
    """Prove each rule alone: on its examples it lands on the marked line with the marked captures, or is silent.

    Returns:
        What is wrong, in file order; empty when the rules hold.
    """
    by_id = {rule.id: rule for rule in rules.rules}
    scanners: dict[str, Scanner] = {}
    problems: list[Problem] = []
    for example in rules.examples:
        alone = RuleSet(rules=(by_id[example.rule],), sha="")
        if example.rule not in scanners:
            scanners[example.rule] = Scanner(alone.patterns())
        log = read_text(example.excerpt.text, scanners[example.rule])
        problems += _wrong(example, matches(alone, log))
    return tuple(problems)


def check_winners(rules: RuleSet, winner: Callable[[Rule, str], str | None]) -> tuple[Problem, ...]:
    """Prove the rules together: no rule takes what another one explains better.

    Args:
        rules: The whole set, with examples.
        winner: Classifies an excerpt as the product would and names the rule it believes, None for none. It is given
            the rule of the example too, because some rules read annotations and not logs.
    """
    by_id = {rule.id: rule for rule in rules.rules}
    return tuple(problem for example in rules.examples for problem in _wrong_winner(example, by_id, winner))


def _wrong(example: Example, found: tuple[Match, ...]) -> Iterator[Problem]:
    numbers = sorted({match.line.number for match in found})
    wanted = example.excerpt.decides
    if wanted is None:
        if numbers:
            yield _problem(example, f"must be silent here ({example.why}), and matches line {numbers[0]}")
        return
    at = next((match for match in found if match.line.number == wanted), None)
    if at is None:
        where = f"matches line {numbers[0]}" if numbers else "does not match"
        yield _problem(example, f"must land on line {wanted} of the excerpt, and {where}")
        return
    captured = tuple(at.captures.values())
    if sorted(captured) != sorted(example.excerpt.captures):
        yield _problem(example, f"must capture {example.excerpt.captures!r}, and captures {captured!r}")


def _wrong_winner(
    example: Example, by_id: Mapping[str, Rule], winner: Callable[[Rule, str], str | None]
) -> Iterator[Problem]:
    rule = by_id[example.rule]
    won = winner(rule, example.excerpt.text)
    if not example.is_match:
        if won == rule.id:
            yield _problem(example, f"must not win here: {example.why}")
        return
    # Nobody believes a wrapper, so that nothing wins where only a wrapper stands is right.
    allowed = {example.wins or rule.id, *((None,) if rule.wrapper else ())}
    if won not in allowed:
        yield _problem(example, _not_believed(example, won))


def _not_believed(example: Example, won: str | None) -> str:
    if example.wins:
        return f"says that `{example.wins}` wins here, and in the whole set {_named(won)} is believed"
    if won is None:
        return "is not believed here in the whole set, and no other rule is; see `where` and `steps`"
    right = f"put the more exact rule first, or write `wins: {won}` where that is right"
    return f"never gets to speak here: in the whole set {_named(won)} is believed; {right}"


def _named(rule: str | None) -> str:
    return f"`{rule}`" if rule else "no rule"


def _problem(example: Example, message: str) -> Problem:
    path, _, line = example.place.rpartition(":")
    return Problem(path, int(line), example.column, f"rule `{example.rule}` {message}")
