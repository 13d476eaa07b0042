"""The history store: what was seen before, in SQLite or PostgreSQL.

Values of `triage.model` and `triage.history.records` go in and out; what cannot be done raises `HistoryUnavailable`,
which a triage turns into a gap. It imports SQLAlchemy: `triage.history.opening` is how to get one without.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Self, TypeVar

from triage.history.records import BranchKind, Pruned, PullOfRun
from triage.history.store.asking import Asker
from triage.history.store.codec import Unreadable, pack, unpack
from triage.history.store.database import WAIT, Database
from triage.history.store.remarks import add_feedback, feedback_since
from triage.history.store.rows import digest, seconds
from triage.history.store.unmatched import unmatched
from triage.history.store.upkeep import prune_rest, prune_some, summaries
from triage.history.store.writing import Writer, with_earlier_attempts
from triage.model import JobFacts, Log, LogState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from triage.history.feedback import Feedback
    from triage.history.records import KnownJob, KnownRun, Sightings, Summary, TestResult, Unmatched
    from triage.model import Facts, Failure, Job, JobId, Repository, Run, RunId, Signature

__all__ = ["KEPT_FOR", "Store"]

KEPT_FOR = timedelta(days=14)
"""How long answers and read logs are kept: a pull request is triaged again within days, and logs are large."""

Value = TypeVar("Value")

LIMIT = 50
"""How many sightings one question gives of each kind of branch, unless told."""

MOST_JOBS = 200
"""How many jobs of the default branch one question gives, unless told."""

_READ_JOB = "read-job"
# A log that is not there may still be on its way, for so long after the end of its job.
_ON_ITS_WAY = timedelta(hours=1)


def _now() -> datetime:
    return datetime.now(UTC)


class Store:
    """The history of any number of repositories, which are never mixed. Threads may share one."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = _now) -> None:
        self._database = database
        self._clock = clock

    @classmethod
    def open(cls, place: str | Path, *, wait: timedelta = WAIT, clock: Callable[[], datetime] = _now) -> Store:
        """Open a file, or `sqlite:///path` or `postgresql://…`; what is not there or not up to date is made so.

        Args:
            place: Path or URL.
            wait: For another writer, and for a server to answer at all.
            clock: Tells when something was kept.

        Raises:
            UsageError: The URL is none, or names another kind of database.
            HistoryUnavailable: It cannot be reached, is broken, or was written by a newer triage.
        """
        return cls(Database(place, wait=wait), clock=clock)

    @property
    def name(self) -> str:
        """Where it is, for messages; never with a password."""
        return self._database.name

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------------------------
    # Writing

    def add(
        self,
        facts: Facts,
        failures: Sequence[Failure],
        *,
        reader: str,
        pulls: Iterable[PullOfRun] = (),
        passed: Mapping[JobId, Sequence[str]] | None = None,
        keep: bool = True,
        read_by: str | None = None,
    ) -> None:
        """Add one triage, all or nothing. The same again changes nothing.

        Args:
            facts: What was read. Its pull request is the one of every run that is not of the default branch.
            failures: What broke, of any of its red jobs.
            reader: What read them (rules and version): what another one read counts as not read.
            pulls: Pull requests of runs where neither the facts nor the runs say.
            passed: Names of tests that passed, by job, where they are known.
            keep: Whether to keep the jobs as read for `read_jobs`, too.
            read_by: The reader they are kept for, where it is another one.
        """
        jobs = (*facts.earlier_jobs, *facts.jobs)
        of_run = _pulls(facts) | {pull.run_id: pull for pull in pulls}
        is_whole = not any(gap.hides_jobs for gap in facts.gaps)
        with self._database.writing() as connection:
            writer = Writer(connection, facts.repository)
            earlier = with_earlier_attempts(facts.runs, jobs)[len(facts.runs) :]
            keys = writer.runs(facts.runs, pulls=of_run, jobs_known=is_whole)
            keys |= writer.runs(earlier, pulls=of_run, jobs_known=False)
            job_keys = writer.jobs(jobs, keys)
            writer.failures(failures, job_keys, reader)
            writer.passed(passed or {}, {job.id: job for job in jobs}, job_keys)
            if keep:
                final = _final_jobs(facts, read_by or reader, now=self._clock())
                known = Asker(connection, facts.repository).kept(final)
                self._keep(writer, {name: pack(red) for name, red in final.items() if name not in known})

    def add_runs(self, repository: Repository, runs: Iterable[Run], *, pulls: Iterable[PullOfRun] = ()) -> None:
        """Add runs of which only the list was read."""
        with self._database.writing() as connection:
            writer = Writer(connection, repository)
            writer.runs(runs, pulls={pull.run_id: pull for pull in pulls}, jobs_known=False)

    def add_feedback(self, repository: Repository, said: Feedback) -> None:
        """Add what a comment said of a verdict; the same comment again changes nothing. It is never pruned."""
        with self._database.writing() as connection:
            add_feedback(connection, Writer(connection, repository).key, said)

    def keep(self, repository: Repository, what: str, values: Mapping[str, object]) -> None:
        """Keep answers that can never change (a file at a commit, say) under their names, for `KEPT_FOR`.

        A value is a frozen dataclass, or a tuple, set or mapping of such; secrets in its texts are masked.
        """
        with self._database.writing() as connection:
            bodies = {digest(what, name): pack(value) for name, value in values.items()}
            self._keep(Writer(connection, repository), bodies)

    def _keep(self, writer: Writer, bodies: Mapping[bytes, bytes]) -> None:
        now = self._clock()
        writer.keep(bodies, seconds(now), since=seconds(now - KEPT_FOR))

    # ------------------------------------------------------------------------------------------------------------
    # Asking

    def sightings(
        self,
        repository: Repository,
        signatures: Iterable[Signature],
        *,
        since: datetime,
        in_runs: Collection[RunId] = (),
        limit: int = LIMIT,
    ) -> dict[Signature, Sightings]:
        """Say of each signature where it was seen since then, and in any attempt of the runs named, newest first.

        A signature that was never seen has an empty answer; that the store has nothing is no evidence of absence.
        """
        with self._database.reading() as connection:
            asker = Asker(connection, repository)
            return {
                signature: asker.sightings(signature, since=since, limit=limit, in_runs=in_runs)
                for signature in dict.fromkeys(signatures)
            }

    def baseline(
        self,
        repository: Repository,
        *,
        since: datetime,
        workflow_path: str | None = None,
        job_names: Collection[str] | None = None,
        limit: int = MOST_JOBS,
    ) -> tuple[KnownJob, ...]:
        """Return finished jobs of the default branch, newest run first, green ones too.

        Whether one executed the step in question stands in its steps; how it failed, in its signatures. A red one
        without `failure` was not read yet, and says nothing.
        """
        with self._database.reading() as connection:
            return Asker(connection, repository).jobs(
                BranchKind.DEFAULT, since=since, limit=limit, workflow_path=workflow_path, names=job_names
            )

    def test_results(
        self, repository: Repository, tests: Collection[str], *, since: datetime, limit: int = LIMIT
    ) -> dict[str, tuple[TestResult, ...]]:
        """Say what came of tests on the default branch, newest first. A test that is left out is not known of."""
        with self._database.reading() as connection:
            return Asker(connection, repository).tests(tests, since=since, limit=limit)

    def known_runs(self, repository: Repository, runs: Iterable[RunId]) -> dict[RunId, KnownRun]:
        """Return the newest stored attempt of those runs that are stored."""
        with self._database.reading() as connection:
            return Asker(connection, repository).runs(runs)

    def jobs_of(self, repository: Repository, run_id: RunId) -> tuple[Job, ...]:
        """Return the stored jobs of all attempts of a run; all there are only where `KnownRun.jobs_known`."""
        with self._database.reading() as connection:
            return Asker(connection, repository).jobs_of(run_id)

    def known_jobs(self, repository: Repository, jobs: Iterable[JobId]) -> dict[JobId, KnownJob]:
        """Return those of the jobs that are stored."""
        with self._database.reading() as connection:
            return {known.job.id: known for known in Asker(connection, repository).known_jobs(jobs)}

    def has_job(self, repository: Repository, job: JobId, *, reader: str) -> bool:
        """Whether the job was read by this very reader, so that its log need not be fetched to know its signatures."""
        known = self.known_jobs(repository, [job]).get(job)
        return known is not None and known.failure is not None and known.failure.reader == reader

    def read_jobs(self, repository: Repository, jobs: Iterable[Job], *, reader: str) -> dict[JobId, JobFacts]:
        """Return red jobs as this very reader read them: log, tests and annotations; those it did not are left out."""
        named = {digest(_READ_JOB, job.id, job.run_attempt, reader): job for job in jobs}
        found = self._unpacked(repository, named, JobFacts)
        return {facts.job.id: facts for name, facts in found if facts.job == named[name]}

    def feedback(self, repository: Repository, *, since: datetime) -> tuple[Feedback, ...]:
        """Return what people said of verdicts since then, newest first."""
        with self._database.reading() as connection:
            return tuple(feedback_since(connection, Asker(connection, repository).key, since))

    def kept(self, repository: Repository, what: str, names: Iterable[str], kind: type[Value]) -> dict[str, Value]:
        """Return what is kept under these names, and is of this class (or annotation, such as `tuple[Run, ...]`)."""
        named = {digest(what, name): name for name in names}
        return {named[found]: value for found, value in self._unpacked(repository, named, kind)}

    def _unpacked(
        self, repository: Repository, digests: Collection[bytes], kind: type[Value]
    ) -> Iterator[tuple[bytes, Value]]:
        with self._database.reading() as connection:
            bodies = Asker(connection, repository).kept(digests)
        for found, body in bodies.items():
            # What another version wrote in another form is not known: the answer is asked for again.
            with suppress(Unreadable):
                yield found, unpack(body, kind)

    # ------------------------------------------------------------------------------------------------------------
    # Upkeep

    def prune(self, older_than: datetime) -> Pruned:
        """Remove the runs that were made before then with all they hold, and what nothing refers to any more."""
        parts: list[Pruned] = []
        while not parts or parts[-1].runs:
            with self._database.writing() as connection:
                parts.append(prune_some(connection, older_than))
        with self._database.writing() as connection:
            signatures = prune_rest(connection, older_than)
        return Pruned(
            runs=sum(part.runs for part in parts),
            jobs=sum(part.jobs for part in parts),
            failures=sum(part.failures for part in parts),
            signatures=signatures,
        )

    def give_back(self) -> int | None:
        """Give the space of what was removed back to the disk, and return how many bytes; None where a server does.

        Raises:
            HistoryUnavailable: Another process keeps it from that; nothing has changed then.
        """
        return self._database.give_back()

    def unmatched(self, general: Collection[str], *, most: int) -> Iterator[Unmatched]:
        """Yield failures that no rule explains, newest first: those of no rule, and those of rules that say little.

        Args:
            general: Ids of rules that only know that something was raised.
            most: How many to yield at most.
        """
        with self._database.reading() as connection:
            yield from unmatched(connection, general, most)

    def summary(self, *, top: int = 10) -> tuple[Summary, ...]:
        """Say of each repository, by name, what is kept of it."""
        with self._database.reading() as connection:
            return tuple(summaries(connection, top=top))


def _pulls(facts: Facts) -> dict[RunId, PullOfRun]:
    if facts.pull is None:
        return {}
    return {run.id: PullOfRun(run_id=run.id, number=facts.pull.number, author=facts.pull.author) for run in facts.runs}


def _final_jobs(facts: Facts, reader: str, *, now: datetime) -> dict[bytes, JobFacts]:
    """Return the red jobs that another look would show the same of, by the digest they are kept under."""
    return {
        digest(_READ_JOB, red.job.id, red.job.run_attempt, reader): red
        for red in facts.red
        if red.job.conclusion is not None and _is_final(red, now)
    }


def _is_final(red: JobFacts, now: datetime) -> bool:
    if isinstance(red.log, Log):
        return not red.log.truncated
    ended = red.job.completed_at
    is_late = ended is not None and now - ended > _ON_ITS_WAY
    return red.log.state is LogState.EXPIRED or (red.log.state is LogState.ABSENT and is_late)
