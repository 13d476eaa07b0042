"""Events as GitHub sends them: its own examples (`tests/fixtures/events`), filled with what the fake knows.

Which fields an event has, the example says; the fake only says what is in them. The outcome is held to GitHub's own
description of the event, so that neither may drift.
"""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.fakegithub import objects
from tests.fakegithub.answers import Answer
from tests.fakegithub.schema import check

if TYPE_CHECKING:
    from tests.fakegithub.state import JSON, State

FOLDER: Final = Path(__file__).parents[1] / "fixtures" / "events"
SENDER = "maintainer-a"

DESCRIBED: Final = {
    "workflow_run.completed": "WebhookWorkflowRunCompleted",
    "issue_comment.created": "WebhookIssueCommentCreated",
    "issue_comment.edited": "WebhookIssueCommentEdited",
    "issue_comment.deleted": "WebhookIssueCommentDeleted",
    "workflow_dispatch": "WebhookWorkflowDispatch",
    "pull_request.synchronize": "WebhookPullRequestSynchronize",
}
"""GitHub's description of each event that we build."""


def example(name: str) -> JSON:
    """Return GitHub's example of an event, as it lies there."""
    return deepcopy(_example(name))


@cache
def _example(name: str) -> JSON:
    read: JSON = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return read


def run_ended(state: State, run_id: int) -> JSON:
    """`workflow_run`, action `completed`."""
    run = state.runs[run_id]
    workflow = {"id": run["workflow_id"], "name": run["name"], "path": run["path"], "html_url": run["html_url"]}
    return _filled("workflow_run.completed", state, SENDER, workflow_run=run, workflow=workflow)


def pull_changed(state: State, number: int) -> JSON:
    """`pull_request`, action `synchronize`: what a job of the change's own workflow is given."""
    pull = state.pulls[number]
    return _filled(
        "pull_request.synchronize",
        state,
        pull["user"]["login"],
        number=number,
        after=pull["head"]["sha"],
        pull_request=pull,
    )


def dispatched(state: State, run_id: int | str = "") -> JSON:
    """`workflow_dispatch`: by the notify job, or by a person."""
    branch = state.repository["default_branch"]
    event = _filled("workflow_dispatch", state, SENDER, ref=f"refs/heads/{branch}")
    return checked(
        "workflow_dispatch",
        {**event, "inputs": {"run-id": str(run_id)}, "workflow": ".github/workflows/triage.yml"},
    )


def commented(state: State, number: int, comment_id: int, *, action: str = "created") -> JSON:
    """`issue_comment`, action `created`, `edited` or `deleted`, on a pull request.

    GitHub's examples are on issues; a pull request is an issue with `pull_request`.
    """
    pull, comment = state.pulls[number], state.comments[comment_id]
    name = f"issue_comment.{action}"
    issue = {key: value for key, value in pull.items() if not key.endswith("url")}
    event = _filled(name, state, comment["user"]["login"], issue=issue, comment=comment)
    event["issue"]["pull_request"] = {
        key: pull[key] for key in ("url", "html_url", "diff_url", "patch_url", "merged_at")
    }
    return checked(name, event)


def scheduled(state: State) -> JSON:
    """`schedule`: GitHub describes no such event; this is what the runner is given."""
    where = {"repository": deepcopy(state.repository), "sender": objects.user(SENDER)}
    return {"schedule": "17 * * * *", "workflow": ".github/workflows/triage-sweep.yml", **where}


def _filled(name: str, state: State, sender: str, **parts: Any) -> JSON:
    """Fill an example: with the fake's repository, whoever sent it, and what it is about."""
    event = example(name)
    event.pop("organization", None)
    event.pop("installation", None)
    known = {"repository": state.repository, "sender": objects.user(sender), **parts}
    return checked(name, _fill(event, known))


def _fill(pattern: JSON, known: JSON) -> JSON:
    """Return the fields of the example, each with what is known of it; lists are taken as they are."""
    filled: JSON = {}
    for key, value in pattern.items():
        there: Any = known.get(key, value)
        is_filled = isinstance(value, dict) and isinstance(there, dict)
        filled[key] = _fill(value, there) if is_filled else deepcopy(there)
    return filled


def checked(name: str, event: JSON) -> JSON:
    """Return the event; raise when GitHub would not send one like it."""
    check(Answer(body=event), DESCRIBED[name])
    return event
