"""What people said of verdicts, in and out of its table."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import sqlalchemy as sa

from triage.history.feedback import Feedback, Says
from triage.history.store import schema
from triage.history.store.merging import merge
from triage.history.store.rows import clean, seconds, some_time
from triage.model import Category, JobId, RunId

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy.engine import Connection

_feedback = schema.feedback


def add_feedback(connection: Connection, repository_key: int, said: Feedback) -> None:
    """Add what a comment said; the same comment again changes nothing."""
    row = asdict(said) | {
        "at": seconds(said.at),
        "by": clean(said.by),
        "says": said.says.value,
        "head_sha": clean(said.head_sha),
        "job_name": clean(said.job_name),
        "category": said.category.value,
        "right": said.right.value if said.right is not None else None,
        "reason": clean(said.reason),
    }
    merge(connection, _feedback, ("comment_id",), [row], within=repository_key)


def feedback_since(connection: Connection, repository_key: int | None, since: datetime) -> Iterator[Feedback]:
    """Yield what was said since then, newest first."""
    found = (
        sa.select(_feedback)
        .where(_feedback.c.repository_key == repository_key, _feedback.c.at >= seconds(since))
        .order_by(_feedback.c.at.desc(), _feedback.c.comment_id.desc())
    )
    for row in connection.execute(found):
        yield Feedback(
            comment_id=row.comment_id,
            at=some_time(row.at),
            by=row.by,
            says=Says(row.says),
            pull_number=row.pull_number,
            head_sha=row.head_sha,
            run_id=RunId(row.run_id),
            job_id=JobId(row.job_id),
            job_name=row.job_name,
            category=Category(row.category),
            right=Category(row.right) if row.right is not None else None,
            reason=row.reason,
        )
