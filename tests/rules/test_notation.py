from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.rules.notation import NotationError, read_excerpt


def test_the_marks_are_taken_out_and_remembered() -> None:
    excerpt = read_excerpt("collected 3 items\n▶ FAILED ‹tests/test_api.py›::‹test_login›\n1 failed")

    assert excerpt.text == "collected 3 items\nFAILED tests/test_api.py::test_login\n1 failed"
    assert excerpt.decides == 2
    assert excerpt.captures == ("tests/test_api.py", "test_login")


def test_a_capture_may_stand_on_another_line_than_the_one_that_decides() -> None:
    excerpt = read_excerpt("step ‹build›\n▶ failed")

    assert (excerpt.decides, excerpt.captures) == (2, ("build",))


@pytest.mark.parametrize(
    ("marked", "sentence"),
    [
        ("▶ one\n▶ two", "lines 1 and 2 both begin"),
        ("▶ ‹open", "line 1 has a `‹` or `›` without its partner"),
        ("close›", "without its partner"),
        ("▶ ‹a‹b››", "without its partner"),
    ],
)
def test_marks_that_make_no_sense_are_a_mistake(marked: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        read_excerpt(marked)


@given(st.lists(st.text(st.characters(exclude_characters="▶‹›", exclude_categories=("Cs", "Cc", "Zl", "Zp")))))
def test_text_without_marks_stays_as_it_is(lines: list[str]) -> None:
    text = "\n".join(lines)

    excerpt = read_excerpt(text)

    assert excerpt.text == text.removesuffix("\n")
    assert (excerpt.decides, excerpt.captures) == (None, ())
