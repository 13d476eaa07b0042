"""Puts one triage into the tables. The same triage twice changes nothing; a later view replaces an earlier one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from triage.decide.reach import failed_tests
from triage.history.records import BranchKind, branch_kind
from triage.history.store import schema
from triage.history.store.merging import batches, merge, rows_where
from triage.history.store.rows import (
    clean,
    digest,
    failure_row,
    is_storable,
    job_row,
    repository_row,
    run_of,
    run_row,
    signature_row,
    some_seconds,
)
from triage.signature import signature_of_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Table
    from sqlalchemy.dialects import postgresql, sqlite
    from sqlalchemy.engine import Connection

    from triage.history.records import PullOfRun
    from triage.history.store.rows import Row
    from triage.model import Failure, Job, JobId, Repository, Run, RunId, Signature, TestFailure

RunKeys = dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a job stands: its own row, and what its sightings are filed under."""

    key: int
    kind: int
    at: int


class Writer:
    """Writes into one repository. Making it takes a lock on the repository, so that one writes at a time."""

    def __init__(self, connection: Connection, repository: Repository) -> None:
        self._connection = connection
        self._repository = repository
        self.key = _lock_repository(connection, repository)

    def runs(self, runs: Iterable[Run], *, pulls: Mapping[RunId, PullOfRun], jobs_known: bool) -> RunKeys:
        """Add attempts of runs; returns the key of each by run id and attempt."""
        rows = [self._run_row(run, pulls.get(run.id), jobs_known=jobs_known) for run in runs]
        ids = merge(self._connection, schema.run, ("run_id", "attempt"), rows, within=self.key, newer=self._newer_run)
        return {(run_id, attempt): key for (run_id, attempt), key in ids.items()}

    def _run_row(self, run: Run, pull: PullOfRun | None, *, jobs_known: bool) -> Row:
        number = pull.number if pull else next(iter(run.pull_numbers), None)
        kind = branch_kind(run, self._repository, number)
        is_pull = kind is BranchKind.PULL
        return run_row(run) | {
            "pull_number": number if is_pull else None,
            "author": clean((pull.author if pull else "") or run.actor) if is_pull else "",
            "branch_kind": kind.value,
            "jobs_known": jobs_known and run.is_complete,
        }

    def _newer_run(self, old: Mapping[str, Any], new: Row) -> Row:
        """Merge two views of an attempt: nothing that was known is forgotten, and what is over stays over."""
        is_stale = old["status"] == "completed" and (new["status"] != "completed" or new["conclusion"] is None)
        merged = dict(old) if is_stale else dict(new)
        merged["jobs_known"] = bool(old["jobs_known"] or new["jobs_known"])
        if new["pull_number"] is None and old["pull_number"] is not None:
            merged |= {name: old[name] for name in ("pull_number", "author", "branch_kind")}
        elif is_stale and new["pull_number"] is not None:
            merged |= {name: new[name] for name in ("pull_number", "author", "branch_kind")}
        if merged["branch_kind"] != old["branch_kind"]:
            self._refile(old["id"], merged["branch_kind"])
        return merged

    def _refile(self, run_key: int, kind: int) -> None:
        jobs = sa.select(schema.job.c.id).where(schema.job.c.run_key == run_key)
        for table in (schema.sighting, schema.test_result):
            self._connection.execute(sa.update(table).where(table.c.job_key.in_(jobs)).values(branch_kind=kind))

    def jobs(self, jobs: Sequence[Job], keys: RunKeys) -> dict[JobId, int]:
        """Add jobs; what they were while running is replaced by how they ended. Returns the key of each."""
        rows = [job_row(job) | {"run_key": keys[job.run_id, job.run_attempt]} for job in jobs]
        ids = merge(self._connection, schema.job, ("job_id",), rows, within=self.key, newer=_newer_job)
        return {job.id: ids[(job.id,)] for job in jobs}

    def failures(self, failures: Iterable[Failure], keys: Mapping[JobId, int], reader: str) -> None:
        """Add what was read from red jobs, with every signature and test; a new reading replaces the old."""
        for failure in failures:
            place = self._place(failure.job, keys[failure.job.id])
            self._failure(place.key, failure_row(failure, reader))
            shown = self._signatures(_shown_by(failure))
            self._file(schema.sighting, place, [{"signature_key": key} for key in shown.values()], ("signature_key",))
            ids = self._signatures(_of_tests(failure))
            self._tests(place, failure.tests.failures, (), ids)

    def passed(
        self, tests: Mapping[JobId, Sequence[str]], jobs: Mapping[JobId, Job], keys: Mapping[JobId, int]
    ) -> None:
        """Add tests that passed, where their names are known."""
        for job_id, names in tests.items():
            self._tests(self._place(jobs[job_id], keys[job_id]), (), names, {})

    def _place(self, job: Job, key: int) -> _Place:
        row = self._connection.execute(
            sa.select(schema.run)
            .join(schema.job, schema.job.c.run_key == schema.run.c.id)
            .where(schema.job.c.id == key)
        ).one()
        run = run_of(row)
        time = job.completed_at or job.started_at or job.created_at or run.updated_at or run.created_at
        return _Place(key, row.branch_kind, some_seconds(time) or 0)

    def _failure(self, job_key: int, row: Row) -> None:
        table = schema.failure
        values = row | {"job_key": job_key}
        insert = _insert(self._connection, table).values(values)
        self._connection.execute(insert.on_conflict_do_update(index_elements=[table.c.job_key], set_=row))

    def _signatures(self, signatures: Iterable[Signature]) -> dict[Signature, int]:
        rows = {signature: signature_row(signature) for signature in signatures if is_storable(signature)}
        ids = merge(self._connection, schema.signature, ("digest", "version"), list(rows.values()), within=self.key)
        return {signature: ids[row["digest"], row["version"]] for signature, row in rows.items()}

    def _tests(
        self,
        place: _Place,
        failed: Sequence[TestFailure],
        passed: Sequence[str],
        signatures: Mapping[Signature, int],
    ) -> None:
        found: dict[str, tuple[str | None, int | None]] = dict.fromkeys(passed, (None, None))
        for test in failed:
            signature = signature_of_test(test)
            found[test.id] = (test.outcome.value, signatures.get(signature) if signature else None)
        if not found:
            return
        digests = {name: digest(name) for name in found}
        rows = [{"digest": digests[name], "name": clean(name)} for name in found]
        ids = merge(self._connection, schema.test, ("digest",), rows, within=self.key)
        results = [
            {"test_key": ids[(digests[name],)], "outcome": outcome, "signature_key": key}
            for name, (outcome, key) in found.items()
        ]
        self._file(schema.test_result, place, results, ("test_key",), keep=bool(passed))

    def _file(
        self, table: Table, place: _Place, rows: Sequence[Row], key: tuple[str, ...], *, keep: bool = False
    ) -> None:
        """Make the rows of a job be these; what is there already stays as it is. `keep`: others stay, too."""
        filed = {"branch_kind": place.kind, "at": place.at, "job_key": place.key}
        wanted = {tuple(row[name] for name in key): row | filed for row in rows}
        there = {
            tuple(row[name] for name in key): dict(row)
            for row in rows_where(self._connection, table, table.c.job_key, [place.key])
        }
        outdated = [found for found, row in there.items() if wanted.get(found, row if keep else None) != row]
        (name,) = key
        for some in batches(found[0] for found in outdated):
            self._connection.execute(sa.delete(table).where(table.c.job_key == place.key, table.c[name].in_(some)))
        added = [row for found, row in wanted.items() if found not in there or found in outdated]
        if added:
            self._connection.execute(sa.insert(table), added)

    def keep(self, bodies: Mapping[bytes, bytes], at: int, *, since: int) -> None:
        """Keep answers under their digests, and let go of those from before `since`."""
        table = schema.kept
        self._connection.execute(sa.delete(table).where(table.c.repository_key == self.key, table.c.at < since))
        for name, body in bodies.items():
            values = {"repository_key": self.key, "digest": name, "at": at, "body": body}
            insert = _insert(self._connection, table).values(values)
            place = [table.c.repository_key, table.c.digest]
            changed = table.c.body != body
            self._connection.execute(insert.on_conflict_do_update(index_elements=place, set_=values, where=changed))


