"""Trying patterns on a text: the few that may match while little has been read, all at once from then on."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import re2

from triage.matching.patterns import for_line, options

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from triage.matching.outlines import Outline

    Search = Callable[..., re.Match[bytes] | None]
    """Looks for a pattern in a text from an offset on."""

FILTERS_AFTER = 128 * 1024
"""Bytes that are tried pattern by pattern before all are compiled: a small log is read sooner than that is done."""

# The two letters that are no ASCII and that RE2 takes for one when the size of letters does not count.
_LONG_S, _KELVIN = "\u017f".encode(), "\u212a".encode()

_Demand = tuple[tuple[bytes, ...], ...]


class Tries:
    """Patterns that are compiled when they are needed, for any number of texts and threads.

    Args:
        patterns: Each accepted by `check_pattern`.
        outlines: What is known of patterns ahead; those without are tried on every text.
    """

    def __init__(self, patterns: Sequence[str], outlines: Mapping[str, Outline]) -> None:
        self._patterns = patterns
        self._outlines = outlines
        self._compiled: dict[str, Search] = {}
        self._tried = 0

    def on(self, text: bytes) -> dict[str, Search]:
        """Say which patterns match on a line of a text of cleaned lines without stamps.

        Raises:
            ValueError: one is no RE2.
        """
        if not text or not self._patterns:
            return {}
        if not self._outlines or self._tried >= FILTERS_AFTER:
            return self._filtered(text)
        self._tried += len(text)
        searches = ((pattern, self._search_of(pattern)) for pattern in self._likely(text))
        return {pattern: search for pattern, search in searches if search(text) is not None}

    def _filtered(self, text: bytes) -> dict[str, Search]:
        matched = self._filter.Match(text) or ()
        return {self._patterns[place]: self._filter.re(place).search for place in matched}

    @cached_property
    def _filter(self) -> re2.Filter:
        """What looks for the words that each pattern needs before it tries the pattern."""
        compiled = re2.Filter()
        try:
            for pattern in self._patterns:
                compiled.Add(for_line(pattern), options())
            compiled.Compile()
        except re2.error as error:
            raise _no_re2(error) from error
        return compiled

    def _search_of(self, pattern: str) -> Search:
        if pattern not in self._compiled:
            try:
                self._compiled[pattern] = re2.compile(for_line(pattern), options()).search
            except re2.error as error:
                raise _no_re2(error) from error
        return self._compiled[pattern]

    def _likely(self, text: bytes) -> Iterator[str]:
        small = text.lower()
        if not small.isascii():
            small = small.replace(_LONG_S, b"s").replace(_KELVIN, b"k")
        for pattern, demands in self._demands:
            if not demands or any(_is_met(demand, small) for demand in demands):
                yield pattern

    @cached_property
    def _demands(self) -> tuple[tuple[str, tuple[_Demand, ...]], ...]:
        return tuple((pattern, _as_bytes(self._outlines.get(pattern))) for pattern in self._patterns)


def _is_met(demand: _Demand, small: bytes) -> bool:
    return all(any(word in small for word in clause) for clause in demand)


def _as_bytes(outline: Outline | None) -> tuple[_Demand, ...]:
    if outline is None:
        return ()
    return tuple(tuple(tuple(word.encode() for word in clause) for clause in demand) for demand in outline.demands)


def _no_re2(error: Exception) -> ValueError:
    return ValueError(f"patterns cannot be compiled: {error}")
