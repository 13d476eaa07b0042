"""What keeps answers from one triage to the next, so that nothing is asked of GitHub twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Protocol

from triage.errors import HistoryUnavailable
from triage.history.lookback.questions import JobsOf, LogOf
from triage.history.lookback.told import Told
from triage.model import Gap, LogState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from triage.history.lookback.questions import Question
    from triage.history.records import KnownFailure
    from triage.history.store import Store
    from triage.model import Repository

FRESH = timedelta(minutes=10)
"""How long a list of runs or pull requests counts as the newest one: it grows with every push."""


class Memory(Protocol):
    """Keeps answers. Neither method raises: a memory that fails knows nothing, and says so in `gaps`."""

    def recall(self, questions: Sequence[Question[Any]]) -> Mapping[Question[Any], object]:
        """Return the answers that are known and cannot have changed since."""
        ...

    def keep(self, answers: Mapping[Question[Any], object]) -> None:
        """Keep answers for later triages."""
        ...

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Say why it could not be used, if so."""
        ...


class StoredAnswers:
    """A memory in the history store.

    Args:
        store: Where they are kept.
        repository: Whose they are.
        reader: What reads logs (rules and version): another reader may see more in one.
        clock: Tells how old a list is.
    """

    def __init__(
        self, store: Store, repository: Repository, *, reader: str, clock: Callable[[], datetime] | None = None
    ) -> None:
        self._store = store
        self._repository = repository
        self._reader = reader
        self._clock = clock or _now
        self._failed: str | None = None

    def recall(self, questions: Sequence[Question[Any]]) -> Mapping[Question[Any], object]:
        """Look them up, those of one kind together."""
        found: dict[Question[Any], object] = {}
        try:
            for what, group in _by_kind(questions).items():
                names = {self._name(question): question for question in group}
                kind: Any = GenericAlias(tuple, (datetime, group[0].kind))
                known: dict[str, tuple[datetime, object]] = self._store.kept(self._repository, what, names, kind)
                found |= {names[name]: answer for name, (at, answer) in known.items() if self._holds(names[name], at)}
            unknown = [question for question in questions if question not in found]
            found |= self._jobs_of_runs([one for one in unknown if isinstance(one, JobsOf)])
            found |= self._read_logs([one for one in unknown if isinstance(one, LogOf)])
        except HistoryUnavailable as error:
            self._failed = str(error)
        return found

    def _jobs_of_runs(self, questions: Sequence[JobsOf]) -> dict[Question[Any], object]:
        """Take jobs of runs that were triaged, or that were filled in."""
        known = self._store.known_runs(self._repository, [question.run.id for question in questions])
        return {
            question: self._store.jobs_of(self._repository, question.run.id)
            for question in questions
            if (run := known.get(question.run.id)) is not None
            and run.jobs_known
            and run.run.attempt == question.run.attempt
        }

    def _read_logs(self, questions: Sequence[LogOf]) -> dict[Question[Any], object]:
        """Take what the same reader has read of red jobs, under triage or filled in."""
        known = self._store.known_jobs(self._repository, [question.job.id for question in questions])
        read = {number: job.failure for number, job in known.items() if job.failure is not None}
        return {
            question: told_by(failure)
            for question in questions
            if (failure := read.get(question.job.id)) is not None
            and failure.reader == self._reader
            and failure.log_state is LogState.READ
        }

    def keep(self, answers: Mapping[Question[Any], object]) -> None:
        """Write them, those of one kind together."""
        try:
            for what, group in _by_kind(answers).items():
                kept = {self._name(one): (self._clock(), answers[one]) for one in group}
                self._store.keep(self._repository, what, kept)
        except HistoryUnavailable as error:
            self._failed = str(error)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Say why the store could not be used, if so."""
        return (Gap("history", self._failed),) if self._failed else ()

    def _holds(self, question: Question[Any], at: datetime) -> bool:
        return not question.grows or self._clock() - at < FRESH

    def _name(self, question: Question[Any]) -> str:
        return f"{question.name} by {self._reader}" if question.depends_on_reader else question.name


def told_by(failure: KnownFailure) -> Told:
    """Return what a stored failure tells: which tests it executed besides is not kept, and so not claimed."""
    tests = {one.parts[0]: one for one in failure.signatures if one.kind == "test"}
    return Told(fault=failure.fault, signatures=failure.signatures if failure.whole else (), tests=tests)


def _by_kind(questions: Iterable[Question[Any]]) -> dict[str, list[Question[Any]]]:
    groups: dict[str, list[Question[Any]]] = {}
    for question in questions:
        groups.setdefault(type(question).__name__, []).append(question)
    return groups


def _now() -> datetime:
    return datetime.now(UTC)
