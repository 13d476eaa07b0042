"""A cause, as far as advice needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.decide.hosts import is_hosted
from triage.model import Basis, Category, EvidenceKind, Rerun
from triage.settings import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.decide.change import Change
    from triage.decide.history import History
    from triage.model import Failure
    from triage.settings import Settings, WayOut

OF_MACHINES = frozenset({Category.INFRASTRUCTURE, Category.GPU_RESIDUE})
"""Categories in which it matters on which host it happened."""

_QUOTED = frozenset({EvidenceKind.LOG_LINE, EvidenceKind.ANNOTATION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A cause, as far as advice needs it. `failures` are its roots, as they may be believed."""

    category: Category
    check: str
    failures: tuple[Failure, ...]
    history: History
    change: Change
    settings: Settings = BUILT_IN

    @property
    def first(self) -> Failure:
        """The root that gives the cause its name."""
        return self.failures[0]

    @property
    def label(self) -> str | None:
        """The label that a gate asks for."""
        return next((failure.label for failure in self.failures if failure.label), None)

    @property
    def way_out(self) -> WayOut | None:
        """What the repository says of that label."""
        return self.settings.way_out(self.label)

    @property
    def has_label(self) -> bool:
        """Whether the pull request has that label by now."""
        return bool(self.label and self.change.pull and self.label in self.change.pull.labels)

    @property
    def quotes(self) -> bool:
        """Whether a line of a log, or words of GitHub, can be shown of it."""
        return any(fact.kind in _QUOTED for failure in self.failures for fact in failure.evidence)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The machines it happened on, here and elsewhere, each once; GitHub's own machines left out."""
        here = (failure.job.runner for failure in self.failures)
        found = (runner for runner in (*here, *self._runners_elsewhere()) if runner and not is_hosted(runner))
        return tuple(dict.fromkeys(found))

    def _runners_elsewhere(self) -> Iterator[str | None]:
        for signature, seen in self.history.of(self.first):
            yield from (one.runner for one in seen.failures(signature))
            yield from (one.runner for one in seen.pulls)

    @property
    def is_of_the_machine(self) -> bool:
        """Whether whoever owns the machine can mend it, rather than a registry, a network or a service."""
        rule = self.first.rule
        if rule is not None and rule.owner:
            return "runner" in rule.owner.lower() or "host" in rule.owner.lower()
        return self.category is Category.GPU_RESIDUE or self.first.basis is Basis.PLATFORM

    @property
    def times_elsewhere(self) -> int:
        """How often the same was seen in runs that are not under triage."""
        return sum(len(seen.failures(signature)) + len(seen.pulls) for signature, seen in self.history.of(self.first))

    @property
    def red_attempts(self) -> int:
        """How many earlier attempts of the first root were red too."""
        return sum(job.is_red for job in self.history.earlier.get(self.first.job.id, ()))

    @property
    def ruled(self) -> Rerun:
        """What the rule says of a re-run."""
        return self.first.rule.rerun if self.first.rule else Rerun.UNKNOWN
