"""What the store says: values of the product's own words, without a trace of SQL."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, unique
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from triage.model import Fault, Job, LogState, Outcome, Repository, Run, RunId, Sighting, Signature


@unique
class BranchKind(IntEnum):
    """Whose code a run was about. The numbers are stored: they never change."""

    DEFAULT = 1
    PULL = 2
    OTHER = 3  # other branches, and pull requests of which GitHub did not say the number


# Fork runs never count as the default branch, whatever their branch is called, and what these events run was merged
# or is on the branch already.
_OF_BRANCHES = frozenset({"push", "schedule", "workflow_dispatch"})


def branch_kind(run: Run, repository: Repository, pull_number: int | None) -> BranchKind:
    """Say whose code a run was about; a run whose repository is not known to be ours is never the default branch."""
    ours = run.head_repository == repository.full_name
    if run.event in _OF_BRANCHES and ours and run.head_branch == repository.default_branch:
        return BranchKind.DEFAULT
    return BranchKind.PULL if pull_number is not None else BranchKind.OTHER


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRun:
    """The newest attempt of a run that is stored. `jobs_known`: it is over, and every job of it is stored."""

    run: Run
    jobs_known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFailure:
    """What was read from a red job.

    Attributes:
        reader: What read it (rules and version): another reader may see more.
        excerpt: The best line of evidence, secrets masked.
        signatures: All that the failure is known by: of the job, and of each failed test. Empty where nothing
            comparable was found.
        whole: Whether each failed test has a signature, so that a new failure cannot hide behind these.
    """

    fault: Fault
    log_state: LogState
    title: str
    reader: str
    rule: str | None = None
    excerpt: str = ""
    failed_step: str | None = None
    signatures: tuple[Signature, ...] = ()
    whole: bool = True
    tests_run: int | None = None
    tests_passed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownJob:
    """A stored job with its run, at the job's attempt. `failure` is None when the job was not read, or is green."""

    run: Run
    job: Job
    failure: KnownFailure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sightings:
    """Where one signature was seen, newest first; each list ends at the limit that was asked for.

    Attributes:
        on_default: On the default branch, in runs of its own.
        on_pulls: On pull requests, the one under triage included: only the caller knows which that is.
        in_runs: In the runs the caller named, in any attempt.
    """

    on_default: tuple[Sighting, ...] = ()
    on_pulls: tuple[Sighting, ...] = ()
    in_runs: tuple[Sighting, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """What came of one test in one job. `outcome` is None when it passed; `signature` says how it failed."""

    __test__ = False

    test: str
    where: Sighting
    outcome: Outcome | None = None
    signature: Signature | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """How many of each were removed."""

    runs: int
    jobs: int
    failures: int
    signatures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchSummary:
    """What is kept of one kind of branch."""

    kind: BranchKind
    runs: int
    jobs: int
    failures: int
    oldest: datetime | None = None
    newest: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopSignature:
    """A signature with how often it was seen, and on how many pull requests."""

    signature: Signature
    sightings: int
    on_default: int
    pulls: int
    newest: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What is kept of one repository."""

    repository: str
    branches: tuple[BranchSummary, ...] = ()
    signatures: tuple[TopSignature, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """A failure that no rule explains: by which line it is known, and where it was seen.

    Attributes:
        excerpt: The best line of evidence, secrets masked.
        rule: A rule that only knows that something was raised; None when no rule matched at all.
        pull: Repository and number of the pull request, None on branches.
    """

    excerpt: str
    at: datetime | None
    rule: str | None = None
    pull: tuple[str, int] | None = None
    author: str = ""
    host: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullOfRun:
    """Which pull request a run belongs to, where GitHub's run does not say."""

    run_id: RunId
    number: int
    author: str = ""
