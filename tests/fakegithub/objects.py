"""GitHub's JSON objects, complete: every field that GitHub's description requires, from the few that matter.

The addresses are those of github.com; the fake puts its own in their place when it answers.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

JSON = dict[str, Any]

API = "https://api.github.com"
WEB = "https://github.com"

_USER_PLACES = (
    "followers", "following{/other_user}", "gists{/gist_id}", "starred{/owner}{/repo}", "subscriptions",
    "organizations", "repos", "events{/privacy}", "received_events",
)  # fmt: skip


_REPOSITORY_PLACES = {
    "archive": "{archive_format}{/ref}", "assignees": "assignees{/user}", "blobs": "git/blobs{/sha}",
    "branches": "branches{/branch}", "collaborators": "collaborators{/collaborator}", "comments": "comments{/number}",
    "commits": "commits{/sha}", "compare": "compare/{base}...{head}", "contents": "contents/{+path}",
    "contributors": "contributors", "deployments": "deployments", "downloads": "downloads", "events": "events",
    "forks": "forks", "git_commits": "git/commits{/sha}", "git_refs": "git/refs{/sha}", "git_tags": "git/tags{/sha}",
    "hooks": "hooks", "issue_comment": "issues/comments{/number}", "issue_events": "issues/events{/number}",
    "issues": "issues{/number}", "keys": "keys{/key_id}", "labels": "labels{/name}", "languages": "languages",
    "merges": "merges", "milestones": "milestones{/number}",
    "notifications": "notifications{?since,all,participating}", "pulls": "pulls{/number}", "releases": "releases{/id}",
    "stargazers": "stargazers", "statuses": "statuses/{sha}", "subscribers": "subscribers",
    "subscription": "subscription", "tags": "tags", "teams": "teams", "trees": "git/trees{/sha}",
}  # fmt: skip


def number_for(*words: object) -> int:
    """Return an id that is always the same for the same words: nine digits."""
    digest = hashlib.sha256("\0".join(map(str, words)).encode()).digest()
    return 100_000_000 + int.from_bytes(digest[:6], "big") % 900_000_000


def sha_for(*words: object) -> str:
    """Return a commit or blob id that is always the same for the same words: 40 hex digits."""
    return hashlib.sha1("\0".join(map(str, words)).encode(), usedforsecurity=False).hexdigest()


def node_id(kind: str, number: int) -> str:
    """Return an opaque id as the GraphQL API would give it."""
    return f"{kind}_{base64.urlsafe_b64encode(number.to_bytes(8, 'big')).decode().rstrip('=')}"


def user(login: str, *, kind: str = "User") -> JSON:
    """A `simple-user`. Logins that end in `[bot]` are bots."""
    if login.endswith("[bot]"):
        kind = "Bot"
    number = number_for("user", login)
    url = f"{API}/users/{login}"
    places = {_user_key(place): f"{url}/{place}" for place in _USER_PLACES}
    return {
        "login": login,
        "id": number,
        "node_id": node_id("U", number),
        "avatar_url": f"https://avatars.githubusercontent.com/u/{number}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{WEB}/{login}",
        **places,
        "type": kind,
        "user_view_type": "public",
        "site_admin": False,
    }


def _user_key(place: str) -> str:
    return f"{place.partition('{')[0]}_url"


def minimal_repository(full_name: str, *, private: bool = False, fork: bool = False) -> JSON:
    """A `minimal-repository`, as workflow runs carry it."""
    owner, name = full_name.split("/")
    number = number_for("repository", full_name)
    url = f"{API}/repos/{full_name}"
    return {
        "id": number,
        "node_id": node_id("R", number),
        "name": name,
        "full_name": full_name,
        "private": private,
        "owner": user(owner, kind="Organization" if not fork else "User"),
        "html_url": f"{WEB}/{full_name}",
        "description": "An inference engine",
        "fork": fork,
        "url": url,
        **{f"{key}_url": f"{url}/{place}" for key, place in _REPOSITORY_PLACES.items()},
    }


def repository(full_name: str, *, default_branch: str = "main", private: bool = False, fork: bool = False) -> JSON:
    """A `full-repository`."""
    return {
        **minimal_repository(full_name, private=private, fork=fork),
        "git_url": f"git://github.com/{full_name}.git",
        "ssh_url": f"git@github.com:{full_name}.git",
        "clone_url": f"{WEB}/{full_name}.git",
        "svn_url": f"{WEB}/{full_name}",
        "mirror_url": None,
        "homepage": None,
        "language": "Python",
        "size": 184_221,
        "default_branch": default_branch,
        "visibility": "private" if private else "public",
        "archived": False,
        "disabled": False,
        "license": None,
        "topics": [],
        "is_template": False,
        "allow_forking": True,
        "web_commit_signoff_required": False,
        **dict.fromkeys(("has_issues", "has_projects", "has_downloads"), True),
        **dict.fromkeys(("has_wiki", "has_pages", "has_discussions"), False),
        **dict.fromkeys(("forks", "forks_count", "network_count"), 4_102),
        **dict.fromkeys(("watchers", "watchers_count", "stargazers_count"), 21_377),
        **dict.fromkeys(("open_issues", "open_issues_count"), 1_904),
        "subscribers_count": 143,
        "pushed_at": "2026-09-18T08:02:44Z",
        "created_at": "2024-01-08T04:15:52Z",
        "updated_at": "2026-09-18T08:02:49Z",
    }


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


def label(repository_name: str, name: str) -> JSON:
    """A label of the repository."""
    number = number_for("label", name)
    return {
        "id": number,
        "node_id": node_id("LA", number),
        "url": f"{API}/repos/{repository_name}/labels/{name}",
        "name": name,
        "color": f"{number % 0xFFFFFF:06x}",
        "default": False,
        "description": "",
        "archived_at": None,
        "archived_by": None,
    }


def pull_request(
    *,
    repository_name: str,
    number: int,
    title: str,
    author: str,
    head_sha: str,
    head_ref: str,
    head_repository: str | None,
    base_ref: str,
    base_sha: str,
    labels: Sequence[str] = (),
    created_at: str,
    updated_at: str,
    draft: bool = False,
    state: str = "open",
    files: Sequence[JSON] = (),
    commits: int = 1,
    body: str = "",
    private: bool = False,
) -> JSON:
    """A `pull-request`. `head_repository` is the fork's full name, or None when the branch is in the repository."""
    url = f"{API}/repos/{repository_name}/pulls/{number}"
    issue = f"{API}/repos/{repository_name}/issues/{number}"
    web = f"{WEB}/{repository_name}/pull/{number}"
    identity = number_for("pull", repository_name, number)
    statuses = f"{API}/repos/{repository_name}/statuses/{head_sha}"
    comments = f"{url}/comments"
    links = {
        "self": url, "html": web, "issue": issue, "comments": f"{issue}/comments", "review_comments": comments,
        "review_comment": f"{comments}{{/number}}", "commits": f"{url}/commits", "statuses": statuses,
    }  # fmt: skip
    head = head_repository or repository_name
    return {
        "url": url,
        "id": identity,
        "node_id": node_id("PR", identity),
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "issue_url": issue,
        "commits_url": f"{url}/commits",
        "review_comments_url": comments,
        "review_comment_url": f"{comments}{{/number}}",
        "comments_url": f"{issue}/comments",
        "statuses_url": statuses,
        "number": number,
        "state": state,
        "locked": False,
        "title": title,
        "user": user(author),
        "body": body,
        "created_at": created_at,
        "updated_at": updated_at,
        "closed_at": None,
        "merged_at": None,
        "merge_commit_sha": sha_for("merge", head_sha, base_sha),
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "labels": [label(repository_name, name) for name in labels],
        "milestone": None,
        "draft": draft,
        "head": _side(head, head_ref, head_sha, fork=head != repository_name, private=private),
        "base": _side(repository_name, base_ref, base_sha, fork=False, private=private),
        "_links": {key: {"href": href} for key, href in links.items()},
        "author_association": "CONTRIBUTOR",
        "auto_merge": None,
        "active_lock_reason": None,
        "merged": False,
        "mergeable": True,
        "rebaseable": True,
        "mergeable_state": "unstable",
        "merged_by": None,
        "comments": 0,
        "review_comments": 0,
        "maintainer_can_modify": head != repository_name,
        "commits": commits,
        "additions": sum(file["additions"] for file in files),
        "deletions": sum(file["deletions"] for file in files),
        "changed_files": len(files),
    }