def with_earlier_attempts(runs: Sequence[Run], jobs: Iterable[Job]) -> tuple[Run, ...]:
    """Add the attempts that only their jobs tell of: when and how those ended was not said."""
    by_id = {run.id: run for run in runs}
    known = {(run.id, run.attempt) for run in runs}
    missing = dict.fromkeys((job.run_id, job.run_attempt) for job in jobs)
    earlier = (
        replace(by_id[run_id], attempt=attempt, status="completed", conclusion=None, started_at=None, updated_at=None)
        for run_id, attempt in missing
        if (run_id, attempt) not in known
    )
    return (*runs, *earlier)


def _lock_repository(connection: Connection, repository: Repository) -> int:
    table = schema.repository
    row = repository_row(repository)
    # PostgreSQL locks the row that it updates, even when nothing changes, until the transaction ends.
    connection.execute(
        _insert(connection, table)
        .values(row)
        .on_conflict_do_update(
            index_elements=[table.c.host, table.c.full_name],
            set_={"default_branch": row["default_branch"], "private": row["private"]},
        )
    )
    found = sa.select(table.c.id).where(table.c.host == row["host"], table.c.full_name == row["full_name"])
    return int(connection.execute(found).scalar_one())


def _insert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT that knows ON CONFLICT: the two dialects spell it alike, SQLAlchemy does not share it."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as insert_postgresql

        return insert_postgresql(table)
    from sqlalchemy.dialects.sqlite import insert as insert_sqlite

    return insert_sqlite(table)


def _newer_job(old: Mapping[str, Any], new: Row) -> Row:
    is_stale = old["status"] == "completed" and new["status"] != "completed"
    return dict(old) if is_stale else new


def _shown_by(failure: Failure) -> tuple[Signature, ...]:
    """Return what the job failed by. A test that a retry mended did not fail it, and is told among the tests only."""
    own = (failure.signature,) if failure.signature else ()
    tests = (signature_of_test(test) for test in failed_tests(failure))
    return tuple(dict.fromkeys((*own, *(one for one in tests if one is not None))))


def _of_tests(failure: Failure) -> tuple[Signature, ...]:
    tests = (signature_of_test(test) for test in failure.tests.failures)
    return tuple(dict.fromkeys(one for one in tests if one is not None))
