"""Trying patterns on a text: those only whose words stand in it, and compiled only once that is so."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

import re2

from triage.matching.patterns import PATTERN_MEMORY, for_line, options
from triage.matching.words import SHORTEST, demands_of

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence

    from triage.matching.outlines import Outline

    Search = Callable[..., re.Match[bytes] | None]
    """Looks for a pattern in a text from an offset on."""

    Demand = Sequence[Sequence[str]]
    """Clauses of words: of each one stands wherever it is met; see `demands_of`."""

AT_ONCE_AFTER = 24 * 1024
"""Bytes in which words are looked for one by one, before an automaton is made that finds all of them at once."""

AT_ONCE_FROM = 1024
"""A shorter text is always searched word by word: the automaton takes longer to learn what stands there."""

WORDS_MEMORY = 8 << 20
"""Most bytes that this automaton may take."""

_START_LENGTHS = range(SHORTEST, 4)

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
        if self._tried < AT_ONCE_AFTER or len(small) < AT_ONCE_FROM or self._all_words is None:
            self._tried += len(small)
            letters = small.decode(errors="replace")
            return self._where(self._asking_in(letters), partial(_is_met_on_a_line, letters))
        words = frozenset(self._words[index] for index in self._all_words.Match(small) or ())
        return self._where(words, partial(_is_met, words))

    def _asking_in(self, text: str) -> set[str]:
        starts = {text[at : at + length] for length in _START_LENGTHS for at in range(len(text))}
        return {word for start in starts & self._starting.keys() for word in self._starting[start] if word in text}

    def _where(self, words: Collection[str], is_met: Callable[[Demand], bool]) -> Iterator[str]:
        """Give the patterns of which a demand is met that asks for one of some words, and those that have none."""
        likely = {place for word in words for place, demand in self._asking.get(word, ()) if is_met(demand)}
        return (self._patterns[place] for place in sorted(likely.union(self._undemanding)))

    @cached_property
    def _demands(self) -> Sequence[Sequence[Demand]]:
        return tuple(map(self._demands_of, self._patterns))

    def _demands_of(self, pattern: str) -> Sequence[Demand]:
        outline = self._outlines.get(pattern)
        return demands_of(pattern) if outline is None else outline.demands

    @cached_property
    def _undemanding(self) -> Sequence[int]:
        """Places of the patterns that ask for no word."""
        return tuple(place for place, demands in enumerate(self._demands) if not demands)

    @cached_property
    def _asking(self) -> Mapping[str, Sequence[tuple[int, Demand]]]:
        """Where a word is asked for: places of patterns, and their demand that does."""
        asking: dict[str, list[tuple[int, Demand]]] = {}
        for place, demands in enumerate(self._demands):
            for demand in demands:
                # The first clause is enough: without it the demand is not met.
                for word in demand[0]:
                    asking.setdefault(word, []).append((place, demand))
        return asking

    @cached_property
    def _starting(self) -> Mapping[str, Sequence[str]]:
        """The words that patterns ask for, by how they start: few of them can stand in a short text."""
        starting: dict[str, list[str]] = {}
        for word in self._asking:
            starting.setdefault(word[: max(_START_LENGTHS)], []).append(word)
        return starting

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


def _is_met(words: Container[str], demand: Demand) -> bool:
    return all(any(word in words for word in clause) for clause in demand)


def _is_met_on_a_line(text: str, demand: Demand) -> bool:
    """Whether the words of a demand stand on one line of a text."""
    for word in demand[0]:
        at = text.find(word)
        while at >= 0:
            if len(demand) == 1:
                return True
            end = text.find(_NEWLINE, at)
            end = len(text) if end < 0 else end
            if _is_met(text[text.rfind(_NEWLINE, 0, at) + 1 : end], demand[1:]):
                return True
            at = text.find(word, end)
    return False
