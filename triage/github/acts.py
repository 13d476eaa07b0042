"""`Acts` on a live GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from github import GithubException

from triage.errors import ProviderError, RateLimited
from triage.github.translate import clean_message
from triage.github.writes import comment_of
from triage.source.acts import Reaction, Refusal, Standing
from triage.source.shapes import job_of, pull_of, run_of

if TYPE_CHECKING:
    from datetime import datetime

    from triage.github.client import Client
    from triage.model import Job, PullRequest, Run
    from triage.source.protocol import JSON
    from triage.source.writes import Comment

_NOT_FOUND: Final = 404
# What GitHub answers to a re-run that it does not give; 403 is also a token that may not.
_REFUSING: Final = frozenset({403, 409, 422})
_NO_PERMISSION: Final = "not accessible"
_COMMENTING: Final = "pull-requests: write"


class LiveActs:
    """The acts of one repository on GitHub.

    Args:
        repository: GitHub's own name of it, `OWNER/NAME`.
        client: One that repeats nothing but reads. Whoever made it closes it.
    """

    def __init__(self, repository: str, *, client: Client) -> None:
        self._path = f"/repos/{repository}"
        self._client = client

    def react(self, comment_id: int, content: str) -> Reaction:
        """React to a comment."""
        path = f"{self._path}/issues/comments/{comment_id}/reactions"
        what = f"a reaction to comment {comment_id}"
        is_new, answer = self._client.create(path, {"content": content}, what=what, permission=_COMMENTING)
        return Reaction(is_new=is_new, author_id=_user_id(answer))

    def standing(self, login: str) -> Standing:
        """Ask what a person may do."""
        path = f"/collaborators/{quote(login, safe='')}/permission"
        answer = self._get(path, "what the person may do here", "metadata: read")
        return Standing(
            user_id=_user_id(answer),
            role=str(answer.get("role_name") or "none"),
            base=str(answer.get("permission") or "none"),
        )

    def pull(self, number: int) -> PullRequest:
        """Ask for the pull request as it is now."""
        return pull_of(self._get(f"/pulls/{number}", f"pull request #{number}", "pull-requests: read"))

    def run(self, run_id: int) -> Run:
        """Ask for a run as it is now."""
        return run_of(self._get(f"/actions/runs/{run_id}", f"run {run_id}", "actions: read"))

    def jobs(self, run_id: int) -> tuple[Job, ...]:
        """Ask for the jobs of all attempts."""
        page = self._client.pages(
            f"{self._path}/actions/runs/{run_id}/jobs",
            key="jobs",
            parameters={"filter": "all"},
            what=f"the jobs of run {run_id}",
            permission="actions: read",
        )
        return tuple(job_of(item) for item in page.items)

    def rerun_failed(self, run_id: int) -> Refusal | None:
        """Run the failed jobs of a run again."""
        return self._rerun(f"/actions/runs/{run_id}/rerun-failed-jobs", f"a re-run of run {run_id}")

    def rerun_job(self, job_id: int) -> Refusal | None:
        """Run a job again, with those that need it."""
        return self._rerun(f"/actions/jobs/{job_id}/rerun", f"a re-run of job {job_id}")

    def _rerun(self, path: str, what: str) -> Refusal | None:
        try:
            self._client.send("POST", f"{self._path}{path}", None, what=what, permission="actions: write")
        except RateLimited:
            raise
        except ProviderError as error:
            said = _said(error)
            if error.status in _REFUSING and said and _NO_PERMISSION not in said:
                return Refusal(said)
            raise
        return None

    def knows_label(self, name: str) -> bool:
        """Ask whether the repository has a label; adding one that it has not would make it."""
        try:
            self._get(f"/labels/{quote(name, safe='')}", "the label", "pull-requests: read")
        except ProviderError as error:
            if error.status == _NOT_FOUND:
                return False
            raise
        return True

    def add_label(self, number: int, name: str) -> None:
        """Put a label on a pull request. GitHub answers with the list of all, which nobody needs."""
        self._client.create(
            f"{self._path}/issues/{number}/labels",
            {"labels": [name]},
            what=f"a label of pull request #{number}",
            permission=_COMMENTING,
        )

    def comments_since(self, since: datetime) -> tuple[Comment, ...]:
        """Ask for the comments of the whole repository."""
        page = self._client.pages(
            f"{self._path}/issues/comments",
            # Oldest first: what is written meanwhile comes at the end, and moves nothing over a page's edge.
            parameters={"since": f"{since:%Y-%m-%dT%H:%M:%SZ}", "sort": "created", "direction": "asc"},
            what="the repository's latest comments",
            permission="pull-requests: read",
        )
        return tuple(comment_of(item) for item in page.items)

    def _get(self, path: str, what: str, permission: str) -> JSON:
        return self._client.get(f"{self._path}{path}", what=what, permission=permission)


def _user_id(json: dict[str, Any]) -> int | None:
    user = json.get("user")
    found = user.get("id") if isinstance(user, dict) else None
    return found if isinstance(found, int) else None


def _said(error: ProviderError) -> str:
    """Return GitHub's own words of a refusal."""
    cause = error.__cause__
    data = cause.data if isinstance(cause, GithubException) else None
    return clean_message(data.get("message") if isinstance(data, dict) else None)
