"""GitHub's JSON in, the words of `triage.model` out. Pure; the only place that knows GitHub's field names.

What a triage cannot do without (ids, names) must be there, else `ProviderError` says which field of what is missing:
an answer without it is no answer. All else may be absent or null, as GitHub's own answers vary by age and edition.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from triage.errors import ProviderError
from triage.model import (
    Annotation,
    ChangedFile,
    Conclusion,
    Job,
    JobId,
    PullRequest,
    Repository,
    Run,
    RunId,
    Step,
)
from triage.source.workflows import workflow_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.source.protocol import JSON

_IntOrStr = TypeVar("_IntOrStr", int, str)

__all__ = ["annotation_of", "file_of", "job_of", "pull_of", "repository_of", "run_of", "time_of", "workflow_of"]


def repository_of(json: JSON) -> Repository:
    """Read a repository, also where it stands inside another object, e.g. a pull request's `base.repo`."""
    return Repository(
        full_name=_need(json, "full_name", str, "a repository"),
        default_branch=_text(json, "default_branch") or "main",
        private=json.get("private") is True,
        url=_text(json, "html_url"),
    )


def run_of(json: JSON) -> Run:
    """Read a workflow run; `pull_numbers` holds only pull requests into the run's own repository."""
    head_repository = _object(json, "head_repository")
    run_id = _need(json, "id", int, "a workflow run")
    return Run(
        id=RunId(run_id),
        workflow=_text(json, "name") or _text(json, "path") or f"run {run_id}",
        attempt=_number(json, "run_attempt") or 1,
        workflow_path=_text(json, "path").partition("@")[0],
        event=_text(json, "event"),
        head_sha=_text(json, "head_sha"),
        head_branch=_text(json, "head_branch"),
        head_repository=_text(head_repository, "full_name"),
        head_repository_id=_number(head_repository, "id"),
        status=_text(json, "status") or "completed",
        conclusion=Conclusion.of(_text(json, "conclusion")),
        url=_text(json, "html_url"),
        created_at=time_of(json, "created_at"),
        started_at=time_of(json, "run_started_at"),
        updated_at=time_of(json, "updated_at"),
        actor=_text(_object(json, "actor"), "login"),
        pull_numbers=tuple(_pull_numbers(json)),
        message=_text(_object(json, "head_commit"), "message"),
    )


def _pull_numbers(run: JSON) -> Iterator[int]:
    # A fork's own pull requests stand here too; a number of theirs would be taken for one of ours.
    ours = _number(_object(run, "repository"), "id")
    for pull in _objects(run, "pull_requests"):
        base = _number(_object(_object(pull, "base"), "repo"), "id")
        number = _number(pull, "number")
        if number is not None and (ours is None or base is None or base == ours):
            yield number


def job_of(json: JSON) -> Job:
    """Read a job of one attempt with its steps."""
    job_id = _need(json, "id", int, "a job")
    return Job(
        id=JobId(job_id),
        run_id=RunId(_need(json, "run_id", int, f"job {job_id}")),
        run_attempt=_number(json, "run_attempt") or 1,
        name=_need(json, "name", str, f"job {job_id}"),
        workflow=_text(json, "workflow_name"),
        status=_text(json, "status") or "completed",
        conclusion=Conclusion.of(_text(json, "conclusion")),
        url=_text(json, "html_url"),
        runner=_text(json, "runner_name") or None,
        labels=tuple(label for label in json.get("labels") or () if isinstance(label, str)),
        created_at=time_of(json, "created_at"),
        started_at=time_of(json, "started_at"),
        completed_at=time_of(json, "completed_at"),
        steps=tuple(_step_of(step, position) for position, step in enumerate(_objects(json, "steps"), 1)),
        check_run_id=_check_run_id(json),
    )


def _step_of(json: JSON, position: int) -> Step:
    return Step(
        number=_number(json, "number") or position,
        name=_text(json, "name"),
        status=_text(json, "status") or "completed",
        conclusion=Conclusion.of(_text(json, "conclusion")),
        started_at=time_of(json, "started_at"),
        completed_at=time_of(json, "completed_at"),
    )


def _check_run_id(job: JSON) -> int | None:
    last = _text(job, "check_run_url").rpartition("/")[2]
    return int(last) if last.isascii() and last.isdigit() else None


def annotation_of(json: JSON) -> Annotation:
    """Read an annotation of a check run."""
    return Annotation(
        message=_text(json, "message"),
        level=_text(json, "annotation_level") or "failure",
        title=_text(json, "title"),
        path=_text(json, "path"),
        line=_number(json, "start_line"),
    )


def pull_of(json: JSON) -> PullRequest:
    """Read a pull request; `merge_base` and `behind_by` come from a comparison, not from here."""
    head, base = _object(json, "head"), _object(json, "base")
    return PullRequest(
        number=_need(json, "number", int, "a pull request"),
        title=_text(json, "title"),
        author=_text(_object(json, "user"), "login"),
        head_sha=_text(head, "sha"),
        head_ref=_text(head, "ref"),
        head_repository=_text(_object(head, "repo"), "full_name"),
        base_ref=_text(base, "ref"),
        base_sha=_text(base, "sha"),
        labels=tuple(_text(label, "name") for label in _objects(json, "labels")),
        draft=json.get("draft") is True,
        state=_text(json, "state") or "open",
        url=_text(json, "html_url"),
    )


def file_of(json: JSON) -> ChangedFile:
    """Read a changed file of a pull request or a comparison."""
    return ChangedFile(
        path=_need(json, "filename", str, "a changed file"),
        status=_text(json, "status") or "modified",
        previous_path=_text(json, "previous_filename") or None,
        patch=json["patch"] if isinstance(json.get("patch"), str) else None,
    )


def time_of(json: JSON, key: str) -> datetime | None:
    """Read a time as aware UTC. None when absent, unreadable, or the year 1 that GitHub writes for "never"."""
    try:
        time = datetime.fromisoformat(_text(json, key))
    except ValueError:
        return None
    time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return time if time.year > 1 else None


def _need(json: JSON, key: str, kind: type[_IntOrStr], what: str) -> _IntOrStr:
    value = json.get(key)
    if type(value) is kind and value:  # not isinstance: True is no id
        return value
    raise ProviderError(f"GitHub's answer for {what} holds no {key!r}: this is not the object that was asked for")


def _text(json: JSON, key: str) -> str:
    value = json.get(key)
    return value if isinstance(value, str) else ""


def _number(json: JSON, key: str) -> int | None:
    value = json.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _object(json: JSON, key: str) -> JSON:
    value: Any = json.get(key)
    return value if isinstance(value, dict) else {}


def _objects(json: JSON, key: str) -> list[JSON]:
    value: Any = json.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
