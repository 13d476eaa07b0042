"""The parts of looking back that decide without asking: which runs tell, and what names a test."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.gather.reads import FakeReads, a_job
from triage.classify import make_scanner
from triage.history.keeping import reader_of
from triage.history.lookback.runs import telling_runs
from triage.history.lookback.stack import stack_of
from triage.history.lookback.told import needles_of, read_told
from triage.model import Conclusion, Fault, PullRequest, Run, RunId, TestFailure
from triage.rules import builtin_rules
from triage.settings import BUILT_IN, Settings, with_settings
from triage.source.shapes import job_of

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
GATES = Settings(gates=("may-run",))
NOON = datetime(2026, 9, 18, 12, tzinfo=UTC)
LETTERS = {"F": Conclusion.FAILURE, "S": Conclusion.SUCCESS, "C": Conclusion.CANCELLED, "2": Conclusion.SUCCESS}


def runs_like(letters: str) -> list[Run]:
    """Runs, newest first: failed, successful, cancelled, or successful in a second attempt."""
    return [
        Run(
            id=RunId(place),
            workflow="CI",
            attempt=2 if letter == "2" else 1,
            conclusion=LETTERS[letter],
            created_at=NOON - timedelta(hours=place),
        )
        for place, letter in enumerate(letters)
    ]


@pytest.mark.parametrize(
    ("letters", "with_passes", "read"),
    [
        ("SSSSS", [0], []),
        ("SSFSS", [1, 2, 3], [2]),
        ("FSSS", [0, 1], [0]),
        ("FFFFFF", [0, 1, 2], [0, 1, 2]),
        ("SSS2SSS", [2, 3, 4], [3]),
        ("SSSFSSSF", [2, 3, 4, 6, 7], [3, 7]),
        ("CSCFS", [1, 3, 4], [3]),
        ("", [], []),
    ],
)
def test_runs_that_failed_are_read_and_the_green_ones_next_to_them(
    letters: str, with_passes: list[int], read: list[int]
) -> None:
    runs = runs_like(letters)

    assert [run.id for run in telling_runs(runs, with_passes=True)] == with_passes
    assert [run.id for run in telling_runs(runs, with_passes=False)] == read


@pytest.mark.parametrize(
    ("test", "named", "not_named"),
    [
        ("tests/test_pool.py::test_share", "tests/test_pool.py ....", "tests/test_tool.py ...."),
        ("__main__.TestPool.test_run", "test_run (__main__.TestPool)", "test_run (__main__.TestOther)"),
        ("Pool.SharesPages", "[ RUN      ] Pool.SharesPages", "[ RUN      ] Pool.TakesPages"),
    ],
)
def test_a_test_is_named_by_its_file_or_itself(test: str, named: str, not_named: str) -> None:
    file = "tests/test_pool.py" if "::" in test else None
    ((_, needles),) = needles_of([TestFailure(id=test, runner="any", file=file)], frozenset())

    assert any(needle in named for needle in needles)
    assert not any(needle in not_named for needle in needles)


def test_the_name_of_a_file_that_the_change_touches_names_no_test_of_it() -> None:
    test = TestFailure(id="tests/test_pool.py::test_new", runner="pytest", file="tests/test_pool.py")

    ((_, needles),) = needles_of([test], frozenset({"tests/test_pool.py"}))

    assert not any(needle in "tests/test_pool.py ...." for needle in needles)
    assert any(needle in "tests/test_pool.py::test_new PASSED" for needle in needles)


def test_a_short_name_that_stands_in_any_log_names_nothing() -> None:
    ((_, needles),) = needles_of([TestFailure(id="works", runner="jest")], frozenset())

    assert needles == ()


def a_pull(number: int, head: str, base: str) -> PullRequest:
    return PullRequest(number=number, head_ref=head, base_ref=base)


def test_a_stack_is_all_that_builds_on_each_other_and_nothing_beside_it() -> None:
    mine = a_pull(2, "two", "one")
    pulls = [a_pull(1, "one", "main"), a_pull(3, "three", "two"), a_pull(4, "four", "three"), a_pull(5, "five", "main")]

    assert stack_of(mine, pulls) == {1, 2, 3, 4}


def test_two_forks_that_work_on_branches_called_main_are_no_stack() -> None:
    mine = a_pull(1, "main", "main")

    assert stack_of(mine, [a_pull(2, "fix", "main"), a_pull(3, "main", "main")]) == {1}


# --------------------------------------------------------------------------------------------------------------------
# By which settings


def test_a_job_elsewhere_is_what_the_settings_say_it_is() -> None:
    reads = FakeReads(logs={1: "Looking at the labels\n##[error]Process completed with exit code 1.\n"})
    job = job_of(a_job(1, name="may-run"))
    told = [read_told(reads, job, (), RULES, SCANNER, settings) for settings in (BUILT_IN, GATES)]

    assert [one.fault for one in told] == [Fault.UNKNOWN, Fault.MISSING_LABEL]


@pytest.mark.parametrize(
    "settings",
    [GATES, Settings(aggregators=("may-run",)), Settings(gates=("may-run", "x")), Settings(gates=("may-run x",))],
)
def test_what_was_read_by_other_settings_of_jobs_is_read_again(settings: Settings) -> None:
    others = {reader_of(RULES), *(reader_of(RULES, one) for one in (GATES, Settings(gates=("x",))) if one != settings)}

    assert reader_of(RULES, settings) not in others
    assert reader_of(RULES, settings) == reader_of(RULES, replace(settings, sha="a" * 40))


def test_what_was_read_by_other_rules_is_read_again() -> None:
    disabled = with_settings(RULES, (), Settings(disabled_rules=(RULES.rules[0].id,)))

    assert reader_of(disabled) != reader_of(RULES)


def test_settings_that_change_nothing_in_a_log_let_what_was_read_be() -> None:
    assert reader_of(RULES, Settings(window_days=3, comment_key="x", max_logs=1)) == reader_of(RULES)
