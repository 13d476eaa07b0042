"""GitHub's jobs and their steps, under GitHub's names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from datetime import datetime, timedelta

RunId = NewType("RunId", int)
JobId = NewType("JobId", int)


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
