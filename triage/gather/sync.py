"""Fills the history with what a branch did lately, within a number of requests, and goes on where it stopped.

Few requests first: the list of runs, the jobs of those that failed, the logs of red jobs; the jobs of green runs last.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from triage.classify import classify
from triage.errors import TriageError
from triage.gather.listing import list_jobs, read_workflows
from triage.gather.red import read_job, red_gaps
from triage.gather.scope import Scope
from triage.model import Conclusion, Facts, Gap
from triage.settings import BUILT_IN
from triage.source.parallel import in_parallel
from triage.source.protocol import Page
from triage.source.shapes import repository_of, run_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from triage.gather.listing import JobList
    from triage.history.records import KnownJob
    from triage.history.store import Store
    from triage.matching import Scanner
    from triage.model import Failure, Job, Repository, Run
    from triage.rules import RuleSet
    from triage.settings import Settings
    from triage.source.protocol import Reads

PAGE = 100
MOST_RUNS = 1_000
"""GitHub lists no more of one branch."""

WORKERS = 8
OF_ONE_JOB = 2
"""Requests that reading a red job may take: its log, and its annotations."""

_WITHOUT_JOBS = frozenset({Conclusion.SKIPPED, Conclusion.ACTION_REQUIRED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What was done. `left` counts the runs that are still to be read: not zero when the requests were used up."""

    repository: str
    listed: int
    known: int
    read: int
    left: int
    logs: int
    requests: int
    gaps: tuple[Gap, ...] = ()


