"""What a line says once terminal control is taken off it. Newlines stay, so that raw line numbers hold."""

from __future__ import annotations

import re

from triage.matching.patterns import STAMP

MAX_LINE_BYTES = 8192
"""What of a line is looked at, its timestamp included; the rest is dropped."""

ESCAPE = b"\x1b"
"""With this everything starts that a terminal is told: colours, most of all."""

_STAMP_BYTES = 28  # 2026-11-30T11:26:03.0611977Z
_STAMPED = re.compile(STAMP.encode() + rb"(?= |$)")
_BOM = b"\xef\xbb\xbf"

# Buildkite and Jenkins put their times in brackets; GitLab says behind its own which stream a line came from, and with
# `+` that it goes on with the line before.
_STAMP_OF_ANOTHER = re.compile(
    rb"^(?:\xef\xbb\xbf)?(?:\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,7})\d*)?Z\]"
    rb"|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z [0-9a-f]{2}[EO])(?:[ +]|$)",
    re.MULTILINE,
)
# Jenkins can also put the time of day alone before each line, two blanks behind it, but for what it says before the
# pipeline starts. Three such lines in a row are no chance; a block that has fewer lines is the end of a log.
_CLOCK = re.compile(rb"^(?:\xef\xbb\xbf)?\d\d:\d\d:\d\d(?: {2}|$)", re.MULTILINE)
_CLOCKED_LINE = rb"(?:\xef\xbb\xbf)?\d\d:\d\d:\d\d(?: {2}[^\n]*)?(?:\r?\n|\Z)"
_CLOCKED = re.compile(rb"^(?:%b){3}" % _CLOCKED_LINE, re.MULTILINE)
_CLOCKED_END = re.compile(rb"(?:%b){1,2}\Z" % _CLOCKED_LINE)
_FIRST_LINES = 400  # bytes in which a stamp of another platform shows, where a log has them at all

# Colours first, they are nearly all there is. The strings of OSC, DCS, SOS, PM and APC end with BEL or ST, or with the
# line where the end was lost. What is no escape at all loses its ESC only.
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-9;]*m|\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]+[0-~]|[0-Z\\^-~])?"
)
# Tools do print these: NUL from what was UTF-16, the backspace from spinners.
_STRAY = b"\x00\x08"


def clean_block(block: bytes) -> bytes:
    """Take escapes, stray control characters, overwritten progress and broken UTF-8 off a block of whole lines.

    Returns:
        As many lines as before, each still behind its timestamp, and none longer than `MAX_LINE_BYTES`.
    """
    block = without_escapes(block)
    if b"\r" in block:
        block = _overwritten(block)
    if b"\x00" in block or b"\x08" in block:
        block = block.translate(None, _STRAY)
    if not _is_valid(block):
        block = block.decode("utf-8", "replace").encode()
    if _has_long_lines(block):
        block = b"\n".join(_cut(line) for line in block.split(b"\n"))
    return block


def without_escapes(block: bytes) -> bytes:
    """Take off what is told to a terminal, colours most of all; of what is no escape its ESC only."""
    return b"".join(_ESCAPES.split(block)) if ESCAPE in block else block  # a quarter faster than `sub`


def clean_line(line: bytes) -> bytes:
    """Clean one line, without its newline, and take BOM and timestamp off: the text that patterns see."""
    return split_stamp(clean_block(line))[1]


def split_stamp(line: bytes) -> tuple[bytes, bytes]:
    """Split a cleaned line into the platform's timestamp, empty where there is none, and the text.

    A second timestamp stays: it is text of a program that printed another log.
    """
    line = line.removeprefix(_BOM)
    if _STAMPED.match(line):
        return line[:_STAMP_BYTES], line[_STAMP_BYTES + 1 :]
    return b"", line


def with_our_stamps(block: bytes) -> bytes:
    """Write the timestamps of other platforms as GitHub writes its own, so that readers know one form.

    Args:
        block: Raw lines; where its first ones have no such stamp, it is returned as it is. A time without a day is
            taken off: which day it was is not known.
    """
    if _CLOCKED.search(block, 0, _FIRST_LINES) or _CLOCKED_END.match(block):
        return _CLOCK.sub(b"", block)
    if _STAMP_OF_ANOTHER.search(block, 0, _FIRST_LINES) is None:
        return block
    return _STAMP_OF_ANOTHER.sub(_our_stamp, block)


def _our_stamp(found: re.Match[bytes]) -> bytes:
    second: bytes = found[1] or found[3]
    fraction: bytes = found[2] or found[4] or b""
    return second + b"." + fraction.ljust(7, b"0") + b"Z "


def _overwritten(block: bytes) -> bytes:
    """Keep of each line what stood there last: a carriage return goes back to the start, and blanks wipe nothing."""
    block = block.replace(b"\r\n", b"\n")
    parts = []
    done = 0  # up to here, the start of the block or the end of a line
    while (at := block.find(b"\r", done)) >= 0:
        start = block.rfind(b"\n", done, at) + 1
        end = block.find(b"\n", at)
        end = len(block) if end < 0 else end
        parts += [block[done:start], _last_written(block[start:end])]
        done = end
    return b"".join([*parts, block[done:]])


def _last_written(line: bytes) -> bytes:
    line = line.rstrip(b"\r")
    if b"\r" not in line:
        return line
    bom = _BOM if line.startswith(_BOM) else b""
    stamp, text = split_stamp(line)
    shown = text.rstrip(b"\r \t").rpartition(b"\r")[2]
    return bom + stamp + b" " + shown if stamp else bom + shown


def _is_valid(block: bytes) -> bool:
    if block.isascii():
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def _has_long_lines(block: bytes) -> bool:
    """Say whether lines are over `MAX_LINE_BYTES`, by a look at every 8 kB only."""
    start = 0
    while start + MAX_LINE_BYTES < len(block):
        newline = block.rfind(b"\n", start, start + MAX_LINE_BYTES + 1)
        if newline < 0:
            return True
        start = newline + 1
    return False


def _cut(line: bytes) -> bytes:
    if len(line) <= MAX_LINE_BYTES:
        return line
    return line[:MAX_LINE_BYTES].decode("utf-8", "ignore").encode()
