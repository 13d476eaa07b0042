"""The sentences about one failure, said once for every format; they need none of the words of a whole report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.render.foreign_text import shown_line
from triage.render.words import Code, literal, plural, prose, sentence, without_stop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import Evidence, Gap, TestFailure
    from triage.render.words import Words

TEST_LIMIT: Final = 240


def tested(failed: int, ran: int | None) -> str:
    """Say how many tests failed, and of how many where that is known: `3 of 120 tests failed`."""
    if ran is not None and ran >= failed:
        return f"{failed:,} of {plural(ran, 'test')} failed"
    return f"{plural(failed, 'test')} failed"


def test_words(test: TestFailure) -> Words:
    """Name a failed test with its error: `test_a` in `tests/a.py`: `KeyError: 'x'`."""
    words: Words = (literal(test.id, limit=TEST_LIMIT),)
    if test.file and test.file not in test.id:
        words = (*words, " in ", literal(test.file))
    error = shown_line(": ".join(part for part in (test.exception, test.message) if part), limit=TEST_LIMIT).strip()
    return (*words, ": ", Code(error)) if error else words


def gap_words(gap: Gap) -> Words:
    """Say what could not be seen, and why."""
    return sentence((*without_stop(prose(gap.what)), ": ", *prose(gap.why)))


def in_log_order(lines: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Sort lines of one log by their number; lines of several logs, or without numbers, stay best first."""
    if len({line.job_id for line in lines}) > 1 or any(line.line is None for line in lines):
        return tuple(lines)
    return tuple(sorted(lines, key=lambda line: line.line or 0))
