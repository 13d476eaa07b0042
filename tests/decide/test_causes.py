"""The ledger is closed: every red job is in exactly one cause, and jobs with one root share it."""

from __future__ import annotations

import pytest

from tests.builders import (
    a_failure,
    a_file,
    a_job,
    a_test,
    broken_machine,
    failing_tests,
    following,
    never_started,
    on_pull,
    refused,
    stopped,
    the_facts,
)
from triage.decide import Decided, History, decide
from triage.decide.history import Seen, signatures_of
from triage.model import Basis, Category, Conclusion, EvidenceKind, Failure, Fault, LogState


def decided_on(*failures: Failure, files: tuple[str, ...] = ("docs/guide.md",)) -> Decided:
    return decide(the_facts(failures, files=tuple(a_file(path) for path in files)), failures)


def job(name: str, *, run: int = 100, runner: str | None = "host-1") -> Failure:
    return broken_machine(job=a_job(name=name, run=run, runner=runner, step="Start CI container"))


def test_the_same_failure_is_one_cause_across_jobs_and_workflows() -> None:
    decided = decided_on(job("amd-1", run=1), job("amd-2", run=1), job("xpu", run=2))

    assert [len(cause.jobs) for cause in decided.causes] == [3]


def test_different_captures_of_one_rule_are_different_causes() -> None:
    decided = decided_on(broken_machine(captures=("image=a",)), broken_machine(captures=("image=b",)))

    assert len(decided.causes) == 2


def test_one_error_behind_many_tests_is_one_cause() -> None:
    lora = failing_tests(a_test(name="test_lora.py::test_overlap"), a_test(name="test_lora.py::test_base"))
    gsm8k = failing_tests(a_test(name="test_eval.py::test_gsm8k"))

    assert len(decided_on(lora, gsm8k).causes) == 1


def test_tests_that_share_a_mere_assertion_do_not_share_a_cause() -> None:
    one = failing_tests(a_test(name="one", exception="AssertionError", message="the answer is not the expected one"))
    other = failing_tests(
        a_test(name="other", exception="AssertionError", message="the answer is not the expected one")
    )

    assert len(decided_on(one, other).causes) == 2


def test_the_same_tests_failing_in_two_jobs_are_one_cause() -> None:
    one, other = (failing_tests(a_test(exception="AssertionError", message="no")) for _ in range(2))

    assert len(decided_on(one, other).causes) == 1


def test_a_job_with_one_more_failed_test_is_a_cause_of_its_own() -> None:
    known = a_test(exception="AssertionError", message="no")
    one, more = failing_tests(known), failing_tests(known, a_test(name="new", exception="AssertionError"))

    assert len(decided_on(one, more).causes) == 2


def test_jobs_that_starved_in_one_run_share_a_cause() -> None:
    waiting = [
        never_started(job=a_job(name=name, run=run, conclusion=Conclusion.CANCELLED, runner=None))
        for name, run in (("4", 1), ("5", 1), ("xpu", 2))
    ]

    assert [len(cause.jobs) for cause in decided_on(*waiting).causes] == [2, 1]


def test_jobs_cancelled_with_one_run_share_a_cause() -> None:
    jobs = [a_job(name=name, run=run, conclusion=Conclusion.CANCELLED) for name, run in (("a", 1), ("b", 1), ("c", 2))]

    assert [len(cause.jobs) for cause in decided_on(*(stopped(job=one) for one in jobs)).causes] == [2, 1]


def test_two_unexplained_jobs_are_two_causes() -> None:
    assert len(decided_on(a_failure(), a_failure()).causes) == 2


def test_jobs_of_one_run_whose_logs_expired_are_told_together() -> None:
    gone = [a_failure(fault=Fault.UNKNOWN, basis=Basis.NOTHING, log_state=LogState.EXPIRED) for _ in range(3)]

    assert [len(cause.jobs) for cause in decided_on(*gone).causes] == [3]


