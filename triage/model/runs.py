"""GitHub's runs, pull requests and workflow files, under GitHub's names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from triage.model.jobs import Conclusion, RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """The repository whose runs are triaged."""

    full_name: str
    default_branch: str = "main"
    private: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A message of the platform on a job (`level` is GitHub's notice, warning or failure)."""

    message: str
    level: str = "failure"
    title: str = ""
    path: str = ""
    line: int | None = None

    @property
    def is_from_platform(self) -> bool:
        """Whether the runner service itself wrote it: those lie at the path `.github`, never at a file."""
        return self.path in {".github", ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One attempt of a workflow run. `pull_numbers` is empty for forks, whatever pull request the run belongs to."""

    id: RunId
    workflow: str
    attempt: int = 1
    workflow_path: str = ""
    event: str = ""
    head_sha: str = ""
    head_branch: str = ""
    head_repository: str = ""
    head_repository_id: int | None = None
    status: str = "completed"
    conclusion: Conclusion | None = None
    url: str = ""
    created_at: datetime | None = None
    started_at: datetime | None = None
    updated_at: datetime | None = None
    actor: str = ""
    pull_numbers: tuple[int, ...] = ()
    message: str = ""  # of its commit

    @property
    def is_complete(self) -> bool:
        """Whether GitHub says that nothing of this attempt will change any more."""
        return self.status == "completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file of the pull request. `patch` is None where GitHub gives none: binary, or too large."""

    path: str
    status: str = "modified"
    previous_path: str | None = None
    patch: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """The pull request under triage, as it is now. `merge_base` and `behind_by` are None when they were not read."""

    number: int
    title: str = ""
    author: str = ""
    head_sha: str = ""
    head_ref: str = ""
    head_repository: str = ""
    base_ref: str = ""
    base_sha: str = ""
    merge_base: str | None = None
    behind_by: int | None = None
    labels: tuple[str, ...] = ()
    draft: bool = False
    state: str = "open"
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowJob:
    """What a workflow file says of one job key: who it waits for, when it runs, how long it may."""

    key: str
    name: str
    needs: tuple[str, ...] = ()
    condition: str = ""
    timeout_minutes: float | None = None
    has_matrix: bool = False
    fail_fast: bool = True
    uses: str | None = None
    steps: tuple[WorkflowStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowStep:
    """A step as written: its shown name, what it runs, and its own time limit."""

    name: str
    run: str = ""
    uses: str = ""
    timeout_minutes: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowFile:
    """A workflow file at the run's commit, read as data. Jobs are in file order."""

    path: str
    name: str = ""
    jobs: tuple[WorkflowJob, ...] = ()
    concurrency_group: str | None = None
    cancels_in_progress: bool = False