def _side(full_name: str, ref: str, sha: str, *, fork: bool, private: bool) -> JSON:
    owner = full_name.partition("/")[0]
    return {
        "label": f"{owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user(owner, kind="User" if fork else "Organization"),
        "repo": repository(full_name, private=private, fork=fork),
    }


def pull_minimal(repository_name: str, number: int, *, head_sha: str, head_ref: str, base_sha: str) -> JSON:
    """The short form of a pull request that a workflow run carries."""
    short = {
        "id": number_for("repository", repository_name),
        "url": f"{API}/repos/{repository_name}",
        "name": repository_name.split("/")[1],
    }
    return {
        "url": f"{API}/repos/{repository_name}/pulls/{number}",
        "id": number_for("pull", repository_name, number),
        "number": number,
        "head": {"ref": head_ref, "sha": head_sha, "repo": short},
        "base": {"ref": "main", "sha": base_sha, "repo": short},
    }


def changed_file(
    repository_name: str, ref: str, path: str, *, patch: str | None, status: str = "modified",
    previous: str | None = None, counts: tuple[int, int] | None = None,
) -> JSON:  # fmt: skip
    """A `diff-entry`. `counts` (added, removed) is needed only where there is no patch to count."""
    rows = (patch or "").splitlines()
    added, removed = counts or (sum(row[:1] == "+" for row in rows), sum(row[:1] == "-" for row in rows))
    entry: JSON = {
        "sha": sha_for("blob", ref, path),
        "filename": path,
        "status": status,
        "additions": added,
        "deletions": removed,
        "changes": added + removed,
        "blob_url": f"{WEB}/{repository_name}/blob/{ref}/{path}",
        "raw_url": f"{WEB}/{repository_name}/raw/{ref}/{path}",
        "contents_url": f"{API}/repos/{repository_name}/contents/{path}?ref={ref}",
    }
    if patch is not None:
        entry["patch"] = patch
    if previous is not None:
        entry["previous_filename"] = previous
    return entry


