"""The words of the product: what GitHub says, what was read from a log, and what follows from both.

Everything here is a frozen value. Nothing fetches, nothing reads a clock; what can be derived is a property.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

RunId = NewType("RunId", int)
JobId = NewType("JobId", int)


# --------------------------------------------------------------------------------------------------------------------
# GitHub's things, under GitHub's names


@unique
class Conclusion(StrEnum):
    """How a run, job or step ended. GitHub adds values without notice: anything new reads as `UNKNOWN`."""

    SUCCESS = "success"
    FAILURE = "failure"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    SKIPPED = "skipped"
    NEUTRAL = "neutral"
    ACTION_REQUIRED = "action_required"
    STARTUP_FAILURE = "startup_failure"
    STALE = "stale"
    UNKNOWN = "unknown"

    @classmethod
    def of(cls, text: str | None) -> Conclusion | None:
        """Return the member GitHub means; None while there is no conclusion yet."""
        if not text:
            return None
        return next((member for member in cls if member.value == text), cls.UNKNOWN)

    @property
    def is_red(self) -> bool:
        """Whether the reader sees a red or grey job that somebody must explain."""
        return self in _RED


_RED = frozenset(
    {
        Conclusion.FAILURE,
        Conclusion.CANCELLED,
        Conclusion.TIMED_OUT,
        Conclusion.STARTUP_FAILURE,
        Conclusion.STALE,
        Conclusion.UNKNOWN,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """The repository whose runs are triaged."""

    full_name: str
    default_branch: str = "main"
    private: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a job; times are UTC with whole seconds, as GitHub gives them."""

    number: int
    name: str
    status: str = "completed"
    conclusion: Conclusion | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None

    @property
    def is_unfinished(self) -> bool:
        """Whether the step began and GitHub never learned how it ended: the mark of a lost runner."""
        return self.conclusion is None and self.status == "in_progress"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job of one attempt. `runner` is None when no machine ever took it; then `steps` is empty too."""

    id: JobId
    run_id: RunId
    run_attempt: int
    name: str
    workflow: str = ""
    status: str = "completed"
    conclusion: Conclusion | None = None
    url: str = ""
    runner: str | None = None
    labels: tuple[str, ...] = ()
    created_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    steps: tuple[Step, ...] = ()
    check_run_id: int | None = None

    @property
    def is_red(self) -> bool:
        """Whether the job belongs into the ledger: finished, and neither good nor skipped."""
        return self.conclusion is not None and self.conclusion.is_red

    @property
    def never_started(self) -> bool:
        """Whether no machine ever took the job."""
        return self.runner is None and not self.steps

    @property
    def duration(self) -> timedelta | None:
        """Time between start and end; None while either is unknown."""
        if self.started_at is None or self.completed_at is None:
            return None
        return self.completed_at - self.started_at

    @property
    def failed_step(self) -> Step | None:
        """The first step that broke: failed or timed out, else left unfinished, else cancelled; None when none did."""
        for wanted in ((Conclusion.FAILURE, Conclusion.TIMED_OUT), (None,), (Conclusion.CANCELLED,)):
            for step in self.steps:
                if step.conclusion in wanted and (step.conclusion is not None or step.is_unfinished):
                    return step
        return None


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


# --------------------------------------------------------------------------------------------------------------------
# What could not be seen


@unique
class LogState(StrEnum):
    """Whether a job's log was read, and if not, why."""

    READ = "read"
    ABSENT = "absent"
    EXPIRED = "expired"
    PENDING = "pending"
    UNREADABLE = "unreadable"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingLog:
    """Why there is no log: a result, never an empty text. `why` is a sentence for the reader."""

    state: LogState
    why: str


@dataclass(frozen=True, slots=True, order=True)
class Gap:
    """Something that could not be seen; printed at the foot of every report.

    `hides_jobs` says that failed jobs may be missing because of it: the answer is then incomplete whatever is known.
    `is_loud` says that triage itself may be at fault: it is told at the top, too.
    """

    what: str
    why: str
    hides_jobs: bool = False
    is_loud: bool = False

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


