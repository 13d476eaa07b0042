"""Whose failure it is, and all that is said of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TYPE_CHECKING

from triage.model.failures import Rerun

if TYPE_CHECKING:
    from datetime import datetime

    from triage.model.failures import Evidence, Failure, Rule
    from triage.model.jobs import JobId
    from triage.model.logs import Gap
    from triage.model.runs import PullRequest, Repository, Run


@unique
class Category(StrEnum):
    """Whose failure it is, after comparing."""

    INFRASTRUCTURE = "infrastructure"
    MISSING_LABEL = "missing-label"
    GPU_RESIDUE = "gpu-residue"
    PRE_EXISTING = "pre-existing"
    REGRESSION = "regression"
    CASCADE = "cascade"
    STARVED = "starved"
    CANCELLED = "cancelled"
    FLAKY = "flaky"
    UNKNOWN = "unknown"


@unique
class Verdict(StrEnum):
    """The answer for the pull request."""

    NO_FAILURES = "no-failures"
    NOT_CAUSED_BY_PR = "not-caused-by-pr"
    CAUSED_BY_PR = "caused-by-pr"
    NEEDS_ATTENTION = "needs-attention"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A category with its reason (one sentence) and what proves it."""

    category: Category
    because: str
    evidence: tuple[Evidence, ...] = ()
    check: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A next step: `kind` is add-label, rerun, rebase, fix, report-runner, wait or approve."""

    kind: str
    text: str
    command: str | None = None
    label: str | None = None
    runner: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Failed jobs with one root: the unit of the report. `jobs` holds the roots first, then those that follow."""

    id: int
    category: Category
    title: str
    root_job: JobId
    jobs: tuple[JobId, ...]
    because: str = ""
    rule: Rule | None = None
    evidence: tuple[Evidence, ...] = ()
    ruled_out: tuple[str, ...] = ()
    rerun: Rerun = Rerun.UNKNOWN
    rerun_why: str = ""
    advice: str = ""
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobVerdict:
    """One red job with its answer: a row of the ledger. `cause` is the id of the one cause it belongs to."""

    failure: Failure
    category: Category
    because: str
    cause: int
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotExercised:
    """A job that gave no signal about the change, and why. `name` is there because it may be a skipped one, not red."""

    job: JobId
    why: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Which jobs exercise a changed file, and whether any of them ran a test. `known_by` says how that is known."""

    path: str
    jobs: tuple[str, ...]
    exercised: bool
    known_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that is said, in order. The same facts give the same report, byte for byte, in every rendering.

    `as_of` is the newest time GitHub reported in the facts, not the clock: an unchanged run renders unchanged.
    """

    repository: Repository
    runs: tuple[Run, ...]
    verdict: Verdict
    headline: str
    causes: tuple[Cause, ...] = ()
    jobs: tuple[JobVerdict, ...] = ()
    pull: PullRequest | None = None
    not_exercised: tuple[NotExercised, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    gaps: tuple[Gap, ...] = ()
    rules_sha: str = ""
    settings_sha: str = ""  # of the commit at which the repository's own settings and rules were read
    version: str = ""
    as_of: datetime | None = None
