"""The whole set on every example: no rule takes what another one explains better."""

from __future__ import annotations

from triage.classify.proof import rule_that_wins
from triage.rules import check_winners, parse_builtin


def test_the_product_believes_the_rule_of_each_example() -> None:
    rules = parse_builtin()

    assert [str(problem) for problem in check_winners(rules, rule_that_wins(rules))] == []
