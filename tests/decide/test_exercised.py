"""Law 6: a job that ran no test gave no signal, and the report says which."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import (
    RUN,
    a_failure,
    a_file,
    a_job,
    a_rule,
    a_test,
    a_workflow,
    a_workflow_job,
    broken_machine,
    failing_tests,
    following,
    never_started,
    refused,
    stopped,
    the_facts,
)
from triage.decide import Decided, decide
from triage.model import (
    ChangedFile,
    Conclusion,
    Coverage,
    Failure,
    Fault,
    Job,
    LogState,
    Outcome,
    Step,
    TestReport,
    Where,
    WorkflowFile,
)

TEST_FILE = "test/unit/test_pool.py"


def decided_on(
    *failures: Failure,
    green: tuple[Job, ...] = (),
    files: tuple[ChangedFile, ...] = (a_file(TEST_FILE),),
    workflow: WorkflowFile | None = None,
) -> Decided:
    facts = the_facts(failures, green=green, files=files, workflows={RUN: workflow} if workflow else {})
    return decide(facts, failures)


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (broken_machine(), "broke before a test ran"),
        (replace(broken_machine(), log_state=LogState.ABSENT), "no log shows that a test ran"),
        (broken_machine(rule=a_rule(fault=Fault.GPU_RESIDUE)), "the GPU was not free, no test ran"),
        (never_started(), "never got a runner"),
        (stopped(), "stopped before a test ran"),
        (refused(), "the gate let nothing behind it run"),
        (a_failure(), "its log shows no test"),
    ],
)
def test_a_red_job_that_ran_no_test_is_listed_with_the_reason(failure: Failure, why: str) -> None:
    (silent,) = decided_on(failure, files=(a_file("docs/guide.md"),)).not_exercised

    assert (silent.job, silent.name, silent.why) == (failure.job.id, failure.job.name, why)


def test_a_test_job_that_another_job_stopped_is_listed_and_an_aggregator_is_not() -> None:
    root = failing_tests(job=a_job(name="unit"))
    gave_up = Step(number=3, name="Is everything well?", conclusion=Conclusion.FAILURE)
    never_ran = Step(number=4, name="Run tests", conclusion=Conclusion.SKIPPED)
    shard = replace(a_job(name="gpu (2)"), steps=(gave_up, never_ran))
    skipped = following("unit", job=shard, reports_only=False)
    finish = following("unit", job=a_job(name="finish"), reports_only=True)
    waiting = following("unit", job=a_job(name="wait-for-unit"), by_text=True, reports_only=False)

    (silent,) = decided_on(root, skipped, finish, waiting).not_exercised

    assert (silent.job, silent.why) == (skipped.job.id, "skipped because of another job")


def test_a_job_whose_tests_ran_gave_a_signal() -> None:
    assert not decided_on(failing_tests(ran=40)).not_exercised
    assert not decided_on(failing_tests(ran=None)).not_exercised


def test_a_runner_that_counts_zero_tests_settles_it() -> None:
    set_up = TestReport(runners=("unittest",), ran=0, failures=(a_test(outcome=Outcome.ERROR),))
    failure = broken_machine(rule=a_rule(fault=Fault.GPU_RESIDUE, where=Where.TEST_ERROR), tests=set_up)

    assert [silent.job for silent in decided_on(failure).not_exercised] == [failure.job.id]


SUITE = a_workflow(
    a_workflow_job("xpu-test", run="python -m pytest test/unit -q"), a_workflow_job("lint", run="ruff .")
)


def test_a_changed_test_that_only_a_broken_job_would_have_run_is_named_with_that_job() -> None:
    failure = broken_machine(job=a_job(name="xpu-test"))

    decided = decided_on(failure, workflow=SUITE, green=(a_job(name="lint", conclusion=Conclusion.SUCCESS),))

    assert decided.coverage == (
        Coverage(path=TEST_FILE, jobs=("xpu-test",), exercised=False, known_by="the workflow file"),
    )


def test_a_changed_test_that_a_green_job_ran_is_exercised() -> None:
    green = a_job(name="xpu-test", conclusion=Conclusion.SUCCESS)

    (covered,) = decided_on(workflow=SUITE, green=(green,)).coverage

    assert covered.exercised


def test_a_changed_test_that_failed_is_exercised_by_the_job_whose_log_says_so() -> None:
    (covered,) = decided_on(failing_tests(job=a_job(name="unit"))).coverage

    assert (covered.jobs, covered.exercised, covered.known_by) == (("unit",), True, "its log")


def test_a_skipped_job_exercises_nothing() -> None:
    skipped = a_job(name="xpu-test", conclusion=Conclusion.SKIPPED)

    (covered,) = decided_on(workflow=SUITE, green=(skipped,)).coverage

    assert not covered.exercised


def test_changed_tests_that_no_job_names_are_a_gap_and_nothing_is_guessed() -> None:
    files = (
        a_file("test/a/test_one.py"),
        a_file("test/a/test_two.py"),
        a_file("test/a/test_gone.py", status="removed"),
    )

    decided = decided_on(broken_machine(), files=files)

    assert not decided.coverage
    assert str(decided.gaps[-1]) == ("2 of 2 changed test files: no workflow file and no log says which jobs run them")


def test_a_change_without_tests_has_no_coverage_to_speak_of() -> None:
    decided = decided_on(broken_machine(), files=(a_file("docs/guide.md"),))

    assert not decided.coverage
    assert not any("test file" in gap.what for gap in decided.gaps)


GATED = a_workflow(
    a_workflow_job("gate", run="check"),
    a_workflow_job("build", needs=("gate",), run="make"),
    a_workflow_job("gpu", needs=("build",), run="pytest"),
)


def test_jobs_that_were_skipped_because_of_a_red_one_gave_no_signal_either() -> None:
    gate = refused(job=a_job(name="gate"))
    behind = tuple(a_job(name=name, conclusion=Conclusion.SKIPPED) for name in ("build", "gpu"))

    decided = decided_on(gate, green=behind, workflow=GATED)

    assert [(one.name, one.why) for one in decided.not_exercised] == [
        ("build", "skipped, because `gate` did not pass"),
        ("gpu", "skipped, because `gate` did not pass"),
    ]


def test_a_job_that_was_skipped_for_its_own_reasons_is_not_held_against_anybody() -> None:
    red = broken_machine(job=a_job(name="gpu"))
    skipped = a_job(name="build", conclusion=Conclusion.SKIPPED)

    decided = decided_on(red, green=(skipped,), workflow=GATED)

    assert [one.name for one in decided.not_exercised] == ["gpu"]


def test_the_suite_that_a_changed_test_names_says_which_jobs_run_it() -> None:
    patch = (
        '@@ -1,2 +1,3 @@\n import unittest\n+register_xpu(suite="stage-a-1-gpu-xpu")\n-register(suite="nightly-1-gpu")'
    )
    file = ChangedFile(path=TEST_FILE, patch=patch)
    workflow = a_workflow(
        a_workflow_job("xpu-a", run="python run_suite.py --suite stage-a-1-gpu-xpu"),
        a_workflow_job("xpu-b", run="python run_suite.py --suite stage-b-1-gpu-xpu"),
        a_workflow_job("nightly", run="python run_suite.py --suite nightly-1-gpu"),
    )
    green = tuple(a_job(name=name, conclusion=Conclusion.SUCCESS) for name in ("xpu-b", "nightly"))

    decided = decided_on(broken_machine(job=a_job(name="xpu-a")), green=green, files=(file,), workflow=workflow)

    assert decided.coverage == (
        Coverage(path=TEST_FILE, jobs=("xpu-a",), exercised=False, known_by="the suite that the test file names"),
    )
