"""One triage's use of the history store: what it knows already, and what it learns. A store that fails is a gap."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from triage import __version__
from triage.errors import HistoryUnavailable
from triage.history.lookback.memory import StoredAnswers
from triage.history.remembering import Remembering
from triage.model import Gap
from triage.settings import BUILT_IN
from triage.signature import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from triage.history.lookback.memory import Memory
    from triage.history.store import Store
    from triage.model import Facts, Failure, Job, JobFacts, JobId, Repository
    from triage.rules import RuleSet
    from triage.settings import Settings
    from triage.source.protocol import Reads


def reader_of(rules: RuleSet, settings: Settings = BUILT_IN) -> str:
    """Name what reads logs. Whatever may see something else in one has another name, and reads it again.

    Of the settings, only what says what jobs are changes what is seen; rules that are switched off are part of `rules`.
    """
    named = (settings.aggregators, settings.gates)
    jobs = f" jobs-{sha256(repr(named).encode()).hexdigest()}" if any(named) else ""
    return f"{__version__} signatures-{VERSION} {rules.sha}{jobs}"


def remembered(reads: Reads, store: Store | Gap | None) -> Reads:
    """Put what earlier triages were told before GitHub."""
    return reads if store is None or isinstance(store, Gap) else Remembering(reads, store)


class Keeping:
    """The store as one triage sees it.

    Args:
        store: None to keep nothing; a gap when it could not be opened.
        reader: What reads logs; see `reader_of`.
    """

    def __init__(self, store: Store | Gap | None, *, reader: str) -> None:
        self._gaps = [store] if isinstance(store, Gap) else []
        self._store = None if isinstance(store, Gap) else store
        self._reader = self._judge = reader

    def judged_by(self, reader: str) -> None:
        """Say that other rules judge than those that logs were read for: of these, some had expired by then."""
        self._judge = reader

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Say what could not be used of it, once each."""
        return tuple(dict.fromkeys(self._gaps))

    def reads(self, reads: Reads) -> Reads:
        """Put what earlier triages were told before GitHub."""
        return remembered(reads, self._store)

    def read_before(self, repository: Repository, jobs: Sequence[Job]) -> Mapping[JobId, JobFacts]:
        """Return those of the jobs that an earlier triage read."""
        if self._store is None or not jobs:
            return {}
        try:
            return self._store.read_jobs(repository, jobs, reader=self._reader)
        except HistoryUnavailable as error:
            self._gaps.append(Gap("history", str(error)))
            return {}

    def answers(self, repository: Repository) -> Memory | None:
        """Return what keeps the answers of looking back."""
        return StoredAnswers(self._store, repository, reader=self._judge) if self._store is not None else None

    def add(self, facts: Facts, failures: Sequence[Failure]) -> None:
        """Add what this triage read."""
        if self._store is None:
            return
        try:
            self._store.add(facts, failures, reader=self._judge, read_by=self._reader)
        except HistoryUnavailable as error:
            self._gaps.append(Gap("history", str(error)))
