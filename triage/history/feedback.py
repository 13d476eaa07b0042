"""What people said of a verdict. It is kept for whoever writes rules, and never decides anything by itself (T23)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from triage.model import Category, JobId, RunId


@unique
class Says(StrEnum):
    """What was said. The words are stored: they never change."""

    ACKNOWLEDGED = "acknowledged"  # the failure is known, and may stay
    WRONG = "wrong"  # the verdict is


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What one comment said of one job.

    Attributes:
        comment_id: Tells it from all other feedback in the repository: the same comment says it once.
        by: The login of who said it.
        job_name: As it was; the job itself may be pruned.
        category: What the report said.
        right: What would be right, where the person knew.
        reason: In the person's words.
    """

    comment_id: int
    at: datetime
    by: str
    says: Says
    pull_number: int
    head_sha: str
    run_id: RunId
    job_id: JobId
    job_name: str
    category: Category
    right: Category | None = None
    reason: str = ""
