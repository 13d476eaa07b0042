"""`Writes` on a live GitHub: each request is sent once, and what became of it is for the caller to find out.

Not even an edit is repeated here, though that would do no harm by itself: sent again after some seconds, it would land
on what somebody newer has written meanwhile.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import quote

from triage.errors import ProviderError
from triage.github.hosts import DOTCOM_API
from triage.source.shapes import pull_of, time_of
from triage.source.writes import CheckRun, Comment, PullNow, is_unknown

if TYPE_CHECKING:
    from types import TracebackType

    from triage.github.client import Client
    from triage.source.protocol import JSON

REPEATABLE: Final = frozenset({"GET", "HEAD"})
# `github-actions[bot]` on github.com: who GITHUB_TOKEN writes as.
ACTIONS_BOT: Final = 41_898_282


class LiveWrites:
    """The writes of one repository on GitHub; close it, or use it with `with`.

    Args:
        repository: GitHub's own name of it, `OWNER/NAME`.
        client: One that repeats only `REPEATABLE`.
        own_id: The account the token writes as, where the caller knows it.
    """

    def __init__(self, repository: str, *, client: Client, own_id: int | None = None) -> None:
        self._repository = repository
        self.client = client
        self._own_id = own_id

    @property
    def repository(self) -> str:
        """`OWNER/NAME`."""
        return self._repository

    def close(self) -> None:
        """Close the connections."""
        self.client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def own_id(self) -> int | None:
        """Ask whose token this is: GraphQL tells everybody, REST all but Apps; GITHUB_TOKEN is known on github.com."""
        if self._own_id is None:
            self._own_id = self._ask_own_id()
        return self._own_id

    def _ask_own_id(self) -> int | None:
        with suppress(ProviderError):
            if isinstance(told := self.client.viewer().get("databaseId"), int):
                return told
        try:
            user = self.client.get("/user", what="whose token this is", permission="metadata: read")
        except ProviderError as error:
            if is_unknown(error):
                raise
            return ACTIONS_BOT if self.client.api.host == DOTCOM_API else None
        return told if isinstance(told := user.get("id"), int) else None

    def pull(self, number: int) -> PullNow:
        """Ask where the pull request is now."""
        pull = pull_of(
            self.client.get(
                f"{self._path}/pulls/{number}", what=f"pull request #{number}", permission="pull-requests: read"
            )
        )
        return PullNow(head_sha=pull.head_sha, is_open=pull.state == "open")

    def comments(self, number: int) -> tuple[Comment, ...]:
        """Ask for all comments on a pull request."""
        page = self.client.pages(
            f"{self._path}/issues/{number}/comments",
            what=f"the comments on pull request #{number}",
            permission="pull-requests: read",
        )
        return tuple(comment_of(item) for item in page.items if isinstance(item.get("id"), int))

    def create_comment(self, number: int, body: str) -> Comment:
        """Write a new comment."""
        return comment_of(
            self._send("POST", f"/issues/{number}/comments", {"body": body}, f"a comment on pull request #{number}")
        )

    def edit_comment(self, comment_id: int, body: str) -> Comment:
        """Change a comment."""
        return comment_of(
            self._send("PATCH", f"/issues/comments/{comment_id}", {"body": body}, f"comment {comment_id}")
        )

    def delete_comment(self, comment_id: int) -> None:
        """Delete a comment."""
        self._send("DELETE", f"/issues/comments/{comment_id}", None, f"comment {comment_id}")

    def check_runs(self, head_sha: str, name: str) -> tuple[CheckRun, ...]:
        """Ask for the check runs of a name at a commit."""
        page = self.client.pages(
            f"{self._path}/commits/{quote(head_sha, safe='')}/check-runs",
            key="check_runs",
            parameters={"check_name": name, "filter": "all"},
            what=f"the check runs at {head_sha[:10]}",
            permission="checks: read",
        )
        return tuple(_check_run(item) for item in page.items if isinstance(item.get("id"), int))

    def create_check_run(self, check: JSON) -> CheckRun:
        """Make a check run."""
        return _check_run(self._send("POST", "/check-runs", check, "a check run", permission="checks: write"))

    def update_check_run(self, check_run_id: int, check: JSON) -> CheckRun:
        """Change a check run."""
        what = f"check run {check_run_id}"
        return _check_run(self._send("PATCH", f"/check-runs/{check_run_id}", check, what, permission="checks: write"))

    @property
    def _path(self) -> str:
        return f"/repos/{self._repository}"

    def _send(
        self, method: str, path: str, body: JSON | None, what: str, *, permission: str = "pull-requests: write"
    ) -> JSON:
        return self.client.send(method, f"{self._path}{path}", body, what=what, permission=permission)


def comment_of(json: JSON) -> Comment:
    """Read a comment."""
    author = json.get("user")
    return Comment(
        id=_id_of(json),
        author_id=_number(author.get("id")) if isinstance(author, dict) else None,
        body=_text(json, "body"),
        url=_text(json, "html_url"),
        updated_at=time_of(json, "updated_at"),
    )


def _check_run(json: JSON) -> CheckRun:
    return CheckRun(id=_id_of(json), external_id=_text(json, "external_id"), url=_text(json, "html_url"))


def _id_of(json: JSON) -> int:
    found = _number(json.get("id"))
    if found is None:
        # As when there was no answer: it may have been stored.
        raise ProviderError("GitHub's answer to what we wrote does not say what it has become")
    return found


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _text(json: JSON, key: str) -> str:
    value = json.get(key)
    return value if isinstance(value, str) else ""
