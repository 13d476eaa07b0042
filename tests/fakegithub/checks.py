"""Check runs and their annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakegithub import objects
from tests.fakegithub.answers import Answer, Request, not_found, page_of, unprocessable
from tests.fakegithub.routes import Route

if TYPE_CHECKING:
    from tests.fakegithub.routes import Handler
    from tests.fakegithub.state import JSON, State

CHECKS = "/repos/{owner}/{repo}/check-runs"
MOST_ANNOTATIONS = 50
LONGEST_TEXT = 65_535
SHOWN = ("external_id", "details_url", "status", "conclusion", "started_at", "completed_at", "output")


def list_annotations(state: State, request: Request) -> Answer:
    """GET /check-runs/{id}/annotations. The check run of a job has the job's own id."""
    number = request.number("check_run_id")
    if number not in state.jobs and number not in state.check_runs:
        return not_found()
    return page_of(request, state.annotations.get(number, []))


def get_check_run(state: State, request: Request) -> Answer:
    """GET /check-runs/{id}."""
    number = request.number("check_run_id")
    check = state.check_runs.get(number) or (_check_of(state, state.jobs[number]) if number in state.jobs else None)
    return Answer(body=check) if check else not_found()


def _check_of(state: State, job: JSON) -> JSON:
    fields = {key: job[key] for key in ("status", "conclusion", "started_at", "completed_at")}
    return objects.check_run(state.name, job["id"], name=job["name"], head_sha=job["head_sha"], fields=fields)


def list_check_runs(state: State, request: Request) -> Answer:
    """GET /commits/{sha}/check-runs?check_name=…, newest first; those of jobs are left out."""
    sha, name = request.words["sha"], request.query.get("check_name")
    found = [one for one in state.check_runs.values() if one["head_sha"] == sha and name in {None, one["name"]}]
    return page_of(request, found[::-1], key="check_runs")


def create_check_run(state: State, request: Request) -> Answer:
    """POST /check-runs."""
    given = request.body
    if not given.get("name") or not given.get("head_sha"):
        return unprocessable("name and head_sha are needed", field_name="name", resource="CheckRun")
    if (objection := _object_to(given)) is not None:
        return objection
    number = state.new_id()
    state.check_runs[number] = objects.check_run(
        state.name, number, name=given["name"], head_sha=given["head_sha"], fields=_shown(state, given)
    )
    state.annotations[number] = _annotations(state, given)
    return Answer(status=201, body=state.check_runs[number])


def update_check_run(state: State, request: Request) -> Answer:
    """PATCH /check-runs/{id}: annotations are added to those that are there."""
    number = request.number("check_run_id")
    old = state.check_runs.get(number)
    if old is None:
        return not_found()
    if (objection := _object_to(request.body)) is not None:
        return objection
    state.annotations[number] = state.annotations.get(number, []) + _annotations(state, {**old, **request.body})
    name = request.body.get("name") or old["name"]
    fields = {**old, **_shown(state, request.body)}
    state.check_runs[number] = objects.check_run(state.name, number, name=name, head_sha=old["head_sha"], fields=fields)
    return Answer(body=state.check_runs[number])


def _shown(state: State, given: JSON) -> JSON:
    shown = {key: given[key] for key in SHOWN if key in given}
    if "conclusion" in shown:
        shown |= {"status": "completed", "completed_at": shown.get("completed_at") or state.tick()}
    return shown


def _object_to(given: JSON) -> Answer | None:
    output = given.get("output") or {}
    if len(output.get("annotations") or ()) > MOST_ANNOTATIONS:
        return unprocessable(f"at most {MOST_ANNOTATIONS} annotations", field_name="annotations", resource="CheckRun")
    if any(len(output.get(part) or "") > LONGEST_TEXT for part in ("summary", "text")):
        return unprocessable(f"at most {LONGEST_TEXT} characters", field_name="output", resource="CheckRun")
    if given.get("status") == "completed" and not given.get("conclusion"):
        return unprocessable("a completed check run has a conclusion", field_name="conclusion", resource="CheckRun")
    return None


def _annotations(state: State, given: JSON) -> list[JSON]:
    return [
        objects.annotation(
            repository_name=state.name,
            head_sha=given["head_sha"],
            path=one["path"],
            message=one["message"],
            level=one["annotation_level"],
            line=one["start_line"],
            title=one.get("title", ""),
        )
        for one in (given.get("output") or {}).get("annotations") or ()
    ]


def _route(method: str, pattern: str, handler: Handler, model: str) -> Route:
    access = "read" if method == "GET" else "write"
    return Route(method=method, pattern=pattern, handler=handler, model=model, area="checks", access=access)


ROUTES = (
    _route("GET", f"{CHECKS}/{{check_run_id}}/annotations", list_annotations, "[CheckAnnotation]"),
    _route(
        "GET",
        "/repos/{owner}/{repo}/commits/{sha}/check-runs",
        list_check_runs,
        "ReposOwnerRepoCommitsRefCheckRunsGetResponse200",
    ),
    _route("GET", f"{CHECKS}/{{check_run_id}}", get_check_run, "CheckRun"),
    _route("POST", CHECKS, create_check_run, "CheckRun"),
    _route("PATCH", f"{CHECKS}/{{check_run_id}}", update_check_run, "CheckRun"),
)
