"""Pull requests and what they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakegithub.answers import Answer, Request, not_found, page_of, unprocessable
from tests.fakegithub.routes import Route

if TYPE_CHECKING:
    from tests.fakegithub.state import JSON, State

PULLS = "/repos/{owner}/{repo}/pulls"
MOST_FILES = 3_000
# What a pull request tells only when it is asked for alone.
ONLY_ALONE = (
    "merged", "mergeable", "rebaseable", "mergeable_state", "merged_by", "comments", "review_comments",
    "maintainer_can_modify", "commits", "additions", "deletions", "changed_files",
)  # fmt: skip


def list_pulls(state: State, request: Request) -> Answer:
    """GET /pulls?state=…&head=OWNER:BRANCH&base=…&sort=…, newest first, or those that changed last."""
    wanted = request.query.get("state", "open")
    head, base = request.query.get("head"), request.query.get("base")
    by = "updated_at" if request.query.get("sort") == "updated" else "created_at"
    pulls = [
        _short(pull)
        for pull in sorted(state.pulls.values(), key=lambda pull: (pull[by], pull["number"]), reverse=True)
        if wanted in {"all", pull["state"]}
        and head in {None, pull["head"]["label"]}
        and base in {None, pull["base"]["ref"]}
    ]
    return page_of(request, pulls)


def _short(pull: JSON) -> JSON:
    return {key: value for key, value in pull.items() if key not in ONLY_ALONE}


def get_pull(state: State, request: Request) -> Answer:
    """GET /pulls/{number}."""
    pull = state.pulls.get(request.number("number"))
    return Answer(body=pull) if pull else not_found()


def list_files(state: State, request: Request) -> Answer:
    """GET /pulls/{number}/files: GitHub gives no more than 3,000 of them."""
    number = request.number("number")
    if number not in state.pulls:
        return not_found()
    return page_of(request, state.files.get(number, [])[:MOST_FILES])


def list_pulls_of_commit(state: State, request: Request) -> Answer:
    """GET /commits/{sha}/pulls."""
    sha = request.words["sha"]
    told = state.pulls_of_commit.get(sha)
    found = told if told is not None else [pull for pull in state.pulls.values() if pull["head"]["sha"] == sha]
    if not found and not any(run["head_sha"] == sha for run in state.runs.values()):
        return unprocessable(f"No commit found for SHA: {sha}", field_name="sha")
    return page_of(request, [_short(pull) for pull in found])


ROUTES = (
    Route(method="GET", pattern=PULLS, handler=list_pulls, model="[PullRequestSimple]", area="pull_requests"),
    Route(method="GET", pattern=f"{PULLS}/{{number}}", handler=get_pull, model="PullRequest", area="pull_requests"),
    Route(
        method="GET", pattern=f"{PULLS}/{{number}}/files", handler=list_files, model="[DiffEntry]", area="pull_requests"
    ),
    Route(
        method="GET",
        pattern="/repos/{owner}/{repo}/commits/{sha}/pulls",
        handler=list_pulls_of_commit,
        model="[PullRequestSimple]",
        area="pull_requests",
    ),
)
