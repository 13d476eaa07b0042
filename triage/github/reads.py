"""`Reads` from a live GitHub."""

from __future__ import annotations

import base64
import binascii
import re
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from triage.errors import ProviderError, UsageError
from triage.github.blobs import Blobs
from triage.github.client import Client
from triage.github.logs import Logs, Siblings
from triage.source.protocol import JSON, Page
from triage.source.shapes import job_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from types import TracebackType

    from triage.github.budget import Budget, Limits
    from triage.github.hosts import ApiAddress, BlobHosts
    from triage.model import Job, MissingLog
    from triage.source.protocol import LogSource

# GitHub lists no more files of a pull request than this, without a word.
MOST_FILES = 3_000
NOT_FOUND = 404
# A commit of nobody's, or none: no pull request holds it.
NO_SUCH_COMMIT = frozenset({404, 409, 422})

_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


class LiveReads:
    """The reads of one repository on GitHub; close it, or use it with `with`."""

    def __init__(
        self,
        repository: str,
        *,
        api: ApiAddress,
        token: str | None,
        hosts: BlobHosts,
        budget: Budget,
        limits: Limits,
    ) -> None:
        if not _REPOSITORY.fullmatch(repository):
            raise UsageError(f"{repository!r} is not a repository; expected OWNER/NAME, such as acme/engine")
        self._name = repository
        self._budget = budget
        self.client = Client(api=api, token=token, budget=budget, limits=limits)
        folder = Path(tempfile.mkdtemp(prefix="triage-logs-"))
        self._clean_up = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._logs = Logs(
            blobs=Blobs(client=self.client, hosts=hosts, budget=budget, limits=limits), limits=limits, folder=folder
        )
        self._siblings: dict[tuple[int, int], Siblings] = {}
        self._changed_files: dict[int, int] = {}

    @property
    def requests_made(self) -> int:
        """How many requests the API was asked so far, retries included; logs' stores are no part of the API."""
        return self._budget.requests_made

    def close(self) -> None:
        """Close the connections and delete the logs."""
        self.client.close()
        self._clean_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def repository(self) -> JSON:
        """Ask for the repository."""
        return self._renamed(self._get("", what=f"repository {self._name}", permission="metadata: read"))

    def run(self, run_id: int) -> JSON:
        """Ask for a workflow run."""
        run = self._get(f"/actions/runs/{run_id}", what=f"run {run_id} of {self._name}", permission="actions: read")
        self._renamed(run.get("repository"))
        return run

    def runs_at(self, head_sha: str) -> Page:
        """Ask for the runs at a commit."""
        return self._pages(
            "/actions/runs",
            key="workflow_runs",
            parameters={"head_sha": head_sha},
            what=f"the runs at commit {head_sha[:10]}",
            permission="actions: read",
        )

    def jobs(self, run_id: int) -> Page:
        """Ask for the jobs of all attempts of a run."""
        page = self._pages(
            f"/actions/runs/{run_id}/jobs",
            key="jobs",
            parameters={"filter": "all"},
            what=f"the jobs of run {run_id}",
            permission="actions: read",
        )
        self._siblings |= _siblings(page)
        return page

    def annotations(self, check_run_id: int) -> Page:
        """Ask for the annotations of a check run."""
        return self._pages(
            f"/check-runs/{check_run_id}/annotations",
            what="the job's annotations",
            permission="checks: read",
        )

    def log(self, job: JSON) -> LogSource | MissingLog:
        """Download a job's log."""
        wanted = job_of(job)
        siblings = self._siblings.get((wanted.run_id, wanted.run_attempt), Siblings())
        return self._logs.fetch(wanted, f"{self._path}/actions", siblings)

    def pull(self, number: int) -> JSON:
        """Ask for a pull request."""
        pull = self._get(
            f"/pulls/{number}", what=f"pull request #{number} of {self._name}", permission="pull-requests: read"
        )
        base = pull.get("base")
        self._renamed(base.get("repo") if isinstance(base, dict) else None)
        if isinstance(count := pull.get("changed_files"), int):
            self._changed_files[number] = count
        return pull

    def pulls_with_head(self, owner: str, branch: str) -> Page:
        """Ask for the open pull requests from a branch."""
        return self._pages(
            "/pulls",
            parameters={"state": "open", "head": f"{owner}:{branch}"},
            what=f"the pull requests from {owner}:{branch}",
            permission="pull-requests: read",
        )

    def pulls_of_commit(self, sha: str) -> Page:
        """Ask for the pull requests that hold a commit."""
        try:
            return self._pages(
                f"/commits/{quote(sha, safe='')}/pulls",
                what=f"the pull requests that hold commit {sha[:10]}",
                permission="pull-requests: read",
            )
        except ProviderError as error:
            if error.status in NO_SUCH_COMMIT:
                return Page(items=(), total_count=0)
            raise

    def files(self, number: int) -> Page:
        """Ask for the changed files of a pull request, counted against what `pull` said of it, if it was asked."""
        page = self._pages(
            f"/pulls/{number}/files", what=f"the files of pull request #{number}", permission="pull-requests: read"
        )
        # Without the count, a list as long as the longest must be taken for one that was cut.
        least = len(page.items) + (len(page.items) >= MOST_FILES)
        return Page(items=page.items, total_count=max(self._changed_files.get(number, least), len(page.items)))

    def compare(self, base: str, head: str) -> JSON:
        """Ask how two commits relate."""
        return self._get(
            f"/compare/{quote(base, safe='')}...{quote(head, safe='')}",
            what=f"the comparison of {base} with {head[:10]}",
            permission="contents: read",
        )

    def file(self, path: str, ref: str) -> str | None:
        """Ask for a file at a commit."""
        what = f"file {path} at {ref[:10]}"
        try:
            answer = self._get(
                f"/contents/{quote(path)}", parameters={"ref": ref}, what=what, permission="contents: read"
            )
        except ProviderError as error:
            if error.status == NOT_FOUND:
                return None
            raise
        return _content(answer, what)

    def runs_on(self, branch: str, *, workflow: str | None = None, since: datetime, limit: int = 100) -> Page:
        """Ask for the completed runs of a branch, newest first."""
        path = f"/actions/workflows/{quote(workflow, safe='')}/runs" if workflow else "/actions/runs"
        return self._pages(
            path,
            key="workflow_runs",
            parameters={"branch": branch, "status": "completed", "created": f">={since:%Y-%m-%dT%H:%M:%SZ}"},
            what=f"the runs on branch {branch}",
            permission="actions: read",
            limit=limit,
        )

    def failed_runs(self, workflow: str, *, event: str, since: datetime, limit: int = 100) -> Page:
        """Ask for the failed runs of one workflow file, newest first."""
        return self._pages(
            f"/actions/workflows/{quote(workflow, safe='')}/runs",
            key="workflow_runs",
            parameters={"event": event, "status": "failure", "created": f">={since:%Y-%m-%dT%H:%M:%SZ}"},
            what=f"the failed runs of {workflow}",
            permission="actions: read",
            limit=limit,
        )

    def completed_runs(self, *, since: datetime, limit: int) -> Page:
        """Ask for completed runs of the whole repository, newest first. No triage asks this, so it is no `Reads`."""
        return self._pages(
            "/actions/runs",
            key="workflow_runs",
            parameters={"status": "completed", "created": f">={since:%Y-%m-%dT%H:%M:%SZ}"},
            what="the runs that ended lately",
            permission="actions: read",
            limit=limit,
        )

    def recent_pulls(self) -> Page:
        """Ask for the 100 pull requests that changed last."""
        return self._pages(
            "/pulls",
            parameters={"state": "all", "sort": "updated", "direction": "desc"},
            what="the pull requests that changed last",
            permission="pull-requests: read",
            limit=100,
        )

    def open_pulls(self, *, limit: int) -> Page:
        """Ask for the open pull requests, those that changed last first. No triage asks this, either."""
        return self._pages(
            "/pulls",
            parameters={"state": "open", "sort": "updated", "direction": "desc"},
            what="the open pull requests",
            permission="pull-requests: read",
            limit=limit,
        )

    def requests_left(self) -> int | None:
        """Return what GitHub's last answer said of its limit."""
        return self._budget.requests_left

    def commits(self, ref: str, *, since: datetime | None = None, path: str | None = None) -> Sequence[JSON]:
        """Ask for up to 100 commits, newest first."""
        parameters = {"sha": ref, "path": path, "since": f"{since:%Y-%m-%dT%H:%M:%SZ}" if since else None}
        return self._pages(
            "/commits",
            parameters={key: value for key, value in parameters.items() if value is not None},
            what=f"the commits of {ref}",
            permission="contents: read",
            limit=100,
        ).items

    @property
    def _path(self) -> str:
        return f"/repos/{self._name}"

    def _get(self, path: str, *, what: str, permission: str, parameters: dict[str, object] | None = None) -> JSON:
        return self.client.get(f"{self._path}{path}", what=what, permission=permission, parameters=parameters)

    def _pages(
        self,
        path: str,
        *,
        what: str,
        permission: str,
        key: str | None = None,
        parameters: dict[str, str] | None = None,
        limit: int | None = None,
    ) -> Page:
        return self.client.pages(
            f"{self._path}{path}", what=what, permission=permission, key=key, parameters=parameters, limit=limit
        )

    def _renamed(self, repository: object) -> JSON:
        """Take the name GitHub uses: after a rename it redirects, and PyGithub loses the query on that way."""
        answer = repository if isinstance(repository, dict) else {}
        name = answer.get("full_name")
        if isinstance(name, str) and _REPOSITORY.fullmatch(name):
            self._name = name
        return answer


def _siblings(page: Page) -> dict[tuple[int, int], Siblings]:
    """Count the broken jobs of each attempt; jobs that cannot be read are not missed here."""
    attempts: dict[tuple[int, int], list[Job]] = {}
    for item in page.items:
        try:
            job = job_of(item)
        except ProviderError:
            continue
        attempts.setdefault((job.run_id, job.run_attempt), []).append(job)
    return {
        key: Siblings([job.name for job in jobs], sum(job.is_red and not job.never_started for job in jobs))
        for key, jobs in attempts.items()
    }


def _content(answer: JSON, what: str) -> str:
    content = answer.get("content")
    if answer.get("encoding") != "base64" or not isinstance(content, str):
        raise ProviderError(f"{what} is no file that GitHub gives as text: too large, a folder, a link or a submodule")
    try:
        return base64.b64decode(content).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise ProviderError(f"{what} is not UTF-8 text") from error
