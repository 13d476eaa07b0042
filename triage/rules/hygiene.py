"""What a rule may get wrong although its examples hold: it never wins, it identifies by what varies, it is over."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.errors import Problem
from triage.matching import Scanner
from triage.model import Where
from triage.rules.match import matches, read_text
from triage.rules.ruleset import RuleSet, problem_at
from triage.signature import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from triage.model import Rule
    from triage.rules.match import Match
    from triage.rules.ruleset import Example

NO_IDENTITY = frozenset({"roots", "root"})
"""Captures that name other jobs, and are no part of what makes two failures the same."""

_PLACEHOLDER = re.compile(r"<\w+>")


def check_reach(rules: RuleSet) -> tuple[Problem, ...]:
    """Find rules that can never explain anything, whatever a log holds."""
    first: dict[object, Rule] = {}
    problems: list[Problem] = []
    for rule in rules.rules:
        twin = first.setdefault((rule.lines, rule.where, rule.steps, rule.unless, rule.but_not), rule)
        if twin is not rule:
            told = f"can never fire: `{twin.id}` ({twin.place}) has the same patterns and is asked first"
            problems.append(problem_at(rules, rule, pattern_key(rules, rule), f"{told}; remove one of the two"))
        if rule.where is Where.ANNOTATION and rule.steps:
            told = "can never fire: an annotation belongs to no step; leave out `steps`, or change `where`"
            problems.append(problem_at(rules, rule, "steps", told))
        own = [example for example in rules.examples if example.rule == rule.id and example.is_match]
        if own and not rule.wrapper and all(example.wins not in {None, rule.id} for example in own):
            told = "never wins: in each of its `match` examples another rule is believed; add one in which it is"
            problems.append(problem_at(rules, rule, "examples", told))
    return tuple(problems)


def check_captures(rules: RuleSet) -> tuple[Problem, ...]:
    """Find captures that differ between two runs of one failure: with them, it would never be met again.

    What varies is what a signature replaces: times, process ids, hashes, addresses, places of temporary files.
    """
    by_id = {rule.id: rule for rule in rules.rules}
    scanners: dict[str, Scanner] = {}
    problems: dict[tuple[str, str], Problem] = {}
    for example in rules.examples:
        rule = by_id[example.rule]
        if not example.is_match or not any("(?P<" in pattern for pattern in rule.lines):
            continue
        alone = RuleSet(rules=(rule,), sha="")
        scanner = scanners.setdefault(rule.id, Scanner(alone.patterns()))
        for match in matches(alone, read_text(example.excerpt.text, scanner)):
            if match.line.number == example.excerpt.decides:
                for name, message in _volatile(match):
                    problems.setdefault((rule.id, name), _at(example, message))
    return tuple(problems.values())


def check_days(rules: RuleSet, day: date) -> tuple[Problem, ...]:
    """Name the rules that have expired: nothing is wrong with them, but nothing is explained by them either."""
    return tuple(
        problem_at(
            rules,
            rule,
            "expires",
            f"expired after {rule.expires} and is not asked any more; remove it, or give a later day",
        )
        for rule in rules.expired(day)
    )


def _volatile(match: Match) -> Iterator[tuple[str, str]]:
    lines = " ".join(normalise(line.text) for line in match.lines)
    for name, text in match.captures.items():
        squeezed = " ".join(text.split())
        steady = normalise(squeezed)
        # What a number is, only the words beside it tell: `pid 4711`.
        if squeezed.isdecimal() and squeezed not in lines:
            steady = "<n>"
        if steady == squeezed or name in NO_IDENTITY:
            continue
        what = ", ".join(f"`{word}`" for word in dict.fromkeys(_PLACEHOLDER.findall(steady))) or f"`{steady}`"
        told = f"captures `{name}` = `{squeezed}`, which varies from run to run ({what})"
        yield name, f"{told}; capture only what stays the same, or nothing"


def _at(example: Example, message: str) -> Problem:
    path, _, line = example.place.rpartition(":")
    return Problem(path, int(line), example.column, f"rule `{example.rule}` {message}")


def pattern_key(rules: RuleSet, rule: Rule) -> str:
    """Return the key behind which a rule's patterns stand, for the place of a message."""
    return next((key for key in ("line", "any", "lines") if f"{rule.id} {key}" in rules.spots), "id")
