"""What can be written, and what must be read again just before: the other half of `triage.source.protocol`.

A method that changes something sends its request once. Where no answer came it raises `ProviderError`, and whether the
change was made is then unknown (`is_unknown`): only reading again can tell. Nobody below tries a second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from triage.errors import RateLimited

if TYPE_CHECKING:
    from datetime import datetime

    from triage.errors import ProviderError
    from triage.source.protocol import JSON

SERVER_ERROR = 500


def is_unknown(error: ProviderError) -> bool:
    """Whether GitHub may have done what was asked all the same: there was no answer, or the server broke."""
    if isinstance(error, RateLimited):
        return False
    return error.status is None or error.status >= SERVER_ERROR


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment on a pull request; `author_id` is GitHub's number, None when the account is no more."""

    id: int
    author_id: int | None
    body: str
    url: str = ""
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullNow:
    """What of a pull request can change while we work."""

    head_sha: str
    is_open: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """A check run at a commit; `external_id` is whatever its maker wrote there."""

    id: int
    external_id: str = ""
    url: str = ""


class Writes(Protocol):
    """The writes of one repository. Every method raises `ProviderError` when GitHub refused or did not answer."""

    @property
    def repository(self) -> str:
        """`OWNER/NAME`."""
        ...

    def own_id(self) -> int | None:
        """Say whose comments are ours: the number of the account that the token writes as; None if that is not told."""
        ...

    def pull(self, number: int) -> PullNow:
        """GET /pulls/{number}."""
        ...

    def comments(self, number: int) -> tuple[Comment, ...]:
        """GET /issues/{number}/comments: all of them, oldest first."""
        ...

    def create_comment(self, number: int, body: str) -> Comment:
        """POST /issues/{number}/comments."""
        ...

    def edit_comment(self, comment_id: int, body: str) -> Comment:
        """PATCH /issues/comments/{comment_id}."""
        ...

    def delete_comment(self, comment_id: int) -> None:
        """DELETE /issues/comments/{comment_id}."""
        ...

    def check_runs(self, head_sha: str, name: str) -> tuple[CheckRun, ...]:
        """GET /commits/{sha}/check-runs?check_name=…: all of that name."""
        ...

    def create_check_run(self, check: JSON) -> CheckRun:
        """POST /check-runs."""
        ...

    def update_check_run(self, check_run_id: int, check: JSON) -> CheckRun:
        """PATCH /check-runs/{id}."""
        ...
