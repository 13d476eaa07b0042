"""The answer for the whole pull request: verdict and headline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.decide.sentences import count
from triage.model import Category, Conclusion, Gap, LogState, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.model import Cause, Facts, JobVerdict, Run

_NO_LOG = frozenset({LogState.EXPIRED, LogState.PENDING, LogState.UNREADABLE})


def verdict_of(facts: Facts, rows: Sequence[JobVerdict]) -> Verdict:
    """Return the answer: evidence against the change first, then what is not known yet, then what nobody could show."""
    categories = {row.category for row in rows}
    if Category.REGRESSION in categories:
        return Verdict.CAUSED_BY_PR
    if is_running(facts) or any(hides(facts, rows)):
        return Verdict.INCOMPLETE
    if Category.UNKNOWN in categories:
        return Verdict.NEEDS_ATTENTION
    return Verdict.NOT_CAUSED_BY_PR if rows else Verdict.NO_FAILURES


def is_running(facts: Facts) -> bool:
    """Whether anything can still change."""
    return any(not run.is_complete for run in facts.runs) or any(job.status != "completed" for job in facts.jobs)


def hides(facts: Facts, rows: Sequence[JobVerdict]) -> Iterator[Gap]:
    """Yield what could not be read and may hide a failure, or the answer for one.

    A job that stays unknown because its log could not be had; a red run none of whose jobs is red; and gaps that say so
    themselves.
    """
    yield from (gap for gap in facts.gaps if gap.hides_jobs)
    for row in rows:
        if row.category is Category.UNKNOWN and row.failure.log_state in _NO_LOG:
            said = Gap(f"log of `{row.failure.job.name}`", row.because)
            yield next(iter(row.failure.gaps), said)
    yield from (gap for run in facts.runs if (gap := jobless(run, facts)))


def jobless(run: Run, facts: Facts) -> Gap | None:
    """Say that a run failed although none of its jobs did; None for every other run."""
    red = run.conclusion is not None and run.conclusion.is_red
    mine = [job for job in facts.jobs if job.run_id == run.id]
    if not red or any(job.is_red for job in mine):
        return None
    what = f"run {run.id} of `{run.workflow or run.workflow_path or 'a workflow'}`"
    if mine:
        return Gap(what, "it is red, and none of its jobs that could be read is", is_loud=True)
    if run.conclusion is Conclusion.STARTUP_FAILURE:
        return Gap(what, "it could not start; GitHub found a fault in the workflow and made no job", is_loud=True)
    return Gap(what, "it ended red without a single job", is_loud=True)


def headline(verdict: Verdict, facts: Facts, causes: Sequence[Cause], *, is_about_a_change: bool) -> str:
    """Return the answer in one line that an e-mail preview shows whole; its numbers are those of the ledger."""
    jobs = sum(len(cause.jobs) for cause in causes)
    found = f"{count(jobs, 'failed job')}, {count(len(causes), 'cause')}" if jobs > 1 else count(jobs, "failed job")
    if verdict is Verdict.NO_FAILURES:
        return f"no failed job in {count(len(facts.runs), 'workflow run')}"
    if verdict is Verdict.INCOMPLETE:
        return f"{f'{found} so far' if jobs else 'no failed job seen'}; {_what_is_missing(facts)}"
    blamed = [cause for cause in causes if cause.category is Category.REGRESSION]
    if blamed:
        return f"{found}; {_of_them(blamed, causes, 'points at this change', 'point at this change')}"
    open_causes = [cause for cause in causes if cause.category is Category.UNKNOWN]
    if open_causes:
        return f"{found}; {_of_them(open_causes, causes, 'needs a look', 'need a look')}"
    # Never "none is caused by it": jobs that ran no test prove nothing either way.
    return f"{found}; nothing points at {'this change' if is_about_a_change else 'the code'}"


def _what_is_missing(facts: Facts) -> str:
    """Say in a few words what keeps the answer open."""
    running = sum(job.status != "completed" for job in facts.jobs)
    if running:
        return f"{count(running, 'job is', 'jobs are')} still running"
    waiting = sum(not run.is_complete for run in facts.runs)
    if waiting:
        return f"{count(waiting, 'run is', 'runs are')} still going"
    without = sum(jobless(run, facts) is not None for run in facts.runs)
    return f"{count(without, 'run')} failed without one" if without else "not everything could be read"


def _of_them(chosen: Sequence[Cause], causes: Sequence[Cause], one: str, many: str) -> str:
    jobs = sum(len(cause.jobs) for cause in chosen)
    if len(chosen) == len(causes):
        return f"it {one}" if len(causes) == 1 else f"all of them {many}"
    return f"{count(len(chosen), 'cause')} ({count(jobs, 'job')}) {one if len(chosen) == 1 else many}"
