"""What a request means: which runs, at which commit, of which pull request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.errors import TriageError
from triage.gather.pull import find_pull
from triage.gather.runs import runs_that_count
from triage.model import Gap, Repository, Run
from triage.source.request import RunRequest
from triage.source.shapes import pull_of, repository_of, run_of

if TYPE_CHECKING:
    from triage.source.protocol import JSON, Reads
    from triage.source.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The runs to triage, all at one commit, and the pull request they belong to, as JSON."""

    repository: Repository
    runs: tuple[Run, ...]
    head_sha: str
    pull: JSON | None = None
    gaps: tuple[Gap, ...] = ()


def scope_of(reads: Reads, request: Request) -> Scope:
    """Find out what is to be triaged.

    Raises:
        TriageError: The run or the pull request cannot be read.
    """
    if isinstance(request, RunRequest):
        return _of_run(reads, request.run_id)
    return _of_pull(reads, request.number)


def _of_run(reads: Reads, run_id: int) -> Scope:
    json = reads.run(run_id)
    run = run_of(json)
    inside = _object(json, "repository")
    found = find_pull(reads, run, str(inside.get("full_name") or run.head_repository))
    gaps = list(found.gaps)
    repository = _base_repository(found.json) if found.json is not None else None
    if repository is None:
        try:
            repository = repository_of(reads.repository())
        except TriageError as error:
            repository = repository_of(inside)
            gaps.append(Gap("default branch", str(error)))
    return Scope(repository=repository, runs=(run,), head_sha=run.head_sha, pull=found.json, gaps=tuple(gaps))


def _of_pull(reads: Reads, number: int) -> Scope:
    json = reads.pull(number)
    head_sha = pull_of(json).head_sha
    page = reads.runs_at(head_sha)
    runs, gaps = runs_that_count([run_of(item) for item in page.items])
    if not page.is_whole:
        why = f"GitHub gave only {len(page.items)} of {page.total_count}"
        gaps = (Gap(f"workflow runs at {head_sha[:10]}", why, hides_jobs=True), *gaps)
    repository = _base_repository(json) or repository_of(reads.repository())
    return Scope(repository=repository, runs=runs, head_sha=head_sha, pull=json, gaps=gaps)


def _base_repository(pull: JSON) -> Repository | None:
    """Return the repository out of a pull request, which holds it whole: one request less."""
    repository = _object(_object(pull, "base"), "repo")
    return repository_of(repository) if "default_branch" in repository else None


def _object(json: JSON, key: str) -> JSON:
    value = json.get(key)
    return value if isinstance(value, dict) else {}
