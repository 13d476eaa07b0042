"""The first pass over a log: what is found where. Nothing of the text is kept but the marks between steps."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from triage.logs.blocks import BlockIndex, read_blocks
from triage.matching import split_stamp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import BinaryIO

    from triage.logs.blocks import Block
    from triage.matching import Found, Scanner

ERROR = "mark:error"
RUN = "mark:run"
POST = "mark:post"
COMPLETE = "mark:complete"

MARKS: Mapping[str, str] = {
    ERROR: r"^##\[error\]",
    RUN: r"^##\[group\]Run ",
    POST: r"^Post job cleanup\.",
    COMPLETE: r"^Cleaning up orphan processes",
}
"""What the runner itself writes between steps."""

_GROUP = "##[group]"
_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class _Limit:
    """How many finds of one key are kept from the start of the log, and how many from its end."""

    first: int
    last: int


_HITS = _Limit(first=20, last=40)
_STEPS = _Limit(first=500, last=500)


@dataclass(frozen=True, slots=True)
class Mark:
    """A line the runner wrote where a step starts; `title` is what the step runs, where the mark says it."""

    line: int
    kind: str
    title: str
    at: datetime | None


@dataclass(slots=True)
class _Finds:
    """Finds of one key: the first ones by line; later ones by block, until it is known which are the last."""

    limit: _Limit
    first: list[int] = field(default_factory=list)
    recent_blocks: deque[int] = field(default_factory=deque)
    last: list[int] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        return len(self.first) >= self.limit.first

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(sorted({*self.first, *self.last}))


@dataclass(slots=True)
class Survey:
    """What the first pass knows.

    Attributes:
        total_lines: Lines of the raw log.
        text_bytes: Size of all lines once cleaned, with their stamps.
        second_starts: First line at or after each second that was asked for.
        index: Where to read again.
    """

    total_lines: int = 0
    text_bytes: int = 0
    second_starts: dict[datetime, int] = field(default_factory=dict)
    index: BlockIndex = field(default_factory=BlockIndex)
    finds: dict[str, _Finds] = field(default_factory=dict)
    marks_by_line: dict[int, Mark] = field(default_factory=dict)

    def numbers(self, key: str) -> tuple[int, ...]:
        """Return the 1-based lines on which a key was found: the first 20 and the last 40 at most."""
        finds = self.finds.get(key)
        return finds.numbers if finds else ()

    @property
    def hits(self) -> dict[str, tuple[int, ...]]:
        """The lines of every key that was asked for and found, without our own marks."""
        found = {key: finds.numbers for key, finds in self.finds.items() if key not in MARKS}
        return {key: numbers for key, numbers in found.items() if numbers}

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Where steps may start, by line."""
        kept = {number for key in (RUN, POST, COMPLETE) for number in self.numbers(key)}
        return tuple(self.marks_by_line[number] for number in sorted(kept))


def survey(file: BinaryIO, scanner: Scanner, *, seconds: Sequence[datetime] = ()) -> Survey:
    """Read the whole log once.

    A pattern that hits everywhere would make every line cost a look of its own. So once its first finds are there,
    only the blocks it stands in are remembered, and the last of them are looked at when the end is known.

    Args:
        file: Seekable.
        scanner: What to look for; `MARKS` are added.
        seconds: Moments whose first line is wanted.
    """
    watching = scanner.including(MARKS)
    result = Survey()
    pending = sorted(set(seconds), reverse=True)
    for block in read_blocks(file):
        number = len(result.index)
        result.index.add(block)
        result.total_lines += block.line_count
        result.text_bytes += len(block.text)
        found = watching.look(block.text)
        if found.keys:
            _note(result, found, block, number)
        if pending:
            _note_seconds(result, block, pending)
    _find_last(result, watching, file)
    return result


def _note(result: Survey, found: Found, block: Block, number: int) -> None:
    finds = {key: result.finds[key] if key in result.finds else _begin(result, key) for key in found.keys}
    wanting = {key for key, each in finds.items() if not each.is_full}
    for index, line, keys in found.lines(wanting):
        for key in keys:
            _note_first(result, key, block.first_line + index, line)
    for each in finds.values():
        if each.is_full:
            each.recent_blocks.append(number)


def _begin(result: Survey, key: str) -> _Finds:
    limit = _HITS if key not in MARKS or key == ERROR else _STEPS
    result.finds[key] = _Finds(limit, recent_blocks=deque(maxlen=limit.last))
    return result.finds[key]


def _note_first(result: Survey, key: str, number: int, line: bytes) -> None:
    finds = result.finds[key]
    if not finds.is_full:
        finds.first.append(number)
        _note_mark(result, key, number, line)


def _note_mark(result: Survey, key: str, number: int, line: bytes) -> None:
    if key not in MARKS or key == ERROR:
        return
    stamp, text = split_stamp(line)
    title = text.decode("utf-8", "replace").removeprefix(_GROUP)[:_TITLE_CHARS] if key == RUN else ""
    result.marks_by_line[number] = Mark(number, key, title, time_of(stamp))


def _find_last(result: Survey, scanner: Scanner, file: BinaryIO) -> None:
    """Look again at the last blocks of each key that has more finds than were noted, from the end of the log."""
    wanting: dict[int, set[str]] = {}
    for key, finds in result.finds.items():
        for number in finds.recent_blocks:
            wanting.setdefault(number, set()).add(key)
    for number in sorted(wanting, reverse=True):
        keys = {key for key in wanting[number] if len(result.finds[key].last) < result.finds[key].limit.last}
        if keys:
            block = next(result.index.blocks_from(file, number))
            _note_last(result, scanner.look(block.text), block, keys)


def _note_last(result: Survey, found: Found, block: Block, keys: set[str]) -> None:
    for index, line, here in reversed(tuple(found.lines(keys))):
        number = block.first_line + index
        for key in here:
            finds = result.finds[key]
            if len(finds.last) < finds.limit.last:
                finds.last.append(number)
                _note_mark(result, key, number, line)


def _note_seconds(result: Survey, block: Block, pending: list[datetime]) -> None:
    """Take those seconds off the end of `pending` that start in this block."""
    newest = _last_stamp(block.text)
    if newest is None or newest < _as_stamp(pending[-1]):
        return
    for number, line in enumerate(block.text.split(b"\n"), start=block.first_line):
        stamp = split_stamp(line)[0][:19]
        while stamp and pending and _as_stamp(pending[-1]) <= stamp:
            result.second_starts[pending.pop()] = number
        if not pending:
            return


def _last_stamp(text: bytes) -> bytes | None:
    """Return the last timestamp of a block, to the second; None where none of its last lines has one."""
    for line in reversed(text[-8192:].split(b"\n")):
        if stamp := split_stamp(line)[0]:
            return stamp[:19]
    return None


def _as_stamp(moment: datetime) -> bytes:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S").encode()


def time_of(stamp: bytes) -> datetime | None:
    """Read the platform's timestamp; None for an empty one and for one that is no date."""
    if not stamp:
        return None
    try:
        return datetime.fromisoformat(stamp[:26].decode() + "+00:00")
    except ValueError:
        return None
