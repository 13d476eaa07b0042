"""Law 6: a job that ran no test gave no signal, and the report says which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.decide.reach import failed_tests
from triage.decide.sentences import names
from triage.model import Category, Conclusion, LogState, NotExercised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from triage.decide.chains import Chains
    from triage.model import Facts, Failure, Job, JobId, JobVerdict

_WHY: Mapping[Category, str] = {
    Category.STARVED: "never got a runner",
    Category.CANCELLED: "stopped before a test ran",
    Category.MISSING_LABEL: "the gate let nothing behind it run",
    Category.CASCADE: "skipped because of another job",
    Category.INFRASTRUCTURE: "broke before a test ran",
    Category.GPU_RESIDUE: "the GPU was not free, no test ran",
}
# Where these end a job, tests may have run before; only its log tells.
_TOLD_BY_A_LOG = frozenset({Category.CANCELLED, Category.INFRASTRUCTURE, Category.GPU_RESIDUE})


def not_exercised(facts: Facts, rows: Sequence[JobVerdict], chains: Chains) -> tuple[NotExercised, ...]:
    """Return the jobs that gave no signal: red ones that ran no test, then ones that were skipped because of red ones.

    Left out are jobs in which nothing was missed: aggregators, and gates behind which the skipped jobs are known.
    """
    skipped = [job for job in facts.jobs if job.conclusion is Conclusion.SKIPPED]
    blocked = [(job, blocking) for job in skipped if (blocking := chains.blocking(job))]
    gates = {one.id for _, blocking in blocked for one in blocking}
    silent = [
        NotExercised(job=row.failure.job.id, name=row.failure.job.name, why=_why(row))
        for row in rows
        if ran_no_test(row.failure) and not _missed_nothing(row, gates)
    ]
    return (*silent, *(NotExercised(job=job.id, name=job.name, why=_skipped(blocking)) for job, blocking in blocked))


def ran_no_test(failure: Failure) -> bool:
    """Whether no test of the job gave a signal.

    A runner that counts zero settles it; without a count, a failed test or a runner that showed itself means that
    some ran.
    """
    tests = failure.tests
    if tests.ran is not None:
        return tests.ran == 0
    return not failed_tests(failure) and not tests.runners and not tests.passed


def _missed_nothing(row: JobVerdict, gates: set[JobId]) -> bool:
    """Whether a red job runs nothing of its own that could have been missed."""
    if row.failure.reports_only or (row.category is Category.MISSING_LABEL and row.failure.job.id in gates):
        return True
    job = row.failure.job
    return row.category is Category.CASCADE and bool(job.steps) and not _left_steps_behind(job)


def _left_steps_behind(job: Job) -> bool:
    """Whether steps of the job never ran: a test job that gives up leaves some behind, an aggregator does not."""
    failed = job.failed_step
    later = (step for step in job.steps if failed is not None and step.number > failed.number)
    return any(step.conclusion is Conclusion.SKIPPED and not step.name.startswith("Post ") for step in later)


def _why(row: JobVerdict) -> str:
    failure = row.failure
    if failure.job.never_started:
        return _WHY[Category.STARVED] if row.category is Category.STARVED else "never started"
    is_read = failure.log_state in {LogState.READ, LogState.TRUNCATED}
    if row.category in _WHY and (is_read or row.category not in _TOLD_BY_A_LOG):
        return _WHY[row.category]
    if not is_read:
        return "no log shows that a test ran"
    return "its log shows no test"


def _skipped(blocking: Sequence[Job]) -> str:
    return f"skipped, because {names(tuple(dict.fromkeys(job.name for job in blocking)))} did not pass"
