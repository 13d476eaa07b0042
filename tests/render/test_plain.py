"""Text without colours is drawn without rich, and is what rich would have drawn."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from triage.render.plain import NARROW, PlainScreen, cells, wrapped
from triage.render.screen import Screen
from triage.render.words import Code, Words

TEXTS = (
    "",
    "   ",
    "short",
    "    an indented line of a log that is longer than the window",
    "a-word-that-is-longer-than-any-window-could-ever-be and then some more",
    "        indented-and-longer-than-any-window-could-ever-be, too",
    "two  blanks   and more     between words that go on for a while   ",
    "文字は二桁を取るので行はもっと早く折り返されなければなりません",
    "mixed 文字 with ascii, naïve café, ✗ marks and — dashes that go on",
    "ends just at the w edge",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [7, 23, 40])
def test_lines_are_broken_where_rich_breaks_them(text: str, width: int) -> None:
    by_rich = [line.plain.rstrip() for line in Text(text).wrap(Console(width=width), width)]

    assert [line.rstrip() for line in wrapped(text, width)] == by_rich
    assert all(cells(line.rstrip()) <= width for line in wrapped(text, width))


def test_letters_that_are_counted_without_rich_take_one_column_each() -> None:
    narrow = [chr(number) for number in range(0x3000) if NARROW.fullmatch(chr(number))]

    assert {"a", "é", "·", "’", "…", "─"} <= set(narrow)
    assert [letter for letter in narrow if cell_len(letter) != 1] == []


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [40, 77])
def test_a_page_is_the_same_page_with_and_without_rich(text: str, width: int) -> None:
    pages = (Screen(width=width, colour=False), PlainScreen(width=width))
    words: Words = ("The test ", Code("tests/a.py::test_b"), f" says {text}")
    for page in pages:
        page.title("build.log", words, "infrastructure", aside_style="cyan")
        page.title("b.log", (text[:9],), "code", aside_style="bold red")
        page.quote([("7", text, False), ("1234", f"then {text}", True), ("", "", False)])
        page.entry("tests", words)
        page.bullet(words, indent=14)
        page.gap()

    assert pages[1].read() == pages[0].read()
