"""Everything one triage read, and where the same failure was seen before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from triage.model.failures import JobFacts
    from triage.model.jobs import Job, JobId, RunId
    from triage.model.logs import Gap
    from triage.model.runs import ChangedFile, PullRequest, Repository, Run, WorkflowFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything one triage read: the input of the core. `gaps` says what is missing from it.

    Attributes:
        runs: Newest attempt of each workflow run, in GitHub's order.
        jobs: Jobs of the newest attempt of every run, red or not.
        earlier_jobs: Jobs of earlier attempts of the same runs.
        red: One entry for each red job of `jobs`, in the same order.
        files: None when there is no pull request or its files could not be read.
        workflows: Workflow files by run.
    """

    repository: Repository
    runs: tuple[Run, ...]
    jobs: tuple[Job, ...]
    red: tuple[JobFacts, ...]
    earlier_jobs: tuple[Job, ...] = ()
    pull: PullRequest | None = None
    files: tuple[ChangedFile, ...] | None = None
    workflows: Mapping[RunId, WorkflowFile] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """The same signature elsewhere. `pull_number` is None on the default branch."""

    run_id: RunId
    job_id: JobId
    job_name: str
    attempt: int
    at: datetime
    url: str
    head_sha: str = ""
    runner: str | None = None
    pull_number: int | None = None
    author: str = ""