def sync(
    reads: Reads,
    store: Store,
    rules: RuleSet,
    scanner: Scanner,
    *,
    settings: Settings = BUILT_IN,
    reader: str,
    since: datetime,
    most_requests: int,
    branch: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Synced:
    """Put the finished runs of a branch into the store: newest first, failed ones before green ones.

    Args:
        reads: GitHub, or a recording of it.
        store: Where they are put, run by run: what was read before an interruption stays.
        rules: What is known to break.
        scanner: What to look for in logs.
        settings: What the repository says its jobs are.
        reader: What reads logs; what another one read is read again.
        since: When the oldest of the runs was made.
        most_requests: Nothing more is asked after so many; a run begun is not always ended.
        branch: The default branch when not given.
        progress: Told in a few words what is being read.

    Raises:
        TriageError: The runs could not be listed.
        HistoryUnavailable: The store could not be read or written.
    """
    metered = _Metered(reads, most_requests)
    repository = repository_of(metered.reads.repository())
    named = branch or repository.default_branch
    page = metered.reads.runs_on(named, since=since, limit=min(MOST_RUNS, PAGE * max(1, metered.left)))
    runs = [run for run in map(run_of, page.items) if run.is_complete and run.conclusion not in _WITHOUT_JOBS]
    store.add_runs(repository, runs)
    session = _Session(metered, store, repository, _Reader(rules, scanner, settings, reader))
    todo = session.still_to_read(runs)
    if not page.is_whole:
        session.gaps.append(Gap(f"runs on {named}", f"GitHub gave only {len(page.items)} of {page.total_count}"))
    read = 0
    for done, run in enumerate(todo):
        if progress is not None:
            progress(f"{named}: run {done + 1} of {len(todo)}, {metered.spent} of {most_requests} requests")
        if not session.read(run):
            break
        read += 1
    return Synced(
        repository=repository.full_name,
        listed=len(runs),
        known=len(runs) - len(todo),
        read=read,
        left=len(todo) - read,
        logs=session.logs,
        requests=metered.spent,
        gaps=tuple(dict.fromkeys(session.gaps)),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """What logs are read with, and its name."""

    rules: RuleSet
    scanner: Scanner
    settings: Settings
    name: str

    def classify(self, facts: Facts) -> tuple[Failure, ...]:
        """Say what broke in every red job."""
        return classify(facts, self.rules, self.scanner, self.settings)


class _Session:
    """Reads runs into the store."""

    def __init__(
        self,
        metered: _Metered,
        store: Store,
        repository: Repository,
        reader: _Reader,
    ) -> None:
        self._metered = metered
        self._store = store
        self._repository = repository
        self._reader = reader
        self.logs = 0
        self.gaps: list[Gap] = []

    def still_to_read(self, runs: Sequence[Run]) -> list[Run]:
        """Leave out what is in the store whole; failed runs come first, else the order stays."""
        known = self._store.known_runs(self._repository, [run.id for run in runs])
        complete = {
            run_id
            for run_id, one in known.items()
            if one.jobs_known and not self._unread(self._store.jobs_of(self._repository, run_id))
        }
        missing = [run for run in runs if run.id not in complete or known[run.id].run.attempt < run.attempt]
        return sorted(missing, key=lambda run: run.conclusion is Conclusion.SUCCESS)

    def _unread(self, jobs: Iterable[Job]) -> list[Job]:
        """Return the red jobs of all attempts that this reader has not read."""
        red = [job for job in jobs if job.is_red]
        known = self._store.known_jobs(self._repository, [job.id for job in red])
        return [job for job in red if not _is_read(known.get(job.id), self._reader.name)]

    def read(self, run: Run) -> bool:
        """Read a run into the store; False when the requests do not suffice for the whole of it."""
        if self._metered.left < 1:
            return False
        try:
            jobs = list_jobs(self._metered.reads, (run,), workers=1)
        except TriageError as error:
            self.gaps.append(Gap(f"jobs of run {run.id} of {run.workflow}", str(error)))
            return True
        facts = Facts(
            repository=self._repository,
            runs=(run,),
            jobs=jobs.newest,
            earlier_jobs=jobs.earlier,
            red=(),
            gaps=jobs.gaps,
        )
        self._store.add(facts, (), reader=self._reader.name, keep=False)
        unread = self._unread((*jobs.newest, *jobs.earlier))
        return not unread or self._read_red(facts, jobs, unread)

    def _read_red(self, facts: Facts, jobs: JobList, unread: Sequence[Job]) -> bool:
        if self._metered.left < 1 + OF_ONE_JOB:
            return False
        (run,) = facts.runs
        scope = Scope(repository=self._repository, runs=facts.runs, head_sha=run.head_sha)
        workflows, workflow_gaps = read_workflows(self._metered.reads, scope, unread, workers=1)
        affordable = unread[: self._metered.left // OF_ONE_JOB]
        read = list(
            in_parallel(
                lambda job: read_job(self._metered.reads, job, jobs.json[job.id], self._reader.scanner),
                affordable,
                workers=WORKERS,
            )
        )
        self.logs += len(read)
        self.gaps += [*workflow_gaps, *red_gaps(read)]
        seen = replace(facts, red=tuple(one.facts for one in read if one.log_gap is None), workflows=workflows)
        self._store.add(seen, self._reader.classify(seen), reader=self._reader.name, keep=False)
        return len(affordable) == len(unread)


def _is_read(known: KnownJob | None, reader: str) -> bool:
    return known is not None and known.failure is not None and known.failure.reader == reader


class _Metered:
    """Counts what is asked of GitHub: every call is a request, and so is every further page."""

    def __init__(self, reads: Reads, most: int) -> None:
        self._reads = reads
        self._most = most
        self._lock = threading.Lock()
        self.spent = 0

    @property
    def left(self) -> int:
        """How many requests may still be made."""
        return max(0, self._most - self.spent)

    @property
    def reads(self) -> Reads:
        """The same reads, counted."""
        return cast("Reads", self)

    def __getattr__(self, name: str) -> Callable[..., object]:
        asked = getattr(self._reads, name)

        def counted(*arguments: object, **options: object) -> object:
            self._spend(1)
            answer = asked(*arguments, **options)
            if isinstance(answer, Page):
                self._spend(max(0, -(-len(answer.items) // PAGE) - 1))
            return answer

        return counted

    def _spend(self, requests: int) -> None:
        with self._lock:
            self.spent += requests
