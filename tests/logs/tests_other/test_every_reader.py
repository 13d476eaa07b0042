"""What is true of every reader: it never raises, it is fast, and a hole never joins what did not stand together."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.logs.tests_other.log_text import LOGS, lines_of, text_of
from triage.logs.tests import RUNNERS
from triage.matching import check_pattern
from triage.model import LogLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.logs.tests.runner import Runner
    from triage.model import TestReport

RECORDED = sorted(path.name for path in LOGS.glob("*.txt"))
REAL_LINES = sorted({line for name in RECORDED for line in text_of(name).split("\n")})

some_lines = st.lists(
    st.tuples(st.integers(1, 3), st.one_of(st.sampled_from(REAL_LINES), st.text(max_size=80))), max_size=60
)


def with_numbers(steps: Sequence[tuple[int, str]]) -> list[LogLine]:
    """Number lines; a step of more than one leaves a hole."""
    number, lines = 0, []
    for step, text in steps:
        number += step
        lines.append(LogLine(number, text.replace("\n", " ")))
    return lines


def is_sound(report: TestReport, lines: Sequence[LogLine]) -> bool:
    """Whether all that a report points at is in the lines."""
    numbers = {line.number for line in lines}
    pointed = [number for one in report.failures for number in (one.first_line, one.last_line, one.error_line)]
    pointed += [number for span in report.line_ranges for number in span]
    counted = report.ran is None or report.ran >= 0
    return (
        counted
        and numbers.issuperset(pointed)
        and all(one.id and one.message == one.message.strip() for one in report.failures)
    )


@given(steps=some_lines)
def test_no_reader_raises_and_all_point_at_lines_that_are_there(steps: list[tuple[int, str]]) -> None:
    lines = with_numbers(steps)

    reports = [report for runner in RUNNERS if (report := runner.read(lines)) is not None]

    assert all(is_sound(report, lines) for report in reports)


@pytest.mark.parametrize("piece", ["1", " ", "(", "a.", " > ", "::", "[", "', "])
def test_no_line_is_too_long_or_too_odd(piece: str) -> None:
    stretched = [
        line[:at] + piece * (6_000 // len(piece)) + line[at:] for line in REAL_LINES for at in (len(line) // 2,)
    ]
    lines = [LogLine(number, text) for number, text in enumerate([*stretched, *REAL_LINES], start=1)]

    started = time.process_time()
    reports = [report for runner in RUNNERS if (report := runner.read(lines)) is not None]

    # About a second; a pattern that goes back over a line takes a second for each.
    assert time.process_time() - started < 20
    assert all(is_sound(report, lines) for report in reports)


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.name)
def test_an_empty_log_is_of_no_runner(runner: Runner) -> None:
    assert runner.read(()) is None


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.name)
def test_every_trigger_is_a_pattern_that_can_be_scanned_for(runner: Runner) -> None:
    assert [problem for pattern in runner.triggers if (problem := check_pattern(pattern)) is not None] == []


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_log_belongs_to_one_runner(name: str) -> None:
    lines = lines_of(text_of(name))

    shown = [runner.name for runner in RUNNERS if runner.read(lines) is not None]

    assert len(shown) == 1


# Where tests write at the same time, some errors cannot be told whose they are.
@pytest.mark.parametrize("name", [name for name in RECORDED if name != "cargo_nocapture.txt"])
def test_every_failure_has_a_block_and_says_why(name: str) -> None:
    lines = lines_of(text_of(name))

    failures = [one for runner in RUNNERS if (report := runner.read(lines)) is not None for one in report.failures]

    assert failures
    assert all(one.first_line <= one.last_line for one in failures)
    assert all(one.message or one.exception for one in failures if one.outcome != "flaky")


def test_reading_takes_time_in_proportion_to_the_log() -> None:
    once = [line for name in RECORDED for line in text_of(name).split("\n")]
    lines = [LogLine(number, text) for number, text in enumerate(once * 16, start=1)]

    started = time.process_time()
    for runner in RUNNERS:
        runner.read(lines)

    # About 1.5 s for 52,000 lines; a reader that goes back over what it has read takes minutes.
    assert time.process_time() - started < 20
