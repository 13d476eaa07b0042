"""Whose failure each one is: categories, causes, verdict. Pure: the same facts give the same answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from triage.decide.answer import headline, hides, verdict_of
from triage.decide.belief import believable
from triage.decide.causes import Settled, ledger
from triage.decide.chains import Chains
from triage.decide.change import Change
from triage.decide.checks import CHECKS, first_answer
from triage.decide.coverage import coverage, coverage_gap
from triage.decide.exercised import not_exercised
from triage.decide.health import blindness
from triage.decide.history import NO_HISTORY, Baseline, History, Seen, Trend, signatures_of
from triage.decide.moments import newest_time
from triage.model import Gap
from triage.settings import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from triage.model import Cause, Coverage, Facts, Failure, JobVerdict, NotExercised, Verdict
    from triage.settings import Settings

__all__ = [
    "CHECKS",
    "NO_HISTORY",
    "Baseline",
    "Decided",
    "History",
    "Seen",
    "Trend",
    "decide",
    "signatures_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """All that was decided about one set of facts. `jobs` has a row for each red job, in the order of the facts."""

    verdict: Verdict
    headline: str
    causes: tuple[Cause, ...]
    jobs: tuple[JobVerdict, ...]
    not_exercised: tuple[NotExercised, ...]
    coverage: tuple[Coverage, ...]
    gaps: tuple[Gap, ...]
    as_of: datetime | None


def decide(
    facts: Facts,
    failures: tuple[Failure, ...],
    history: History = NO_HISTORY,
    settings: Settings = BUILT_IN,
) -> Decided:
    """Say whose failure each red job is, sort the jobs into causes, and answer for the whole.

    Args:
        facts: Everything that was read.
        failures: What broke in each red job: one for each of `facts.red`, in the same order.
        history: What was found elsewhere; what in it cannot speak for others is left out here.
        settings: What the repository says of its labels, of what tests what, and how old a comparison may be.

    Raises:
        ValueError: `failures` are not those of `facts.red`; a ledger with a hole is never made.
    """
    _check_closed(facts, failures)
    as_of = newest_time(facts)
    change = Change.of(facts, history.closures)
    known = history.independent_of(facts, until=as_of, window=timedelta(days=settings.window_days))
    believed = tuple(believable(failure) for failure in failures)
    chains = Chains(facts, believed)
    settled = tuple(
        Settled(shown=shown, failure=rooted, decision=first_answer(rooted, known, change))
        for shown, rooted in zip(failures, map(chains.rooted, believed), strict=True)
    )
    causes, jobs = ledger(settled, chains, known, change, repository=facts.repository.full_name, settings=settings)
    verdict = verdict_of(facts, jobs)
    covered = coverage(facts, jobs, change, settings.coverage)
    return Decided(
        verdict=verdict,
        headline=headline(verdict, facts, causes, is_about_a_change=change.exists),
        causes=causes,
        jobs=jobs,
        not_exercised=not_exercised(facts, jobs, chains),
        coverage=covered,
        gaps=tuple(dict.fromkeys(_gaps(facts, failures, history, jobs, change, coverage_gap(change, covered)))),
        as_of=as_of,
    )


def _check_closed(facts: Facts, failures: tuple[Failure, ...]) -> None:
    red, given = [one.job.id for one in facts.red], [failure.job.id for failure in failures]
    if red != given:
        raise ValueError(f"failures of jobs {given} given for red jobs {red}: the ledger would have a hole")


def _gaps(
    facts: Facts,
    failures: tuple[Failure, ...],
    history: History,
    jobs: tuple[JobVerdict, ...],
    change: Change,
    uncovered: Gap | None,
) -> Iterator[Gap]:
    """Yield everything that could not be seen: of triage itself first, then of the facts, job by job, beside them."""
    if (blind := blindness(failures)) is not None:
        yield blind
    yield from facts.gaps
    # Logs that all failed alike are told in one line already.
    told = {gap.why for gap in facts.gaps}
    for failure in failures:
        yield from (gap for gap in failure.gaps if gap.why not in told)
    yield from (gap for gap in hides(facts, jobs) if gap.why not in told)
    if jobs:
        yield from history.gaps
    if jobs and not change.exists:
        yield Gap("what the commit changed", "the runs belong to no pull request, so no diff was compared")
    if uncovered is not None:
        yield uncovered
