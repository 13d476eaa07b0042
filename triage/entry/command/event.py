"""From GitHub's event to what was asked, or why nobody is to answer.

The event carries no commit: what the pull request's head was when the person wrote is not known (T9).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from triage.entry.command.parser import is_command
from triage.source.shapes import time_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

OLDEST: Final = timedelta(minutes=10)
"""An older comment was not given to us when it was written: it is a replay (T31)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who commented."""

    login: str
    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A comment that begins with a command.

    Attributes:
        at: When GitHub stored the comment.
        line: Its first line.
        author_id: The account that opened the pull request; None when it is no more.
    """

    repository: str
    default_branch: str
    number: int
    comment_id: int
    at: datetime
    line: str
    person: Person
    author_id: int | None

    @property
    def is_of_the_author(self) -> bool:
        """Whether the person opened the pull request."""
        return self.author_id is not None and self.author_id == self.person.id


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nobody is to answer; `why` is for the log of the workflow."""

    why: str


def read_event(event: Mapping[str, Any], *, repository: str, now: datetime) -> Asked | Ignored:
    """Read an `issue_comment` event.

    Args:
        event: As GitHub wrote it into the event file.
        repository: The one the workflow runs in; empty where that is not told.
        now: To tell how old the comment is.
    """
    comment, issue, home = _object(event, "comment"), _object(event, "issue"), _object(event, "repository")
    person, sender = _object(comment, "user"), _object(event, "sender")
    at = time_of(comment, "created_at")
    line = first_line(comment.get("body"))
    why = _first(
        (event.get("action") != "created", "only a new comment is a command, not one that was edited or deleted"),
        (not _object(issue, "pull_request"), "the comment is not on a pull request"),
        (not is_command(line), "the first line is no command of ours"),
        (person.get("type") != "User" or sender.get("type") != "User", "bots give no commands"),
        (sender.get("id") != person.get("id"), "somebody else than the comment's author sent it"),
        (at is None or abs(now - at) > OLDEST, "the comment is older than ten minutes"),
        (bool(repository) and home.get("full_name") != repository, "the comment is in another repository"),
    )
    numbers = (comment.get("id"), issue.get("number"), person.get("id"))
    if why is None and not all(isinstance(number, int) for number in numbers):
        why = "the event is not shaped like GitHub's"
    if why is not None or at is None:
        return Ignored(why or "the comment has no time")
    return Asked(
        repository=str(home.get("full_name") or repository),
        default_branch=str(home.get("default_branch") or "main"),
        number=issue["number"],
        comment_id=comment["id"],
        at=at,
        line=line,
        person=Person(login=str(person.get("login")), id=person["id"]),
        author_id=_object(issue, "user").get("id"),
    )


def first_line(body: object) -> str:
    """Return the first line of a comment, as written: what stands in quotes, fences or indented is no command."""
    return body.partition("\n")[0].rstrip("\r") if isinstance(body, str) else ""


def _first(*reasons: tuple[bool, str]) -> str | None:
    return next((why for holds, why in reasons if holds), None)


def _object(json: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = json.get(key)
    return value if isinstance(value, dict) else {}
