"""What the terminal report is drawn with: styled text that wraps under itself, and nothing that is read as markup.

rich is imported when a screen is made and not before, because most commands never draw one.
"""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Final

from triage.render.foreign_text import shown_address
from triage.render.words import Link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType
    from rich.text import Text

    from triage.render.words import Words

# Longer lines are harder to read, however wide the window is; narrower windows are left to the terminal.
WIDEST: Final = 120
NARROWEST: Final = 40
INDENT: Final = 2
LABEL: Final = 11
LITERAL: Final = "bold"
QUIET: Final = "dim"


class Screen:
    """A page of `width` columns that is written line by line and read off as one string."""

    def __init__(self, *, width: int, colour: bool) -> None:
        from rich.console import Console

        self.width = max(NARROWEST, min(width, WIDEST))
        self.colour = colour
        self._file = StringIO()
        # Nothing is taken from the environment: the same report gives the same bytes in every terminal.
        self._console = Console(
            file=self._file,
            width=self.width,
            color_system="standard" if colour else None,
            force_terminal=colour,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
            _environ={},
        )

    def read(self) -> str:
        """Return all that was drawn, without spaces at the ends of lines."""
        return "\n".join(line.rstrip() for line in self._file.getvalue().split("\n"))

    def draw(self, thing: RenderableType) -> None:
        """Draw a panel or a table of rich."""
        self._console.print(thing)

    def gap(self) -> None:
        """Leave one line empty."""
        self._console.print()

    def text(self, words: Words, *, style: str = "") -> Text:
        """Turn words into styled text; without colour, literals stand between backticks."""
        from rich.text import Text

        text = Text(style=style)
        for part in words:
            bare = part.label if isinstance(part, Link) else part
            if isinstance(bare, str):
                text.append(bare)
            else:
                text.append(bare.text if self.colour else f"`{bare.text}`", style=LITERAL)
        return text

    def paragraph(self, words: Words, *, indent: int = INDENT, style: str = "") -> None:
        """Write running text."""
        self._hang(self.text(words, style=style), first=" " * indent, indent=indent)

    def entry(self, label: str, words: Words) -> None:
        """Write a labelled sentence; its further lines stand under its first."""
        head = f"{' ' * INDENT}{label:<{LABEL}} "
        self._hang(self.text(words), first=head, indent=len(head))

    def bullet(self, words: Words, *, indent: int = INDENT) -> None:
        """Write an item of a list."""
        self._hang(self.text(words), first=f"{' ' * indent}· ", indent=indent + 2)

    def quote(self, lines: Iterable[tuple[str, str, bool]]) -> None:
        """Write lines of a log behind a bar: the number of each, its text, and whether it is the one that decides."""
        from rich.text import Text

        lines = tuple(lines)
        gutter = max((len(number) for number, _, _ in lines), default=0)
        for number, line, decides in lines:
            style = "bold" if decides else ""
            for index, part in enumerate(Text(line, style=style).wrap(self._console, self.width - gutter - INDENT - 5)):
                pointer = "▸ " if decides and not index else "  "
                mark = f"{' ' * INDENT}{pointer}{'' if index else number:>{gutter}} │ "
                self._line(Text.assemble((mark, QUIET), part))

    def address(self, url: str, *, indent: int = INDENT) -> None:
        """Write an address on a line of its own, never wrapped, so that it can be opened and copied."""
        from rich.text import Text

        if shown := shown_address(url):
            self._line(Text(" " * indent + shown, style=QUIET))

    def command(self, command: str, *, indent: int) -> None:
        """Write a command on a line of its own, never wrapped."""
        from rich.text import Text

        self._line(Text.assemble(" " * indent, (command, "bold cyan")))

    def headline(self, title: Text, aside: Text) -> None:
        """Write a title over the whole width, with a few words at its right end."""
        from rich.text import Text

        room = self.width - aside.cell_len - 5
        if title.cell_len > room:
            self._hang(title, first="", indent=4)
            self._line(Text.assemble("    ", aside))
            return
        tail = Text.assemble(" ", aside) if aside else aside
        dashes = "─" * (self.width - title.cell_len - tail.cell_len - 1)
        self._line(Text.assemble(title, (f" {dashes}", QUIET), tail))

    def title(self, place: str, title: Words, aside: str, *, aside_style: str) -> None:
        """Write where something was found and what it is over the whole width, with a word at its right end."""
        from rich.text import Text

        text = Text.assemble((f"{place} · ", QUIET), self.text(title, style="bold"))
        self.headline(text, Text(aside, style=aside_style))

    def _hang(self, text: Text, *, first: str, indent: int) -> None:
        from rich.text import Text

        for index, part in enumerate(text.wrap(self._console, self.width - indent)):
            self._line(Text.assemble((" " * indent if index else first, QUIET), part))

    def _line(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True)
