"""Workflow runs, their jobs and logs, and running them again."""

from __future__ import annotations

import io
import zipfile
from copy import deepcopy
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tests.fakegithub.answers import Answer, Request, Streamed, not_found, page_of, refusal
from tests.fakegithub.routes import Route
from tests.fakegithub.state import StoredLog

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fakegithub.state import JSON, State

RUN = "/repos/{owner}/{repo}/actions/runs/{run_id}"
JOB = "/repos/{owner}/{repo}/actions/jobs/{job_id}"
MOST_ATTEMPTS = 50
OLDEST_RERUN = timedelta(days=30)
ODD_CONCLUSIONS = frozenset({"startup_failure", "stale"})


def list_runs(state: State, request: Request) -> Answer:
    """GET /actions/runs and /actions/workflows/{workflow}/runs."""
    workflow = request.words.get("workflow")
    runs = [run for run in state.all_runs() if _is_wanted(run, request) and (not workflow or _is_of(run, workflow))]
    if workflow and not any(_is_of(run, workflow) for run in state.runs.values()):
        return not_found()
    return page_of(request, runs, key="workflow_runs")


def _is_of(run: JSON, workflow: str) -> bool:
    return workflow in {str(run["workflow_id"]), run["path"].rpartition("/")[2]}


def _is_wanted(run: JSON, request: Request) -> bool:
    asked = request.query
    return (
        asked.get("head_sha", run["head_sha"]) == run["head_sha"]
        and asked.get("branch", run["head_branch"]) == run["head_branch"]
        and asked.get("event", run["event"]) == run["event"]
        and asked.get("status", run["status"]) in {run["status"], run["conclusion"]}
        and _is_within(run["created_at"], asked.get("created", ""))
    )


def _is_within(at: str, asked: str) -> bool:
    """Compare times as texts: GitHub's all have one form, and a day alone is the start of its times."""
    comparisons: dict[str, Callable[[str], bool]] = {
        ">=": lambda limit: at >= limit,
        "<=": lambda limit: at[: len(limit)] <= limit,
        ">": lambda limit: at > limit,
        "<": lambda limit: at < limit,
    }
    for sign, holds in comparisons.items():
        if asked.startswith(sign):
            return holds(asked.removeprefix(sign))
    first, dots, last = asked.partition("..")
    if dots:
        return (first == "*" or at >= first) and (last == "*" or at[: len(last)] <= last)
    return at.startswith(asked)


def get_run(state: State, request: Request) -> Answer:
    """GET /actions/runs/{run_id}."""
    run = state.runs.get(request.number("run_id"))
    return Answer(body=run) if run else not_found()


def get_attempt(state: State, request: Request) -> Answer:
    """GET /actions/runs/{run_id}/attempts/{attempt}."""
    number, attempt = request.number("run_id"), request.number("attempt")
    run = state.runs.get(number)
    if run and run["run_attempt"] == attempt:
        return Answer(body=run)
    earlier = state.attempts.get((number, attempt))
    return Answer(body=earlier) if earlier else not_found()


def list_jobs(state: State, request: Request) -> Answer:
    """GET /actions/runs/{run_id}/jobs: `filter=latest` gives the newest attempt of each job."""
    number = request.number("run_id")
    if number not in state.runs:
        return not_found()
    jobs = state.jobs_of(number)
    if request.query.get("filter", "latest") != "all":
        jobs = _newest(jobs)
    return _with_odd_jobs(page_of(request, jobs, key="jobs"), jobs)


def list_attempt_jobs(state: State, request: Request) -> Answer:
    """GET /actions/runs/{run_id}/attempts/{attempt}/jobs."""
    number, attempt = request.number("run_id"), request.number("attempt")
    if number not in state.runs:
        return not_found()
    jobs = [job for job in state.jobs_of(number) if job["run_attempt"] == attempt]
    return _with_odd_jobs(page_of(request, jobs, key="jobs"), jobs)


