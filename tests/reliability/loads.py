"""Large logs that lie nowhere: each is a few pieces, some of them many times."""

from __future__ import annotations

import io
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Sequence

MEGABYTE = 1_000_000


class Pieces(io.RawIOBase):
    """A file of pieces, each so many times; it can be read from anywhere."""

    def __init__(self, pieces: Sequence[tuple[bytes, int]]) -> None:
        self._pieces = pieces
        self._ends = list(accumulate(len(piece) * times for piece, times in pieces))
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._ends[-1]}[whence]
        self._at = base + offset
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # `RawIOBase` is only ever given these
        place = bisect_right(self._ends, self._at)
        if place == len(self._pieces):
            return 0
        piece, times = self._pieces[place]
        within = (self._at - self._ends[place] + len(piece) * times) % len(piece)
        part = piece[within : within + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeLog:
    """A log of any size."""

    pieces: tuple[tuple[bytes, int], ...]
    name: str = "made log"
    truncated: bool = False

    def open(self) -> BinaryIO:
        return io.BufferedReader(Pieces(self.pieces), buffer_size=256 * 1024)


STAMP = b"2026-09-18T09:00:00.0000000Z "
ORDINARY = b"".join(
    STAMP + f"[{place}/4096] Building CXX object src/kernels/attention_{place}.o\n".encode() for place in range(4096)
)
ENDED = STAMP + b"##[error]Process completed with exit code 1.\n"
FAILING = STAMP + b"OSError: [Errno 28] No space left on device\n" + ENDED


def large(megabytes: int) -> MadeLog:
    """Return a log of ordinary lines that ends in a failure."""
    return MadeLog(pieces=((ORDINARY, megabytes * MEGABYTE // len(ORDINARY)), (FAILING, 1)))


def one_line(megabytes: int) -> MadeLog:
    """Return a log that is one line, and a failure after it."""
    return MadeLog(pieces=((STAMP, 1), (b"x" * MEGABYTE, megabytes), (b"\n" + FAILING, 1)))


def failing_tests(number: int) -> MadeLog:
    """Return a pytest session in which so many tests failed."""
    failed = b"".join(
        STAMP + f"FAILED tests/test_{place % 97}.py::test_{place} - ValueError: {place} of 0\n".encode()
        for place in range(number)
    )
    begin = (
        STAMP
        + b"============================= test session starts ==============================\n"
        + STAMP
        + b"=========================== short test summary info ============================\n"
    )
    end = STAMP + f"==================== {number} failed, 3 passed in 4.56s ====================\n".encode()
    return MadeLog(pieces=((begin, 1), (failed, 1), (end + ENDED, 1)))
