"""What the product must reach on labelled logs; contested cases are left out of every figure."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from triage.classify import make_scanner
from triage.entry.commands.rules_winners import TABLE, changes, table
from triage.evaluate import answer, load_cases, score
from triage.rules import builtin_rules

if TYPE_CHECKING:
    from triage.evaluate import Answer, Score

LABELLED = Path(__file__).parents[1] / "fixtures" / "labelled"
SETS = ("gha", "gpu", "h200", "made", "tools", "blind")

LEAST_RIGHT = 0.97
LEAST_EXPLAINED = 0.95
LEAST_EXPLAINED_FIRST = 0.85


@cache
def all_answers(name: str) -> tuple[Answer, ...]:
    rules = builtin_rules()
    scanner = make_scanner(rules)
    return tuple(answer(case, rules, scanner) for case in load_cases(LABELLED / name))


def answers(name: str) -> tuple[Answer, ...]:
    return tuple(given for given in all_answers(name) if not given.case.contested)


@cache
def all_sets() -> Score:
    return score("all", [given for name in SETS for given in answers(name)])


@pytest.mark.parametrize("name", SETS)
def test_no_failure_of_the_code_is_excused(name: str) -> None:
    assert [given.case.id for given in answers(name) if given.is_excused_code] == []


@pytest.mark.parametrize("name", SETS)
def test_no_passing_log_is_alarmed(name: str) -> None:
    assert [given.case.id for given in answers(name) if given.is_false_alarm] == []


@pytest.mark.parametrize("name", SETS)
def test_every_set_holds_cases(name: str) -> None:
    assert len(answers(name)) >= 17


def test_nearly_every_answer_is_right() -> None:
    reached = all_sets()
    assert reached.right / reached.cases >= LEAST_RIGHT, reached


def test_the_line_that_explains_the_failure_is_in_the_evidence() -> None:
    reached = all_sets()
    assert reached.key_any / reached.with_key >= LEAST_EXPLAINED, reached


def test_the_line_that_explains_the_failure_mostly_comes_first() -> None:
    reached = all_sets()
    assert reached.key_first / reached.with_key >= LEAST_EXPLAINED_FIRST, reached


def test_the_table_says_which_log_is_won_by_which_rule() -> None:
    """`triage rules check --cases tests/fixtures/labelled --write` makes it anew: its diff shows what a rule takes."""
    now = table(given for name in SETS for given in all_answers(name))

    assert list(changes((LABELLED / TABLE).read_text(encoding="utf-8"), now)) == []
    assert {line.split("/")[0] for line in now.splitlines()} == {
        path.name for path in LABELLED.iterdir() if path.is_dir()
    }
