"""Reads out of plain dictionaries, which count what they are asked."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from triage.errors import ProviderError
from triage.logs import TextSource
from triage.model import LogState, MissingLog
from triage.source.protocol import Page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from triage.source.protocol import LogSource

JSON = dict[str, Any]
HEAD = "5f0c1de4b7a9" + "0" * 28
REPOSITORY = {"id": 1, "full_name": "acme/engine", "default_branch": "main", "private": False}
FORK = {"id": 2, "full_name": "someone/engine"}


def a_pull(number: int = 5, **fields: Any) -> JSON:
    return {
        "number": number,
        "state": "open",
        "changed_files": 1,
        "head": {"sha": HEAD, "ref": "fix", "repo": FORK},
        "base": {"sha": "ba5e", "ref": "main", "repo": REPOSITORY},
        **fields,
    }


def a_run(run_id: int = 7, **fields: Any) -> JSON:
    return {
        "id": run_id,
        "name": f"CI {run_id}",
        "path": f".github/workflows/ci{run_id}.yml",
        "event": "pull_request",
        "head_sha": HEAD,
        "head_branch": "fix",
        "head_repository": FORK,
        "repository": REPOSITORY,
        "status": "completed",
        "conclusion": "failure",
        "created_at": "2026-09-18T02:33:00Z",
        "pull_requests": [],
        **fields,
    }


def a_job(job_id: int, run_id: int = 7, **fields: Any) -> JSON:
    conclusion = fields.get("conclusion", "failure")
    return {
        "id": job_id,
        "run_id": run_id,
        "run_attempt": 1,
        "name": f"job {job_id}",
        "status": "completed",
        "conclusion": conclusion,
        "runner_name": "runner-1",
        "check_run_url": f"https://api.github.com/repos/acme/engine/check-runs/{job_id}",
        "steps": [{"number": 1, "name": "Run", "status": "completed", "conclusion": conclusion}],
        **fields,
    }


def a_comparison(*files: str) -> JSON:
    return {
        "merge_base_commit": {"sha": "0ld"},
        "behind_by": 3,
        "files": [{"filename": name, "status": "modified"} for name in files],
    }


@dataclass(kw_only=True)
class FakeReads:
    """What is in no dictionary does not exist; what is an exception there is raised."""

    pulls: dict[int, Any] = field(default_factory=dict)
    runs: dict[int, Any] = field(default_factory=dict)
    job_lists: dict[int, Any] = field(default_factory=dict)
    logs: dict[int, Any] = field(default_factory=dict)
    notes: dict[int, Any] = field(default_factory=dict)
    workflow_files: dict[str, Any] = field(default_factory=dict)
    comparison: Any = field(default_factory=lambda: a_comparison("a.py"))
    file_list: Any = field(default_factory=list)
    by_head: Any = field(default_factory=list)
    by_commit: Any = field(default_factory=list)
    repository_answer: Any = field(default_factory=lambda: REPOSITORY)
    runs_counted: int | None = None
    asked: list[tuple[str, object]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def asked_for(self, kind: str) -> list[object]:
        return [what for name, what in self.asked if name == kind]

    def _give(self, kind: str, what: object, answer: Any) -> Any:
        with self._lock:
            self.asked.append((kind, what))
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            raise ProviderError(f"GitHub has not found {kind} {what}", status=404)
        return answer

    def _page(self, kind: str, what: object, answer: Any) -> Page:
        given = self._give(kind, what, answer)
        return given if isinstance(given, Page) else Page(items=tuple(given), total_count=len(given))

    def repository(self) -> JSON:
        answer: JSON = self._give("repository", "", self.repository_answer)
        return answer

    def run(self, run_id: int) -> JSON:
        answer: JSON = self._give("run", run_id, self.runs.get(run_id))
        return answer

    def runs_at(self, head_sha: str) -> Page:
        page = self._page("runs_at", head_sha, list(self.runs.values()))
        return Page(items=page.items, total_count=self.runs_counted or page.total_count)

    def jobs(self, run_id: int) -> Page:
        return self._page("jobs", run_id, self.job_lists.get(run_id))

    def annotations(self, check_run_id: int) -> Page:
        return self._page("annotations", check_run_id, self.notes.get(check_run_id, []))

    def log(self, job: JSON) -> LogSource | MissingLog:
        gone = MissingLog(state=LogState.ABSENT, why="there is none")
        answer = self._give("log", job["id"], self.logs.get(job["id"], gone))
        return TextSource(f"log of job {job['id']}", answer) if isinstance(answer, str) else answer

    def pull(self, number: int) -> JSON:
        answer: JSON = self._give("pull", number, self.pulls.get(number))
        return answer

    def pulls_with_head(self, owner: str, branch: str) -> Page:
        return self._page("pulls_with_head", f"{owner}:{branch}", self.by_head)

    def pulls_of_commit(self, sha: str) -> Page:
        return self._page("pulls_of_commit", sha, self.by_commit)

    def files(self, number: int) -> Page:
        return self._page("files", number, self.file_list)

    def compare(self, base: str, head: str) -> JSON:
        answer: JSON = self._give("compare", (base, head), self.comparison)
        return answer

    def file(self, path: str, ref: str) -> str | None:
        answer = self._give("file", (path, ref), self.workflow_files.get(path, ""))
        return answer or None

    def runs_on(self, branch: str, *, workflow: str | None = None, since: datetime, limit: int = 100) -> Page:
        raise AssertionError("gathering does not look back")

    def failed_runs(self, workflow: str, *, event: str, since: datetime, limit: int = 100) -> Page:
        raise AssertionError("gathering does not look back")

    def recent_pulls(self) -> Page:
        raise AssertionError("gathering does not look back")

    def requests_left(self) -> int | None:
        return None

    def commits(self, ref: str, *, since: datetime | None = None, path: str | None = None) -> Sequence[JSON]:
        raise AssertionError("gathering does not look back")
