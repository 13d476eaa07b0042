"""Pull requests, what they change and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakegithub.objects.ids import API, JSON, WEB, node_id, number_for, sha_for
from tests.fakegithub.objects.repositories import label, repository, user

if TYPE_CHECKING:
    from collections.abc import Sequence


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
