"""Reads that ask GitHub for nothing that an earlier triage was told and that cannot change any more.

That is: the jobs of a run that is over, at the same attempt, and a file at a commit. All else is passed on.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, TypeVar

from triage.errors import HistoryUnavailable
from triage.source.passing import Passing
from triage.source.protocol import JSON, Page
from triage.source.shapes import repository_of, run_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.history.store import Store
    from triage.model import Repository
    from triage.source.protocol import Reads

Answer = TypeVar("Answer")

_SHA = re.compile(r"[0-9a-f]{40}")


class Remembering(Passing):
    """The reads of one repository, with a history store before them. A store that fails is as good as none.

    Args:
        reads: Asked for what is not known.
        store: What earlier triages were told.
    """

    def __init__(self, reads: Reads, store: Store) -> None:
        super().__init__(reads)
        self._store = store
        self._repository: Repository | None = None
        self._over: dict[int, int] = {}

    def repository(self) -> JSON:
        """Pass on."""
        answer = self._reads.repository()
        self._meet(answer)
        return answer

    def run(self, run_id: int) -> JSON:
        """Pass on, and see whether the run is over."""
        answer = self._reads.run(run_id)
        self._meet(answer.get("repository"))
        self._see(answer)
        return answer

    def runs_at(self, head_sha: str) -> Page:
        """Pass on, and see which runs are over."""
        page = self._reads.runs_at(head_sha)
        for item in page.items:
            self._see(item)
        return page

    def jobs(self, run_id: int) -> Page:
        """Give the jobs of a run that is over as they were told before."""
        attempt = self._over.get(run_id)
        if attempt is None:
            return self._reads.jobs(run_id)
        return self._once("jobs", f"{run_id} {attempt}", lambda: self._reads.jobs(run_id), _write_page, _read_page)

    def pull(self, number: int) -> JSON:
        """Pass on."""
        answer = self._reads.pull(number)
        base = answer.get("base")
        self._meet(base.get("repo") if isinstance(base, dict) else None)
        return answer

    def file(self, path: str, ref: str) -> str | None:
        """Give a file at a commit as it was told before."""
        if not _SHA.fullmatch(ref):
            return self._reads.file(path, ref)
        return self._once("file", f"{ref} {path}", lambda: self._reads.file(path, ref), _write_file, _read_file)

    def _meet(self, repository: object) -> None:
        if isinstance(repository, dict) and repository.get("full_name"):
            self._repository = self._repository or repository_of(repository)

    def _see(self, json_run: JSON) -> None:
        run = run_of(json_run)
        if run.is_complete:
            self._over[run.id] = run.attempt

    def _once(
        self,
        what: str,
        name: str,
        ask: Callable[[], Answer],
        write: Callable[[Answer], str | None],
        read: Callable[[str], Answer],
    ) -> Answer:
        """Return what is kept under a name, else ask, and keep what can be written."""
        if self._repository is None:
            return ask()
        try:
            known = self._store.kept(self._repository, what, [name], str)
            if name in known:
                return read(known[name])
        except (HistoryUnavailable, ValueError):
            return ask()
        answer = ask()
        text = write(answer)
        if text is not None:
            self._keep(self._repository, what, {name: text})
        return answer

    def _keep(self, repository: Repository, what: str, texts: dict[str, object]) -> None:
        try:
            self._store.keep(repository, what, texts)
        except HistoryUnavailable:
            return  # whoever adds the triage itself says so


def _write_page(page: Page) -> str | None:
    """Write a page that is whole; of another one the rest may come next time."""
    return json.dumps({"items": page.items, "total_count": page.total_count}) if page.is_whole else None


def _read_page(text: str) -> Page:
    kept = json.loads(text)
    return Page(items=tuple(kept["items"]), total_count=kept["total_count"])


def _write_file(text: str | None) -> str:
    return json.dumps(text)


def _read_file(text: str) -> str | None:
    kept = json.loads(text)
    return kept if isinstance(kept, str) else None