def commit(repository_name: str, sha: str, *, message: str, author: str, at: str, parents: Sequence[str] = ()) -> JSON:
    """A `commit` of a list or a comparison."""
    url = f"{API}/repos/{repository_name}/commits/{sha}"
    web = f"{WEB}/{repository_name}/commit/{sha}"
    tree = sha_for("tree", sha)
    return {
        "sha": sha,
        "node_id": node_id("C", int(sha[:12], 16)),
        "commit": {
            "author": {"name": author, "email": f"{author}@users.noreply.github.com", "date": at},
            "committer": {"name": "GitHub", "email": "noreply@github.com", "date": at},
            "message": message,
            "tree": {"sha": tree, "url": f"{API}/repos/{repository_name}/git/trees/{tree}"},
            "url": f"{API}/repos/{repository_name}/git/commits/{sha}",
            "comment_count": 0,
            "verification": {
                "verified": True, "reason": "valid", "signature": None, "payload": None, "verified_at": at,
            },
        },
        "url": url,
        "html_url": web,
        "comments_url": f"{url}/comments",
        "author": user(author),
        "committer": user("web-flow"),
        "parents": [
            {"sha": parent, "url": f"{API}/repos/{repository_name}/commits/{parent}", "html_url": f"{WEB}/{parent}"}
            for parent in parents
        ],
    }  # fmt: skip


def comparison(
    repository_name: str, base: str, head: str, *, base_commit: JSON, merge_base: JSON, behind_by: int,
    commits: Sequence[JSON], ahead_by: int | None = None, files: Sequence[JSON] = (),
) -> JSON:  # fmt: skip
    """A `commit-comparison` of `base...head`; GitHub gives at most 250 commits and 300 files of it."""
    ahead = len(commits) if ahead_by is None else ahead_by
    status = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}
    web = f"{WEB}/{repository_name}/compare/{base}...{head}"
    return {
        "url": f"{API}/repos/{repository_name}/compare/{base}...{head}",
        "html_url": web,
        "permalink_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "base_commit": base_commit,
        "merge_base_commit": merge_base,
        "status": status.get((ahead > 0, behind_by > 0), "identical"),
        "ahead_by": ahead,
        "behind_by": behind_by,
        "total_commits": ahead,
        "commits": list(commits),
        "files": list(files),
    }


def content(repository_name: str, ref: str, path: str, data: bytes) -> JSON:
    """A `content-file`, base64 in lines of 60 as GitHub wraps it."""
    sha = sha_for("content", data)
    url = f"{API}/repos/{repository_name}/contents/{path}?ref={ref}"
    git = f"{API}/repos/{repository_name}/git/blobs/{sha}"
    web = f"{WEB}/{repository_name}/blob/{ref}/{path}"
    text = base64.b64encode(data).decode()
    return {
        "type": "file",
        "encoding": "base64",
        "size": len(data),
        "name": path.rsplit("/", 1)[-1],
        "path": path,
        "content": "".join(f"{text[at : at + 60]}\n" for at in range(0, len(text), 60)),
        "sha": sha,
        "url": url,
        "git_url": git,
        "html_url": web,
        "download_url": f"https://raw.githubusercontent.com/{repository_name}/{ref}/{path}",
        "_links": {"self": url, "git": git, "html": web},
    }


def issue_comment(repository_name: str, issue: int, number: int, *, author: str, body: str, at: str) -> JSON:
    """A comment on an issue or pull request."""
    url = f"{API}/repos/{repository_name}/issues/comments/{number}"
    return {
        "url": url,
        "html_url": f"{WEB}/{repository_name}/pull/{issue}#issuecomment-{number}",
        "issue_url": f"{API}/repos/{repository_name}/issues/{issue}",
        "id": number,
        "node_id": node_id("IC", number),
        "user": user(author),
        "created_at": at,
        "updated_at": at,
        "body": body,
        "author_association": "NONE",
        "performed_via_github_app": None,
        "reactions": {
            "url": f"{url}/reactions",
            "total_count": 0,
            **dict.fromkeys(("+1", "-1", "laugh", "confused", "heart", "hooray", "eyes", "rocket"), 0),
        },
    }


def reaction(number: int, *, author: str, content: str, at: str) -> JSON:
    """A reaction to a comment."""
    return {
        "id": number,
        "node_id": node_id("REA", number),
        "user": user(author),
        "content": content,
        "created_at": at,
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
