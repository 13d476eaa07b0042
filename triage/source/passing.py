"""Reads that stand before other reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from triage.model import MissingLog
    from triage.source.protocol import JSON, LogSource, Page, Reads

Answer = TypeVar("Answer")


class Passing:
    """Passes every call on; what does something else with some of them is made from it."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads

    def repository(self) -> JSON:
        """Pass on."""
        return self._reads.repository()

    def run(self, run_id: int) -> JSON:
        """Pass on."""
        return self._reads.run(run_id)

    def runs_at(self, head_sha: str) -> Page:
        """Pass on."""
        return self._reads.runs_at(head_sha)

    def jobs(self, run_id: int) -> Page:
        """Pass on."""
        return self._reads.jobs(run_id)

    def annotations(self, check_run_id: int) -> Page:
        """Pass on."""
        return self._reads.annotations(check_run_id)

    def log(self, job: JSON) -> LogSource | MissingLog:
        """Pass on."""
        return self._reads.log(job)

    def pull(self, number: int) -> JSON:
        """Pass on."""
        return self._reads.pull(number)

    def pulls_with_head(self, owner: str, branch: str) -> Page:
        """Pass on."""
        return self._reads.pulls_with_head(owner, branch)

    def pulls_of_commit(self, sha: str) -> Page:
        """Pass on."""
        return self._reads.pulls_of_commit(sha)

    def files(self, number: int) -> Page:
        """Pass on."""
        return self._reads.files(number)

    def compare(self, base: str, head: str) -> JSON:
        """Pass on."""
        return self._reads.compare(base, head)

    def file(self, path: str, ref: str) -> str | None:
        """Pass on."""
        return self._reads.file(path, ref)

    def runs_on(self, branch: str, *, workflow: str | None = None, since: datetime, limit: int = 100) -> Page:
        """Pass on."""
        return self._reads.runs_on(branch, workflow=workflow, since=since, limit=limit)

    def failed_runs(self, workflow: str, *, event: str, since: datetime, limit: int = 100) -> Page:
        """Pass on."""
        return self._reads.failed_runs(workflow, event=event, since=since, limit=limit)

    def recent_pulls(self) -> Page:
        """Pass on."""
        return self._reads.recent_pulls()

    def commits(self, ref: str, *, since: datetime | None = None, path: str | None = None) -> Sequence[JSON]:
        """Pass on."""
        return self._reads.commits(ref, since=since, path=path)

    def requests_left(self) -> int | None:
        """Pass on."""
        return self._reads.requests_left()


class Once(Passing):
    """Asks once for what says which change is meant, so that its settings can be read before it is triaged.

    For one triage: what is newest stays as it was first told.
    """

    def __init__(self, reads: Reads) -> None:
        super().__init__(reads)
        self._told: dict[tuple[object, ...], Any] = {}

    def repository(self) -> JSON:
        """Ask once."""
        return self._once(super().repository, "repository")

    def run(self, run_id: int) -> JSON:
        """Ask once."""
        return self._once(lambda: self._reads.run(run_id), "run", run_id)

    def runs_at(self, head_sha: str) -> Page:
        """Ask once."""
        return self._once(lambda: self._reads.runs_at(head_sha), "runs_at", head_sha)

    def pull(self, number: int) -> JSON:
        """Ask once."""
        return self._once(lambda: self._reads.pull(number), "pull", number)

    def pulls_with_head(self, owner: str, branch: str) -> Page:
        """Ask once."""
        return self._once(lambda: self._reads.pulls_with_head(owner, branch), "pulls_with_head", owner, branch)

    def pulls_of_commit(self, sha: str) -> Page:
        """Ask once."""
        return self._once(lambda: self._reads.pulls_of_commit(sha), "pulls_of_commit", sha)

    def compare(self, base: str, head: str) -> JSON:
        """Ask once."""
        return self._once(lambda: self._reads.compare(base, head), "compare", base, head)

    def _once(self, ask: Callable[[], Answer], *question: object) -> Answer:
        """Return what was told before, else ask; what could not be told is asked for again."""
        if question not in self._told:
            self._told[question] = ask()
        answer: Answer = self._told[question]
        return answer
