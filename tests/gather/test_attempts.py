"""Which jobs and runs count."""

from __future__ import annotations

from typing import Any

from tests.gather.reads import a_job, a_run
from triage.gather.attempts import newest_attempts
from triage.gather.runs import runs_that_count
from triage.source.shapes import job_of, run_of


def newest_of(*jobs: dict[str, Any]) -> tuple[list[int], list[int]]:
    newest, earlier = newest_attempts([job_of(job) for job in jobs])
    return [job.id for job in newest], [job.id for job in earlier]


def job(job_id: int, name: str, attempt: int = 1, conclusion: str | None = "failure") -> dict[str, Any]:
    return a_job(job_id, name=name, run_attempt=attempt, conclusion=conclusion)


def test_without_a_rerun_every_job_counts() -> None:
    assert newest_of(job(1, "build"), job(2, "test")) == ([1, 2], [])


def test_a_job_that_ran_again_counts_as_it_ended_then() -> None:
    assert newest_of(job(1, "test"), job(2, "test", 2, "success")) == ([2], [1])


def test_a_job_that_did_not_run_again_still_counts() -> None:
    jobs = job(1, "build", conclusion="success"), job(2, "test"), job(3, "test", 2)

    assert newest_of(*jobs) == ([1, 3], [2])


def test_the_order_in_which_github_lists_attempts_does_not_matter() -> None:
    jobs = job(3, "test", 2), job(1, "build", conclusion="success"), job(2, "test")

    assert newest_of(*jobs) == ([3, 1], [2])


def test_a_third_attempt_replaces_the_second() -> None:
    jobs = job(1, "a"), job(2, "b"), job(3, "a", 2), job(4, "b", 2), job(5, "b", 3)

    assert newest_of(*jobs) == ([3, 5], [1, 2, 4])


def test_namesakes_in_one_attempt_are_different_jobs() -> None:
    assert newest_of(job(1, "gate"), job(2, "gate"), job(3, "gate", 2), job(4, "gate", 2)) == ([3, 4], [1, 2])


def test_of_namesakes_the_red_one_was_run_again() -> None:
    jobs = job(1, "gate", conclusion="success"), job(2, "gate"), job(3, "gate", 2, "success")

    assert newest_of(*jobs) == ([1, 3], [2])


def test_of_two_red_namesakes_one_stays_red_when_one_was_run_again() -> None:
    assert newest_of(job(1, "gate"), job(2, "gate"), job(3, "gate", 2, "success")) == ([3, 2], [1])


def test_jobs_that_a_rerun_brought_count_too() -> None:
    jobs = job(1, "test (${{ matrix.os }})", conclusion="skipped"), job(2, "test (linux)", 2), job(3, "test (mac)", 2)

    assert newest_of(*jobs) == ([1, 2, 3], [])


def counted(*runs: dict[str, Any]) -> tuple[list[int], list[str]]:
    kept, gaps = runs_that_count([run_of(run) for run in runs])
    return [run.id for run in kept], [str(gap) for gap in gaps]


def run(run_id: int, created: str, path: str = "ci.yml", **fields: Any) -> dict[str, Any]:
    return a_run(run_id, path=path, created_at=f"2026-09-18T{created}Z", **fields)


def test_the_newest_run_of_a_workflow_counts_and_the_failed_one_before_is_named() -> None:
    assert counted(run(2, "03:00:00"), run(1, "02:00:00")) == (
        [2],
        ["run 1 of CI 1: not counted: run 2 of the same workflow at the same commit is newer"],
    )


def test_a_run_that_a_newer_one_cancelled_is_not_missed() -> None:
    assert counted(run(1, "02:00:00", conclusion="cancelled"), run(2, "03:00:00")) == ([2], [])


def test_the_same_workflow_for_another_event_counts_too() -> None:
    assert counted(run(1, "02:00:00"), run(2, "03:00:00", event="push")) == ([1, 2], [])


def test_a_run_that_found_nothing_to_do_replaces_nothing() -> None:
    # Every label starts the workflow again, and most of those runs skip all their jobs.
    assert counted(run(2, "03:00:00", conclusion="skipped"), run(1, "02:00:00")) == ([1], [])


def test_a_run_in_progress_replaces_the_one_before() -> None:
    newer = run(2, "03:00:00", status="in_progress", conclusion=None)

    assert counted(newer, run(1, "02:00:00", conclusion="success")) == ([2], [])
