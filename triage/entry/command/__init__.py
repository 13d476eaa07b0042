"""The comment command: the door for `issue_comment` events. One process checks and acts (T11).

    received → 👀 (of several deliveries only one gets further) → parsed → allowed? → done → answered → 🚀 or 😕

Everything heavy is imported once it is clear that somebody is to answer.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from triage.entry.command.event import Ignored, read_event
from triage.entry.output import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from triage.github.budget import Limits

__all__ = ["handle"]

SLOWEST: Final = 300.0
"""Seconds for everything that is read; what is written has one minute more."""


def handle(
    event: Mapping[str, Any],
    environment: Mapping[str, str],
    *,
    now: datetime,
    lag: float | None = None,
    sleep: Callable[[float], None] = time.sleep,
    limits: Limits | None = None,
) -> int:
    """Answer one comment.

    Args:
        event: The `issue_comment` event, as GitHub wrote it into the event file.
        environment: `GITHUB_TOKEN` (or `GH_TOKEN`), `GITHUB_REPOSITORY`, `GITHUB_API_URL`; `GITHUB_REF` and
            `GITHUB_SHA` spare a question; `TRIAGE_HISTORY` is where the history is, whatever the settings say;
            `TRIAGE_LOG_HOSTS` are hosts that keep logs.
        now: The time, aware.
        lag: Seconds by which GitHub's lists may be behind; None as the repository's settings say.
        sleep: Waits so many seconds.
        limits: How patient to be with GitHub.

    Returns:
        0 when the comment was answered, refused or none of our business; 3 when GitHub stopped us.

    Raises:
        UsageError: There is no token, or the address of the API or of a host of logs is none.
    """
    asked = read_event(event, repository=environment.get("GITHUB_REPOSITORY", ""), now=now)
    if isinstance(asked, Ignored):
        say(f"nothing to do: {asked.why}")
        return 0
    from triage.entry.command.serving import Server
    from triage.entry.options import DOTCOM_API, find_token, log_hosts
    from triage.entry.own_rules import default_commit
    from triage.github import connect, connect_writes
    from triage.github.acts import LiveActs

    token, api_url = find_token(environment), environment.get("GITHUB_API_URL") or DOTCOM_API
    with (
        connect(
            asked.repository,
            token=token,
            api_url=api_url,
            deadline=SLOWEST,
            blob_hosts=log_hosts(environment),
            limits=limits,
        ) as reads,
        connect_writes(asked.repository, token=token, api_url=api_url, deadline=SLOWEST + 60, limits=limits) as writes,
    ):
        acts = LiveActs(asked.repository, client=writes.client)
        server = Server(
            asked,
            reads=reads,
            writes=writes,
            acts=acts,
            commit=lambda: default_commit(event, environment, reads),
            history=environment.get("TRIAGE_HISTORY", ""),
            now=now,
            lag=lag,
            sleep=sleep,
        )
        return server.serve()
