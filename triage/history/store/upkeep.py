"""What is kept, and how it is thrown away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from triage.history.records import BranchKind, BranchSummary, Pruned, Summary, TopSignature
from triage.history.store import schema
from triage.history.store.rows import seconds, signature_of, some_time, time_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

_sighting, _signature, _job, _run = schema.sighting, schema.signature, schema.job, schema.run
_failure, _test, _result = schema.failure, schema.test, schema.test_result

AT_ONCE = 500
"""Runs removed in one transaction: short enough that nobody who writes meanwhile gives up."""


def prune_some(connection: Connection, older_than: datetime) -> Pruned:
    """Remove some of the runs that were made before then, with all that belongs to them."""
    old = sa.select(_run.c.id).where(_run.c.created_at < seconds(older_than)).order_by(_run.c.created_at).limit(AT_ONCE)
    keys = list(connection.execute(old).scalars())
    jobs = sa.select(_job.c.id).where(_job.c.run_key.in_(keys))
    removed = Pruned(
        runs=len(keys),
        jobs=_count(connection, _job, _job.c.run_key.in_(keys)),
        failures=_count(connection, _failure, _failure.c.job_key.in_(jobs)),
        signatures=0,
    )
    connection.execute(sa.delete(_run).where(_run.c.id.in_(keys)))
    return removed


def prune_rest(connection: Connection, older_than: datetime) -> int:
    """Remove what nothing refers to any more, and answers kept before then; returns how many signatures went."""
    connection.execute(sa.delete(schema.kept).where(schema.kept.c.at < seconds(older_than)))
    connection.execute(sa.delete(_test).where(~_refers(_result.c.test_key == _test.c.id)))
    unseen = ~_refers(_sighting.c.signature_key == _signature.c.id) & ~_refers(
        _result.c.signature_key == _signature.c.id
    )
    return connection.execute(sa.delete(_signature).where(unseen)).rowcount


def _refers(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return sa.exists().where(condition)


def _count(connection: Connection, table: sa.Table, *conditions: ColumnElement[bool]) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(table).where(*conditions)).scalar_one())


def summaries(connection: Connection, *, top: int) -> Iterator[Summary]:
    """Yield what is kept of each repository, by name, with the signatures seen most often."""
    table = schema.repository
    for row in connection.execute(sa.select(table).order_by(table.c.full_name, table.c.host)):
        yield Summary(
            repository=row.full_name,
            branches=tuple(_branches(connection, row.id)),
            signatures=tuple(_top(connection, row.id, top)),
        )


def _branches(connection: Connection, repository: int) -> Iterator[BranchSummary]:
    found = (
        sa.select(
            _run.c.branch_kind,
            sa.func.count(_run.c.id.distinct()).label("runs"),
            sa.func.count(_job.c.id).label("jobs"),
            sa.func.count(_failure.c.job_key).label("failures"),
            sa.func.min(_run.c.created_at).label("oldest"),
            sa.func.max(_run.c.created_at).label("newest"),
        )
        .select_from(
            _run.outerjoin(_job, _job.c.run_key == _run.c.id).outerjoin(_failure, _failure.c.job_key == _job.c.id)
        )
        .where(_run.c.repository_key == repository)
        .group_by(_run.c.branch_kind)
        .order_by(_run.c.branch_kind)
    )
    for row in connection.execute(found):
        yield BranchSummary(
            kind=BranchKind(row.branch_kind),
            runs=row.runs,
            jobs=row.jobs,
            failures=row.failures,
            oldest=time_of(row.oldest),
            newest=time_of(row.newest),
        )


def _top(connection: Connection, repository: int, top: int) -> Iterator[TopSignature]:
    on_default: ColumnElement[Any] = sa.case((_sighting.c.branch_kind == BranchKind.DEFAULT.value, 1), else_=0)
    found = (
        sa.select(
            _signature,
            sa.func.count().label("sightings"),
            sa.func.sum(on_default).label("on_default"),
            sa.func.count(_run.c.pull_number.distinct()).label("pulls"),
            sa.func.max(_sighting.c.at).label("newest"),
        )
        .join(_sighting, _sighting.c.signature_key == _signature.c.id)
        .join(_job, _job.c.id == _sighting.c.job_key)
        .join(_run, _run.c.id == _job.c.run_key)
        .where(_signature.c.repository_key == repository)
        .group_by(_signature.c.id)
        .order_by(sa.func.count().desc(), sa.func.max(_sighting.c.at).desc(), _signature.c.id)
        .limit(top)
    )
    for row in connection.execute(found).mappings():
        yield TopSignature(
            signature=signature_of(dict(row)),
            sightings=row["sightings"],
            on_default=int(row["on_default"]),
            pulls=row["pulls"],
            newest=some_time(row["newest"]),
        )
