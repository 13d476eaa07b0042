"""Rows and the words of the model: one pair of functions for each table."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from triage.decide import signatures_of
from triage.history.records import BranchKind, KnownFailure
from triage.history.store.codec import plain, read
from triage.model import Conclusion, Fault, Job, JobId, LogState, Run, RunId, Sighting, Signature, Step
from triage.redact import redact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Row as SqlRow

    from triage.model import Failure, Repository

Row = dict[str, Any]

LONGEST_EXCERPT = 500
LONGEST_TEXT = 2_000
LONGEST_SIGNATURE = 20_000
_LARGEST_COUNT = 2**31 - 1
_DOTCOM = "github.com"


def clean(text: str, longest: int = LONGEST_TEXT) -> str:
    """Mask secrets, cut, and replace what PostgreSQL cannot hold: the character NUL, and halves of pairs."""
    masked = redact(text)[:longest].replace("\0", "\N{REPLACEMENT CHARACTER}")
    return masked.encode("utf-8", "replace").decode()


def seconds(time: datetime) -> int:
    """Write a time."""
    return int(time.timestamp())


def some_seconds(time: datetime | None) -> int | None:
    """Write a time that may not be known."""
    return None if time is None else seconds(time)


def time_of(at: int | None) -> datetime | None:
    """Read a time, aware."""
    return None if at is None else datetime.fromtimestamp(at, UTC)


def some_time(at: int) -> datetime:
    """Read a time that is always there."""
    return datetime.fromtimestamp(at, UTC)


def repository_row(repository: Repository) -> Row:
    """A repository is known by its host too: an Enterprise server may hold another one of the same name."""
    return {
        "host": urlsplit(repository.url).hostname or _DOTCOM,
        "full_name": repository.full_name,
        "default_branch": repository.default_branch,
        "private": repository.private,
    }


def run_row(run: Run) -> Row:
    """Return what a run says of itself."""
    return {
        "run_id": run.id,
        "attempt": run.attempt,
        "workflow": clean(run.workflow),
        "workflow_path": clean(run.workflow_path),
        "event": clean(run.event),
        "head_sha": clean(run.head_sha),
        "head_branch": clean(run.head_branch),
        "head_repository": clean(run.head_repository),
        "head_repository_id": run.head_repository_id,
        "status": clean(run.status),
        "conclusion": _conclusion(run.conclusion),
        "url": clean(run.url),
        "created_at": some_seconds(run.created_at),
        "started_at": some_seconds(run.started_at),
        "updated_at": some_seconds(run.updated_at),
        "actor": clean(run.actor),
    }


def run_of(row: SqlRow[Any]) -> Run:
    """Read a run; the number of its pull request stands in `pull_numbers`."""
    return Run(
        id=RunId(row.run_id),
        attempt=row.attempt,
        workflow=row.workflow,
        workflow_path=row.workflow_path,
        event=row.event,
        head_sha=row.head_sha,
        head_branch=row.head_branch,
        head_repository=row.head_repository,
        head_repository_id=row.head_repository_id,
        status=row.status,
        conclusion=Conclusion.of(row.conclusion),
        url=row.url,
        created_at=time_of(row.created_at),
        started_at=time_of(row.started_at),
        updated_at=time_of(row.updated_at),
        actor=row.actor,
        pull_numbers=() if row.pull_number is None else (row.pull_number,),
    )


def job_row(job: Job) -> Row:
    """Return what a job says of itself."""
    return {
        "job_id": job.id,
        "name": clean(job.name),
        "status": clean(job.status),
        "conclusion": _conclusion(job.conclusion),
        "url": clean(job.url),
        "runner": None if job.runner is None else clean(job.runner),
        "labels": json.dumps(job.labels),
        "created_at": some_seconds(job.created_at),
        "started_at": some_seconds(job.started_at),
        "completed_at": some_seconds(job.completed_at),
        "steps": json.dumps(plain(job.steps), separators=(",", ":")),
        "check_run_id": job.check_run_id,
    }


def job_of(row: Mapping[str, Any], run: Run) -> Job:
    """Read a job of a run."""
    return Job(
        id=JobId(row["job_id"]),
        run_id=run.id,
        run_attempt=run.attempt,
        name=row["name"],
        workflow=run.workflow,
        status=row["status"],
        conclusion=Conclusion.of(row["conclusion"]),
        url=row["url"],
        runner=row["runner"],
        labels=tuple(json.loads(row["labels"])),
        created_at=time_of(row["created_at"]),
        started_at=time_of(row["started_at"]),
        completed_at=time_of(row["completed_at"]),
        steps=read(json.loads(row["steps"]), tuple[Step, ...]),
        check_run_id=row["check_run_id"],
    )


def _conclusion(conclusion: Conclusion | None) -> str | None:
    return None if conclusion is None else conclusion.value


def failure_row(failure: Failure, reader: str) -> Row:
    """Return what was read from a red job."""
    excerpt = failure.evidence[0].text if failure.evidence else ""
    return {
        "reader": clean(reader),
        "fault": failure.fault.value,
        "log_state": failure.log_state.value,
        "title": clean(failure.title),
        "rule": failure.rule.id if failure.rule else None,
        "excerpt": clean(excerpt, LONGEST_EXCERPT),
        "failed_step": clean(failure.failed_step.name) if failure.failed_step else None,
        "whole": bool(signatures_of(failure)) and all(map(is_storable, signatures_of(failure))),
        "tests_run": _count(failure.tests.ran),
        "tests_passed": _count(failure.tests.passed),
    }


def failure_of(row: Mapping[str, Any], signatures: tuple[Signature, ...]) -> KnownFailure:
    """Read what was read from a red job."""
    return KnownFailure(
        reader=row["reader"],
        fault=Fault(row["fault"]),
        log_state=LogState(row["log_state"]),
        title=row["title"],
        rule=row["rule"],
        excerpt=row["excerpt"],
        failed_step=row["failed_step"],
        whole=row["whole"],
        tests_run=row["tests_run"],
        tests_passed=row["tests_passed"],
        signatures=signatures,
    )


def _count(number: int | None) -> int | None:
    """Cut a number that a log may have made up to what a column holds."""
    return None if number is None else min(number, _LARGEST_COUNT)


def digest(*parts: object) -> bytes:
    """Return 16 bytes that stand for texts of any length."""
    text = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()[:16]


def is_storable(signature: Signature) -> bool:
    """Whether it is of a length that a failure may have; a log can make up longer ones."""
    return sum(map(len, signature.parts)) <= LONGEST_SIGNATURE


def signature_row(signature: Signature) -> Row:
    """Return a signature with its digest, by which it is found. Its parts are kept whole: what is read is compared."""
    return {
        "version": signature.version,
        "digest": digest(signature.kind, *signature.parts),
        "kind": signature.kind,
        "parts": json.dumps([redact(part) for part in signature.parts]),
    }


def signature_of(row: Mapping[str, Any]) -> Signature:
    """Read a signature."""
    return Signature(row["kind"], tuple(json.loads(row["parts"])), row["version"])


def sighting_of(row: SqlRow[Any]) -> Sighting:
    """Read a sighting out of a row that joins sighting, job and run."""
    on_default = row.branch_kind == BranchKind.DEFAULT
    return Sighting(
        run_id=RunId(row.run_id),
        job_id=JobId(row.job_id),
        job_name=row.name,
        attempt=row.attempt,
        at=some_time(row.at),
        url=row.url,
        head_sha=row.head_sha,
        runner=row.runner,
        pull_number=None if on_default else row.pull_number,
        author="" if on_default else row.author,
    )
