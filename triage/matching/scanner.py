"""Many patterns over a block of lines at once."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

import re2

from triage.matching.cleaning import clean_block, split_stamp
from triage.matching.pieces import pieces_of
from triage.matching.sieve import Sieve
from triage.matching.tries import Tries

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from triage.matching.outlines import Outline
    from triage.matching.sieve import Span
    from triage.matching.tries import Search

SIFTS_AFTER = 64 * 1024
"""Bytes that are tried line by line before a sieve is made: for one small log it would cost more than it saves."""

_WORTH_A_PATTERN = 8 * 1024  # so many bytes more for each pattern of which pieces must first be found


class Scanner:
    """A fixed set of patterns, compiled when they are first needed, for any number of logs and threads.

    One automaton for all patterns would have a state for each combination of them: with the built-in rules it does not
    fit its memory, or crawls. So most lines are sifted out first, and what is left is tried.

    Args:
        patterns: Key -> pattern, each accepted by `check_pattern`.
        outlines: Pattern -> what is known of it ahead, which saves working it out.
        sifts_after: How many bytes to try line by line before a sieve is made; None to choose.
        tries: What tries these patterns, and maybe more, where that exists already.

    Scanning raises `ValueError` when a pattern is no RE2.
    """

    def __init__(
        self,
        patterns: Mapping[str, str],
        *,
        outlines: Mapping[str, Outline] = MappingProxyType({}),
        sifts_after: int | None = None,
        tries: Tries | None = None,
    ) -> None:
        self.patterns: Mapping[str, str] = dict(patterns)
        self._outlines = outlines
        self._order = {key: place for place, key in enumerate(self.patterns)}
        keys: dict[str, list[str]] = {}
        for key, pattern in self.patterns.items():
            keys.setdefault(pattern, []).append(key)
        self._keys = {pattern: tuple(each) for pattern, each in keys.items()}
        self._tries = Tries(tuple(self._keys), outlines) if tries is None else tries
        if sifts_after is None:
            sifts_after = SIFTS_AFTER + _WORTH_A_PATTERN * sum(pattern not in outlines for pattern in self._keys)
        self._sifts_after = sifts_after
        self._scanned = 0
        self._wider: dict[tuple[tuple[str, str], ...], Scanner] = {}

    def including(self, more: Mapping[str, str]) -> Scanner:
        """Return a scanner that looks for `more` as well: itself when it does, else one made once for the additions."""
        if all(self.patterns.get(key) == pattern for key, pattern in more.items()):
            return self
        addition = tuple(more.items())
        if addition not in self._wider:
            self._wider[addition] = Scanner(
                {**self.patterns, **more}, outlines=self._outlines, sifts_after=self._sifts_after
            )
        return self._wider[addition]

    def limited_to(self, keys: Collection[str]) -> Scanner:
        """Return a scanner that looks for some of the patterns only. It sifts at once, and compiles only its sieve."""
        limited = {key: pattern for key, pattern in self.patterns.items() if key in keys}
        return Scanner(limited, outlines=self._outlines, sifts_after=0, tries=self._tries)

    def scan_block(self, block: bytes) -> Iterator[tuple[int, str]]:
        """Find every line of a raw block on which a pattern matches.

        Args:
            block: Whole lines as they stand in the log; a newline at the end is optional.

        Returns:
            0-based line within the block and key, by line, then in the order of the patterns.
        """
        found = self.look(clean_block(block))
        for index, _, keys in found.lines(found.keys):
            for key in keys:
                yield index, key

    def look(self, block: bytes) -> Found:
        """Say what stands in a block that `clean_block` has cleaned."""
        if not self._keys or not block:
            return Found(block, (), (), b"", {}, {})
        sieve = self._sieve if self._scanned >= self._sifts_after else None
        self._scanned += len(block)
        spans = sieve.lines(block) if sieve is not None else _all_lines(block)
        lines = [block[start:end] for start, end in spans]
        text = b"\n".join([split_stamp(line)[1] for line in lines])
        searches = {
            key: search for pattern, search in self._tries.on(text).items() for key in self._keys.get(pattern, ())
        }
        return Found(block, spans, lines, text, searches, self._order)

    @cached_property
    def _sieve(self) -> Sieve | None:
        pieces = {pattern: self._pieces_of(pattern) for pattern in self._keys}
        try:
            return Sieve(pieces)
        except re2.error:  # more pieces than fit
            return None

    def _pieces_of(self, pattern: str) -> Sequence[str] | None:
        outline = self._outlines.get(pattern)
        return pieces_of(pattern) if outline is None else outline.pieces


class Found:
    """What stands in one block: which keys for certain, and on which lines once that is asked for."""

    def __init__(
        self,
        block: bytes,
        spans: Sequence[Span],
        lines: Sequence[bytes],
        text: bytes,
        searches: Mapping[str, Search],
        order: Mapping[str, int],
    ) -> None:
        self.keys = searches.keys()  # in order: what is kept of a log must not depend on how a set is hashed
        self._block = block
        self._spans = spans
        self._lines = lines
        self._text = text
        self._searches = searches
        self._order = order

    def lines(self, keys: Collection[str]) -> Iterator[tuple[int, bytes, tuple[str, ...]]]:
        """Find the lines of some keys.

        Returns:
            0-based line within the block, the cleaned line with its stamp, and those of `keys` that are found on it,
            in the order of the patterns; by line.
        """
        by_line: dict[int, list[str]] = {}
        starts = list(accumulate((len(line) + 1 for line in self._text.split(b"\n")), initial=0))
        for key in sorted((key for key in self.keys if key in keys), key=self._order.__getitem__):
            for line in _lines_of(self._searches[key], self._text, starts):
                by_line.setdefault(line, []).append(key)
        index = at = 0
        for line in sorted(by_line):
            start = self._spans[line][0]
            index += self._block.count(b"\n", at, start)
            at = start
            yield index, self._lines[line], tuple(by_line[line])


def _lines_of(search: Search, text: bytes, starts: Sequence[int]) -> Iterator[int]:
    at = 0
    while at <= len(text) and (match := search(text, at)) is not None:
        line = bisect_right(starts, match.start()) - 1
        yield line
        at = starts[line + 1]


def _all_lines(block: bytes) -> list[Span]:
    ends = accumulate((len(line) + 1 for line in block.split(b"\n")), initial=0)
    bounds = list(ends)
    return [(start, end - 1) for start, end in pairwise(bounds)]
