"""Many patterns over a block of lines at once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import re2

from triage.matching.cleaning import clean_block, split_stamp
from triage.matching.patterns import for_block, for_line, options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

PART_BYTES = 2048
"""How finely a block with hits is cut before its lines are tried one by one."""


class Scanner:
    """A fixed set of patterns, compiled once, for any number of logs and threads.

    One automaton for all patterns would have a state for each combination of them: with the built-in rules it does not
    fit its memory, or crawls. So literals that the patterns cannot do without are looked for first, all at once, and
    only patterns whose literals are there are tried.

    Args:
        patterns: Key -> pattern, each accepted by `check_pattern`.

    Raises:
        ValueError: A pattern is no RE2.
    """

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self.patterns: Mapping[str, str] = dict(patterns)
        self._order = {key: place for place, key in enumerate(self.patterns)}
        keys: dict[str, list[str]] = {}
        for key, pattern in self.patterns.items():
            keys.setdefault(pattern, []).append(key)
        self._patterns = tuple(keys)
        self._keys = tuple(tuple(each) for each in keys.values())
        self._filter = _filter([for_block(pattern) for pattern in self._patterns])
        self._wider: dict[tuple[tuple[str, str], ...], Scanner] = {}

    def including(self, more: Mapping[str, str]) -> Scanner:
        """Return a scanner that looks for `more` as well; made once for the same additions."""
        addition = tuple(more.items())
        if addition not in self._wider:
            self._wider[addition] = Scanner({**self.patterns, **more})
        return self._wider[addition]

    def scan_block(self, block: bytes) -> Iterator[tuple[int, str]]:
        """Find every line of a raw block on which a pattern matches.

        Args:
            block: Whole lines as they stand in the log; a newline at the end is optional.

        Returns:
            0-based line within the block and key, by line, then in the order of the patterns.
        """
        for index, _, keys in self.scan_cleaned(clean_block(block)):
            for key in keys:
                yield index, key

    def keys_in(self, block: bytes) -> frozenset[str]:
        """Say which keys may be found in a cleaned block: all that are, and now and then one that only a stamp met."""
        return frozenset(key for each in self._found_in(block) for key in self._keys[each])

    def scan_cleaned(self, block: bytes) -> Iterator[tuple[int, bytes, tuple[str, ...]]]:
        """Find in a cleaned block: 0-based line, the line with its stamp, the keys found on it."""
        first = 0
        for part in _parts(block):
            found = self._found_in(part)
            if found:
                yield from self._scan_lines(part, first, found)
            first += part.count(b"\n")

    def _scan_lines(
        self, part: bytes, first: int, found: Sequence[int]
    ) -> Iterator[tuple[int, bytes, tuple[str, ...]]]:
        """Try the patterns that were found in a part on each of its lines."""
        tried = [(_for_line(self._patterns[each]), self._keys[each]) for each in found]
        for index, line in enumerate(part.split(b"\n"), start=first):
            text = split_stamp(line)[1]
            here = [key for search, keys in tried if search(text) for key in keys]
            if here:
                yield index, line, tuple(sorted(here, key=self._order.__getitem__))

    def _found_in(self, block: bytes) -> Sequence[int]:
        return self._filter.Match(block) or () if self._patterns else ()


def _filter(patterns: Sequence[bytes]) -> re2.Filter:
    """Compile patterns to what says which of them match a text."""
    compiled = re2.Filter()
    try:
        for pattern in patterns:
            compiled.Add(pattern, options())
        if patterns:
            compiled.Compile()
    except re2.error as error:
        raise ValueError(f"patterns cannot be compiled: {error}") from error
    return compiled


@lru_cache(maxsize=2048)
def _for_line(pattern: str) -> Callable[[bytes], object]:
    """Compile a pattern to a search in the bytes of one line; few patterns ever meet one."""
    search: Callable[[bytes], object] = re2.compile(for_line(pattern), options()).search
    return search


def _parts(block: bytes) -> Iterator[bytes]:
    """Cut a block after newlines into parts of about `PART_BYTES`; one line is never cut."""
    start = 0
    while start < len(block):
        newline = block.find(b"\n", start + PART_BYTES)
        end = newline + 1 if newline >= 0 else len(block)
        yield block[start:end]
        start = end
