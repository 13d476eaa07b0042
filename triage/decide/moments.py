"""When the facts are from: GitHub's own newest time, so that unchanged facts give an unchanged report."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from triage.model import Facts


def newest_time(facts: Facts) -> datetime | None:
    """Return the newest time GitHub reported of a run or job; None when it reported none."""
    return max(_times(facts), default=None)


def _times(facts: Facts) -> Iterator[datetime]:
    for run in facts.runs:
        yield from (time for time in (run.created_at, run.started_at, run.updated_at) if time)
    for job in facts.jobs:
        yield from (time for time in (job.created_at, job.started_at, job.completed_at) if time)
