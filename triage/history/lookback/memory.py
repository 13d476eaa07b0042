"""What keeps answers from one triage to the next, so that nothing is asked of GitHub twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from triage.errors import HistoryUnavailable
from triage.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from triage.history.lookback.questions import Question
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
                known = self._store.kept(self._repository, what, names, group[0].kind)
                found |= {names[name]: value for name, value in known.items()}
        except HistoryUnavailable as error:
            self._failed = str(error)
        return found

    def keep(self, answers: Mapping[Question[Any], object]) -> None:
        """Write them, those of one kind together."""
        try:
            for what, group in _by_kind(answers).items():
                self._store.keep(self._repository, what, {self._name(one): answers[one] for one in group})
        except HistoryUnavailable as error:
            self._failed = str(error)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Say why the store could not be used, if so."""
        return (Gap("history", self._failed),) if self._failed else ()

    def _name(self, question: Question[Any]) -> str:
        # A list is kept under the time it was asked in: in the next stretch of time it is not found any more.
        age = f" in {int(self._clock().timestamp() // FRESH.total_seconds())}" if question.grows else ""
        reader = f" by {self._reader}" if question.depends_on_reader else ""
        return f"{question.name}{age}{reader}"


def _by_kind(questions: Iterable[Question[Any]]) -> dict[str, list[Question[Any]]]:
    groups: dict[str, list[Question[Any]]] = {}
    for question in questions:
        groups.setdefault(type(question).__name__, []).append(question)
    return groups


def _now() -> datetime:
    return datetime.now(UTC)