def _newest(jobs: list[JSON]) -> list[JSON]:
    """Keep the newest attempt of each job; jobs of one name in one attempt are told apart by their order."""
    kept: dict[tuple[str, int], JSON] = {}
    seen: dict[tuple[str, int], int] = {}
    for job in jobs:
        place = seen[job["name"], job["run_attempt"]] = seen.get((job["name"], job["run_attempt"]), -1) + 1
        best = kept.get((job["name"], place))
        if best is None or job["run_attempt"] > best["run_attempt"]:
            kept[job["name"], place] = job
    return list(kept.values())


def _with_odd_jobs(answer: Answer, jobs: list[JSON]) -> Answer:
    if not any(job["conclusion"] in ODD_CONCLUSIONS for job in jobs):
        return answer
    return Answer(body=answer.body, headers=answer.headers, undocumented="job-startup-failure")


def get_job(state: State, request: Request) -> Answer:
    """GET /actions/jobs/{job_id}."""
    job = state.jobs.get(request.number("job_id"))
    return _with_odd_jobs(Answer(body=job), [job]) if job else not_found()


def get_job_log(state: State, request: Request) -> Answer:
    """GET /actions/jobs/{job_id}/logs: a link that lives for a minute, whether or not anything lies there."""
    number = request.number("job_id")
    if number not in state.jobs:
        return refusal(404, "Not Found", undocumented="log-not-found")
    if state.logs.get(number, StoredLog(status=404)).status == 410:
        return refusal(410, "Server Error", undocumented="log-expired")
    return Answer(status=302, headers={"Location": f"blob:logs/{number}"})


def get_run_logs(state: State, request: Request) -> Answer:
    """GET /actions/runs/{run_id}/logs and /attempts/{attempt}/logs: the archive of all logs."""
    number = request.number("run_id")
    run = state.runs.get(number)
    if run is None:
        return not_found()
    attempt = request.words.get("attempt", str(run["run_attempt"]))
    return Answer(status=302, headers={"Location": f"blob:archives/{number}-{attempt}"})


def archive(state: State, run_id: int, attempt: int) -> bytes | Streamed | None:
    """Pack the logs of an attempt as GitHub does: names without `/` and `:`, cut at 90 UTF-16 units.

    That of logs that are made while they are sent is as long as they are, and damaged, as GitHub's of large logs are.
    """
    jobs = [job for job in state.jobs_of(run_id) if job["run_attempt"] == attempt]
    kept = [(job, log) for job in jobs if (log := state.logs.get(job["id"])) and log.status == 200]
    if not kept:
        return None
    if any(log.pieces for _, log in kept):
        return Streamed(((b"PK\x03\x04", 1), *(piece for _, log in kept for piece in log.pieces)))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for index, (job, log) in enumerate(kept):
            name = job["name"].replace("/", "").replace(":", "")
            short = name.encode("utf-16-le")[:180].decode("utf-16-le", "ignore")
            file.writestr(f"{index}_{short}.txt", log.read())
    return packed.getvalue()


def rerun(state: State, request: Request) -> Answer:
    """POST /actions/runs/{run_id}/rerun."""
    return _rerun(state, request.number("run_id"), request, bool)


def rerun_failed(state: State, request: Request) -> Answer:
    """POST /actions/runs/{run_id}/rerun-failed-jobs."""
    good = {"success", "neutral"}
    return _rerun(state, request.number("run_id"), request, lambda job: job["conclusion"] not in good)


def rerun_job(state: State, request: Request) -> Answer:
    """POST /actions/jobs/{job_id}/rerun."""
    job = state.jobs.get(request.number("job_id"))
    if job is None:
        return not_found()
    return _rerun(state, job["run_id"], request, lambda other: other["name"] == job["name"])


def _rerun(state: State, run_id: int, request: Request, wanted: Callable[[JSON], bool]) -> Answer:
    run = state.runs.get(run_id)
    if run is None:
        return not_found()
    jobs = [job for job in _newest(state.jobs_of(run_id)) if wanted(job)]
    if (objection := _objection(state, run, jobs)) is not None:
        return objection
    at = state.tick()
    state.attempts[run_id, run["run_attempt"]] = run
    attempt = run["run_attempt"] + 1
    state.runs[run_id] = {
        **deepcopy(run),
        "run_attempt": attempt,
        "status": "queued",
        "conclusion": None,
        "run_started_at": at,
        "updated_at": at,
        "previous_attempt_url": f"{run['url']}/attempts/{attempt - 1}",
    }
    state.runs[run_id]["triggering_actor"]["login"] = request.login
    for job in jobs:
        _queue_again(state, job, attempt, at)
    return Answer(status=201, body={})


