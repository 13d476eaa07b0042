"""What happens on GitHub between two events."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.entry.conftest import Runner
    from tests.fakegithub.state import JSON


def end(action: Runner, run_id: int, jobs: dict[str, str]) -> None:
    """Let the open jobs of a run end, and the run with them."""
    at = action.state.tick()
    for job in action.state.jobs_of(run_id):
        if job["status"] != "completed":
            job |= {"status": "completed", "conclusion": jobs[job["name"]], "completed_at": at}
            job["runner_name"] = job["runner_name"] or "h100-1gpu-02"
    action.state.runs[run_id] |= {"status": "completed", "conclusion": "failure", "updated_at": at}


def rerun_green(action: Runner, run_id: int) -> None:
    """Run the failed jobs again; now they pass."""
    at = action.state.tick()
    action.state.runs[run_id] |= {"run_attempt": 2, "conclusion": "success", "run_started_at": at, "updated_at": at}
    for job in action.state.jobs_of(run_id):
        if job["conclusion"] == "failure":
            number = action.state.new_id()
            action.state.jobs[number] = green(job, number, at)


def green(job: JSON, number: int, at: str) -> JSON:
    again = deepcopy(job)
    again |= {"id": number, "run_attempt": 2, "conclusion": "success"}
    again |= {"created_at": at, "started_at": at, "completed_at": at}
    for step in again["steps"]:
        step["conclusion"] = "success"
    return again


def push(action: Runner, sha: str) -> int:
    """Let the pull request move on, and all be green there; return the new run."""
    action.state.pulls[action.number]["head"]["sha"] = sha
    at = action.state.tick()
    run = deepcopy(action.state.runs[action.run_id])
    run |= {"id": action.state.new_id(), "head_sha": sha, "conclusion": "success"}
    run |= {"created_at": at, "run_started_at": at, "updated_at": at}
    jobs = action.state.jobs_of(action.run_id)
    action.state.runs[run["id"]] = run
    for job in jobs:
        number = action.state.new_id()
        new = {"run_id": run["id"], "head_sha": sha, "run_attempt": 1}
        action.state.jobs[number] = green(job, number, at) | new
    return int(run["id"])
