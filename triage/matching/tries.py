"""Trying patterns on a text: those only whose words stand in it, and compiled only once that is so."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import re2

from triage.matching.patterns import PATTERN_MEMORY, for_line, options
from triage.matching.words import demands_of

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from triage.matching.outlines import Outline

    Search = Callable[..., re.Match[bytes] | None]
    """Looks for a pattern in a text from an offset on."""

    Demand = Sequence[Sequence[str]]
    """Clauses of words: of each one stands wherever it is met; see `demands_of`."""

AT_ONCE_AFTER = 24 * 1024
"""Bytes in which words are looked for one by one, before an automaton is made that finds all of them at once."""

WORDS_MEMORY = 8 << 20
"""Most bytes that this automaton may take."""

_MEMORY_A_LETTER = 1024
"""Bytes of automaton that a long pattern may keep for each of its letters: one that does not fit crawls."""

# The two letters that are no ASCII and that RE2 takes for one when the size of letters does not count.
_LONG_S, _KELVIN = "\u017f".encode(), "\u212a".encode()

_NEWLINE = "\n"


class Tries:
    """Patterns for any number of texts and threads.

    Args:
        patterns: Each accepted by `check_pattern`.
        outlines: What is known of patterns ahead.
    """

    def __init__(self, patterns: Sequence[str], outlines: Mapping[str, Outline]) -> None:
        self._patterns = patterns
        self._outlines = outlines
        self._compiled: dict[str, Search] = {}
        self._tried = 0

    def on(self, text: bytes) -> dict[str, Search]:
        """Say which patterns match on a line of a text of cleaned lines without stamps, in their order.

        Raises:
            ValueError: one that had to be tried is no RE2.
        """
        if not text:
            return {}
        searches = ((pattern, self._search_of(pattern)) for pattern in self._likely(text))
        return {pattern: search for pattern, search in searches if search(text) is not None}

    def _search_of(self, pattern: str) -> Search:
        if pattern not in self._compiled:
            memory = PATTERN_MEMORY + _MEMORY_A_LETTER * len(pattern)
            try:
                self._compiled[pattern] = re2.compile(for_line(pattern), options(memory)).search
            except re2.error as error:
                raise ValueError(f"patterns cannot be compiled: {error}") from error
        return self._compiled[pattern]

    def _likely(self, text: bytes) -> Iterator[str]:
        small = text.lower()
        if not small.isascii():
            small = small.replace(_LONG_S, b"s").replace(_KELVIN, b"k")
        if self._tried < AT_ONCE_AFTER or self._all_words is None:
            self._tried += len(small)
            return self._likely_on_lines(small.decode(errors="replace"))
        return self._likely_with(frozenset(self._words[index] for index in self._all_words.Match(small) or ()))

    def _likely_on_lines(self, text: str) -> Iterator[str]:
        for pattern, demands in zip(self._patterns, self._demands, strict=True):
            if not demands or any(_is_met_on_a_line(demand, text) for demand in demands):
                yield pattern

    def _likely_with(self, words: frozenset[str]) -> Iterator[str]:
        for place in sorted({place for word in ("", *words) for place in self._asking.get(word, ())}):
            demands = self._demands[place]
            if not demands or any(_is_met(demand, words) for demand in demands):
                yield self._patterns[place]

    @cached_property
    def _demands(self) -> Sequence[Sequence[Demand]]:
        return tuple(map(self._demands_of, self._patterns))

    def _demands_of(self, pattern: str) -> Sequence[Demand]:
        outline = self._outlines.get(pattern)
        return demands_of(pattern) if outline is None else outline.demands

    @cached_property
    def _asking(self) -> Mapping[str, Sequence[int]]:
        """Places of the patterns that ask for a word; those that ask for none stand under the empty one."""
        asking: dict[str, list[int]] = {}
        for place, demands in enumerate(self._demands):
            # The first clause of each demand is enough: without it the demand is not met.
            for word in {word for demand in demands for word in demand[0]} or {""}:
                asking.setdefault(word, []).append(place)
        return asking

    @cached_property
    def _words(self) -> Sequence[str]:
        return sorted({word for demands in self._demands for demand in demands for clause in demand for word in clause})

    @cached_property
    def _all_words(self) -> re2.Set | None:
        """What finds all words of a text in small letters at once; None when there are none, or too many of them."""
        chosen = options(WORDS_MEMORY)
        chosen.literal = True
        words = re2.Set.SearchSet(chosen)
        try:
            for word in self._words:
                words.Add(word.encode())
            words.Compile()
        except re2.error:
            return None
        return words if self._words else None


def _is_met(demand: Demand, words: Container[str]) -> bool:
    return all(any(word in words for word in clause) for clause in demand)


def _is_met_on_a_line(demand: Demand, text: str) -> bool:
    """Whether the words of a demand stand on one line of a text."""
    for word in demand[0]:
        at = text.find(word)
        while at >= 0:
            if len(demand) == 1:
                return True
            end = text.find(_NEWLINE, at)
            end = len(text) if end < 0 else end
            if _is_met(demand[1:], text[text.rfind(_NEWLINE, 0, at) + 1 : end]):
                return True
            at = text.find(word, end)
    return False
