"""Panics, and errors a Rust test returns, as both of Cargo's runners print them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import NOTHING_TOLD, Told, line_in
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine

_PLACE = regex(r"(\S+\.rs):(\d+)(?::\d+)?")
_PANICKED = regex(r"\s*thread '(.+?)'(?: \(\d+\))? panicked at (.*)")
_OLD_END = regex(r"(.*)', (\S+\.rs):(\d+)(?::\d+)?$")
_NEW_PLACE = regex(r"(\S+\.rs):(\d+)(?::\d+)?:$")
_FRAME = regex(r"\s+at (\S+\.rs):(\d+)(?::\d+)?$")
_RETURNED = regex(r"\s*Error: (.*)")
_NOTE = regex(r"\s*note: (test did not panic as expected.*|panic did not contain expected string.*)")
_COMPILER = regex(r"\s*(error(?:\[E\d+\])?: .*)")
_ENDS_MESSAGE = ("note:", "stack backtrace:", "----", "failures:", "test ", "thread '")
_FOREIGN = regex(r"^/rustc/|/\.?cargo/(?:registry|git)/|/rustlib/|^library/(?:std|core|alloc|test)/")


def told_by(block: Sequence[LogLine], test: str = "") -> Told:
    """Read why a test failed: the panic of the test's own thread, else the first one, else what it returned."""
    panics = [(index, found) for index, line in enumerate(block) if (found := _PANICKED.match(line.text))]
    note = next((found for line in block if (found := _NOTE.match(line.text))), None)
    if not panics:
        return _told_without_panic(block)
    own = next((one for one in panics if test and one[1][1] == test), panics[0])
    told = _told_by_panic(block, *own)
    if note:
        return Told(message=f"{note[1]} {told.message}", line=told.line, exception=told.exception, frames=told.frames)
    return told


def _told_by_panic(block: Sequence[LogLine], index: int, found: re.Match[str]) -> Told:
    rest = found[2]
    place = _NEW_PLACE.match(rest)
    if place:
        said = _words(block, index + 1)
        line = block[index + 1].number if said else block[index].number
        return _panic(" ".join(said), line, place[1], place[2], _frames(block, index))
    # Until Rust 1.72: `panicked at 'words', src/lib.rs:5:9`, where the words may go on for lines.
    words: list[str] = []
    for text in (rest, *(line.text.strip() for line in block[index + 1 : index + 40])):
        ended = _OLD_END.match(text)
        words.append(ended[1] if ended else text)
        if ended:
            message = " ".join(words).removeprefix("'")
            return _panic(message, block[index].number, ended[2], ended[3], _frames(block, index))
    message = rest.removeprefix("'")
    return Told(message=message, line=block[index].number, exception="panic", frames=_frames(block, index))


def _panic(message: str, line: int, path: str, number: str, frames: tuple[Frame, ...]) -> Told:
    place = _frame(path, number)
    if place not in frames:
        frames = (*frames, place)
    return Told(message=message, line=line, exception="panic", frames=frames)


def _words(block: Sequence[LogLine], start: int) -> list[str]:
    words: list[str] = []
    for line in block[start : start + 40]:
        text = line.text.strip()
        if (not text and words) or text.startswith(_ENDS_MESSAGE):
            break
        words.append(text)
    return words


def _frames(block: Sequence[LogLine], start: int) -> tuple[Frame, ...]:
    """Frames of the repository in the backtrace below, outermost first; Rust prints the innermost one first."""
    found: list[Frame] = []
    for line in block[start + 1 :]:
        if _PANICKED.match(line.text):
            break
        place = _FRAME.match(line.text)
        if place:
            found.append(_frame(place[1], place[2]))
    own = dict.fromkeys(frame for frame in reversed(found) if frame.in_repository)
    return tuple(own)[:40]


def _frame(path: str, number: str) -> Frame:
    line = line_in(number)
    return Frame(relative_path(path), line, in_repository=_FOREIGN.search(path) is None)


def _told_without_panic(block: Sequence[LogLine]) -> Told:
    for pattern in (_NOTE, _RETURNED, _COMPILER):
        for line in block:
            found = pattern.match(line.text)
            if found:
                place = _PLACE.search(line.text) if pattern is _NOTE else None
                frames = (_frame(place[1], place[2]),) if place else ()
                return Told(message=found[1], line=line.number, frames=frames)
    return NOTHING_TOLD
