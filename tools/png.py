"""Makes a picture of text small: few colours, each pixel one byte."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHANNELS: Final = {2: 3, 6: 4}
_MOST_COLOURS: Final = 256


def smaller(picture: bytes) -> bytes:
    """Write an RGB or RGBA picture of 8 bits a channel with a palette; near colours become one where there are many.

    Raises:
        ValueError: it is some other kind of picture.
    """
    chunks = list(_chunks(picture))
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if depth != 8 or kind not in _CHANNELS or interlaced:
        raise ValueError("expected a picture as Chromium writes it: 8 bits a channel, RGB or RGBA, not interlaced")
    channels = _CHANNELS[kind]
    rows = _rows(zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT")), width, height, channels)
    pixels = [[tuple(row[at : at + 3]) for at in range(0, len(row), channels)] for row in rows]
    counted = Counter(colour for row in pixels for colour in row)
    palette, place = _palette(counted)
    data = b"".join(b"\0" + bytes(place[colour] for colour in row) for row in pixels)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", b"".join(bytes(colour) for colour in palette)),
        (b"IDAT", zlib.compress(data, 9)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(name, body) for name, body in parts)


def _palette(counted: Counter[tuple[int, ...]]) -> tuple[list[tuple[int, ...]], dict[tuple[int, ...], int]]:
    """Choose the colours: the most frequent one of each group of near ones, the groups as small as fit."""
    for bits in range(2, 7):
        groups: dict[tuple[int, ...], tuple[int, ...]] = {}
        for colour, _ in counted.most_common():
            groups.setdefault(tuple(value >> bits for value in colour), colour)
        if len(groups) <= _MOST_COLOURS:
            break
    palette = list(groups.values())
    at = {group: place for place, group in enumerate(groups)}
    return palette, {colour: at[tuple(value >> bits for value in colour)] for colour in counted}


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = len(_SIGNATURE)
    while position < len(picture):
        (length,) = struct.unpack_from(">I", picture, position)
        yield picture[position + 4 : position + 8], picture[position + 8 : position + 8 + length]
        position += 12 + length


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _rows(data: bytes, width: int, height: int, channels: int) -> Iterator[bytes]:
    """Undo the filter of each row: what a byte was foretold to be from those to the left and above."""
    length = width * channels
    above = bytearray(length)
    for number in range(height):
        start = number * (length + 1)
        row = bytearray(data[start + 1 : start + 1 + length])
        _unfilter(data[start], row, above, channels)
        yield bytes(row)
        above = row


def _unfilter(kind: int, row: bytearray, above: bytearray, channels: int) -> None:
    for at in range(len(row)):
        left = row[at - channels] if at >= channels else 0
        corner = above[at - channels] if at >= channels else 0
        row[at] = (row[at] + _foretold(kind, left, above[at], corner)) & 255


def _foretold(kind: int, left: int, above: int, corner: int) -> int:
    if kind == 4:
        guess = left + above - corner
        return min((left, above, corner), key=lambda value: abs(guess - value))
    return (0, left, above, (left + above) // 2)[kind]