def test_causes_are_told_in_the_order_of_who_must_act() -> None:
    decided = decided_on(
        never_started(),
        job("xpu"),
        refused(),
        failing_tests(a_test(), job=a_job(name="unit")),
        failing_tests(a_test(name="t", file="test/unit/test_new.py", message="y"), job=a_job(name="new")),
        files=("test/unit/test_new.py",),
    )

    assert [cause.category for cause in decided.causes] == [
        Category.REGRESSION,
        Category.UNKNOWN,
        Category.MISSING_LABEL,
        Category.INFRASTRUCTURE,
        Category.STARVED,
    ]
    assert [cause.id for cause in decided.causes] == [1, 2, 3, 4, 5]


def test_the_bigger_of_two_causes_of_one_category_is_told_first() -> None:
    small, *big = job("alone"), *(broken_machine(captures=("x",)) for _ in range(2))

    assert [len(cause.jobs) for cause in decided_on(small, *big).causes] == [2, 1]


def test_roots_stand_before_the_jobs_that_follow_them() -> None:
    follower = following("xpu", job=a_job(name="finish"))
    root = job("xpu")

    cause = decided_on(follower, root).causes[0]

    assert cause.jobs == (root.job.id, follower.job.id)
    assert cause.root_job == root.job.id


@pytest.mark.parametrize(
    ("runners", "text"),
    [
        (("system815752", "system815752"), "all 2 jobs failed on one host, `system815752`"),
        (("mi300-1", "mi300-2"), "2 jobs failed alike on 2 hosts: `mi300-1` and `mi300-2`"),
    ],
)
def test_a_broken_machine_says_on_which_hosts(runners: tuple[str, ...], text: str) -> None:
    cause = decided_on(*(job(f"job-{place}", runner=runner) for place, runner in enumerate(runners))).causes[0]

    assert [fact.text for fact in cause.evidence if fact.kind is EvidenceKind.TIMING] == [text]


def test_a_cause_shows_a_line_of_each_of_its_jobs_and_no_fact_twice() -> None:
    one = broken_machine(job=a_job(name="a"), line="no space left on device")
    same = broken_machine(job=a_job(name="b"), line="no space left on device")
    other = broken_machine(job=a_job(name="c"), line="disk quota exceeded")

    texts = [fact.text for fact in decided_on(one, same, other).causes[0].evidence]

    assert texts[0] == "no space left on device"
    assert texts.count("no space left on device") == 1
    assert "disk quota exceeded" in texts


def test_what_another_job_of_the_cause_has_in_common_with_other_changes_is_told_too() -> None:
    one, two = failing_tests(a_test(name="one")), failing_tests(a_test(name="two"))
    (first,), (second,) = signatures_of(one), signatures_of(two)
    seen = {
        first: Seen(
            pulls=(on_pull(11, runner="GitHub Actions 1"), on_pull(12, runner="GitHub Actions 2")), complete=True
        ),
        second: Seen(
            pulls=(on_pull(12, runner="GitHub Actions 2"), on_pull(13, runner="GitHub Actions 3")), complete=True
        ),
    }

    (cause,) = decide(the_facts((one, two)), (one, two), History(seen=seen)).causes

    assert [fact.number for fact in cause.evidence if fact.kind is EvidenceKind.OTHER_PULL] == [11, 12, 13]


def test_failures_that_are_not_those_of_the_red_jobs_are_refused() -> None:
    with pytest.raises(ValueError, match="the ledger would have a hole"):
        decide(the_facts([job("xpu")]), (job("xpu"), job("amd")))


def test_two_jobs_that_ran_out_of_time_need_two_looks() -> None:
    slow = [a_failure(fault=Fault.UNKNOWN, basis=Basis.PLATFORM, title="Stopped at its own time limit") for _ in "ab"]

    assert len(decided_on(*slow).causes) == 2
