"""Questions to the tables. Each names a repository; one that was never stored has nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from triage.history.records import BranchKind, KnownJob, KnownRun, Sightings, TestResult
from triage.history.store import schema
from triage.history.store.merging import batches, rows_where
from triage.history.store.rows import (
    digest,
    failure_of,
    job_of,
    repository_row,
    run_of,
    seconds,
    sighting_of,
    signature_of,
    signature_row,
)
from triage.model import JobId, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import Select, Table
    from sqlalchemy.engine import Connection

    from triage.model import Job, Repository, RunId, Sighting, Signature

_sighting, _signature, _job, _run = schema.sighting, schema.signature, schema.job, schema.run
_failure, _test, _result = schema.failure, schema.test, schema.test_result


def _seen(filed: sa.Subquery) -> Select[Any]:
    """Say of filed sightings which job and run they are."""
    return (
        sa.select(
            filed.c.at,
            filed.c.branch_kind,
            _job.c.job_id,
            _job.c.name,
            _job.c.url,
            _job.c.runner,
            _run.c.run_id,
            _run.c.attempt,
            _run.c.head_sha,
            _run.c.pull_number,
            _run.c.author,
        )
        .select_from(filed)
        .join(_job, _job.c.id == filed.c.job_key)
        .join(_run, _run.c.id == _job.c.run_key)
    )


def _newest_sightings() -> Select[Any]:
    """Choose the newest in the index alone; only for those is it looked up what they are."""
    newest = (
        sa.select(_sighting)
        .where(
            _sighting.c.signature_key == sa.bindparam("signature"),
            _sighting.c.branch_kind == sa.bindparam("kind"),
            _sighting.c.at >= sa.bindparam("since"),
        )
        .order_by(_sighting.c.at.desc(), _sighting.c.job_key.desc())
        .limit(sa.bindparam("most"))
        .subquery()
    )
    return _seen(newest).order_by(newest.c.at.desc(), newest.c.job_key.desc())


# Asked for every failure: writing these down once takes less time than asking them.
_NEWEST_SIGHTINGS = _newest_sightings()
_SIGNATURE = sa.select(_signature.c.id).where(
    _signature.c.repository_key == sa.bindparam("repository"),
    _signature.c.version == sa.bindparam("version"),
    _signature.c.digest == sa.bindparam("digest"),
)
_REPOSITORY = sa.select(schema.repository.c.id).where(
    schema.repository.c.host == sa.bindparam("host"), schema.repository.c.full_name == sa.bindparam("full_name")
)


class Asker:
    """Asks about one repository on one connection."""

    def __init__(self, connection: Connection, repository: Repository) -> None:
        self._connection = connection
        self._key = connection.execute(_REPOSITORY, repository_row(repository)).scalar_one_or_none()

    @property
    def key(self) -> int | None:
        """The repository's own; None when nothing was ever stored of it."""
        return self._key

    def sightings(self, signature: Signature, *, since: datetime, limit: int, in_runs: Collection[RunId]) -> Sightings:
        """Return where a signature was seen, newest first, at most `limit` on each kind of branch."""
        row = signature_row(signature)
        named = {"repository": self._key, "version": row["version"], "digest": row["digest"]}
        key = self._connection.execute(_SIGNATURE, named).scalar_one_or_none()
        if key is None:
            return Sightings()
        asked = {"signature": key, "since": seconds(since), "most": limit}
        return Sightings(
            on_default=self._sightings(asked | {"kind": BranchKind.DEFAULT.value}),
            on_pulls=self._sightings(asked | {"kind": BranchKind.PULL.value}),
            in_runs=self._in_runs(key, in_runs),
        )

    def _sightings(self, asked: dict[str, object]) -> tuple[Sighting, ...]:
        return tuple(sighting_of(row) for row in self._connection.execute(_NEWEST_SIGHTINGS, asked))

    def _in_runs(self, signature_key: int, runs: Collection[RunId]) -> tuple[Sighting, ...]:
        if not runs:
            return ()
        jobs = (
            sa.select(_job.c.id)
            .join(_run, _run.c.id == _job.c.run_key)
            .where(_run.c.repository_key == self._key, _run.c.run_id.in_(runs))
        )
        there = (
            sa.select(_sighting)
            .where(_sighting.c.job_key.in_(jobs), _sighting.c.signature_key == signature_key)
            .subquery()
        )
        found = _seen(there).order_by(_run.c.attempt.desc(), there.c.at.desc(), there.c.job_key.desc())
        return tuple(sighting_of(row) for row in self._connection.execute(found))

    def jobs(
        self,
        kind: BranchKind,
        *,
        since: datetime,
        limit: int,
        workflow_path: str | None,
        names: Collection[str] | None,
    ) -> tuple[KnownJob, ...]:
        """Return finished jobs of one kind of branch, newest run first, with what was read of the red ones."""
        conditions = [
            _run.c.repository_key == self._key,
            _run.c.branch_kind == kind.value,
            _run.c.created_at >= seconds(since),
            _job.c.status == "completed",
        ]
        if workflow_path is not None:
            conditions.append(_run.c.workflow_path == workflow_path)
        if names is not None:
            conditions.append(_job.c.name.in_(list(names)))
        newest = _run.c.created_at.desc(), _run.c.run_id.desc(), _run.c.attempt.desc(), _job.c.id.desc()
        chosen = (
            sa.select(_job.c.id)
            .join(_run, _run.c.id == _job.c.run_key)
            .where(*conditions)
            .order_by(*newest)
            .limit(limit)
        )
        return tuple(self._known_jobs(list(self._connection.execute(chosen).scalars())))

    def known_jobs(self, jobs: Iterable[JobId]) -> Iterator[KnownJob]:
        """Yield those of the jobs that are stored."""
        rows = rows_where(self._connection, _job, _job.c.job_id, jobs, _job.c.repository_key == self._key)
        yield from self._known_jobs([row["id"] for row in rows])

    def _known_jobs(self, keys: Sequence[int]) -> Iterator[KnownJob]:
        jobs = {row["id"]: row for row in rows_where(self._connection, _job, _job.c.id, keys)}
        run_keys = (job["run_key"] for job in jobs.values())
        runs = {
            row.id: run_of(row)
            for some in batches(dict.fromkeys(run_keys))
            for row in self._connection.execute(sa.select(_run).where(_run.c.id.in_(some)))
        }
        failures = {row["job_key"]: row for row in rows_where(self._connection, _failure, _failure.c.job_key, keys)}
        signatures = self._signatures_of(failures)
        for key in keys:
            run = runs[jobs[key]["run_key"]]
            failure = failures.get(key)
            yield KnownJob(
                run=run,
                job=job_of(jobs[key], run),
                failure=failure_of(failure, tuple(signatures.get(key, ()))) if failure else None,
            )

    def _signatures_of(self, job_keys: Iterable[int]) -> dict[int, list[Signature]]:
        by_job: dict[int, list[Signature]] = {}
        for some in batches(job_keys):
            found = (
                sa.select(_signature, _sighting.c.job_key)
                .join(_sighting, _sighting.c.signature_key == _signature.c.id)
                .where(_sighting.c.job_key.in_(some))
                .order_by(_signature.c.id)
            )
            for row in self._connection.execute(found).mappings():
                by_job.setdefault(row["job_key"], []).append(signature_of(dict(row)))
        return by_job

    def tests(self, names: Collection[str], *, since: datetime, limit: int) -> dict[str, tuple[TestResult, ...]]:
        """Return what came of tests on the default branch, newest first; those it tells nothing of are left out."""
        digests = {digest(name): name for name in names}
        there = rows_where(self._connection, _test, _test.c.digest, digests, _test.c.repository_key == self._key)
        found = {
            digests[row["digest"]]: self._results(row["id"], digests[row["digest"]], since, limit) for row in there
        }
        return {name: results for name, results in found.items() if results}

    def _results(self, key: int, name: str, since: datetime, limit: int) -> tuple[TestResult, ...]:
        newest = (
            sa.select(_result)
            .where(
                _result.c.test_key == key,
                _result.c.branch_kind == BranchKind.DEFAULT.value,
                _result.c.at >= seconds(since),
            )
            .order_by(_result.c.at.desc(), _result.c.job_key.desc())
            .limit(limit)
            .subquery()
        )
        found = (
            _seen(newest)
            .add_columns(newest.c.outcome, _signature.c.kind, _signature.c.parts, _signature.c.version)
            .outerjoin(_signature, _signature.c.id == newest.c.signature_key)
            .order_by(newest.c.at.desc(), newest.c.job_key.desc())
        )
        return tuple(
            TestResult(
                test=name,
                where=sighting_of(row),
                outcome=None if row.outcome is None else Outcome(row.outcome),
                signature=None if row.kind is None else signature_of(dict(row._mapping)),  # noqa: SLF001  SQLAlchemy's own API
            )
            for row in self._connection.execute(found)
        )

    def runs(self, runs: Iterable[RunId]) -> dict[RunId, KnownRun]:
        """Return the newest stored attempt of those runs that are stored."""
        known: dict[RunId, KnownRun] = {}
        for some in batches(dict.fromkeys(runs)):
            found = (
                sa.select(_run)
                .where(_run.c.repository_key == self._key, _run.c.run_id.in_(some))
                .order_by(_run.c.attempt)
            )
            for row in self._connection.execute(found):
                run = run_of(row)
                known[run.id] = KnownRun(run=run, jobs_known=row.jobs_known)
        return known

    def jobs_of(self, run_id: RunId) -> tuple[Job, ...]:
        """Return the stored jobs of a run, of all its attempts, by id."""
        found = (
            sa.select(_job, _run.c.id.label("of_run"))
            .join(_run, _run.c.id == _job.c.run_key)
            .where(_run.c.repository_key == self._key, _run.c.run_id == run_id)
            .order_by(_job.c.job_id)
        )
        runs = {
            row.id: run_of(row)
            for row in self._connection.execute(
                sa.select(_run).where(_run.c.repository_key == self._key, _run.c.run_id == run_id)
            )
        }
        rows = self._connection.execute(found).mappings()
        return tuple(job_of(dict(row), runs[row["of_run"]]) for row in rows)

    def kept(self, names: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the bodies that are kept under those digests."""
        table: Table = schema.kept
        rows = rows_where(self._connection, table, table.c.digest, names, table.c.repository_key == self._key)
        return {row["digest"]: row["body"] for row in rows}
