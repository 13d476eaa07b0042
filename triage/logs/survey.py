"""The first pass over a log: how large it is, what is found where, and where it can be read again."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from triage.logs.blocks import BlockIndex, read_blocks
from triage.logs.finder import Finder
from triage.matching import split_stamp

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from triage.matching import Scanner

_TAIL_BYTES = 8192  # of a block, in which its last timestamp stands
_SECOND_BYTES = 19  # 2026-11-30T11:26:03


@dataclass(slots=True)
class Survey:
    """What the first pass knows.

    Attributes:
        found: Lines on which patterns and marks were found.
        index: Where to read again.
        total_lines: Lines of the raw log.
        text_bytes: Size of the lines once cleaned, with their stamps; only as long as they are few enough to be kept.
        second_starts: First line at or after each second that was asked for.
    """

    found: Finder
    index: BlockIndex = field(default_factory=BlockIndex)
    total_lines: int = 0
    text_bytes: int = 0
    second_starts: dict[datetime, int] = field(default_factory=dict)


def survey(file: BinaryIO, scanner: Scanner, *, most_lines: int, seconds: Sequence[datetime] = ()) -> Survey:
    """Read the whole log once, keeping none of it.

    Args:
        file: Seekable.
        scanner: What to look for; the runner's marks are looked for as well.
        most_lines: How many lines may be kept.
        seconds: Moments whose first line is wanted.
    """
    result = Survey(Finder(scanner))
    pending = sorted(set(seconds), reverse=True)
    for block in read_blocks(file):
        text = block.cleaned()
        result.index.add(block)
        result.total_lines += block.line_count
        if result.total_lines <= most_lines:
            result.text_bytes += len(text)
        result.found.take(text, first_line=block.first_line)
        if pending:
            _note_seconds(result, text, block.first_line, pending)
    result.found.finish(lambda number: next(result.index.blocks_from(file, number)))
    return result


def _note_seconds(result: Survey, text: bytes, first_line: int, pending: list[datetime]) -> None:
    """Take those seconds off the end of `pending` that start in these cleaned lines."""
    newest = _last_stamp(text[-_TAIL_BYTES:]) or _last_stamp(text)
    if newest is None or newest < _as_stamp(pending[-1]):
        return
    for number, line in enumerate(text.split(b"\n"), start=first_line):
        stamp = split_stamp(line)[0][:_SECOND_BYTES]
        while stamp and pending and _as_stamp(pending[-1]) <= stamp:
            result.second_starts[pending.pop()] = number
        if not pending:
            return


def _last_stamp(text: bytes) -> bytes | None:
    """Return the last timestamp of a block, to the second; None where none of its last lines has one."""
    for line in reversed(text[-_TAIL_BYTES:].split(b"\n")):
        if stamp := split_stamp(line)[0]:
            return stamp[:_SECOND_BYTES]
    return None


def _as_stamp(moment: datetime) -> bytes:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S").encode()
