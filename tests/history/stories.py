"""Triages as they end up in a history, told briefly."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa

from tests.builders import NOW, REPOSITORY, a_job, a_pull, a_run, failing_tests, the_facts
from triage.history.store.schema import metadata

if TYPE_CHECKING:
    from triage.history.store import Store
    from triage.model import Conclusion, Facts, Failure, Job, Repository, Run

READER = "rules-1"
NEXT_DAY = NOW + timedelta(days=1)
LONG_AGO = NOW - timedelta(days=30)
ANOTHER = replace(REPOSITORY, full_name="acme/other", url="https://github.com/acme/other")

Story = tuple["Facts", tuple["Failure", ...]]


def on_main(
    failure: Failure | None = None,
    *,
    run: int = 501,
    at: datetime = NOW,
    green: tuple[Job, ...] = (),
    repository: Repository = REPOSITORY,
    **fields: object,
) -> Story:
    """A run of the default branch with one failure, or none."""
    failures = () if failure is None else (in_run(failure, run, at),)
    runs = (branch_run(run, at=at, repository=repository, **fields),)
    facts = the_facts(failures, green=tuple(in_run_job(job, run, at) for job in green), no_pull=True, runs=runs)
    return replace(facts, repository=repository), failures


def branch_run(run: int, *, at: datetime = NOW, repository: Repository = REPOSITORY, **fields: object) -> Run:
    made = a_run(number=run, event="push", head_sha=f"{run:040x}")
    ours = replace(made, head_branch="main", head_repository=repository.full_name, created_at=at, updated_at=at)
    return replace(ours, **fields)  # type: ignore[arg-type]  # the callers name fields of the dataclass


def on_pull(
    failure: Failure,
    *,
    number: int = 7,
    author: str = "author",
    run: int = 601,
    at: datetime = NOW,
    attempt: int = 1,
    conclusion: Conclusion | None = None,
    repository: Repository = REPOSITORY,
) -> Story:
    """A run of a pull request with one failure."""
    told = in_run(failure, run, at, attempt=attempt)
    made = replace(a_run(number=run, attempt=attempt), created_at=at, updated_at=at, head_repository="someone/engine")
    facts = the_facts((told,), pull=a_pull(number=number, author=author), runs=(made,))
    return replace(facts, repository=repository), (told,)


def in_run(failure: Failure, run: int, at: datetime, *, attempt: int = 1) -> Failure:
    return replace(failure, job=replace(in_run_job(failure.job, run, at), run_attempt=attempt))


def in_run_job(job: Job, run: int, at: datetime) -> Job:
    return replace(job, run_id=a_job(run=run).run_id, completed_at=at)


def add(store: Store, story: Story, *, reader: str = READER) -> None:
    facts, failures = story
    store.add(facts, failures, reader=reader)


def everything(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables."""
    with store._database.reading() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
        }


def a_known_failure() -> Failure:
    return failing_tests(job=a_job(name="unit-test"))
