"""What can be asked about the past: each question is a value, so that none is asked twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from triage.errors import ProviderError
from triage.history.lookback.told import Needles, Told, read_told
from triage.model import Job, PullRequest, Run
from triage.settings import BUILT_IN
from triage.source.shapes import job_of, pull_of, run_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from triage.matching import Scanner
    from triage.rules import RuleSet
    from triage.settings import Settings
    from triage.source.protocol import JSON, Page, Reads

Answer = TypeVar("Answer")

PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What questions are answered with."""

    reads: Reads
    rules: RuleSet
    scanner: Scanner
    settings: Settings = BUILT_IN


class Question(Generic[Answer]):
    """One request, or a few where an answer has several pages. `ask` raises `TriageError` when there is no answer."""

    __slots__ = ()

    grows: ClassVar[bool] = False
    """Whether the answer may be another one later."""

    depends_on_reader: ClassVar[bool] = False
    """Whether the answer depends on the rules and settings."""

    kind: ClassVar[Any]
    """Class or annotation of the answer."""

    @property
    def name(self) -> str:
        """All that the answer depends on."""
        raise NotImplementedError

    @property
    def about(self) -> str:
        """What is asked for, as a gap names it."""
        raise NotImplementedError

    def ask(self, means: Means) -> Answer:
        """Ask it."""
        raise NotImplementedError

    def pages(self, answer: Answer) -> int:  # noqa: ARG002 - most have one
        """Say how many requests an answer took."""
        return 1


@dataclass(frozen=True, slots=True)
class RunsOnMain(Question[tuple[Run, ...]]):
    """The finished runs of a workflow file on the default branch, newest first."""

    branch: str
    workflow: str
    since: datetime

    grows: ClassVar[bool] = True
    kind: ClassVar[Any] = tuple[Run, ...]

    @property
    def name(self) -> str:
        """Name it for keeping."""
        return f"{self.branch} {self.workflow} {self.since.isoformat()}"

    @property
    def about(self) -> str:
        """Name it."""
        return f"runs of {self.workflow} on {self.branch}"

    def ask(self, means: Means) -> tuple[Run, ...]:
        """Ask for one page."""
        return _runs(means.reads.runs_on(self.branch, workflow=self.workflow, since=self.since, limit=PAGE))


@dataclass(frozen=True, slots=True)
class FailedRuns(Question[tuple[Run, ...]]):
    """The failed runs of a workflow file for one event, newest first."""

    workflow: str
    event: str
    since: datetime

    grows: ClassVar[bool] = True
    kind: ClassVar[Any] = tuple[Run, ...]

    @property
    def name(self) -> str:
        """Name it for keeping."""
        return f"{self.workflow} {self.event} {self.since.isoformat()}"

    @property
    def about(self) -> str:
        """Name it."""
        return f"failed runs of {self.workflow} on other pull requests"

    def ask(self, means: Means) -> tuple[Run, ...]:
        """Ask for one page."""
        return _runs(means.reads.failed_runs(self.workflow, event=self.event, since=self.since, limit=PAGE))


@dataclass(frozen=True, slots=True)
class RecentPulls(Question[tuple[PullRequest, ...]]):
    """The pull requests that changed last: a fork's run does not say whose it is."""

    grows: ClassVar[bool] = True
    kind: ClassVar[Any] = tuple[PullRequest, ...]

    @property
    def name(self) -> str:
        """Name it for keeping."""
        return ""

    @property
    def about(self) -> str:
        """Name it."""
        return "other pull requests"

    def ask(self, means: Means) -> tuple[PullRequest, ...]:
        """Ask for one page."""
        return tuple(pull_of(item) for item in means.reads.recent_pulls().items)


