from __future__ import annotations

from typing import TYPE_CHECKING

from tests.rules.yaml_rules import RULE, rules_file
from triage.rules import check_examples, check_winners, load_rules

if TYPE_CHECKING:
    from triage.model import Rule


def problems_of(*rules: str) -> list[str]:
    return [str(problem) for problem in check_examples(load_rules(rules_file(*rules), "rules.yaml"))]


def test_a_rule_that_does_what_its_examples_say_is_proved() -> None:
    assert problems_of(RULE) == []


def test_a_rule_that_lands_on_another_line_is_told_so() -> None:
    text = RULE.replace("'▶ tar: write error: No space left on device'", '"No space left on device\\n▶ x"')

    assert problems_of(text) == [
        "rules.yaml:9:11: rule `disk-full` must land on line 2 of the excerpt, and matches line 1"
    ]


def test_a_rule_that_matches_nothing_is_told_so() -> None:
    assert problems_of(RULE.replace("tar: write error: No space", "tar: no space")) == [
        "rules.yaml:9:11: rule `disk-full` must land on line 1 of the excerpt, and does not match"
    ]


def test_a_rule_that_captures_something_else_is_told_so() -> None:
    (problem,) = problems_of(RULE.replace("'No space", "'(?P<tool>\\w+): write error: No space"))

    assert problem.endswith("must capture (), and captures ('tar',)")
    assert (
        problems_of(RULE.replace("'No space", "'(?P<tool>\\w+): write error: No space").replace("tar", "‹tar›")) == []
    )


def test_a_rule_that_speaks_where_it_must_be_silent_is_told_why() -> None:
    (problem,) = problems_of(RULE.replace("'Filesystem 40% used'", "'No space left on device'"))

    assert problem == "rules.yaml:11:11: rule `disk-full` must be silent here (there is space), and matches line 1"


def test_the_whole_set_must_believe_the_rule_of_the_example() -> None:
    other = RULE.replace("disk-full", "disk-quota")
    rules = load_rules(rules_file(RULE, other), "rules.yaml")

    def first(rule: Rule, excerpt: str) -> str | None:
        return "disk-full" if "No space" in excerpt else None

    found = [str(problem) for problem in check_winners(rules, first)]

    (problem,) = found
    assert problem.startswith(
        "rules.yaml:20:11: rule `disk-quota` never gets to speak here: in the whole set `disk-full`"
    )
    assert problem.endswith("put the more exact rule first, or write `wins: disk-full` where that is right")


def test_a_rule_may_say_that_another_one_rightly_wins() -> None:
    other = RULE.replace("disk-full", "disk-quota").replace("- '▶", "- wins: disk-full\n        log: '▶")
    rules = load_rules(rules_file(RULE, other), "rules.yaml")

    assert check_winners(rules, lambda _, excerpt: "disk-full" if "No space" in excerpt else None) == ()


def test_a_rule_must_not_win_where_it_must_be_silent() -> None:
    rules = load_rules(rules_file(), "rules.yaml")

    (problem,) = check_winners(rules, lambda rule, _: rule.id)

    assert str(problem) == "rules.yaml:11:11: rule `disk-full` must not win here: there is space"


def test_nobody_needs_to_believe_a_wrapper() -> None:
    wrapper = RULE.replace("fault: infrastructure", "fault: unknown\n  wrapper: true")
    rules = load_rules(rules_file(wrapper), "rules.yaml")

    assert check_winners(rules, lambda _rule, _excerpt: None) == ()
