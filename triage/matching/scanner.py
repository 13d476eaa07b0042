"""Many patterns over a block of lines at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from triage.matching.cleaning import clean_block, split_stamp
from triage.matching.patterns import for_block, for_line, options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SET_MEMORY = 8 << 20
"""Most bytes that the automaton of one set may keep."""

PART_BYTES = 2048
"""How finely a block with hits is cut before its lines are tried one by one."""


class Scanner:
    """A fixed set of patterns, compiled once, for any number of logs and threads.

    Args:
        patterns: Key -> pattern, each accepted by `check_pattern`.

    Raises:
        ValueError: A pattern is no RE2, or all of them together are too large for `SET_MEMORY`.
    """

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self.patterns: Mapping[str, str] = dict(patterns)
        self._keys = tuple(self.patterns)
        self._in_block = _matcher([for_block(pattern) for pattern in self.patterns.values()])
        self._in_line = _matcher([for_line(pattern) for pattern in self.patterns.values()])
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
        return frozenset(self._keys[each] for each in self._in_block(block) or ())

    def scan_cleaned(self, block: bytes) -> Iterator[tuple[int, bytes, tuple[str, ...]]]:
        """Find in a cleaned block: 0-based line, the line with its stamp, the keys found on it."""
        first = 0
        for part in _parts(block):
            if self._in_block(part):
                yield from self._scan_lines(part, first)
            first += part.count(b"\n")

    def _scan_lines(self, part: bytes, first: int) -> Iterator[tuple[int, bytes, tuple[str, ...]]]:
        for index, line in enumerate(part.split(b"\n"), start=first):
            found = self._in_line(split_stamp(line)[1])
            if found:
                yield index, line, tuple(self._keys[each] for each in sorted(found))


def _matcher(patterns: Sequence[bytes]) -> Callable[[bytes], Sequence[int] | None]:
    """Compile patterns to a function that says which of them match a text, in no order; None for none."""
    if not patterns:
        return lambda _: None
    compiled = re2.Set.SearchSet(options(SET_MEMORY))
    try:
        for pattern in patterns:
            compiled.Add(pattern)
        compiled.Compile()
    except re2.error as error:
        raise ValueError(f"patterns cannot be compiled: {error}") from error
    matches: Callable[[bytes], Sequence[int] | None] = compiled.Match
    return matches


def _parts(block: bytes) -> Iterator[bytes]:
    """Cut a block after newlines into parts of about `PART_BYTES`; one line is never cut."""
    start = 0
    while start < len(block):
        newline = block.find(b"\n", start + PART_BYTES)
        end = newline + 1 if newline >= 0 else len(block)
        yield block[start:end]
        start = end
