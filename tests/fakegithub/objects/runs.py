"""Workflow runs, jobs, steps, annotations and check runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakegithub.objects.ids import API, JSON, WEB, node_id, number_for, sha_for
from tests.fakegithub.objects.repositories import minimal_repository, user

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def workflow_run(
    *,
    repository_name: str,
    number: int,
    name: str,
    path: str,
    head_sha: str,
    head_branch: str,
    event: str = "pull_request",
    status: str = "completed",
    conclusion: str | None = None,
    created_at: str,
    started_at: str | None = None,
    updated_at: str,
    attempt: int = 1,
    actor: str,
    title: str,
    head_repository: str | None = None,
    pulls: Sequence[JSON] = (),
    private: bool = False,
) -> JSON:
    """A `workflow-run`: one attempt."""
    url = f"{API}/repos/{repository_name}/actions/runs/{number}"
    head = head_repository or repository_name
    suite = number_for("suite", number)
    workflow = number_for("workflow", repository_name, path)
    return {
        "id": number,
        "name": name,
        "node_id": node_id("WFR", number),
        "head_branch": head_branch,
        "head_sha": head_sha,
        "path": path,
        "display_title": title,
        "run_number": number // 1_000 % 100_000,
        "event": event,
        "status": status,
        "conclusion": conclusion,
        "workflow_id": workflow,
        "check_suite_id": suite,
        "check_suite_node_id": node_id("CS", suite),
        "url": url,
        "html_url": f"{WEB}/{repository_name}/actions/runs/{number}",
        "pull_requests": list(pulls),
        "created_at": created_at,
        "updated_at": updated_at,
        "actor": user(actor),
        "run_attempt": attempt,
        "referenced_workflows": [],
        "run_started_at": started_at or created_at,
        "triggering_actor": user(actor),
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "check_suite_url": f"{API}/repos/{repository_name}/check-suites/{suite}",
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "previous_attempt_url": f"{url}/attempts/{attempt - 1}" if attempt > 1 else None,
        "workflow_url": f"{API}/repos/{repository_name}/actions/workflows/{workflow}",
        "head_commit": {
            "id": head_sha,
            "tree_id": sha_for("tree", head_sha),
            "message": title,
            "timestamp": created_at,
            "author": {"name": actor, "email": f"{actor}@users.noreply.github.com"},
            "committer": {"name": "GitHub", "email": "noreply@github.com"},
        },
        "repository": minimal_repository(repository_name, private=private),
        "head_repository": minimal_repository(head, private=private, fork=head != repository_name),
    }


def job(
    *,
    repository_name: str,
    number: int,
    run: JSON,
    name: str,
    status: str = "completed",
    conclusion: str | None,
    created_at: str,
    started_at: str,
    completed_at: str | None,
    labels: Sequence[str],
    runner: str | None,
    runner_group: str | None,
    steps: Sequence[JSON],
    attempt: int = 1,
) -> JSON:
    """A `job` of one attempt. Its check run has the same number, as on GitHub."""
    api = f"{API}/repos/{repository_name}"
    return {
        "id": number,
        "run_id": run["id"],
        "workflow_name": run["name"],
        "head_branch": run["head_branch"],
        "run_url": f"{api}/actions/runs/{run['id']}",
        "run_attempt": attempt,
        "node_id": node_id("CR", number),
        "head_sha": run["head_sha"],
        "url": f"{api}/actions/jobs/{number}",
        "html_url": f"{WEB}/{repository_name}/actions/runs/{run['id']}/job/{number}",
        "status": status,
        "conclusion": conclusion,
        "created_at": created_at,
        "started_at": started_at,
        "completed_at": completed_at,
        "name": name,
        "steps": list(steps),
        "check_run_url": f"{api}/check-runs/{number}",
        "labels": list(labels),
        "runner_id": number_for("runner", runner) % 10_000 if runner else None,
        "runner_name": runner,
        "runner_group_id": number_for("group", runner_group) % 100 if runner_group else None,
        "runner_group_name": runner_group,
    }


def step(
    number: int, name: str, *, status: str = "completed", conclusion: str | None, started: str | None, ended: str | None
) -> JSON:
    """One step of a job."""
    return {
        "name": name,
        "status": status,
        "conclusion": conclusion,
        "number": number,
        "started_at": started,
        "completed_at": ended,
    }


def annotation(
    *, repository_name: str, head_sha: str, message: str, level: str = "failure", path: str = ".github",
    line: int = 1, title: str = "",
) -> JSON:  # fmt: skip
    """A `check-annotation`; those of the platform itself lie at `.github`."""
    return {
        "path": path,
        "blob_href": f"{WEB}/{repository_name}/blob/{head_sha}/{path}",
        "start_line": line,
        "start_column": None,
        "end_line": line,
        "end_column": None,
        "annotation_level": level,
        "title": title,
        "message": message,
        "raw_details": "",
    }


def check_run(repository_name: str, number: int, *, name: str, head_sha: str, fields: Mapping[str, Any]) -> JSON:
    """A `check-run` with what its maker said of it."""
    url = f"{API}/repos/{repository_name}/check-runs/{number}"
    output = fields.get("output") or {}
    suite = number_for("suite", head_sha)
    return {
        "id": number,
        "name": name,
        "node_id": node_id("CR", number),
        "head_sha": head_sha,
        "external_id": fields.get("external_id", ""),
        "url": url,
        "html_url": f"{WEB}/{repository_name}/runs/{number}",
        "details_url": fields.get("details_url", f"{WEB}/{repository_name}/runs/{number}"),
        "status": fields.get("status", "queued"),
        "conclusion": fields.get("conclusion"),
        "started_at": fields.get("started_at"),
        "completed_at": fields.get("completed_at"),
        "output": {
            "title": output.get("title"),
            "summary": output.get("summary"),
            "text": output.get("text"),
            "annotations_count": len(output.get("annotations") or ()),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": suite},
        "app": None,
        "pull_requests": [],
    }
