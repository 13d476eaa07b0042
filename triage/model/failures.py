"""What broke in one job, and what that is told from."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TYPE_CHECKING

from triage.model.logs import Outcome, TestReport

if TYPE_CHECKING:
    from datetime import datetime

    from triage.model.jobs import Job, JobId, RunId, Step
    from triage.model.logs import Frame, Gap, Log, LogState, MissingLog
    from triage.model.runs import Annotation


@unique
class Fault(StrEnum):
    """What broke, from the job alone."""

    CODE = "code"
    INFRASTRUCTURE = "infrastructure"
    GPU_RESIDUE = "gpu-residue"
    MISSING_LABEL = "missing-label"
    CASCADE = "cascade"
    CANCELLED = "cancelled"
    STARVED = "starved"
    FLAKY = "flaky"
    NONE = "none"
    UNKNOWN = "unknown"


@unique
class Rerun(StrEnum):
    """Whether running the job again can help."""

    HELPS = "helps"
    POINTLESS = "pointless"
    UNKNOWN = "unknown"


@unique
class Where(StrEnum):
    """Where a rule's lines may stand to count. Law 2: text a failing test printed never excuses by itself."""

    ANYWHERE = "anywhere"  # only for faults that blame the code or nobody
    OUTSIDE_TESTS = "outside-tests"
    TEST_ERROR = "test-error"  # outside tests, or the very error of every failed test
    SETUP_ERROR = "setup-error"  # outside tests, or the very error of every test that could not be set up
    ANNOTATION = "annotation"  # the platform's own words only


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A declared kind of failure: what broke, never whose it is. Patterns are RE2, matched per line, in order.

    Attributes:
        lines: All of them must match, each at most `within` lines below the one before; the last one decides.
        unless: A line near the deciding one that matches any of these silences the rule there.
        but_not: The deciding line itself must match none of these.
        issue: Address of the issue in which it is known; empty where there is none.
        expires: The last day on which it holds, as `2027-01-31`; empty when it holds for good.
    """

    id: str
    title: str
    fault: Fault
    lines: tuple[str, ...]
    within: int = 30
    where: Where = Where.OUTSIDE_TESTS
    steps: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    but_not: tuple[str, ...] = ()
    wrapper: bool = False
    owner: str = ""
    advice: str = ""
    rerun: Rerun = Rerun.UNKNOWN
    rerun_why: str = ""
    docs: str = ""
    issue: str = ""
    expires: str = ""
    place: str = ""  # `rules.yaml:41`


@dataclass(frozen=True, slots=True)
class Signature:
    """What must be equal for two failures to be the same failure. Versioned: other versions are never compared.

    `kind` is `rule`, `test` or `line`; `parts` are normalised texts (rule id and captures, or test id, exception
    type and message). Wrapper lines and bare exit codes never make one.
    """

    kind: str
    parts: tuple[str, ...]
    version: int = 1


@unique
class EvidenceKind(StrEnum):
    """Where a fact can be checked."""

    LOG_LINE = "log-line"
    ANNOTATION = "annotation"
    TIMING = "timing"
    MAIN_RUN = "main-run"
    OTHER_PULL = "other-pull"
    ATTEMPT = "attempt"
    DIFF = "diff"
    RULE = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A fact a reader can check. The text of a log line is the line as printed, cleaned, secrets masked."""

    kind: EvidenceKind
    text: str
    url: str = ""
    line: int | None = None
    step: str | None = None
    run_id: RunId | None = None
    job_id: JobId | None = None
    number: int | None = None
    when: datetime | None = None
    runner: str | None = None


@unique
class Basis(StrEnum):
    """How we know what broke: strongest first."""

    PLATFORM = "platform"  # job object, timings, annotations, workflow file
    RULE = "rule"
    TESTS = "tests"  # a test runner named the failed tests
    GUESS = "guess"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A red job and what was read from it alone.

    Attributes:
        title: What broke, in a few words, without text of the log.
        evidence: Best first.
        signature: None where nothing comparable was found.
        roots: For a cascade: names of jobs that its log or `needs` point at.
        ruled_out: Alternatives that the log itself disproves, as sentences.
        places: Where the error points when no test failed: files and lines that a compiler, linter or script names.
        reports_only: Whether the job is an aggregator: it runs nothing of its own, so nothing was missed in it.
    """

    job: Job
    fault: Fault
    basis: Basis
    title: str
    log_state: LogState
    rule: Rule | None = None
    evidence: tuple[Evidence, ...] = ()
    signature: Signature | None = None
    tests: TestReport = field(default_factory=TestReport)
    failed_step: Step | None = None
    roots: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    label: str | None = None  # for a missing label: the label the gate asked for
    places: tuple[Frame, ...] = ()
    reports_only: bool = False
    gaps: tuple[Gap, ...] = ()

    @property
    def is_same_commit_flake(self) -> bool:
        """Whether the run itself shows a failing test that passed in a retry, and nothing else failing."""
        return bool(self.tests.failures) and all(test.outcome is Outcome.FLAKY for test in self.tests.failures)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """A red job with all that was fetched for it, its log already read."""

    job: Job
    log: Log | MissingLog
    tests: TestReport = field(default_factory=TestReport)
    annotations: tuple[Annotation, ...] = ()
