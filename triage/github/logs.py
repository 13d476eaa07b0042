"""The raw logs of jobs, on disk: one request a job, and the run's archive where that does not do."""

from __future__ import annotations

import io
import threading
import weakref
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO

from triage.errors import ProviderError, RateLimited
from triage.github.archive import BadArchiveError, extract
from triage.github.blobs import End, Gone
from triage.model import LogState, MissingLog
from triage.source.missing import missing_log

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from triage.github.blobs import Blobs
    from triage.github.budget import Budget, Limits
    from triage.model import Job

FORBIDDEN = frozenset({401, 403})

ONE_LOG = 0.5
"""Of the time that is left, so much may go into reading one log: a hostile one does not take that of all others."""


class DownloadedLog:
    """A log on disk that is deleted when nobody holds it any more: many large ones never lie there together.

    It ends, truncated, where reading it has come when its share of the time is over, or the time of the triage.
    """

    def __init__(self, path: Path, *, name: str, truncated: bool, budget: Budget) -> None:
        self.name = name
        self.truncated = truncated
        self._path = path
        self._budget = budget
        weakref.finalize(self, path.unlink, missing_ok=True)

    def open(self) -> BinaryIO:
        """Open it at byte 0."""
        for_others = max(0.0, self._budget.left * (1 - ONE_LOG))
        return io.BufferedReader(_InTime(self._path, lambda: self._is_over(for_others)))

    def _is_over(self, for_others: float) -> bool:
        if self._budget.left > for_others:
            return False
        self.truncated = True
        return True


class _InTime(io.RawIOBase):
    """A file that ends when the time is over; what was read until then can be read again."""

    def __init__(self, path: Path, is_over: Callable[[], bool]) -> None:
        self._file = path.open("rb", buffering=0)
        self._is_over = is_over
        self._size = path.stat().st_size
        self._read_to = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # what `BufferedReader` gives
        at = self._file.tell()
        if at + len(buffer) > self._read_to < self._size and self._is_over():
            self._size = self._read_to  # it ends here from now on
        count = self._file.readinto(memoryview(buffer)[: max(self._size - at, 0)])
        self._read_to = max(self._read_to, at + count)
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Logs:
    """Fetches logs for one connection.

    Attributes:
        folder: Where they are kept; the connection deletes it.
    """

    blobs: Blobs
    limits: Limits
    folder: Path
    _archives: dict[tuple[int, int], Path | None] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def fetch(self, job: Job, prefix: str, siblings: Siblings) -> DownloadedLog | MissingLog:
        """Fetch the log of a finished job.

        Args:
            job: The job.
            prefix: `/repos/OWNER/NAME/actions`.
            siblings: What is known of the other jobs of its run.

        Raises:
            ProviderError: It is there, but cannot be had; with status 403 the token lacks `actions: read`.
        """
        if siblings.broken > self.limits.archive_from and (log := self._from_archive(job, prefix, siblings)):
            return log
        try:
            return self._single(job, prefix)
        except RateLimited:
            raise
        except ProviderError as error:
            # Not allowed is not allowed; everything else may be the trouble of one file.
            if error.status in FORBIDDEN or not (log := self._from_archive(job, prefix, siblings)):
                raise
            return log

    def _single(self, job: Job, prefix: str) -> DownloadedLog | MissingLog:
        into = self.folder / f"{job.id}.log"
        end = self.blobs.fetch(f"{prefix}/jobs/{job.id}/logs", into, what="the job's log", most=self.limits.log_bytes)
        if isinstance(end, Gone):
            return missing_log(job, status=end.status, now=datetime.now(UTC))
        return self._kept(job, into, truncated=end is not End.WHOLE)

    def _from_archive(self, job: Job, prefix: str, siblings: Siblings) -> DownloadedLog | MissingLog | None:
        """Take the log out of the run's archive; None when that cannot be done with certainty."""
        archive = self._archive(job, prefix)
        if archive is None:
            return None
        into = self.folder / f"{job.id}.log"
        try:
            whole = extract(archive, job.name, siblings.names, into, most=self.limits.log_bytes)
        except (BadArchiveError, OSError):  # a disk that is full is told of by whoever asks for the log alone
            into.unlink(missing_ok=True)
            return None
        return self._kept(job, into, truncated=not whole)

    def _kept(self, job: Job, path: Path, *, truncated: bool) -> DownloadedLog | MissingLog:
        if path.stat().st_size == 0 and not truncated:
            path.unlink()
            return MissingLog(state=LogState.ABSENT, why="GitHub's log of this job is empty")
        return DownloadedLog(path, name=f"log of job {job.id}", truncated=truncated, budget=self.blobs.budget)

    def _archive(self, job: Job, prefix: str) -> Path | None:
        """Download the archive of the job's attempt, once; None when there is none that is whole."""
        key = (job.run_id, job.run_attempt)
        with self._lock:
            if key not in self._archives:
                self._archives[key] = self._fetch_archive(job, prefix)
            return self._archives[key]

    def _fetch_archive(self, job: Job, prefix: str) -> Path | None:
        into = self.folder / f"{job.run_id}-{job.run_attempt}.zip"
        path = f"{prefix}/runs/{job.run_id}/attempts/{job.run_attempt}/logs"
        try:
            end = self.blobs.fetch(path, into, what=f"the logs of run {job.run_id}", most=self.limits.archive_bytes)
        except ProviderError:
            return None
        return into if end is End.WHOLE else None


@dataclass(frozen=True, slots=True)
class Siblings:
    """The jobs of a run's newest attempt: all their names, and how many broke."""

    names: Collection[str] = ()
    broken: int = 0
