"""Events in GitHub's shape, made from what the fake knows; each is held to GitHub's own description first."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from tests.fakegithub import objects

if TYPE_CHECKING:
    from tests.fakegithub.state import JSON, State

SENDER = "maintainer-a"


def run_ended(state: State, run_id: int) -> JSON:
    """`workflow_run`, action `completed`."""
    run = deepcopy(state.runs[run_id])
    workflow = {
        "id": run["workflow_id"],
        "node_id": run["node_id"],
        "name": run["name"],
        "path": run["path"],
        "state": "active",
        "created_at": "2026-01-05T08:00:00Z",
        "updated_at": "2026-01-05T08:00:00Z",
        "url": run["workflow_url"],
        "html_url": run["html_url"],
        "badge_url": run["html_url"],
    }
    return checked(
        "workflow_run", {"action": "completed", "workflow_run": run, "workflow": workflow, **_where(state, SENDER)}
    )


def pull_changed(state: State, number: int) -> JSON:
    """`pull_request`, action `synchronize`: what a job of the change's own workflow is given."""
    pull = deepcopy(state.pulls[number])
    return checked(
        "pull_request",
        {
            "action": "synchronize",
            "number": number,
            "before": "0" * 40,
            "after": pull["head"]["sha"],
            "pull_request": pull,
            **_where(state, pull["user"]["login"]),
        },
    )


def dispatched(state: State, run_id: int | str = "") -> JSON:
    """`workflow_dispatch`: by the notify job, or by a person."""
    branch = state.repository["default_branch"]
    return checked(
        "workflow_dispatch",
        {
            "inputs": {"run-id": str(run_id)},
            "ref": f"refs/heads/{branch}",
            "workflow": ".github/workflows/triage.yml",
            **_where(state, SENDER),
        },
    )


def scheduled(state: State) -> JSON:
    """`schedule`: GitHub describes no such event; this is what the runner is given."""
    return {"schedule": "17 * * * *", "workflow": ".github/workflows/triage-sweep.yml", **_where(state, SENDER)}


def _where(state: State, sender: str) -> JSON:
    return {"repository": deepcopy(state.repository), "sender": objects.user(sender)}


def checked(name: str, event: JSON) -> JSON:
    """Return the event; raise when GitHub would not send one like it."""
    from githubkit.webhooks import parse_obj

    parse_obj(name, event)
    return event
