"""Why a job has no log. GitHub's answer (404 or 410) does not tell; the job itself does."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from triage.model import Conclusion, Job, LogState, MissingLog

if TYPE_CHECKING:
    from datetime import datetime

# GitHub's default; a repository may keep logs for a shorter time, and private ones for up to 400 days.
RETENTION = timedelta(days=90)
GONE = 410


def missing_log(job: Job, *, status: int | None, now: datetime | None) -> MissingLog:
    """Tell from the job object why there is no log.

    Queued, running, cancelled and lost jobs get the same 404, and expired logs give 410 or 404.

    Args:
        job: As GitHub describes it now.
        status: What the log's address answered; None when it was not even asked.
        now: To tell an old log from one that never was; None when the time of asking is not known.
    """
    if job.conclusion is None or job.status != "completed":
        return MissingLog(state=LogState.PENDING, why="the job has not finished")
    if job.never_started:
        return MissingLog(state=LogState.ABSENT, why="no runner ever took the job, so nothing was logged")
    if job.conclusion is Conclusion.SKIPPED:
        return MissingLog(state=LogState.ABSENT, why="the job was skipped, so nothing was logged")
    if status == GONE or _is_old(job, now):
        return MissingLog(state=LogState.EXPIRED, why="GitHub has deleted the log: its time of retention is over")
    if job.conclusion is Conclusion.CANCELLED:
        return MissingLog(state=LogState.ABSENT, why="the job was cancelled before its log was stored")
    return MissingLog(
        state=LogState.ABSENT,
        why="GitHub has no log of this job: the runner was lost before it could send one, or the log was deleted early",
    )


def _is_old(job: Job, now: datetime | None) -> bool:
    ended = job.completed_at or job.started_at
    return now is not None and ended is not None and now - ended > RETENTION
