"""Which lines of a block are worth trying: most lines of a log hold no word that any pattern asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from triage.matching.patterns import for_block, options
from triage.matching.pieces import GAP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from triage.matching.tries import Search

SIEVE_MEMORY = 32 << 20
"""Most bytes that the automaton of all pieces may take. Were it too few, RE2 would go on without it, and crawl."""

FEW_PIECES = 400
"""So many pieces are looked for in one go, whatever they are."""

Span = tuple[int, int]
"""Where a line starts and where its newline stands, in bytes."""


class Sieve:
    """Finds the lines of a block that any of some patterns may match: all that one does, and a few more.

    Args:
        pieces_of: Pattern -> its pieces, None where it has none.
    """

    def __init__(self, pieces_of: Mapping[str, Sequence[str] | None]) -> None:
        simple: set[str] = set()
        joined: set[str] = set()
        whole: list[str] = []
        for pattern, pieces in pieces_of.items():
            if pieces is None:
                whole.append(pattern)
                continue
            joined.update(piece for piece in pieces if GAP in piece)
            simple.update(piece for piece in pieces if GAP not in piece)
        # The gaps of the joined ones multiply the states of all others. Where these are few, one look is still faster.
        together = len(simple) + len(joined) <= FEW_PIECES
        alternatives = [_one_of(simple | joined)] if together else [_one_of(simple), _one_of(joined)]
        alternatives += whole
        self._searches = tuple(_search(pattern) for pattern in alternatives if pattern)

    def lines(self, block: bytes) -> list[Span]:
        """Return the lines of a cleaned block that are worth trying, in order."""
        return sorted({span for search in self._searches for span in _lines_with(search, block)})


def _one_of(pieces: Iterable[str]) -> str:
    # Sorted, so that common beginnings are shared and the automaton stays small.
    anchored = sorted(piece[1:] for piece in pieces if piece.startswith("^"))
    floating = sorted(piece for piece in pieces if not piece.startswith("^"))
    return "|".join([*([f"^(?:{'|'.join(anchored)})"] if anchored else ()), *floating])


def _search(pattern: str) -> Search:
    search: Search = re2.compile(for_block(pattern), options(SIEVE_MEMORY)).search
    return search


def _lines_with(search: Search, block: bytes) -> Iterator[Span]:
    at = 0
    while (match := search(block, at)) is not None:
        start = block.rfind(b"\n", 0, match.start()) + 1
        end = block.find(b"\n", match.end())
        if end < 0:
            yield start, len(block)
            return
        yield start, end
        at = end + 1
