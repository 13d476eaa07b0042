"""A log file as blocks of whole lines, from any line on, however long its lines are."""

from __future__ import annotations

import io
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.matching import clean_block, split_stamp, with_our_stamps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

BLOCK_BYTES = 128 * 1024
"""Read at once. Smaller ones spend time between calls, larger ones leave the processor's cache."""

RAW_LINE_BYTES = 64 * 1024
"""What is remembered of a line whose end has not been read yet."""

_LONGEST_STAMP = 32  # BOM, stamp, blank


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines.

    Attributes:
        offset: Where the first one starts in the file, in bytes.
        first_line: Its 1-based number.
        raw: The lines as they stand in the file; of one that is longer than a block, what is kept of it.
        line_count: How many they are.
    """

    offset: int
    first_line: int
    raw: bytes
    line_count: int

    def cleaned(self) -> bytes:
        """Return the lines as `clean_block` leaves them, stamped as GitHub does. It takes time."""
        return clean_block(with_our_stamps(self.raw))


class BlockIndex:
    """Where blocks start, so that a part of the log can be read again: 16 bytes for each block."""

    def __init__(self) -> None:
        self._offsets = array("Q")
        self._first_lines = array("Q")

    def __len__(self) -> int:
        return len(self._offsets)

    def add(self, block: Block) -> None:
        """Remember the next block of the file."""
        self._offsets.append(block.offset)
        self._first_lines.append(block.first_line)

    def blocks_from(self, file: BinaryIO, number: int) -> Iterator[Block]:
        """Read again from the `number`-th block on; the blocks are the same as before."""
        return read_blocks(file, offset=self._offsets[number], first_line=self._first_lines[number])

    def block_of(self, line: int) -> int:
        """Say which block a 1-based line stands in."""
        return bisect_right(self._first_lines, line) - 1


def read_blocks(
    file: BinaryIO, *, offset: int = 0, first_line: int = 1, block_bytes: int = BLOCK_BYTES
) -> Iterator[Block]:
    """Read a log in blocks of whole lines, in constant memory.

    Args:
        file: Seekable.
        offset: Where to start; the first byte of a line.
        first_line: That line's 1-based number.
        block_bytes: Read at once.
    """
    file.seek(offset)
    while raw := file.read(block_bytes):
        size = raw.rfind(b"\n") + 1
        if size:
            # From the start of a line each time, so that a block read again is the same block.
            file.seek(offset + size)
            raw = raw[:size]
        else:
            raw, size = _rest_of_line(file, raw, block_bytes)
        # Faster than counting them: `count` looks at every byte by itself.
        line_count = len(raw) - len(raw.replace(b"\n", b"")) + (not raw.endswith(b"\n"))
        yield Block(offset, first_line, raw, line_count)
        offset += size
        first_line += line_count


def _rest_of_line(file: BinaryIO, begun: bytes, block_bytes: int) -> tuple[bytes, int]:
    """Read to the end of a line that is longer than a block: what is kept of it, and its size in the file."""
    size = len(begun)
    while chunk := file.read(block_bytes):
        newline = chunk.find(b"\n")
        if newline >= 0:
            file.seek(newline + 1 - len(chunk), io.SEEK_CUR)
            return begun + chunk[: newline + 1], size + newline + 1
        begun = _bounded(begun + chunk)
        size += len(chunk)
    return begun, size


def _bounded(line: bytes) -> bytes:
    """Shorten a line that has not ended: its stamp, and of what was written over itself only the last."""
    if len(line) <= RAW_LINE_BYTES:
        return line
    text = split_stamp(line[:_LONGEST_STAMP])[1]
    stamp = line[: min(len(line), _LONGEST_STAMP) - len(text)]
    last = line.rfind(b"\r", len(stamp), len(line.rstrip(b"\r \t")))
    shown = line[max(last + 1, len(stamp)) :]
    # A return at the end still wipes what comes next.
    return stamp + shown[:RAW_LINE_BYTES] + (b"\r" if line.endswith(b"\r") else b"")
