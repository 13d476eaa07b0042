"""A raw log of any size to a bounded `Log`: one pass to find what matters, a second over the parts that are kept."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from triage.logs.blocks import read_blocks
from triage.logs.marks import ERROR, time_of
from triage.logs.spans import failed_span, find_spans, step_at
from triage.logs.survey import survey
from triage.logs.text import shown
from triage.logs.windows import wanted_ranges
from triage.matching import split_stamp
from triage.model import Log, LogLine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from triage.logs.survey import Survey
    from triage.logs.windows import Range
    from triage.matching import Scanner
    from triage.model import Step, StepSpan
    from triage.source.protocol import LogSource

MAX_LINES = 20_000
MAX_CHARS = 3_000_000
"""What is kept of a log. Up to here all of it is."""

_STAMP_BYTES = 29


def read_log(source: LogSource, scanner: Scanner, *, steps: tuple[Step, ...] = ()) -> Log:
    """Read a log of any size in constant memory.

    Args:
        source: Opened once; its file must be seekable.
        scanner: What to look for. Every line that is found is kept, with what stands round it.
        steps: The job's, from GitHub; without them the marks in the log tell the steps.

    Returns:
        The whole log while it has at most `MAX_LINES` lines and `MAX_CHARS` characters; else its most telling parts.
    """
    with source.open() as file:
        seconds = tuple(step.started_at for step in steps if step.started_at is not None)
        surveyed = survey(file, scanner, most_lines=MAX_LINES, seconds=seconds)
        spans = find_spans(
            steps,
            surveyed.found.marks,
            errors=surveyed.found.numbers(ERROR),
            second_starts=surveyed.second_starts,
            total_lines=surveyed.total_lines,
        )
        kept = _Kept(file, surveyed, spans)
        if complete := _fits(surveyed):
            kept.take_all()
        else:
            _take_parts(kept, surveyed, failed_span(steps, spans))
    return Log(
        lines=kept.lines,
        total_lines=surveyed.total_lines,
        hits=_hits_among(surveyed, kept),
        spans=spans,
        complete=complete,
        truncated=source.truncated,
    )


def _fits(surveyed: Survey) -> bool:
    chars = surveyed.text_bytes - _STAMP_BYTES * surveyed.total_lines
    return surveyed.total_lines <= MAX_LINES and chars <= MAX_CHARS


def _take_parts(kept: _Kept, surveyed: Survey, failed: StepSpan | None) -> None:
    groups = wanted_ranges(
        total_lines=surveyed.total_lines,
        errors=surveyed.found.numbers(ERROR),
        failed_step=(failed.first_line, failed.last_line) if failed else None,
        hits=surveyed.found.hits,
    )
    for ranges in groups:
        # Half of what is left: were all lines as long as can be, no group could starve those after it.
        kept.take(ranges, share=0.5)


def _hits_among(surveyed: Survey, kept: _Kept) -> dict[str, tuple[int, ...]]:
    hits = {key: tuple(number for number in numbers if number in kept) for key, numbers in surveyed.found.hits.items()}
    return {key: numbers for key, numbers in hits.items() if numbers}


class _Kept:
    """The lines kept so far, and how many more may be."""

    def __init__(self, file: BinaryIO, surveyed: Survey, spans: Sequence[StepSpan]) -> None:
        self._file = file
        self._index = surveyed.index
        self._spans = spans
        self._by_number: dict[int, LogLine] = {}
        self._chars_left = MAX_CHARS

    def __contains__(self, number: int) -> bool:
        return number in self._by_number

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """What was kept, by rising number."""
        return tuple(line for _, line in sorted(self._by_number.items()))

    def take_all(self) -> None:
        """Keep the whole log."""
        for block in read_blocks(self._file):
            lines = block.cleaned().split(b"\n")[: block.line_count]
            for number, raw in enumerate(lines, start=block.first_line):
                self._by_number[number] = self._line(number, raw)

    def take(self, ranges: Sequence[Range], *, share: float) -> None:
        """Keep ranges, first come first served while there are lines left.

        Args:
            ranges: The most important ones first.
            share: Of the characters left that may be used up; when they are, the end of the log goes first.
        """
        wanted = self._affordable(ranges)
        chars = int(self._chars_left * share)
        for line in self._read_backwards(wanted):
            if len(line.text) > chars:
                return
            chars -= len(line.text)
            self._chars_left -= len(line.text)
            self._by_number[line.number] = line

    def _affordable(self, ranges: Sequence[Range]) -> set[int]:
        left = MAX_LINES - len(self._by_number)
        wanted: set[int] = set()
        for first, last in ranges:
            new = [n for n in range(first, last + 1) if n not in self._by_number and n not in wanted]
            if len(new) > left - len(wanted):
                break
            wanted.update(new)
        return wanted

    def _read_backwards(self, wanted: set[int]) -> Iterator[LogLine]:
        for block_number, numbers in groupby(sorted(wanted, reverse=True), self._index.block_of):
            block = next(self._index.blocks_from(self._file, block_number))
            texts = block.cleaned().split(b"\n")
            for number in numbers:
                yield self._line(number, texts[number - block.first_line])

    def _line(self, number: int, raw: bytes) -> LogLine:
        stamp, text = split_stamp(raw)
        return LogLine(number, shown(text), time_of(stamp), step_at(self._spans, number))
