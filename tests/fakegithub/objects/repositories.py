"""People, repositories and labels."""

from __future__ import annotations

from tests.fakegithub.objects.ids import API, JSON, WEB, node_id, number_for

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


# Whose number is known everywhere.
_NUMBERS = {"github-actions[bot]": 41_898_282}


def user(login: str, *, kind: str = "User") -> JSON:
    """A `simple-user`. Logins that end in `[bot]` are bots."""
    if login.endswith("[bot]"):
        kind = "Bot"
    number = _NUMBERS.get(login) or number_for("user", login)
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
