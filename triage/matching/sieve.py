"""Which lines of a block are worth trying: most lines of a log hold no word that any pattern asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from triage.matching.patterns import TOKEN, for_block, options
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    Search = Callable[..., re.Match[bytes] | None]
    """Looks in a text from an offset on; what is found ends on the first line that holds a match."""

SIEVE_MEMORY = 64 << 20
"""Most bytes that the automaton of all pieces may take. Were it too few, RE2 would go on without it, and crawl."""

Span = tuple[int, int]
"""Where a line starts and where its newline stands, in bytes."""


class Sieve:
    """Finds the lines of a block that any of some patterns may match: all that one does, and a few more.

    Args:
        pieces_of: Pattern -> its pieces, None where it has none.
    """

    def __init__(self, pieces_of: Mapping[str, Sequence[str] | None]) -> None:
        short = {piece for pieces in pieces_of.values() for piece in pieces or ()}
        whole = (pattern for pattern, pieces in pieces_of.items() if pieces is None)
        self._searches = (*_search_for_one_of(short), *map(_search_for, whole))

    def lines(self, block: bytes) -> list[Span]:
        """Return the lines of a block that are worth trying, in order.

        Args:
            block: Cleaned.
        """
        return sorted({span for search in self._searches for span in _lines_with(search, block)})


def _search_for_one_of(pieces: Collection[str]) -> Iterable[Search]:
    """Look from the start of the text through lines that hold none, up to where the first match ends.

    Where it starts RE2 would have to find with a second automaton, backwards: that took half of the time.
    """
    if not pieces:
        return ()
    chosen = options(SIEVE_MEMORY, within_line=False)
    return (re2.compile(b"(?s:.*?)(?:" + for_block(_one_of(map(_on_one_line, pieces))) + b")", chosen).match,)


def _search_for(pattern: str) -> Search:
    search: Search = re2.compile(for_block(pattern), options(SIEVE_MEMORY)).search
    return search


def _one_of(pieces: Iterable[str]) -> str:
    # Sorted, so that common beginnings are shared and the automaton stays small.
    written = sorted(pieces)
    anchored = [piece[1:] for piece in written if piece.startswith("^")]
    floating = [piece for piece in written if not piece.startswith("^")]
    return "|".join([*([f"^(?:{'|'.join(anchored)})"] if anchored else ()), *floating])


_BUT_NEWLINE = {r"\s": r"[\t\f\r ]", r"\D": r"[^\d\n]", r"\W": r"[^\w\n]"}
_ANY_BUT_NEWLINE = r"[^\n]"
_CLASS_WITHOUT_NEWLINE = regex(r"\[\]?(?:\\[dwS]|\\t(?!-)|\\[^\w]|[^\\\[\x00-\x1f])*\]")


def _on_one_line(piece: str) -> str:
    """Write a piece such that it matches what it does within a line, or more, but no newline."""
    return "".join(_without_newline(match.group()) for match in TOKEN.finditer(piece))


def _without_newline(construct: str) -> str:
    if construct.startswith("[^"):
        return f"{construct[:-1]}\\n]"
    if construct.startswith("[") and not _CLASS_WITHOUT_NEWLINE.fullmatch(construct):
        return _ANY_BUT_NEWLINE
    return _ANY_BUT_NEWLINE if construct[:2] in {r"\p", r"\P"} else _BUT_NEWLINE.get(construct, construct)


def _lines_with(search: Search, block: bytes) -> Iterator[Span]:
    end = -1  # of the last line that was found
    while end < len(block) and (found := search(block, end + 1)) is not None:
        last = found.end()
        end = block.find(b"\n", last)
        if end < 0:
            end = len(block)
        yield block.rfind(b"\n", 0, last) + 1, end
