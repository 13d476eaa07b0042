"""A screen without colours, written without rich: loading that takes longer than reading a small log.

It writes what `triage.render.screen` writes without colour, as far as one log's text needs it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.regex import regex
from triage.render.screen import INDENT, LABEL, NARROWEST, WIDEST
from triage.render.words import Link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from triage.render.words import Words


NARROW = regex("[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2500-\u257f]*")
"""Letters that take one column each: ASCII, Latin, marks of printed text, and what lines are drawn with."""


class PlainScreen:
    """A page of `width` columns that is written line by line and read off as one string."""

    def __init__(self, *, width: int) -> None:
        self.width = max(NARROWEST, min(width, WIDEST))
        self._lines: list[str] = []

    def read(self) -> str:
        """Return all that was written, without spaces at the ends of lines."""
        return "".join(f"{line.rstrip()}\n" for line in self._lines)

    def gap(self) -> None:
        """Leave one line empty."""
        self._lines.append("")

    def title(self, place: str, title: Words, aside: str, *, aside_style: str) -> None:  # noqa: ARG002 - no colours
        """Write where something was found and what it is over the whole width, with a word at its right end."""
        text = f"{place} · {_plain(title)}"
        if cells(text) > self.width - cells(aside) - 5:
            self._hang(text, first="", indent=4)
            self._lines.append(f"    {aside}")
            return
        dashes = "─" * (self.width - cells(text) - cells(aside) - 2)
        self._lines.append(f"{text} {dashes} {aside}")

    def entry(self, label: str, words: Words) -> None:
        """Write a labelled sentence; its further lines stand under its first."""
        head = f"{' ' * INDENT}{label:<{LABEL}} "
        self._hang(_plain(words), first=head, indent=len(head))

    def bullet(self, words: Words, *, indent: int = INDENT) -> None:
        """Write an item of a list."""
        self._hang(_plain(words), first=f"{' ' * indent}· ", indent=indent + 2)

    def quote(self, lines: Iterable[tuple[str, str, bool]]) -> None:
        """Write lines of a log behind a bar: the number of each, its text, and whether it is the one that decides."""
        lines = tuple(lines)
        gutter = max((len(number) for number, _, _ in lines), default=0)
        for number, line, decides in lines:
            for index, part in enumerate(wrapped(line, self.width - gutter - INDENT - 5)):
                pointer = "▸ " if decides and not index else "  "
                self._lines.append(f"{' ' * INDENT}{pointer}{'' if index else number:>{gutter}} │ {part}")

    def _hang(self, text: str, *, first: str, indent: int) -> None:
        for index, part in enumerate(wrapped(text, self.width - indent)):
            self._lines.append(f"{' ' * indent if index else first}{part}")


def _plain(words: Words) -> str:
    """Write words so that literals stand between backticks."""
    parts = (part.label if isinstance(part, Link) else part for part in words)
    return "".join(part if isinstance(part, str) else f"`{part.text}`" for part in parts)


def wrapped(text: str, width: int) -> list[str]:
    """Break a line between words, and words that are longer than a whole line wherever it is full; one at least."""
    lines: list[str] = []
    line = ""
    for word in re.findall(r"\s*\S+\s*", text):
        if cells(line) + cells(word.rstrip()) <= width:
            line += word
            continue
        if line:
            lines.append(line)
        if cells(word.rstrip()) <= width:
            line = word
        else:
            *full, line = _cut(word, width)
            lines += full
    return [*lines, line] if line or lines else [text]


def cells(text: str) -> int:
    """Count the columns that a text takes: wide letters take two."""
    if text.isascii() or NARROW.fullmatch(text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _cut(word: str, width: int) -> list[str]:
    if NARROW.fullmatch(word):
        return [word[at : at + width] for at in range(0, len(word), width)]
    from rich.cells import chop_cells

    return chop_cells(word, width)
