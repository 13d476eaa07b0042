"""A repository in which people comment: the fake, and the door that the Action opens for each comment."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.entry import events
from tests.fakegithub import FakeGitHub, build
from triage.entry.command import handle
from triage.github.budget import Limits
from triage.settings import PLACE

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

JSON = dict[str, Any]
BOT = "github-actions[bot]"
# As fast as this machine: nothing here is GitHub's own.
AT_ONCE = Limits(between_writes=0, first_pause=0.0, retries=1)
MAIN = "d" * 40


@dataclass(kw_only=True)
class Desk:
    """One pull request, and whoever comments on it."""

    fake: FakeGitHub
    number: int
    lag: float = 0.0
    slept: list[float] = field(default_factory=list)
    history: str = ""

    @property
    def author(self) -> str:
        login: str = self.fake.state.pulls[self.number]["user"]["login"]
        return login

    @property
    def reruns(self) -> list[str]:
        """The paths of all requests to run something again."""
        return [one.path for one in self.fake.asked("POST */actions/*")]

    @property
    def acts(self) -> list[str]:
        """The paths of all requests that change more than comments and reactions."""
        return [*self.reruns, *(one.path for one in self.fake.asked("POST */labels"))]

    def let(self, login: str, role: str) -> str:
        self.fake.state.roles[login] = role
        return login

    def settings(self, text: str) -> None:
        self.fake.state.contents[MAIN, PLACE] = text.encode()

    def event(self, body: str, *, by: str, action: str = "created", at: datetime | None = None) -> JSON:
        """Let somebody comment, and return what GitHub would send us."""
        comment_id = self.fake.comment(self.number, author=by, body=body)
        comment = self.fake.state.comments[comment_id]
        if at is not None:
            comment |= {"created_at": f"{at:%Y-%m-%dT%H:%M:%SZ}", "updated_at": f"{at:%Y-%m-%dT%H:%M:%SZ}"}
        known = action if f"issue_comment.{action}" in events.DESCRIBED else "created"
        return {**events.commented(self.fake.state, self.number, comment_id, action=known), "action": action}

    def give(self, event: JSON, *, token: str | None = None, now: datetime | None = None) -> int:
        """Deliver an event."""
        environment = {
            "GITHUB_TOKEN": token or self.fake.token,
            "GITHUB_API_URL": self.fake.api_url,
            "GITHUB_REPOSITORY": self.fake.repository,
            "GITHUB_REF": f"refs/heads/{self.fake.state.repository['default_branch']}",
            "GITHUB_SHA": MAIN,
            "TRIAGE_HISTORY": self.history,
        }
        at = now or self.fake.state.now + timedelta(seconds=5)
        return handle(event, environment, now=at, lag=self.lag, sleep=self.slept.append, limits=AT_ONCE)

    def say(self, body: str, *, by: str) -> Said:
        """Let somebody comment, answer it, and return what they see."""
        event = self.event(body, by=by)
        code = self.give(event)
        return self.seen(event, code)

    def seen(self, event: JSON, code: int) -> Said:
        comment_id = event["comment"]["id"]
        given = self.fake.state.reactions.get(comment_id, {}).values()
        return Said(
            code=code,
            reactions=tuple(reaction["content"] for reaction in given),
            answers=tuple(self.answers_to(comment_id)),
        )

    def answers_to(self, comment_id: int) -> list[str]:
        mark = f"<!-- ci-triage answer to={comment_id} "
        return [one["body"] for one in self.fake.state.comments.values() if one["body"].startswith(mark)]


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a person sees of the answer."""

    code: int
    reactions: tuple[str, ...]
    answers: tuple[str, ...]

    @property
    def text(self) -> str:
        (answer,) = self.answers
        return answer.partition("\n")[2].strip()

    @property
    def is_silence(self) -> bool:
        return not self.reactions and not self.answers and self.code == 0

    @property
    def is_done(self) -> bool:
        return self.reactions == ("eyes", "rocket") and self.code == 0

    @property
    def is_refused(self) -> bool:
        return self.reactions == ("eyes", "confused") and self.code == 0


class Again:
    """Brings a run back to how it was, as if its new attempt had failed alike."""

    def __init__(self, desk: Desk) -> None:
        self._state = desk.fake.state
        self._runs, self._jobs = deepcopy(self._state.runs), deepcopy(self._state.jobs)

    def fail(self) -> None:
        self._state.runs, self._state.jobs = deepcopy(self._runs), deepcopy(self._jobs)


def recording(case: str) -> Path:
    return build.RUNS / case
