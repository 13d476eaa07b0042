"""What holds for every reader and any text: a log is written by strangers."""

from __future__ import annotations

from itertools import accumulate
from time import perf_counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.logs.tests_python.log_text import LOGS, scanned
from triage.logs.tests import RUNNERS, TEST_TRIGGERS, read_tests
from triage.matching import check_pattern
from triage.model import LogLine, TestReport

if TYPE_CHECKING:
    from triage.logs.tests.runner import Runner

# Lines that readers know, so that arbitrary texts reach deep into them.
_KNOWN = tuple(dict.fromkeys(line for file in sorted(LOGS.glob("*.txt")) for line in file.read_text().split("\n")))
_MARKS = (
    "Traceback (most recent call last):",
    "  + Exception Group Traceback (most recent call last):",
    "During handling of the above exception, another exception occurred:",
    "[ RUN      ] A.b",
    "[  FAILED  ] A.b (0 ms)",
    "1/3 Test #1: push ...***Failed    0.00 sec",
    "//a:b   FAILED in 3s",
    "a.cpp:3: FAILED:",
    "TEST CASE:  x",
    "Begin (5/29):",
    "End (5/29):",
    "Fail. Time elapsed: 3s",
    "##[error]Process completed with exit code 1.",
    "##[group]Run pytest",
    "##[endgroup]",
    "Fatal Python error: Aborted",
    "x | FAIL |",
    "Failing scenarios:",
)
_text = st.one_of(
    st.sampled_from(_KNOWN),
    st.sampled_from(_MARKS),
    st.text(alphabet=st.characters(exclude_characters="\n"), max_size=60),
)
_lines = st.lists(st.tuples(st.integers(1, 3), _text), max_size=60).map(
    lambda rows: tuple(
        LogLine(number, text)
        for number, text in zip(accumulate(step for step, _ in rows), (text for _, text in rows), strict=True)
    )
)


def _check(report: TestReport, lines: tuple[LogLine, ...]) -> None:
    numbers = {line.number for line in lines}
    for failure in report.failures:
        assert failure.id.strip() == failure.id != ""
        assert failure.first_line <= failure.last_line
        assert {failure.first_line, failure.last_line, failure.error_line} <= numbers
        assert len(failure.message) <= 2_000
        assert "\n" not in failure.message
    assert all(first <= last for first, last in report.line_ranges)


@given(_lines)
def test_no_text_breaks_a_reader_or_makes_it_point_at_lines_that_are_not_there(lines: tuple[LogLine, ...]) -> None:
    report = read_tests(scanned(lines))

    _check(report, lines)
    assert len({failure.id for failure in report.failures}) == len(report.failures)


@given(st.data())
def test_a_log_with_holes_is_read_like_any_other(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(LOGS.glob("*.txt"))))
    whole = tuple(LogLine(number, text) for number, text in enumerate(file.read_text().split("\n"), start=1))
    first = data.draw(st.integers(0, len(whole)))
    last = data.draw(st.integers(first, len(whole)))
    lines = whole[:first] + whole[last:]

    report = read_tests(scanned(lines, complete=False))

    _check(report, lines)


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.name)
def test_no_reader_shows_itself_where_nothing_of_its_runner_is(runner: Runner) -> None:
    assert runner.read(()) is None
    assert runner.read(tuple(LogLine(n, "Downloading torch-2.9.0 (900 MB)") for n in range(1, 50))) is None


_HOSTILE = (
    "a::" * 2_700,
    "tests/x.py::" + "[" * 8_000,
    "_ " * 4_000,
    "_" * 8_000,
    "=" * 8_000,
    "FAILED " + "a.b" * 2_600,
    "E   " + "A" * 8_000 + " x",
    "E   " + "a." * 4_000 + "(",
    "+-" + "-" * 8_000 + "x",
    "Traceback (most recent call last): " * 200,
    '  File "' + "x" * 8_000,
    "1, " * 2_700 + "in 3s",
    "3 passed, " * 800,
    "test (" * 1_300,
    "ERROR: " + "x (" * 2_600,
    "[ RUN      ] " + "a/" * 4_000,
    "[  FAILED  ] " + "a." * 4_000,
    "1/3 Test #1: x " + ". " * 4_000 + "***",
    "//" + "a/" * 4_000 + " FAILED",
    "x " * 4_000 + "| FAIL |",
    "Error: " * 1_100,
    "TypeError: (" + "(" * 8_000,
    "0" * 8_000,
    " " * 8_000 + "x",
)


@pytest.mark.parametrize("text", _HOSTILE, ids=range(len(_HOSTILE)))
def test_a_hostile_line_costs_no_more_than_its_length(text: str) -> None:
    head = (LogLine(1, "============================= test session starts ======="), LogLine(2, "Begin (1/2):"))
    block = (LogLine(3, "=== FAILURES ==="), LogLine(4, "____ test_x ____"), LogLine(5, "TEST CASE:  x"))
    lines = (*head, *block, *(LogLine(number, text) for number in range(6, 106)))
    began = perf_counter()

    read_tests(scanned(lines))

    # 0.8 MB. Were any pattern quadratic in the length of a line, this would take minutes.
    assert perf_counter() - began < 10


def test_every_trigger_is_a_pattern_that_the_scanner_takes() -> None:
    problems = {key: problem for key, pattern in TEST_TRIGGERS.items() if (problem := check_pattern(pattern))}

    assert problems == {}
    assert len(TEST_TRIGGERS) == sum(len(runner.triggers) for runner in RUNNERS)
