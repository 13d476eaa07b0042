"""Failures that no rule explains, of all repositories: what new rules are written for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from triage.history.records import Unmatched
from triage.history.store import schema
from triage.history.store.rows import time_of
from triage.model import Fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sqlalchemy.engine import Connection

_failure, _job, _run, _repository = schema.failure, schema.job, schema.run, schema.repository


def unmatched(connection: Connection, general: Collection[str], most: int) -> Iterator[Unmatched]:
    """Yield them, newest first; a failure of which no line was kept is left out.

    Failed tests are not among them: what they say is known by the test.
    """
    unknown = _failure.c.rule.is_(None) & (_failure.c.fault == Fault.UNKNOWN.value)
    asked = (
        sa.select(
            _failure.c.excerpt,
            _failure.c.rule,
            _job.c.runner,
            _run.c.pull_number,
            _run.c.author,
            _run.c.created_at,
            _repository.c.full_name,
        )
        .select_from(_failure)
        .join(_job, _job.c.id == _failure.c.job_key)
        .join(_run, _run.c.id == _job.c.run_key)
        .join(_repository, _repository.c.id == _run.c.repository_key)
        .where(unknown | _failure.c.rule.in_(sorted(general)), _failure.c.excerpt != "")
        .order_by(_run.c.created_at.desc(), _job.c.id.desc())
        .limit(most)
    )
    for row in connection.execute(asked):
        yield Unmatched(
            excerpt=row.excerpt,
            at=time_of(row.created_at),
            rule=row.rule,
            pull=(row.full_name, row.pull_number) if row.pull_number is not None else None,
            author=row.author,
            host=row.runner,
        )
