"""Which lines of a block are worth trying: most lines of a log hold no word that any pattern asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from triage.matching.colours import LINE_START, OTHER_ESCAPES, through_colours
from triage.matching.patterns import for_block, for_line, options

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Finder = Callable[..., Iterator[re.Match[bytes]]]
    """Finds a pattern again and again in a text from an offset on."""

SIEVE_MEMORY = 32 << 20
"""Most bytes that the automaton of all pieces may take. Were it too few, RE2 would go on without it, and crawl."""

FEW_PIECES = 400
"""So many pieces are looked for through colours; of more, it is faster to take the colours off first."""

MOST_COLOURED = 100_000
"""Letters of the pattern that looks through colours: a longer one takes over 10 MB."""

MOST_IN_A_LINE = 8
"""Pieces that are passed over in a line that is found already, before going on at its end: that starts anew."""

Span = tuple[int, int]
"""Where a line starts and where its newline stands, in bytes."""


class Sieve:
    """Finds the lines of a block that any of some patterns may match: all that one does, and a few more.

    Args:
        pieces_of: Pattern -> its pieces, None where it has none.
    """

    def __init__(self, pieces_of: Mapping[str, Sequence[str] | None]) -> None:
        short = {piece for pieces in pieces_of.values() for piece in pieces or ()}
        whole = [pattern for pattern, pieces in pieces_of.items() if pieces is None]
        coloured = for_line(_one_of_coloured(short)) if len(short) <= FEW_PIECES and not whole else b""
        self.looks_through_colours = 0 < len(coloured) <= MOST_COLOURED
        if self.looks_through_colours:
            looked_for = [coloured]
        else:
            looked_for = [for_block(pattern) for pattern in (_one_of(short), *whole) if pattern]
        self._finders = tuple(map(_finder, looked_for))

    def lines(self, block: bytes) -> list[Span]:
        """Return the lines of a block that are worth trying, in order.

        Args:
            block: Cleaned; where colours are looked through, these may be left.
        """
        return sorted({span for finder in self._finders for span in _lines_with(finder, block)})


def _one_of(pieces: Iterable[str]) -> str:
    # Sorted, so that common beginnings are shared and the automaton stays small.
    anchored, floating = _parted(pieces)
    return "|".join([*([f"^(?:{'|'.join(anchored)})"] if anchored else ()), *floating])


def _one_of_coloured(pieces: Iterable[str]) -> str:
    anchored, floating = _parted(pieces)
    starting = [f"{LINE_START}(?:{'|'.join(map(through_colours, anchored))})"] if anchored else []
    return "|".join([*starting, *map(through_colours, floating), OTHER_ESCAPES])


def _parted(pieces: Iterable[str]) -> tuple[list[str], list[str]]:
    """Part those that open a line, without their `^`, from those that stand anywhere."""
    anchored = sorted(piece[1:] for piece in pieces if piece.startswith("^"))
    return anchored, sorted(piece for piece in pieces if not piece.startswith("^"))


def _finder(pattern: bytes) -> Finder:
    finder: Finder = re2.compile(pattern, options(SIEVE_MEMORY)).finditer
    return finder


def _lines_with(finder: Finder, block: bytes) -> Iterator[Span]:
    end = -1  # of the last line that was found
    while end < len(block):
        more = MOST_IN_A_LINE
        for match in finder(block, end + 1):
            first, last = match.span()
            if first < end:
                more -= 1
                if not more:
                    break
                continue
            end = block.find(b"\n", last)
            if end < 0:
                end = len(block)
            yield block.rfind(b"\n", 0, first) + 1, end
            more = MOST_IN_A_LINE
        else:
            return
