"""Markdown that cannot be broken by what it quotes.

Foreign text stands only inside code: fences and spans whose delimiters are longer than any run of backticks in it.
Plain words are escaped, and what GitHub itself would act on (mentions, references, addresses, emoji) is split by a word
joiner, because a backslash does not stop it: GitHub looks at the text after Markdown has been read.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from triage.render.foreign_text import shown_address
from triage.render.words import Code, Link, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from triage.render.words import Words

JOINER: Final = "\u2060"
MIN_FENCE: Final = 3

_BACKTICKS: Final = re.compile("`+")
_SPECIAL: Final = re.compile(r"[\\`*\[\]<>&~|$]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
# At the beginning of a block these would start a heading, a list or a rule.
_OPENING: Final = re.compile(r"(?=[-+=#])|\d{1,9}(?=[.)](?:\s|$))")
# @name, #1, GH-1, ://, www., :emoji: (a time, 08:31, is left alone)
_ACTED_ON: Final = re.compile(
    r"(?<=[@#])|(?<=\bGH-)|(?<=:)(?=//|[A-Za-z_+-]|\d+(?:[A-Za-z_:+-]|$))|(?<=www)(?=\.)", re.IGNORECASE
)
_COMMENT: Final = "<!--"
# GitHub tells the other side when one of these is linked, and a triage must not write into other pull requests.
_NOTIFIES: Final = re.compile(r"/(?:pull|issues|discussions)/\d+")
_ON_GITHUB: Final = re.compile(r"https://(?:www\.)?github\.com(?=/)")
# Leads to the same page, and tells the other side nothing.
_SILENT_HOST: Final = "https://redirect.github.com"


def longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def without_comments(text: str) -> str:
    """Split every `<!--`: the marker by which the comment is found again must not be quotable."""
    return text.replace(_COMMENT, f"<!{JOINER}--")


def code_span(text: str) -> str:
    """Make a code span of one non-empty line."""
    inner = without_comments(text.replace("\n", " "))
    ticks = "`" * (longest_run(inner) + 1)
    # One space at both ends is taken off again by the reader; it keeps a backtick at the edge apart from the delimiter.
    pad = " " if inner[:1] in "` " or inner[-1:] in "` " else ""
    return f"{ticks}{pad}{inner}{pad}{ticks}"


def fence(lines: Sequence[str]) -> str:
    """Make a code block; every line is shown as it is."""
    inner = without_comments("\n".join(line.replace("\n", " ") for line in lines))
    ticks = "`" * max(MIN_FENCE, longest_run(inner) + 1)
    return f"{ticks}\n{inner}\n{ticks}"


def plain(text: str) -> str:
    """Escape words that are meant as words."""
    return _SPECIAL.sub(r"\\\g<0>", _ACTED_ON.sub(JOINER, without_comments(text)))


class Markup:
    """Writes words as Markdown; links only to the repository's own GitHub host, and only where that notifies nobody."""

    def __init__(self, repository_url: str, *, own_pull: int | None = None) -> None:
        address = urlsplit(repository_url)
        self._host = address.netloc.lower() if address.scheme == "https" else ""
        self._own = f"{address.path}/pull/{own_pull}/"

    def link(self, label: str, url: str) -> str:
        """Link the finished Markdown `label`; return it as it is when the address is not one that may be linked."""
        shown = shown_address(url)
        return f"[{label}]({shown})" if shown and self._may_link(shown) else label

    def _may_link(self, shown: str) -> bool:
        address = urlsplit(shown)
        if not self._host or (address.scheme, address.netloc.lower()) != ("https", self._host):
            return False
        return not _NOTIFIES.search(address.path) or f"{address.path}/".startswith(self._own)

    def _vetted_link(self, label: str, url: str) -> str:
        """Link what a rule names, wherever it is, without leaving a note there."""
        shown = shown_address(url)
        if _NOTIFIES.search(shown):
            shown = _ON_GITHUB.sub(_SILENT_HOST, shown)
        return f"[{label}]({shown})" if shown.startswith("https://") else label

    def words(self, words: Words) -> str:
        """Write words where running text may stand: after a bullet, in a paragraph."""
        written = "".join(self._part(part, code_span) for part in merged(words)).strip()
        opening = _OPENING.match(written)
        return f"{opening[0]}\\{written[opening.end() :]}" if opening else written

    def cell(self, words: Words) -> str:
        """Write words for a cell of a table."""
        return "".join(self._part(part, _cell_span) for part in merged(words)).strip()

    def summary(self, words: Words) -> str:
        """Write words for `<summary>`, where Markdown is not read: HTML, without links."""
        return "".join(_html(part.label if isinstance(part, Link) else part) for part in merged(words)).strip()

    def _part(self, part: str | Code | Link, span: Callable[[str], str]) -> str:
        if isinstance(part, Link):
            link = self._vetted_link if part.vetted else self.link
            return link(self._part(part.label, span), part.url)
        return span(part.text) if isinstance(part, Code) else plain(part)


def _cell_span(text: str) -> str:
    """Make a code span for a table.

    The row is cut at bars before anything else is read, so that a bar is escaped even inside code; a backslash of the
    text in front of it would undo that, and is kept away from it.
    """
    return code_span(text).replace("\\|", f"\\{JOINER}|").replace("|", "\\|")


def _html(part: str | Code) -> str:
    if isinstance(part, Code):
        return f"<code>{html.escape(part.text)}</code>"
    return html.escape(_ACTED_ON.sub(JOINER, part))
