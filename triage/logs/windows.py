"""Which lines of a log too large to keep are kept, the most telling first."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

HEAD_LINES = 300
TAIL_LINES = 4000
FAILED_STEP_LINES = 600
AROUND = 60

Range = tuple[int, int]
"""First and last line, 1-based, both included."""


def wanted_ranges(
    *,
    total_lines: int,
    errors: Sequence[int],
    failed_step: Range | None,
    hits: Mapping[str, Sequence[int]],
) -> Iterator[tuple[Range, ...]]:
    """Tell what to keep, group by group; a reader takes as many as its limits allow.

    Args:
        total_lines: Of the log.
        errors: Lines that open with `##[error]`.
        failed_step: Lines of the step that broke.
        hits: Lines on which patterns were found, by key.
    """
    yield (_within((total_lines - TAIL_LINES + 1, total_lines), total_lines),)
    if failed_step is not None:
        first, last = failed_step
        yield (_within((max(first, last - FAILED_STEP_LINES + 1), last), total_lines),)
    yield _around(_from_both_ends(errors), total_lines)
    yield (_within((1, HEAD_LINES), total_lines),)
    yield tuple((number, number) for number in _in_turns(hits.values()))
    yield _around(_in_turns(hits.values()), total_lines)


def _around(numbers: Iterable[int], total_lines: int) -> tuple[Range, ...]:
    return tuple(_within((number - AROUND, number + AROUND), total_lines) for number in numbers)


def _within(wanted: Range, total_lines: int) -> Range:
    return max(1, wanted[0]), min(total_lines, wanted[1])


def _in_turns(hits: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Take from each key in turn, so that one that is everywhere does not crowd out one that hit once."""
    turns = zip_longest(*(_from_both_ends(numbers) for numbers in hits))
    return tuple(dict.fromkeys(number for turn in turns for number in turn if number is not None))


def _from_both_ends(numbers: Sequence[int]) -> tuple[int, ...]:
    """Order as first, last, second, last but one, …: the first is often the cause, the last what stopped the job."""
    pairs = zip(numbers, reversed(numbers), strict=True)
    return tuple(dict.fromkeys(number for pair in pairs for number in pair))
