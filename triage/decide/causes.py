"""The closed ledger: every red job in exactly one cause, each cause with one root (law 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.decide import advice
from triage.decide.history import signatures_of
from triage.decide.sentences import count, names, quoted
from triage.model import Basis, Category, Cause, Evidence, EvidenceKind, JobVerdict, LogState
from triage.settings import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from triage.decide.chains import Chains
    from triage.decide.change import Change
    from triage.decide.history import History
    from triage.model import Decision, Failure, JobId
    from triage.settings import Settings

ORDER: tuple[Category, ...] = (
    Category.REGRESSION,
    Category.UNKNOWN,
    Category.MISSING_LABEL,
    Category.PRE_EXISTING,
    Category.INFRASTRUCTURE,
    Category.GPU_RESIDUE,
    Category.STARVED,
    Category.FLAKY,
    Category.CANCELLED,
    Category.CASCADE,
)
"""Causes are told in this order, the author's first. A job that follows several roots joins the first of them."""

_ASSERTIONS = frozenset(
    {"", "AssertionError", "AssertionFailedError", "Failed", "Exit", "SystemExit", "Error", "Exception"}
)
"""Exception types that say nothing of what broke: two tests that raise one of them need not share a cause."""

_SHORTEST_TELLING_MESSAGE = 16

_MOST_FACTS = 12

