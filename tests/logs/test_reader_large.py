"""Logs that are too large to keep: what is kept, and that memory does not grow with them."""

from __future__ import annotations

import io
import tracemalloc
from typing import BinaryIO, cast

import pytest

from triage.logs import BytesSource, read_log
from triage.logs.blocks import BLOCK_BYTES
from triage.logs.finder import FIRST_CHECK
from triage.logs.reader import MAX_CHARS, MAX_LINES
from triage.logs.windows import AROUND, FAILED_STEP_LINES, HEAD_LINES, TAIL_LINES
from triage.matching import Scanner
from triage.model import Conclusion, Log, Step

LINES = 60_000


def quiet(total: int = LINES) -> list[str]:
    return [f"line {number}" for number in range(1, total + 1)]


def read(lines: list[str], patterns: dict[str, str], steps: tuple[Step, ...] = ()) -> Log:
    return read_log(BytesSource("a log", ("\n".join(lines) + "\n").encode()), Scanner(patterns), steps=steps)


def numbers(log: Log) -> set[int]:
    return {line.number for line in log.lines}


def test_a_log_that_fits_is_kept_whole() -> None:
    log = read(quiet(MAX_LINES), {})

    assert log.complete
    assert len(log.lines) == log.total_lines == MAX_LINES


def test_of_a_large_log_head_and_tail_are_kept_and_it_says_that_it_is_not_whole() -> None:
    log = read(quiet(), {})

    assert not log.complete
    assert log.total_lines == LINES
    assert numbers(log) == {*range(1, HEAD_LINES + 1), *range(LINES - TAIL_LINES + 1, LINES + 1)}
    assert all(line.text == f"line {line.number}" for line in log.lines)


def test_every_hit_is_kept_with_what_stands_round_it() -> None:
    lines = quiet()
    lines[29_999] = "needle"

    log = read(lines, {"found": "needle"})

    assert log.hits == {"found": (30_000,)}
    assert set(range(30_000 - AROUND, 30_000 + AROUND + 1)) <= numbers(log)


def test_errors_of_the_runner_are_kept_though_no_pattern_asks_for_them() -> None:
    lines = quiet()
    lines[19_999] = "##[error]Process completed with exit code 1."

    log = read(lines, {})

    assert log.hits == {}
    assert set(range(20_000 - AROUND, 20_000 + AROUND + 1)) <= numbers(log)


def test_the_end_of_the_failed_step_is_kept() -> None:
    lines = quiet()
    lines[0], lines[9_999], lines[39_999] = "##[group]Run a", "##[group]Run b", "##[group]Run c"
    steps = (
        Step(number=1, name="Run a", conclusion=Conclusion.SUCCESS),
        Step(number=2, name="Run b", conclusion=Conclusion.FAILURE),
        Step(number=3, name="Run c", conclusion=Conclusion.SUCCESS),
    )

    log = read(lines, {}, steps)

    assert [(span.number, span.first_line, span.last_line) for span in log.spans] == [
        (1, 1, 9_999),
        (2, 10_000, 39_999),
        (3, 40_000, LINES),
    ]
    assert set(range(40_000 - FAILED_STEP_LINES, 40_000)) <= numbers(log)


@pytest.mark.parametrize("total", [10, 60, 61, 500, 5_000])
def test_of_many_hits_the_first_twenty_and_the_last_forty_are_told(total: int) -> None:
    lines = quiet()
    places = [1 + number * (LINES // total) for number in range(total)]
    for place in places:
        lines[place - 1] = "needle"

    log = read(lines, {"found": "needle"})

    assert log.hits == {"found": tuple(sorted({*places[:20], *places[-40:]}))}
    assert set(log.hits["found"]) <= numbers(log)


def test_a_pattern_that_hits_everywhere_hides_no_other() -> None:
    lines = [f"needle {number}" for number in range(1, LINES + 1)]
    lines[29_999] += " thread"

    log = read(lines, {"everywhere": "needle", "once": "thread"})

    assert log.hits == {"everywhere": (*range(1, 21), *range(LINES - 39, LINES + 1)), "once": (30_000,)}
    assert set(range(30_000 - AROUND, 30_000 + AROUND + 1)) <= numbers(log)


@pytest.mark.parametrize("until", [5_000, 30_000, 50_000, LINES])
def test_the_last_hits_are_found_though_the_pattern_was_dropped_for_being_everywhere(until: int) -> None:
    padding = "." * 90  # more blocks than are read before anything is dropped
    lines = [f"needle {padding}" if number <= until else f"quiet {padding}" for number in range(1, LINES + 1)]
    lines[55_555] += " thread"

    log = read(lines, {"everywhere": "needle", "once": "thread"})

    assert log.hits == {"everywhere": (*range(1, 21), *range(until - 39, until + 1)), "once": (55_556,)}
    assert len(lines) * 97 > 1.2 * FIRST_CHECK * BLOCK_BYTES


def test_what_is_kept_is_bounded_though_hits_are_everywhere() -> None:
    lines = [f"{number % 200} " + "x" * 1990 for number in range(LINES // 6)]

    log = read(lines, {f"hit {index}": rf"^{index} x" for index in range(200)})

    assert len(log.lines) <= MAX_LINES
    assert sum(len(line.text) for line in log.lines) <= MAX_CHARS
    assert log.total_lines in numbers(log)
    assert all(set(found) <= numbers(log) for found in log.hits.values())


class Endless(io.RawIOBase):
    """A file of a given size that repeats one text and is never in memory."""

    def __init__(self, text: bytes, size: int) -> None:
        super().__init__()
        self._text = text * (1 + (1 << 17) // len(text))
        self._period = len(text)
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence] + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        size = min(size, self._size - self._at)
        start = self._at % self._period
        self._at += size
        return self._text[start : start + size]


class EndlessSource:
    name = "a log without end"
    truncated = False

    def __init__(self, text: bytes, size: int) -> None:
        self._text, self._size = text, size

    def open(self) -> BinaryIO:
        return cast("BinaryIO", Endless(self._text, self._size))


def peak_bytes(text: bytes, size: int) -> int:
    scanner = Scanner({"found": "needle", "end": "x$"})
    read_log(EndlessSource(text, 1000), scanner)
    tracemalloc.start()
    try:
        read_log(EndlessSource(text, size), scanner)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_log() -> None:
    text = b"2026-11-30T11:26:03.0611977Z \x1b[32mneedle\x1b[0m in a line of a usual length, or so\n"

    small, large = peak_bytes(text, 2_500_000), peak_bytes(text, 6_000_000)

    assert large < 1.2 * small
    assert large < 20_000_000


def test_one_line_without_end_takes_no_more_than_its_start() -> None:
    assert peak_bytes(b"x", 300_000_000) < 2_000_000
