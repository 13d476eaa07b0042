"""What can be read, as GitHub's own JSON, so that a recording is what GitHub said and nothing else.

Three things implement `Reads`: `triage.github` (live), `triage.recorded` (a folder), and the recorder, which passes
every call on and keeps the answer. Turning JSON into the words of `triage.model` happens once, in
`triage.source.shapes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import BinaryIO

    from triage.model import MissingLog

JSON = dict[str, Any]
"""One JSON object in the shape of GitHub's REST API, version 2022-11-28."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A whole list, all pages joined; fewer items than `total_count`, GitHub's own count, means a part is missing."""

    items: tuple[JSON, ...]
    total_count: int

    @property
    def is_whole(self) -> bool:
        """Whether every item that GitHub counts was given."""
        return len(self.items) >= self.total_count


class LogSource(Protocol):
    """A raw log that can be read from its start as often as needed; on disk, never in memory."""

    @property
    def name(self) -> str:
        """What to call it in messages."""
        ...

    @property
    def truncated(self) -> bool:
        """Whether bytes are missing at the end: the download broke off or met our size limit."""
        ...

    def open(self) -> BinaryIO:
        """Open it for reading, decompressed, at byte 0."""
        ...


class Reads(Protocol):
    """The reads of one repository. Every method raises `ProviderError` when GitHub could not be asked.

    A `ProviderError` with status 404 is raised where the thing itself was asked for by number.
    """

    def repository(self) -> JSON:
        """GET /repos/{owner}/{repo}."""
        ...

    def run(self, run_id: int) -> JSON:
        """GET /actions/runs/{run_id}: the newest attempt."""
        ...

    def runs_at(self, head_sha: str) -> Page:
        """GET /actions/runs?head_sha=…: every workflow run at a commit, newest first."""
        ...

    def jobs(self, run_id: int) -> Page:
        """GET /actions/runs/{run_id}/jobs?filter=all: jobs of all attempts; the newest of each is ours to work out."""
        ...

    def annotations(self, check_run_id: int) -> Page:
        """GET /check-runs/{id}/annotations. `total_count` is the number given: GitHub does not count these."""
        ...

    def log(self, job: JSON) -> LogSource | MissingLog:
        """GET /actions/jobs/{id}/logs, without our token at the redirect. Why a log is missing is read off `job`."""
        ...

    def pull(self, number: int) -> JSON:
        """GET /pulls/{number}."""
        ...

    def pulls_with_head(self, owner: str, branch: str) -> Page:
        """GET /pulls?state=open&head=owner:branch."""
        ...

    def pulls_of_commit(self, sha: str) -> Page:
        """GET /commits/{sha}/pulls. Empty when GitHub answers 409 or 422."""
        ...

    def files(self, number: int) -> Page:
        """GET /pulls/{number}/files; `total_count` is the pull request's own `changed_files`."""
        ...

    def compare(self, base: str, head: str) -> JSON:
        """GET /compare/{base}...{head}: `merge_base_commit`, `behind_by`, `ahead_by`, `commits`, `files`."""
        ...

    def file(self, path: str, ref: str) -> str | None:
        """GET /contents/{path}?ref=…, decoded as UTF-8. None when there is no such file at that commit."""
        ...

    def runs_on(self, branch: str, *, workflow: str | None = None, since: datetime, limit: int = 100) -> Page:
        """GET /actions/runs?branch=…, or of one workflow file: completed runs since then, newest first."""
        ...

    def failed_runs(self, workflow: str, *, event: str, since: datetime, limit: int = 100) -> Page:
        """GET /actions/workflows/{file}/runs?status=failure&event=…: on any branch, since then, newest first."""
        ...

    def recent_pulls(self) -> Page:
        """GET /pulls?state=all&sort=updated: the 100 that changed last, open or not; `total_count` is their number."""
        ...

    def commits(self, ref: str, *, since: datetime | None = None, path: str | None = None) -> Sequence[JSON]:
        """GET /commits: newest first, at most one page of 100."""
        ...

    def requests_left(self) -> int | None:
        """Say how many requests GitHub allows until its limit is full again, as of its last answer; asks nothing.

        None where that is not known, and where nothing is counted.
        """
        ...
