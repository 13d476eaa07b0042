"""What can break, as data: loading, checking and holding `rules.yaml`, and finding its rules in a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.rules.builtin import builtin_rules, parse_builtin
from triage.rules.match import Match, matches, read_text
from triage.rules.ruleset import Example, RuleSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.errors import Problem
    from triage.model import Rule

__all__ = [
    "Example",
    "Match",
    "RuleSet",
    "builtin_rules",
    "check_examples",
    "check_winners",
    "load_rules",
    "matches",
    "parse_builtin",
    "read_text",
]


def load_rules(text: str, path: str) -> RuleSet:
    """Read and check a rules file that somebody else wrote; see `triage.rules.load`.

    Raises:
        ConfigError: with every mistake found, in file order.
    """
    from triage.rules import load

    return load.load_rules(text, path)


def check_examples(rules: RuleSet) -> tuple[Problem, ...]:
    """Prove each rule alone on its examples; see `triage.rules.check`."""
    from triage.rules import check

    return check.check_examples(rules)


def check_winners(rules: RuleSet, winner: Callable[[Rule, str], str | None]) -> tuple[Problem, ...]:
    """Prove the rules together; see `triage.rules.check`."""
    from triage.rules import check

    return check.check_winners(rules, winner)
