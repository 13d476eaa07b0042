"""What a log holds, what its test runners said, and what could not be seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


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
        unended: Parts of these that follow the last word of a run which never said that it ended: what stands there
            may come from whatever ran next.
    """

    __test__ = False

    runners: tuple[str, ...] = ()
    ran: int | None = None
    passed: int | None = None
    failures: tuple[TestFailure, ...] = ()
    not_run: tuple[str, ...] = ()
    line_ranges: tuple[tuple[int, int], ...] = ()
    unended: tuple[tuple[int, int], ...] = ()