def _objection(state: State, run: JSON, jobs: list[JSON]) -> Answer | None:
    if run["status"] != "completed":
        return refusal(403, "This workflow is already running")
    if datetime.fromisoformat(run["created_at"]) < state.now - OLDEST_RERUN:
        return refusal(403, "Unable to retry this workflow run because it was created over a month ago")
    if run["run_attempt"] > MOST_ATTEMPTS or not jobs:
        return refusal(403, "This workflow run cannot be retried")
    return None


def _queue_again(state: State, job: JSON, attempt: int, at: str) -> None:
    number = state.new_id() + 100_000_000_000
    empty = ("conclusion", "completed_at", "runner_id", "runner_name", "runner_group_id", "runner_group_name")
    state.jobs[number] = {
        **job,
        **dict.fromkeys(empty),
        "id": number,
        "run_attempt": attempt,
        "status": "queued",
        "created_at": at,
        "started_at": at,
        "steps": [],
        "url": job["url"].replace(str(job["id"]), str(number)),
        "html_url": job["html_url"].replace(str(job["id"]), str(number)),
        "check_run_url": job["check_run_url"].replace(str(job["id"]), str(number)),
    }


def cancel(state: State, request: Request) -> Answer:
    """POST /actions/runs/{run_id}/cancel."""
    run = state.runs.get(request.number("run_id"))
    if run is None:
        return not_found()
    if run["status"] == "completed":
        return refusal(409, "Cannot cancel a workflow run that is completed.")
    state.runs[run["id"]] = {**run, "status": "completed", "conclusion": "cancelled", "updated_at": state.tick()}
    return Answer(status=202, body={})


def _runs(pattern: str) -> Route:
    model = "ReposOwnerRepoActionsRunsGetResponse200"
    return Route(method="GET", pattern=pattern, handler=list_runs, model=model, area="actions")


def _jobs(pattern: str, handler: Callable[[State, Request], Answer]) -> Route:
    model = "ReposOwnerRepoActionsRunsRunIdJobsGetResponse200"
    return Route(method="GET", pattern=pattern, handler=handler, model=model, area="actions")


def _logs(pattern: str, handler: Callable[[State, Request], Answer]) -> Route:
    return Route(method="GET", pattern=pattern, handler=handler, area="actions", signed_in=True)


def _write(pattern: str, handler: Callable[[State, Request], Answer]) -> Route:
    return Route(method="POST", pattern=pattern, handler=handler, model="EmptyObject", area="actions", access="write")


ROUTES = (
    _runs("/repos/{owner}/{repo}/actions/runs"),
    _runs("/repos/{owner}/{repo}/actions/workflows/{workflow}/runs"),
    Route(method="GET", pattern=RUN, handler=get_run, model="WorkflowRun", area="actions"),
    Route(
        method="GET", pattern=f"{RUN}/attempts/{{attempt}}", handler=get_attempt, model="WorkflowRun", area="actions"
    ),
    _jobs(f"{RUN}/jobs", list_jobs),
    _jobs(f"{RUN}/attempts/{{attempt}}/jobs", list_attempt_jobs),
    Route(method="GET", pattern=JOB, handler=get_job, model="Job", area="actions"),
    _logs(f"{JOB}/logs", get_job_log),
    _logs(f"{RUN}/logs", get_run_logs),
    _logs(f"{RUN}/attempts/{{attempt}}/logs", get_run_logs),
    _write(f"{RUN}/rerun", rerun),
    _write(f"{RUN}/rerun-failed-jobs", rerun_failed),
    _write(f"{RUN}/cancel", cancel),
    _write(f"{JOB}/rerun", rerun_job),
)
