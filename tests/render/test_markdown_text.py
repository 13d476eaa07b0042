"""Threat T5: the pieces that Markdown is written with, each under a reader with GitHub's rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render.github_html import Page
from tests.render.hostile import hostile_text
from triage.render.foreign_text import shown_line, shown_name
from triage.render.markdown_text import JOINER, Markup, code_span, fence
from triage.render.words import Code, Link, literal, prose

MARKUP = Markup("https://github.com/o/r")


def shown(text: str) -> str:
    return text.replace(JOINER, "")


@given(st.lists(hostile_text(), min_size=1, max_size=6))
def test_a_fence_shows_its_lines_as_they_are_and_is_closed_by_nothing_in_them(texts: list[str]) -> None:
    lines = [shown_line(text) for text in texts]

    page = Page(fence(lines))

    assert page.structure == ("<pre>", "</pre>")
    assert shown(page.code[-1]) == "\n".join(lines) + "\n"


@given(hostile_text())
def test_a_code_span_shows_a_name_as_it_is(text: str) -> None:
    name = shown_name(text)

    page = Page(f"before {code_span(name)} after")

    assert page.structure == ("<p>", "</p>")
    assert [shown(code) for code in page.code] == [name]


@given(hostile_text(), hostile_text())
def test_a_cell_shows_names_as_they_are_and_stays_one_cell(one: str, other: str) -> None:
    cell = MARKUP.cell((literal(one), " and ", literal(other)))

    page = Page(f"| a | b |\n| --- | --- |\n| {cell} | last |\n")

    assert page.structure.count("<td>") == 2
    assert [shown(code) for code in page.code] == [shown_name(one), shown_name(other)]
    assert page.text.split()[-1] == "last"


@given(hostile_text())
def test_prose_reads_as_it_was_written(text: str) -> None:
    words = prose(f"word {text}")

    page = Page(MARKUP.words(words))

    assert page.structure == ("<p>", "</p>")
    said = "".join(part.text if isinstance(part, Code) else str(part) for part in words)
    assert shown(page.text).split() == said.split()


@given(hostile_text())
def test_a_summary_has_no_element_but_code(text: str) -> None:
    page = Page(f"<details><summary>{MARKUP.summary(prose(text))}</summary>\n\nx\n\n</details>\n")

    assert page.structure == ("<details>", "<summary>", "</summary>", "<p>", "</p>", "</details>")


@pytest.mark.parametrize(
    "opening", ["# x", "- x", "+ x", "1. x", "23) x", "> x", "=== x", "--- x", "* x", "~~~", "|x|"]
)
def test_words_at_the_beginning_of_a_block_begin_no_other_block(opening: str) -> None:
    page = Page(f"{MARKUP.words(prose(opening))}\n\n- {MARKUP.words(prose(opening))}")

    assert page.structure == ("<p>", "</p>", "<ul>", "<li>", "</li>", "</ul>")
    assert shown(page.running).count(opening) == 2


def test_two_names_that_touch_stay_two() -> None:
    page = Page(MARKUP.words((Code("a"), Code("x`y"), "z")))

    assert page.code == ("a", "x`y")


def test_a_bar_in_a_name_is_shown_in_a_table() -> None:
    page = Page(f"| a |\n| --- |\n| {MARKUP.cell((Code('x | y'), ' | '))} |\n")

    assert page.code == ("x | y",)


def test_a_time_is_left_as_it_is() -> None:
    assert MARKUP.words(("18 Sep 2026 08:31 UTC",)) == "18 Sep 2026 08:31 UTC"


def test_a_whole_commit_is_shown_short_and_is_no_reference() -> None:
    words = prose("passes since 5f0c1de2b7a94c33d0e8f6a1b2c3d4e5f6a7b8c9, not before 1234567 or abcdefg")

    assert MARKUP.words(words) == "passes since `5f0c1de`, not before 1234567 or abcdefg"


def test_a_commit_in_a_path_makes_the_whole_path_literal() -> None:
    words = prose("contents/28b1475/a.yml: not read (at 28b1475), see compare/main...28b1475.json.")

    assert MARKUP.words(words) == (
        "`contents/28b1475/a.yml`: not read (at `28b1475`), see `compare/main...28b1475.json`."
    )


def test_the_pull_request_itself_may_be_linked_and_no_other() -> None:
    markup = Markup("https://github.com/o/r", own_pull=12)

    assert markup.link("x", "https://github.com/o/r/pull/12/files") == "[x](https://github.com/o/r/pull/12/files)"
    assert markup.link("x", "https://github.com/o/r/pull/123/files") == "x"
    assert markup.link("x", "https://github.com/o/other/pull/12") == "x"
    assert MARKUP.link("x", "https://github.com/o/r/pull/12") == "x"


def test_a_link_on_a_ghes_host_leads_there_and_nowhere_else() -> None:
    markup = Markup("https://git.example.com:8443/o/r")

    assert markup.link("x", "https://git.example.com:8443/o/r/actions/runs/1") == (
        "[x](https://git.example.com:8443/o/r/actions/runs/1)"
    )
    assert markup.link("x", "https://github.com/o/r/actions/runs/1") == "x"


def test_without_a_secure_host_nothing_is_linked() -> None:
    assert Markup("http://127.0.0.1:8000/o/r").link("x", "http://127.0.0.1:8000/o/r/1") == "x"
    assert Markup("").words((Link("x", "https:///o/r"),)) == "x"