@dataclass(frozen=True, slots=True)
class JobsOf(Question[tuple[Job, ...]]):
    """The jobs of all attempts of a finished run."""

    run: Run

    kind: ClassVar[Any] = tuple[Job, ...]

    @property
    def name(self) -> str:
        """Name it for keeping."""
        return f"{self.run.id} {self.run.attempt}"

    @property
    def about(self) -> str:
        """Name it."""
        return f"jobs of run {self.run.id} of {self.run.workflow}"

    def ask(self, means: Means) -> tuple[Job, ...]:
        """Ask for every page."""
        page = means.reads.jobs(self.run.id)
        if not page.is_whole:
            raise ProviderError(f"GitHub gave only {len(page.items)} of {page.total_count}")
        return tuple(job_of(item) for item in page.items)

    def pages(self, answer: tuple[Job, ...]) -> int:
        """Count them."""
        return max(1, -(-len(answer) // PAGE))


@dataclass(frozen=True, slots=True)
class LogOf(Question[Told]):
    """What the log of an earlier job says."""

    job: Job
    needles: Needles = ()

    depends_on_reader: ClassVar[bool] = True
    kind: ClassVar[Any] = Told

    @property
    def name(self) -> str:
        """Name it for keeping."""
        return f"{self.job.id} {self.job.run_attempt} {self.needles}"

    @property
    def about(self) -> str:
        """Name it."""
        return f"log of {self.job.name} in run {self.job.run_id}"

    def ask(self, means: Means) -> Told:
        """Ask for the log, read it and let it go."""
        return read_told(means.reads, self.job, self.needles, means.rules, means.scanner, means.settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the head has beyond the base: its commits, oldest first, each as sha and title; at most 250 are listed."""

    behind_by: int
    ahead_by: int
    commits: tuple[tuple[str, str], ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class Between(Question[Comparison]):
    """How two commits relate."""

    base: str
    head: str

    kind: ClassVar[Any] = Comparison

    @property
    def name(self) -> str:
        """Name it for keeping."""
        return f"{self.base} {self.head}"

    @property
    def about(self) -> str:
        """Name it."""
        return f"comparison of {self.base[:7]} with {self.head[:7]}"

    def ask(self, means: Means) -> Comparison:
        """Ask for it."""
        answer = means.reads.compare(self.base, self.head)
        behind_by = answer.get("behind_by")
        if not isinstance(behind_by, int):
            raise ProviderError(f"GitHub does not say how {self.base[:7]} and {self.head[:7]} relate")
        ahead_by, commits = answer.get("ahead_by"), answer.get("commits")
        listed = [item for item in commits if isinstance(item, dict)] if isinstance(commits, list) else []
        return Comparison(
            behind_by=behind_by,
            ahead_by=ahead_by if isinstance(ahead_by, int) else len(listed),
            commits=tuple(_titled(item) for item in listed),
            url=str(answer.get("html_url") or ""),
        )


@dataclass(frozen=True, slots=True)
class FilesOf(Question[tuple[str, ...]]):
    """The paths that a pull request touches, old names included."""

    number: int
    head_sha: str

    kind: ClassVar[Any] = tuple[str, ...]

    @property
    def name(self) -> str:
        """Name it for keeping."""
        return f"{self.number} {self.head_sha}"

    @property
    def about(self) -> str:
        """Name it."""
        return f"files of pull request #{self.number}"

    def ask(self, means: Means) -> tuple[str, ...]:
        """Ask for every page."""
        page = means.reads.files(self.number)
        if not page.is_whole:
            raise ProviderError(f"GitHub lists only {len(page.items)} of {page.total_count}")
        paths = (item.get(key) for item in page.items for key in ("filename", "previous_filename"))
        return tuple(path for path in paths if isinstance(path, str))

    def pages(self, answer: tuple[str, ...]) -> int:
        """Count them, too high by the renamed files at most."""
        return max(1, -(-len(answer) // PAGE))


def _runs(page: Page) -> tuple[Run, ...]:
    return tuple(run_of(item) for item in _readable(page.items))


def _readable(items: Iterable[JSON]) -> Iterable[JSON]:
    return (item for item in items if isinstance(item.get("id"), int))


def _titled(commit: JSON) -> tuple[str, str]:
    inside = commit.get("commit")
    message = inside.get("message") if isinstance(inside, dict) else None
    return str(commit.get("sha") or ""), str(message or "").partition("\n")[0]