# --------------------------------------------------------------------------------------------------------------------
# What a log holds


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line, cleaned of timestamp and escapes. `number` is its 1-based line in the raw log."""

    number: int
    text: str
    at: datetime | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSpan:
    """The lines of the log that one step wrote: 1-based, both ends included. `number` is the step's in the job."""

    number: int
    name: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What is kept of a log of any size: bounded, in raw order, with holes where nothing of interest stood.

    Attributes:
        lines: Kept lines by rising number. All of them when `complete`.
        total_lines: How many lines the raw log has.
        hits: For each scanned pattern (its key), the raw numbers of lines it was found on: the first and the last
            ones when there are many. Every line of a hit is in `lines`.
        spans: Which step wrote which lines, in order, where that could be told.
        complete: Whether `lines` is the whole log.
        truncated: Whether the download ended early or hit our size limit: what is absent proves nothing.
    """

    lines: tuple[LogLine, ...]
    total_lines: int
    hits: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    spans: tuple[StepSpan, ...] = ()
    complete: bool = True
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a traceback; `path` as printed, made relative to the checkout where that could be told."""

    path: str
    line: int | None = None
    function: str = ""
    in_repository: bool = True


@unique
class Outcome(StrEnum):
    """How a test ended that did not pass."""

    FAILED = "failed"
    ERROR = "error"  # the test could not be set up or torn down
    NOT_COLLECTED = "not-collected"  # the file could not be imported or compiled
    CRASHED = "crashed"  # the process died
    TIMED_OUT = "timed-out"
    FLAKY = "flaky"  # failed, then passed in a retry of the same run


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFailure:
    """One failed test, as the test runner told it.

    Attributes:
        id: The runner's own name for the test, without retries, shard or parameter noise.
        runner: Which test runner said so (`pytest`, `gtest`, ...).
        file: Repository-relative path of the test, None where the runner does not say.
        exception: Type of the deepest exception under wrappers, e.g. `KeyError`; None where there is none.
        message: That exception's message, or the assertion, on one line; cut at 2,000 characters.
        frames: Frames of its traceback, outermost first.
        first_line, last_line: The block of the log that belongs to this failure: its own output and error.
        error_line: The line that states the error; evidence.
        wrapped_by: The exception that reached the runner, when it only wraps `exception`.
    """

    __test__ = False  # not a test class, whatever pytest thinks of its name

    id: str
    runner: str
    outcome: Outcome = Outcome.FAILED
    file: str | None = None
    exception: str | None = None
    message: str = ""
    frames: tuple[Frame, ...] = ()
    first_line: int = 0
    last_line: int = 0
    error_line: int = 0
    wrapped_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestReport:
    """What the test runners in one log said.

    Attributes:
        runners: Those that showed themselves, in order of appearance.
        ran: How many tests were executed; None where no runner said, 0 where one said so.
        failures: In log order, each test once, its last failure kept. Includes `Outcome.FLAKY`.
        not_run: Remainders, e.g. `24 of 30 files never ran`.
        line_ranges: Parts of the log that running tests wrote (1-based, inclusive): text there cannot excuse.
    """

    __test__ = False

    runners: tuple[str, ...] = ()
    ran: int | None = None
    passed: int | None = None
    failures: tuple[TestFailure, ...] = ()
    not_run: tuple[str, ...] = ()
    line_ranges: tuple[tuple[int, int], ...] = ()


# --------------------------------------------------------------------------------------------------------------------
# What broke


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


# --------------------------------------------------------------------------------------------------------------------
# Everything one triage read


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """A red job with all that was fetched for it, its log already read."""

    job: Job
    log: Log | MissingLog
    tests: TestReport = field(default_factory=TestReport)
    annotations: tuple[Annotation, ...] = ()


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


# --------------------------------------------------------------------------------------------------------------------
# Whose failure it is


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
