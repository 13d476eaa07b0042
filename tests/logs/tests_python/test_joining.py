"""Whose failure is whose where one runner's output stands inside another's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.joining import join, merge
from triage.logs.tests.runner import Runner
from triage.model import LogLine, Outcome, TestFailure, TestReport

if TYPE_CHECKING:
    from collections.abc import Sequence


def nothing(lines: Sequence[LogLine]) -> TestReport | None:
    return None


def runner(name: str, *, wraps: bool = False, only_alone: bool = False) -> Runner:
    return Runner(name=name, module=name, triggers=(), wraps=wraps, only_alone=only_alone)


def failure(test: str, first: int, last: int, *, by: str, outcome: Outcome = Outcome.FAILED) -> TestFailure:
    return TestFailure(
        id=test, runner=by, outcome=outcome, first_line=first, last_line=last, error_line=last, file=f"tests/{test}.py"
    )


def test_a_failure_inside_the_block_of_another_runners_failing_test_is_that_tests_output() -> None:
    outer = TestReport(runners=("pytest",), failures=(failure("test_plugin", 10, 50, by="pytest"),))
    printed = TestReport(runners=("unittest",), failures=(failure("test_inner", 20, 30, by="unittest"),))

    joined = join([(runner("pytest"), outer), (runner("unittest"), printed)])

    assert [found.id for found in joined.failures] == ["test_plugin"]


def test_a_program_that_ctest_counts_gives_way_to_its_own_tests() -> None:
    program = TestReport(runners=("ctest",), ran=1, failures=(failure("unit", 1, 40, by="ctest"),))
    inner = TestReport(runners=("gtest",), ran=9, failures=(failure("Pool.Grows", 5, 9, by="gtest"),))

    joined = join([(runner("ctest", wraps=True), program), (runner("gtest"), inner)])

    assert [found.id for found in joined.failures] == ["Pool.Grows"]
    assert joined.ran == 9


def test_a_file_that_a_suite_counts_gives_way_to_the_tests_of_that_file() -> None:
    suite = TestReport(runners=("suite",), failures=(failure("test_a", 90, 90, by="suite"),))
    inner = TestReport(runners=("pytest",), failures=(failure("test_a", 5, 9, by="pytest"),))

    joined = join([(runner("suite", wraps=True), suite), (runner("pytest"), inner)])

    assert [found.runner for found in joined.failures] == ["pytest"]


def test_a_first_try_that_was_mended_makes_what_failed_in_it_flaky() -> None:
    suite = TestReport(runners=("suite",), failures=(failure("test_a", 1, 20, by="suite", outcome=Outcome.FLAKY),))
    inner = TestReport(
        runners=("pytest",), failures=(failure("one", 5, 9, by="pytest"), failure("two", 30, 40, by="pytest"))
    )

    joined = join([(runner("suite", wraps=True), suite), (runner("pytest"), inner)])

    assert [(found.id, found.outcome) for found in joined.failures] == [("one", Outcome.FLAKY), ("two", Outcome.FAILED)]


def test_a_script_counts_only_where_no_runner_was_at_work() -> None:
    session = TestReport(runners=("pytest",), ran=3, line_ranges=((1, 50),))
    scripts = TestReport(
        runners=("python",),
        failures=(failure("inside", 20, 30, by="python"), failure("after", 60, 70, by="python")),
        line_ranges=((20, 30), (60, 70)),
    )

    joined = join([(runner("pytest"), session), (runner("python", only_alone=True), scripts)])

    assert [found.id for found in joined.failures] == ["after"]
    assert joined.line_ranges == ((1, 50), (60, 70))


def test_runners_are_named_in_the_order_in_which_they_showed_themselves() -> None:
    late = TestReport(runners=("pytest",), line_ranges=((100, 110),))
    early = TestReport(runners=("gtest",), line_ranges=((1, 9),))

    assert join([(runner("pytest"), late), (runner("gtest"), early)]).runners == ("gtest", "pytest")


def test_nothing_read_is_an_empty_report() -> None:
    assert join([]) == TestReport()


def test_spans_that_touch_become_one() -> None:
    assert merge([(8, 9), (1, 3), (4, 5), (2, 2)]) == ((1, 5), (8, 9))
