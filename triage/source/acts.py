"""What a comment command does on GitHub beside writing comments, and what it must know just before.

As in `triage.source.writes`, whatever changes something is sent once; where no answer came, only reading again tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from triage.model import Job, PullRequest, Run
    from triage.source.writes import Comment


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """A reaction of ours. `is_new`: it was not there before; of all who ask for the same one, only one is told so."""

    is_new: bool
    author_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a person may do in the repository.

    Attributes:
        user_id: Whose standing this is: a login can have been taken over by somebody else.
        role: `none`, `read`, `triage`, `write`, `maintain`, `admin`, or a name that an organisation made up.
        base: What GitHub folds the role to: `none`, `read`, `write` or `admin`.
    """

    user_id: int | None
    role: str
    base: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """GitHub did nothing, and says why in its own words."""

    said: str


class Acts(Protocol):
    """The acts of one repository. Every method raises `ProviderError` when GitHub refused or did not answer."""

    def react(self, comment_id: int, content: str) -> Reaction:
        """POST /issues/comments/{comment_id}/reactions."""
        ...

    def standing(self, login: str) -> Standing:
        """GET /collaborators/{login}/permission."""
        ...

    def pull(self, number: int) -> PullRequest:
        """GET /pulls/{number}."""
        ...

    def run(self, run_id: int) -> Run:
        """GET /actions/runs/{run_id}: the newest attempt."""
        ...

    def jobs(self, run_id: int) -> tuple[Job, ...]:
        """GET /actions/runs/{run_id}/jobs?filter=all: the jobs of all attempts."""
        ...

    def rerun_failed(self, run_id: int) -> Refusal | None:
        """POST /actions/runs/{run_id}/rerun-failed-jobs; None when it is done."""
        ...

    def rerun_job(self, job_id: int) -> Refusal | None:
        """POST /actions/jobs/{job_id}/rerun: the job and those that need it; None when it is done."""
        ...

    def knows_label(self, name: str) -> bool:
        """GET /labels/{name}: whether the repository has such a label."""
        ...

    def add_label(self, number: int, name: str) -> None:
        """POST /issues/{number}/labels."""
        ...

    def comments_since(self, since: datetime) -> tuple[Comment, ...]:
        """GET /issues/comments?since=…: of the whole repository, written or changed since then, oldest first."""
        ...
