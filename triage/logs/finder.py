"""On which lines patterns are found: the first ones and the last ones, whatever a log is full of."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.logs.marks import MARKS, STARTS, Mark, mark_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from triage.logs.blocks import Block
    from triage.matching import Found, Scanner

FIRST_CHECK = 32
"""Blocks after which what is found everywhere is dropped; looked at again each time the log is twice that."""

_EVERYWHERE = 2  # found in one of so many blocks
_BY_LINE = 8  # blocks of which all lines are noted


@dataclass(frozen=True, slots=True)
class _Limit:
    """How many finds of one key are kept from the start of the log, and how many from its end."""

    first: int
    last: int


_HITS = _Limit(first=20, last=40)
_STARTS = _Limit(first=500, last=500)


@dataclass(slots=True)
class _Finds:
    """Finds of one key, by line while they are few; then by block, until it is known which are the last.

    Attributes:
        first: The first ones.
        later: The last of those noted after them.
        last: The last ones of all, looked up when the log has ended; newest first.
        recent_blocks: Blocks of which no line is noted yet.
        block_count: In how many blocks it was found.
        dropped_at: From which block on it was not looked for.
    """

    limit: _Limit
    first: list[int] = field(default_factory=list)
    later: deque[int] = field(default_factory=deque)
    last: list[int] = field(default_factory=list)
    recent_blocks: deque[int] = field(default_factory=deque)
    block_count: int = 0
    dropped_at: int | None = None

    @property
    def is_noted_by_line(self) -> bool:
        return len(self.first) < self.limit.first or self.block_count < _BY_LINE

    @property
    def lacks_last(self) -> bool:
        return len(self.last) < self.limit.last

    @property
    def numbers(self) -> tuple[int, ...]:
        last = [*self.last, *reversed(self.later)][: self.limit.last]
        return tuple(sorted({*self.first, *last}))

    def note(self, number: int) -> None:
        (self.first if len(self.first) < self.limit.first else self.later).append(number)


class Finder:
    """Takes the blocks of a log in order and collects what a scanner finds in them.

    A pattern that is found everywhere would make every line cost a look of its own. So when it was found often, only
    the blocks it stands in are noted; when these are many, it is not even looked for any more; and when the end of the
    log is known, its last finds are looked up from there.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._all = scanner.including(MARKS)
        self._scanner = self._all
        self._finds: dict[str, _Finds] = {}
        self._marks: dict[int, Mark] = {}
        self._block_count = 0
        self._next_check = FIRST_CHECK

    def take(self, block: bytes, *, first_line: int) -> None:
        """Look at the next block, cleaned, whose first line has this 1-based number."""
        found = self._scanner.look(block)
        if found.keys:
            self._note(found, first_line)
        self._block_count += 1
        if self._block_count == self._next_check:
            self._drop_what_is_everywhere()
            self._next_check *= 2

    def finish(self, read_again: Callable[[int], Block]) -> None:
        """Look up the last finds of what was found too often to note it all; blocks are read again by number."""
        dropped = {key: finds.dropped_at for key, finds in self._finds.items() if finds.dropped_at is not None}
        scanner = self._all.limited_to(dropped)
        for number in range(self._block_count - 1, min(dropped.values(), default=self._block_count) - 1, -1):
            lacking = {key for key, since in dropped.items() if since <= number and self._finds[key].lacks_last}
            if not lacking:
                break
            self._note_last(scanner, read_again(number), lacking)
        self._finish_noted(read_again)

    def numbers(self, key: str) -> tuple[int, ...]:
        """Return the 1-based lines on which a key was found: the first and the last ones."""
        finds = self._finds.get(key)
        return finds.numbers if finds else ()

    @property
    def hits(self) -> dict[str, tuple[int, ...]]:
        """The lines of every key that was asked for and found, without our own marks."""
        found = {key: self.numbers(key) for key in self._finds if key not in MARKS}
        return {key: numbers for key, numbers in found.items() if numbers}

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Where steps may start, by line."""
        kept = {number for key in STARTS for number in self.numbers(key)}
        return tuple(self._marks[number] for number in sorted(kept))

    def _note(self, found: Found, first_line: int) -> None:
        finds = {key: self._finds[key] if key in self._finds else self._begin(key) for key in found.keys}
        by_line = {key for key, each in finds.items() if each.is_noted_by_line}
        for index, line, keys in found.lines(by_line):
            for key in keys:
                finds[key].note(first_line + index)
                self._note_mark(key, first_line + index, line)
        for key, each in finds.items():
            each.block_count += 1
            if key not in by_line:
                each.recent_blocks.append(self._block_count)

    def _begin(self, key: str) -> _Finds:
        limit = _STARTS if key in STARTS else _HITS
        self._finds[key] = _Finds(limit, later=deque(maxlen=limit.last), recent_blocks=deque(maxlen=limit.last))
        return self._finds[key]

    def _note_mark(self, key: str, number: int, line: bytes) -> None:
        if key in STARTS:
            self._marks[number] = mark_of(key, number, line)

    def _drop_what_is_everywhere(self) -> None:
        often = self._block_count / _EVERYWHERE
        new = {
            key
            for key, finds in self._finds.items()
            if key in self._scanner.patterns and not finds.is_noted_by_line and finds.block_count >= often
        }
        for key in new:
            self._finds[key].dropped_at = self._block_count
        if new:
            self._scanner = self._scanner.limited_to(self._scanner.patterns.keys() - new)

    def _finish_noted(self, read_again: Callable[[int], Block]) -> None:
        wanting: dict[int, set[str]] = {}
        for key, finds in self._finds.items():
            for number in finds.recent_blocks:
                wanting.setdefault(number, set()).add(key)
        for number in sorted(wanting, reverse=True):
            lacking = {key for key in wanting[number] if self._finds[key].lacks_last}
            if lacking:
                self._note_last(self._all, read_again(number), lacking)

    def _note_last(self, scanner: Scanner, block: Block, keys: Collection[str]) -> None:
        for index, line, found in reversed(tuple(scanner.look(block.cleaned()).lines(keys))):
            number = block.first_line + index
            for key in found:
                if self._finds[key].lacks_last:
                    self._finds[key].last.append(number)
                    self._note_mark(key, number, line)
