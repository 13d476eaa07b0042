"""What a job shows by itself is enough for these answers, while nothing contradicts it."""

from __future__ import annotations

import pytest

from tests.builders import (
    a_failure,
    a_job,
    a_line,
    a_pull,
    a_rule,
    broken_machine,
    failing_tests,
    following,
    never_started,
    refused,
    stopped,
    the_facts,
)
from triage.decide import decide
from triage.model import Basis, Category, Conclusion, Failure, Fault, LogState


def category_of(failure: Failure) -> Category:
    return decide(the_facts([failure]), (failure,)).jobs[0].category


@pytest.mark.parametrize(
    ("failure", "category"),
    [
        (broken_machine(), Category.INFRASTRUCTURE),
        (broken_machine(rule=a_rule(fault=Fault.GPU_RESIDUE)), Category.GPU_RESIDUE),
        (refused(), Category.MISSING_LABEL),
        (never_started(), Category.STARVED),
        (stopped(), Category.CANCELLED),
    ],
)
def test_a_fault_that_is_not_the_codes_asks_nobody_to_mend_the_change(failure: Failure, category: Category) -> None:
    assert category_of(failure) is category


def test_a_job_that_follows_a_red_one_is_a_cascade_and_says_whom_it_follows() -> None:
    root, follower = broken_machine(job=a_job(name="gpu-test (2)")), following("gpu-test (2)")

    decided = decide(the_facts([root, follower]), (root, follower))

    assert decided.jobs[1].category is Category.CASCADE
    assert decided.jobs[1].because == "it failed only because `gpu-test (2)` did"


def test_a_log_that_merely_says_cancelled_does_not_cancel_a_failed_job() -> None:
    said = a_failure(job=a_job(conclusion=Conclusion.FAILURE), fault=Fault.CANCELLED, basis=Basis.RULE)

    assert category_of(said) is Category.UNKNOWN


def test_a_log_that_merely_says_no_runner_does_not_starve_a_job() -> None:
    assert category_of(a_failure(fault=Fault.STARVED, basis=Basis.RULE)) is Category.UNKNOWN


@pytest.mark.parametrize("state", [LogState.ABSENT, LogState.EXPIRED, LogState.PENDING, LogState.UNREADABLE])
def test_a_missing_log_excuses_nobody_and_the_reason_is_said(state: LogState) -> None:
    failure = a_failure(fault=Fault.UNKNOWN, basis=Basis.NOTHING, log_state=state)

    row = decide(the_facts([failure]), (failure,)).jobs[0]

    assert row.category is Category.UNKNOWN
    assert "its log" in row.because
    assert "nothing else shows what broke" in row.because


def test_a_red_job_whose_log_shows_no_failure_is_unknown() -> None:
    assert category_of(a_failure(fault=Fault.NONE)) is Category.UNKNOWN


def test_a_gate_says_whether_the_pull_request_has_the_label_by_now() -> None:
    failure = refused(label="run-ci-extra")

    without = decide(the_facts([failure]), (failure,)).jobs[0]
    since = decide(the_facts([failure], pull=a_pull(labels=("run-ci-extra",))), (failure,)).jobs[0]

    assert without.because == "a gate asks for the label `run-ci-extra`, which the pull request does not have"
    assert since.because == "a gate asks for the label `run-ci-extra`, which the pull request has by now"


def test_failed_tests_without_anything_to_compare_are_unknown_and_the_report_says_what_is_missing() -> None:
    failure = failing_tests()

    row = decide(the_facts([failure]), (failure,)).jobs[0]

    assert row.category is Category.UNKNOWN
    assert row.because == "nothing leads from it to the diff, and the default branch was not compared"


def test_the_lines_that_explain_a_failure_stand_first_in_its_evidence() -> None:
    failure = broken_machine(line="Error response from daemon: cannot remove container")

    row = decide(the_facts([failure]), (failure,)).jobs[0]

    assert row.evidence[0] == a_line("Error response from daemon: cannot remove container")
