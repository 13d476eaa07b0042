"""The repository, its files and commits, and who may do what in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakegithub import objects
from tests.fakegithub.answers import Answer, Request, not_found, page_of, refusal, unprocessable
from tests.fakegithub.routes import Route

if TYPE_CHECKING:
    from tests.fakegithub.state import JSON, State

REPOSITORY = "/repos/{owner}/{repo}"
# The old `permission` knows four words; `role_name` is the role itself.
FOLDED = {"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none"}
ALLOWS = {
    "admin": ("admin", "maintain", "push", "triage", "pull"),
    "maintain": ("maintain", "push", "triage", "pull"),
    "write": ("push", "triage", "pull"),
    "triage": ("triage", "pull"),
    "read": ("pull",),
    "none": (),
}


def get_repository(state: State, request: Request) -> Answer:
    """GET /repos/{owner}/{repo}."""
    return Answer(body=state.repository)


def get_content(state: State, request: Request) -> Answer:
    """GET /contents/{path}?ref=…: one file; folders are not told."""
    ref = request.query.get("ref") or state.repository["default_branch"]
    path = request.words["path"]
    data = state.contents.get((ref, path))
    return Answer(body=objects.content(state.name, ref, path, data)) if data is not None else not_found()


def get_comparison(state: State, request: Request) -> Answer:
    """GET /compare/{base}...{head}."""
    comparison = state.compare.get(request.words["range"])
    return Answer(body=comparison) if comparison else not_found()


def list_commits(state: State, request: Request) -> Answer:
    """GET /commits?sha=…&path=…&since=…."""
    ref = request.query.get("sha") or state.repository["default_branch"]
    commits = state.commits.get((ref, request.query.get("path", "")))
    if commits is None:
        return not_found()
    since = request.query.get("since", "")
    return page_of(request, [one for one in commits if one["commit"]["committer"]["date"] >= since])


def get_commit(state: State, request: Request) -> Answer:
    """GET /commits/{ref}: a branch's newest commit, or a commit that something here names."""
    ref = request.words["ref"]
    listed = state.commits.get((ref, ""), [])
    known = [*listed[:1], *(commit for commit in _known_commits(state) if commit["sha"] == ref)]
    return Answer(body=known[0]) if known else unprocessable(f"No commit found for SHA: {ref}", field_name="sha")


def _known_commits(state: State) -> list[JSON]:
    compared = [one for comparison in state.compare.values() for one in comparison["commits"]]
    bases = [comparison[name] for comparison in state.compare.values() for name in ("base_commit", "merge_base_commit")]
    return [*compared, *bases, *(one for commits in state.commits.values() for one in commits)]


def get_role(state: State, request: Request) -> Answer:
    """GET /collaborators/{login}/permission. Everybody may read a public repository."""
    login = request.words["login"]
    if login in state.ghosts:
        return not_found()
    role = state.roles.get(login, "none" if state.is_private else "read")
    base = state.own_roles.get(role, role)
    allowed = ALLOWS.get(base, ALLOWS["read"])
    person = {
        **objects.user(login),
        "role_name": role,
        "permissions": {name: name in allowed for name in ("admin", "maintain", "push", "triage", "pull")},
    }
    return Answer(body={"permission": FOLDED.get(base, "read"), "role_name": role, "user": person})


def get_myself(state: State, request: Request) -> Answer:
    """GET /user: who the token is; an installation's token is nobody."""
    if request.token is None:
        return refusal(401, "Requires authentication")
    if request.token.is_app:
        return refusal(403, "Resource not accessible by integration")
    person = {
        **objects.user(request.login),
        **dict.fromkeys(("name", "company", "location", "email", "hireable", "bio", "twitter_username"), None),
        **dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0),
        "blog": "",
        "created_at": "2024-01-08T04:15:52Z",
        "updated_at": "2026-09-01T10:00:00Z",
    }
    return Answer(body=person)


def get_viewer(state: State, request: Request) -> Answer:
    """POST /graphql, of which only this question is known here: who the token is, an installation's too."""
    if request.token is None:
        return refusal(401, "Requires authentication")
    if "viewer" not in request.body.get("query", ""):
        return unprocessable("only the viewer is known", field_name="query", resource="GraphQL")
    person = objects.user(request.login)
    viewer = {"login": person["login"], "databaseId": person["id"]}
    return Answer(body={"data": {"viewer": viewer}}, undocumented="graphql-viewer")


ROUTES = (
    Route(method="GET", pattern=REPOSITORY, handler=get_repository, model="FullRepository"),
    Route(
        method="GET",
        pattern=f"{REPOSITORY}/contents/{{+path}}",
        handler=get_content,
        model="ContentFile",
        area="contents",
    ),
    Route(
        method="GET",
        pattern=f"{REPOSITORY}/compare/{{+range}}",
        handler=get_comparison,
        model="CommitComparison",
        area="contents",
    ),
    Route(method="GET", pattern=f"{REPOSITORY}/commits", handler=list_commits, model="[Commit]", area="contents"),
    Route(method="GET", pattern=f"{REPOSITORY}/commits/{{ref}}", handler=get_commit, model="Commit", area="contents"),
    Route(
        method="GET",
        pattern=f"{REPOSITORY}/collaborators/{{login}}/permission",
        handler=get_role,
        model="RepositoryCollaboratorPermission",
        signed_in=True,
    ),
    Route(method="GET", pattern="/user", handler=get_myself, model="PublicUser"),
    Route(method="POST", pattern="/graphql", handler=get_viewer),
    Route(method="POST", pattern="/api/graphql", handler=get_viewer),  # of an enterprise server
)
