"""Comments, reactions and labels of pull requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakegithub import objects
from tests.fakegithub.answers import Answer, Request, not_found, page_of, refusal, unprocessable
from tests.fakegithub.routes import Route

if TYPE_CHECKING:
    from tests.fakegithub.routes import Handler
    from tests.fakegithub.state import JSON, State

ISSUE = "/repos/{owner}/{repo}/issues/{number}"
COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
LONGEST_BODY = 65_536
REACTIONS = frozenset({"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"})


def list_comments(state: State, request: Request) -> Answer:
    """GET /issues/{number}/comments?since=…, oldest first."""
    number = request.number("number")
    if number not in state.pulls:
        return not_found()
    since = request.query.get("since", "")
    seen = state.comments_seen(request.lag).values()
    return page_of(request, [one for one in seen if _issue_of(one) == number and one["updated_at"] >= since])


def _issue_of(comment: JSON) -> int:
    return int(comment["issue_url"].rpartition("/")[2])


def create_comment(state: State, request: Request) -> Answer:
    """POST /issues/{number}/comments."""
    number = request.number("number")
    pull = state.pulls.get(number)
    if pull is None:
        return not_found()
    if pull["locked"]:
        return refusal(403, "Unable to create comment because issue is locked.")
    if (objection := _object_to(request)) is not None:
        return objection
    state.remember_comments()
    comment = add_comment(state, number, author=request.login, body=request.body["body"])
    return Answer(status=201, body=comment, headers={"Location": comment["url"]})


def add_comment(state: State, number: int, *, author: str, body: str) -> JSON:
    """Put a comment on a pull request, as its author would."""
    comment = objects.issue_comment(state.name, number, state.new_id(), author=author, body=body, at=state.tick())
    state.comments[comment["id"]] = comment
    return comment


def _object_to(request: Request) -> Answer | None:
    body = request.body.get("body")
    if not isinstance(body, str) or not body.strip():
        return unprocessable("Body can't be blank", resource="IssueComment", field_name="body")
    if len(body) > LONGEST_BODY:
        return unprocessable(f"Body is too long (maximum is {LONGEST_BODY} characters)", resource="IssueComment")
    return None


def list_all_comments(state: State, request: Request) -> Answer:
    """GET /issues/comments?since=…&sort=created&direction=…: those of the whole repository."""
    since = request.query.get("since", "")
    seen = [one for one in state.comments_seen(request.lag).values() if one["updated_at"] >= since]
    return page_of(request, seen[::-1] if request.query.get("direction") == "desc" else seen)


def get_comment(state: State, request: Request) -> Answer:
    """GET /issues/comments/{comment_id}."""
    comment = state.comments.get(request.number("comment_id"))
    return Answer(body=comment) if comment else not_found()


def edit_comment(state: State, request: Request) -> Answer:
    """PATCH /issues/comments/{comment_id}."""
    number = request.number("comment_id")
    if number not in state.comments:
        return not_found()
    if (objection := _object_to(request)) is not None:
        return objection
    state.remember_comments()
    state.comments[number] = {**state.comments[number], "body": request.body["body"], "updated_at": state.tick()}
    return Answer(body=state.comments[number])


def delete_comment(state: State, request: Request) -> Answer:
    """DELETE /issues/comments/{comment_id}."""
    number = request.number("comment_id")
    if number not in state.comments:
        return not_found()
    state.remember_comments()
    del state.comments[number]
    return Answer(status=204)


def list_reactions(state: State, request: Request) -> Answer:
    """GET /issues/comments/{comment_id}/reactions."""
    number = request.number("comment_id")
    if number not in state.comments:
        return not_found()
    return page_of(request, list(state.reactions.get(number, {}).values()))


def create_reaction(state: State, request: Request) -> Answer:
    """POST /issues/comments/{comment_id}/reactions: 201, or 200 with the one that was there."""
    number, content = request.number("comment_id"), request.body.get("content")
    if number not in state.comments:
        return not_found()
    if content not in REACTIONS:
        return unprocessable("content is not a reaction", field_name="content", resource="Reaction")
    given = state.reactions.setdefault(number, {})
    for reaction in given.values():
        if (reaction["user"]["login"], reaction["content"]) == (request.login, content):
            return Answer(body=reaction)
    reaction = objects.reaction(state.new_id(), author=request.login, content=content, at=state.tick())
    given[reaction["id"]] = reaction
    return Answer(status=201, body=reaction)


def delete_reaction(state: State, request: Request) -> Answer:
    """DELETE /issues/comments/{comment_id}/reactions/{reaction_id}."""
    given = state.reactions.get(request.number("comment_id"), {})
    return Answer(status=204) if given.pop(request.number("reaction_id"), None) else not_found()


def list_labels(state: State, request: Request) -> Answer:
    """GET /issues/{number}/labels."""
    pull = state.pulls.get(request.number("number"))
    return page_of(request, pull["labels"]) if pull else not_found()


def get_label(state: State, request: Request) -> Answer:
    """GET /labels/{name}: one that the repository has, or that a pull request bears."""
    borne = {label["name"] for pull in state.pulls.values() for label in pull["labels"]}
    name = request.words["name"]
    return Answer(body=objects.label(state.name, name)) if name in borne | state.labels else not_found()


def add_labels(state: State, request: Request) -> Answer:
    """POST /issues/{number}/labels: labels that do not exist are made, as GitHub does."""
    pull = state.pulls.get(request.number("number"))
    names = request.body.get("labels")
    if pull is None:
        return not_found()
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        return unprocessable("labels must be texts", field_name="labels", resource="Label")
    has = {label["name"] for label in pull["labels"]}
    pull["labels"] += [objects.label(state.name, name) for name in names if name not in has]
    pull["updated_at"] = state.tick()
    return Answer(body=pull["labels"])


def remove_label(state: State, request: Request) -> Answer:
    """DELETE /issues/{number}/labels/{name}."""
    pull = state.pulls.get(request.number("number"))
    if pull is None or request.words["name"] not in {label["name"] for label in pull["labels"]}:
        return not_found()
    pull["labels"] = [label for label in pull["labels"] if label["name"] != request.words["name"]]
    return Answer(body=pull["labels"])


def _route(method: str, pattern: str, handler: Handler, model: str | None = None) -> Route:
    # A comment on a pull request needs `pull_requests: write`; `issues: write` is not enough.
    access = "read" if method == "GET" else "write"
    return Route(method=method, pattern=pattern, handler=handler, model=model, area="pull_requests", access=access)


ROUTES = (
    _route("GET", f"{ISSUE}/comments", list_comments, "[IssueComment]"),
    _route("POST", f"{ISSUE}/comments", create_comment, "IssueComment"),
    _route("GET", "/repos/{owner}/{repo}/issues/comments", list_all_comments, "[IssueComment]"),
    _route("GET", COMMENT, get_comment, "IssueComment"),
    _route("PATCH", COMMENT, edit_comment, "IssueComment"),
    _route("DELETE", COMMENT, delete_comment),
    _route("GET", f"{COMMENT}/reactions", list_reactions, "[Reaction]"),
    _route("POST", f"{COMMENT}/reactions", create_reaction, "Reaction"),
    _route("DELETE", f"{COMMENT}/reactions/{{reaction_id}}", delete_reaction),
    _route("GET", "/repos/{owner}/{repo}/labels/{name}", get_label, "Label"),
    _route("GET", f"{ISSUE}/labels", list_labels, "[Label]"),
    _route("POST", f"{ISSUE}/labels", add_labels, "[Label]"),
    _route("DELETE", f"{ISSUE}/labels/{{name}}", remove_label, "[Label]"),
)
