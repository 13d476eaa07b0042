"""Commits, comparisons and files."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from tests.fakegithub.objects.ids import API, JSON, WEB, node_id, sha_for
from tests.fakegithub.objects.repositories import user

if TYPE_CHECKING:
    from collections.abc import Sequence


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