_LOOKED_AT = "no workflow, CI script, image, dependency list or test harness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """One red job with its decision. `shown` is the failure as read, `failure` as it could be believed (law 2)."""

    shown: Failure
    failure: Failure
    decision: Decision

    @property
    def id(self) -> JobId:
        """The job."""
        return self.shown.job.id

    @property
    def rank(self) -> int:
        """Where its category stands in `ORDER`."""
        return ORDER.index(self.decision.category)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    roots: tuple[Settled, ...]
    followers: tuple[Settled, ...] = ()


def ledger(
    decided: Sequence[Settled],
    chains: Chains,
    history: History,
    change: Change,
    *,
    repository: str,
    settings: Settings = BUILT_IN,
) -> tuple[tuple[Cause, ...], tuple[JobVerdict, ...]]:
    """Sort the red jobs into causes.

    Args:
        decided: One for each red job, in the order of the facts.
        chains: Who follows whom.
        history: What re-run advice is taken from, beside the jobs.
        change: For actions that need the pull request.
        repository: `owner/name`, for commands.
        settings: What the repository says of its labels.

    Returns:
        The causes in the order in which they are told, numbered from 1, and a row for each job in the order given.
    """
    groups = sorted(_groups(decided, chains), key=lambda group: _place(group, decided))
    cases = [(group, _case(group, history, change, settings)) for group in groups]
    causes = tuple(_cause(number, *pair, repository) for number, pair in enumerate(cases, start=1))
    cause_of = {job: cause.id for cause in causes for job in cause.jobs}
    joined = _other_roots(decided, chains, cause_of)
    rows = tuple(
        JobVerdict(
            failure=one.shown,
            category=one.decision.category,
            because=one.decision.because + joined.get(one.id, ""),
            cause=cause_of[one.id],
            evidence=(*one.shown.evidence, *one.decision.evidence),
        )
        for one in decided
    )
    return causes, rows


def _groups(decided: Sequence[Settled], chains: Chains) -> list[_Group]:
    """Join roots of one key, then hang every follower under the gravest of its roots."""
    roots: dict[Hashable, list[Settled]] = {}
    followers: list[Settled] = []
    for one in decided:
        if one.decision.category is Category.CASCADE:
            followers.append(one)
        else:
            roots.setdefault(_key(one), []).append(one)
    key_of = {one.id: key for key, members in roots.items() for one in members}
    by_id = {one.id: one for one in decided}
    hung: dict[Hashable, list[Settled]] = {}
    for one in followers:
        gravest = min((by_id[root.id] for root in chains.roots_of(one.failure.job)), key=lambda root: root.rank)
        hung.setdefault(key_of[gravest.id], []).append(one)
    return [_Group(roots=tuple(members), followers=tuple(hung.get(key, ()))) for key, members in roots.items()]


def _key(one: Settled) -> Hashable:
    """Return what two failed jobs must share to have one cause; the job itself when nothing can be compared."""
    category, failure = one.decision.category, one.failure
    if category is Category.STARVED:
        return category, failure.job.run_id
    error = _telling_error(failure)
    if error is not None:
        return category, error
    if signatures := signatures_of(failure):
        return category, frozenset(signatures)
    if failure.basis is Basis.PLATFORM and category is not Category.UNKNOWN:
        return category, failure.title
    if failure.log_state not in {LogState.READ, LogState.TRUNCATED}:
        return category, failure.log_state, failure.job.run_id
    return category, failure.job.id


def _telling_error(failure: Failure) -> Hashable | None:
    """Return the one error of all failed tests when it tells enough to be a cause by itself, whichever test met it."""
    signatures = signatures_of(failure)
    errors = {signature.parts[1:] if signature.kind == "test" else () for signature in signatures}
    if len(errors) != 1:
        return None
    exception, message = (*next(iter(errors)), "", "")[:2]
    telling = exception.rsplit(".", 1)[-1] not in _ASSERTIONS and len(message) >= _SHORTEST_TELLING_MESSAGE
    return ("error", exception, message) if telling else None


def _place(group: _Group, decided: Sequence[Settled]) -> tuple[int, int, int]:
    first = next(place for place, one in enumerate(decided) if one.id == group.roots[0].id)
    return group.roots[0].rank, -len(group.roots) - len(group.followers), first


def _case(group: _Group, history: History, change: Change, settings: Settings) -> advice.Case:
    decision = group.roots[0].decision
    return advice.Case(
        category=decision.category,
        check=decision.check,
        failures=tuple(one.failure for one in group.roots),
        history=history,
        change=change,
        settings=settings,
    )


def _cause(number: int, group: _Group, case: advice.Case, repository: str) -> Cause:
    root = group.roots[0]
    again = advice.rerun(case)
    return Cause(
        id=number,
        category=root.decision.category,
        title=_title(case),
        root_job=root.id,
        jobs=tuple(one.id for one in (*group.roots, *group.followers)),
        because=root.decision.because,
        rule=root.failure.rule,
        evidence=_evidence(group.roots),
        ruled_out=_ruled_out(group.roots, case.change),
        rerun=again.rerun,
        rerun_why=again.why,
        advice=advice.advice(case),
        actions=advice.actions(case, again, repository),
    )


def _title(case: advice.Case) -> str:
    """Return what broke; a gate is told by the label that it asks for."""
    if case.category is Category.MISSING_LABEL and case.label and not case.has_label:
        return f"The label {quoted(case.label)} is missing"
    return case.first.title


def _evidence(roots: tuple[Settled, ...]) -> tuple[Evidence, ...]:
    """Return the facts of a cause, best first: of its first root, then the hosts, then of each other root."""
    first, *others = roots
    own = [*first.shown.evidence, *first.decision.evidence, *_hosts(roots)]
    theirs = [fact for one in others for fact in (*one.shown.evidence[:1], *one.decision.evidence)]
    said = {_told_by(fact) for fact in own}
    once: dict[object, Evidence] = {}
    for fact in theirs:
        if _told_by(fact) not in said:
            once.setdefault(_told_by(fact), fact)
    return (*dict.fromkeys(own), *once.values())[: max(_MOST_FACTS, len(own))]


def _told_by(fact: Evidence) -> object:
    """Return what two facts have in common that say the same: of a log the words, of elsewhere the place as well."""
    is_elsewhere = fact.kind in {EvidenceKind.MAIN_RUN, EvidenceKind.OTHER_PULL}
    return (fact.text, fact.number, fact.run_id if is_elsewhere else None)


def _hosts(roots: tuple[Settled, ...]) -> tuple[Evidence, ...]:
    """Say on which machines it happened: one host fails everyone, or several hosts fail alike."""
    category = roots[0].decision.category
    here = tuple(dict.fromkeys(one.shown.job.runner for one in roots if one.shown.job.runner))
    if category not in advice.OF_MACHINES or not here or len(roots) == 1:
        return ()
    jobs = count(len(roots), "job")
    if len(here) == 1:
        text, runner = f"all {jobs} failed on one host, {quoted(here[0])}", here[0]
    else:
        text, runner = f"{jobs} failed alike on {len(here)} hosts: {names(here, most=5)}", None
    return (Evidence(kind=EvidenceKind.TIMING, text=text, runner=runner),)


def _ruled_out(roots: tuple[Settled, ...], change: Change) -> tuple[str, ...]:
    """Return what the logs disprove, and that the change drives nothing of it, where that was worked out."""
    said = [sentence for one in roots for sentence in one.failure.ruled_out]
    if roots[0].decision.category in advice.OF_MACHINES and change.files:
        said.append(_drives_nothing(len(change.files)))
    return tuple(dict.fromkeys(said))


def _drives_nothing(files: int) -> str:
    if files == 1:
        return f"the changed file does not drive this step: it is {_LOOKED_AT}"
    return f"none of the {files} changed files drives this step: {_LOOKED_AT} among them"


def _other_roots(decided: Sequence[Settled], chains: Chains, cause_of: dict[JobId, int]) -> dict[JobId, str]:
    """Say for followers of several causes which others they follow."""
    said: dict[JobId, str] = {}
    for one in decided:
        if one.decision.category is not Category.CASCADE:
            continue
        others = sorted({cause_of[root.id] for root in chains.roots_of(one.failure.job)} - {cause_of[one.id]})
        if others:
            said[one.id] = f"; it also follows cause {', '.join(str(number) for number in others)}"
    return said
