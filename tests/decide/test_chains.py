"""A cascade is followed to the job that really broke, never to another aggregator."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.builders import (
    NOW,
    RUN,
    a_job,
    a_line,
    a_test,
    a_workflow,
    a_workflow_job,
    broken_machine,
    failing_tests,
    following,
    the_facts,
)
from triage.decide import Decided, decide
from triage.model import Category, Conclusion, Failure, Job, WorkflowFile


def decided_on(*failures: Failure, workflow: WorkflowFile | None = None, green: tuple[Job, ...] = ()) -> Decided:
    facts = the_facts(failures, green=green, workflows={RUN: workflow} if workflow else {})
    return decide(facts, failures)


def test_a_root_that_is_itself_an_aggregator_is_followed_further() -> None:
    root = broken_machine(job=a_job(name="base-b-test-2-gpu-large (2)"))
    waiting = following("base-b-test-2-gpu-large (2)", job=a_job(name="wait-for-base-b"))
    skipped = following(
        "wait-for-base-b", "base-b-test-2-gpu-large (2)", job=a_job(name="base-b-test-1-gpu-large (3)"), by_text=True
    )

    decided = decided_on(root, waiting, skipped)

    assert decided.jobs[2].because == "it failed only because `base-b-test-2-gpu-large (2)` did"
    assert [cause.jobs for cause in decided.causes] == [(root.job.id, waiting.job.id, skipped.job.id)]


def test_aggregators_that_only_name_each_other_are_unknown_and_say_so() -> None:
    one = following("other", job=a_job(name="one"))
    other = following("one", job=a_job(name="other"))

    decided = decided_on(one, other)

    assert [row.category for row in decided.jobs] == [Category.UNKNOWN, Category.UNKNOWN]
    assert decided.jobs[0].because.endswith("but no other job is red that it could follow")


def test_a_root_that_is_green_leaves_the_follower_unknown() -> None:
    follower = following("unit-test", job=a_job(name="finish"))
    green = a_job(name="unit-test", conclusion=Conclusion.SUCCESS)

    assert decided_on(follower, green=(green,)).jobs[0].category is Category.UNKNOWN


@pytest.mark.parametrize(
    ("named", "name"),
    [
        ("gpu-test", "gpu-test (2, a100)"),
        ("pr-gate", "call-gate / pr-gate"),
        ("call-gate", "call-gate / pr-gate"),
        ("gpu-test (2, a100)", "gpu-test (2, a100)"),
        ("gpu-test", "call / gpu-test (2)"),
    ],
)
def test_a_root_is_found_by_each_name_it_goes_by(named: str, name: str) -> None:
    root = broken_machine(job=a_job(name=name))

    assert decided_on(root, following(named)).jobs[1].category is Category.CASCADE


def test_an_exact_name_wins_over_other_legs_of_its_matrix() -> None:
    second, third = (broken_machine(job=a_job(name=f"gpu-test ({leg})")) for leg in (2, 3))

    decided = decided_on(second, third, following("gpu-test (3)"))

    assert decided.jobs[2].because == "it failed only because `gpu-test (3)` did"


WORKFLOW = a_workflow(
    a_workflow_job("build", run="make"),
    a_workflow_job("test", needs=("build",), run="pytest"),
    a_workflow_job("finish", needs=("test",)),
)


def test_a_follower_that_names_nobody_follows_what_it_waits_for_through_skipped_jobs() -> None:
    root = broken_machine(job=a_job(name="build"))
    skipped = a_job(name="test", conclusion=Conclusion.SKIPPED)

    decided = decided_on(root, following(job=a_job(name="finish")), workflow=WORKFLOW, green=(skipped,))

    assert decided.jobs[1].category is Category.CASCADE
    assert decided.jobs[1].cause == decided.jobs[0].cause


def test_a_job_that_broke_only_after_its_follower_is_no_root() -> None:
    late = broken_machine(job=a_job(name="unit-test", ended=NOW))
    follower = following("unit-test", job=a_job(name="finish", ended=NOW - timedelta(hours=2)))

    assert decided_on(late, follower).jobs[1].category is Category.UNKNOWN


def test_a_follower_of_several_causes_joins_the_gravest_and_names_the_others() -> None:
    machine = broken_machine(job=a_job(name="xpu"))
    tests = failing_tests(a_test(), job=a_job(name="unit-test"))
    follower = following("xpu", "unit-test", job=a_job(name="finish"))

    decided = decided_on(machine, tests, follower)

    assert decided.causes[0].category is Category.UNKNOWN
    assert decided.causes[0].jobs == (tests.job.id, follower.job.id)
    assert decided.jobs[2].because == "it failed only because `xpu` and `unit-test` did; it also follows cause 2"


def test_a_root_of_the_same_run_wins_over_one_of_the_same_name_elsewhere() -> None:
    here, there = (broken_machine(job=a_job(name="unit-test", run=run)) for run in (1, 2))
    follower = following("unit-test", job=a_job(name="finish", run=1))

    decided = decided_on(there, here, follower)
    (cause,) = decided.causes  # both roots share a signature; what is asked is whom the follower names

    assert decided.jobs[2].category is Category.CASCADE
    assert set(cause.jobs) == {here.job.id, there.job.id, follower.job.id}


@pytest.mark.parametrize(
    ("line", "follows"),
    [
        ("stage-a jobs failed: gpu (0)", True),
        ("stage-a jobs failed: gpu (10)", False),
        ("stage-a jobs failed: gpu", False),
        ("stage-a jobs failed: big-gpu (0)", False),
    ],
)
def test_a_line_that_names_a_red_job_in_full_says_whom_its_job_follows(line: str, follows: object) -> None:
    root = broken_machine(job=a_job(name="gpu (0)"))
    waiting = replace(following(job=a_job(name="wait-for-stage-a")), evidence=(a_line(line),))

    assert (decided_on(root, waiting).jobs[1].category is Category.CASCADE) is follows
