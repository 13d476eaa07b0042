"""The docs show the policy that is in force."""

from __future__ import annotations

from pathlib import Path

from triage.decide import CHECKS
from triage.decide.advice import RERUNS
from triage.decide.causes import ORDER
from triage.decide.policy import policy
from triage.model import Category

DOCS = Path(__file__).parents[2] / "docs" / "categories.md"
BEGIN, END = "<!-- policy: begin -->\n\n", "\n<!-- policy: end -->"


def test_the_documented_policy_is_the_one_that_decides() -> None:
    shown = DOCS.read_text().partition(BEGIN)[2].partition(END)[0]

    assert shown == policy(), "print it with `python -m triage.decide.policy` and put it between the marks"


def test_every_check_says_in_one_line_when_it_answers() -> None:
    for check in CHECKS:
        assert check.__doc__ is not None
        assert check.__doc__.partition("\n")[0].endswith("."), check.__name__


def test_every_category_has_its_place_and_is_documented() -> None:
    assert set(ORDER) == set(Category)
    for category in Category:
        assert f"| `{category.value}` |" in DOCS.read_text()


def test_the_last_check_and_the_last_row_answer_always() -> None:
    assert CHECKS[-1].__name__ == "unknown"
    assert RERUNS[-1].when == "anything else"
