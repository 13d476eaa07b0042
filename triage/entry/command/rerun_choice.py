"""Which failed jobs a re-run is asked for, and which of them it can help: by the causes of the report (law 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from triage.entry.command.answers import code, said
from triage.entry.command.targets import find_only
from triage.model import Category, Rerun
from triage.render.ledger import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from triage.entry.command.parser import Word
    from triage.entry.command.targets import Target
    from triage.model import Job, JobVerdict, Report, Run
    from triage.render.ledger import Row

    _Root = tuple[Row, JobVerdict]

_MOST_NAMES: Final = 10
_NOT_THE_CODE: Final = frozenset({Category.INFRASTRUCTURE, Category.GPU_RESIDUE, Category.STARVED, Category.CANCELLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked for.

    Attributes:
        pick: Given a root of a cause, says why not; None to run it again.
        objects: The same of a root that would only go along, because GitHub cannot leave it out.
        numbered: The causes that were given by their numbers.
    """

    pick: Callable[[Row, JobVerdict], str | None]
    objects: Callable[[Row, JobVerdict], str | None]
    numbered: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One request to GitHub: the one job of a run, or all its failed ones.

    Attributes:
        jobs: Names of the jobs that a re-run can help.
        along: Names of those that go along.
        only: The job, where it is one alone.
    """

    run: Run
    jobs: tuple[str, ...]
    causes: tuple[int, ...]
    along: tuple[str, ...] = ()
    only: Job | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run again, in the order of the report, and what not, as Markdown."""

    planned: tuple[Planned, ...]
    skipped: tuple[str, ...]


def wanted_by(words: tuple[Word, ...], report: Report) -> Wanted:
    """Read what stands after `/triage rerun`.

    Raises:
        Refused: A name means nothing, or several things.
    """
    if not words:
        return Wanted(pick=_only_what_helps, objects=_unless_pointless)
    if len(words) == 1 and not words[0].quoted and words[0].text in KEYWORDS:
        return KEYWORDS[words[0].text]
    several = all(word.quoted or word.text.removeprefix("#").isdecimal() for word in words)
    parts = [(word,) for word in words] if several else [words]
    targets = [find_only(part, report) for part in parts]
    return Wanted(
        pick=lambda row, job: _if_named(row, job, targets),
        objects=_unless_pointless,
        numbered=tuple(target.row for target in targets if target.by_number),
    )


_NOT_ASKED_FOR: Final = ""


def _only_what_helps(row: Row, job: JobVerdict) -> str | None:
    if row.cause.rerun is Rerun.UNKNOWN:
        return f"it is not known whether a re-run helps; `/triage rerun {row.cause.id}` runs it again"
    return _unless_pointless(row, job)


def _unless_pointless(row: Row, job: JobVerdict) -> str | None:  # noqa: ARG001  one form for all
    if row.cause.rerun is not Rerun.POINTLESS:
        return None
    return f"a re-run is pointless: {said(row.cause.rerun_why)}" if row.cause.rerun_why else "a re-run is pointless"


def _never(row: Row, job: JobVerdict) -> str | None:  # noqa: ARG001  one form for all
    return None


def _if_machines(row: Row, job: JobVerdict) -> str | None:
    if row.cause.category not in _NOT_THE_CODE:
        return "it is no fault of the machines"
    if job.failure.tests.failures and job.failure.tests.ran != 0:
        again = "" if row.cause.rerun is Rerun.POINTLESS else f"; `/triage rerun {row.cause.id}` runs it again"
        return f"a test failed in it{again}"
    return _only_what_helps(row, job)


def _if_named(row: Row, job: JobVerdict, targets: list[Target]) -> str | None:
    mine = [target for target in targets if target.row.cause.id == row.cause.id]
    here = any(target.job is None or target.job.failure.job.id == job.failure.job.id for target in mine)
    follower = any(target.job is not None and target.job not in row.roots for target in mine)
    if follower and not here:
        return "a job that only follows it was named; name this one"
    return _unless_pointless(row, job) if here else _NOT_ASKED_FOR


KEYWORDS: Final = {
    "failed": Wanted(pick=_unless_pointless, objects=_never),
    "infra": Wanted(pick=_if_machines, objects=_if_machines),
}
"""`failed`: all but what is pointless. `infra`: what machines did, never where a test ran and failed (T10)."""


def plan(wanted: Wanted, report: Report) -> Plan:
    """Choose the jobs, and the requests that run them again."""
    roots = [(row, job) for row in rows_of(report) for job in row.roots]
    verdicts = [(root, wanted.pick(*root)) for root in roots]
    skipped = [(root, why) for root, why in verdicts if why]
    planned: list[Planned] = []
    for run in report.runs:
        here = [(root, why) for root, why in verdicts if root[1].failure.job.run_id == run.id]
        mine = [root for root, why in here if why is None]
        others = [root for root, why in here if why is not None]
        kept_out = [job.failure.job.name for row, job in others if wanted.objects(row, job) is not None]
        if len(mine) > 1 and kept_out:
            skipped += [(root, _NOT_ALONE.format(code(kept_out[0]))) for root in mine]
        elif mine:
            planned.append(_request(run, mine, others))
    return Plan(planned=tuple(planned), skipped=_told(skipped))


_NOT_ALONE: Final = (
    "GitHub runs one job of a run again, or all failed ones, and {} must not go along; name one job, or take all with "
    "`/triage rerun failed`"
)


def _request(run: Run, mine: Sequence[_Root], others: Sequence[_Root]) -> Planned:
    """Make the one request that GitHub takes for a run: one job, with those that need it, or all failed ones.

    Once a run is being run again, it takes no second request.
    """
    return Planned(
        run=run,
        jobs=tuple(job.failure.job.name for _, job in mine),
        causes=tuple(dict.fromkeys(row.cause.id for row, _ in mine)),
        along=tuple(job.failure.job.name for _, job in others) if len(mine) > 1 else (),
        only=mine[0][1].failure.job if len(mine) == 1 and others else None,
    )


def _told(skipped: Sequence[tuple[_Root, str]]) -> tuple[str, ...]:
    """Say what is not run again, each reason of a cause once."""
    names: dict[tuple[int, str], list[str]] = {}
    for (row, job), why in skipped:
        names.setdefault((row.cause.id, why), []).append(job.failure.job.name)
    return tuple(f"{_enumerated(jobs)} (cause {cause}): {why}" for (cause, why), jobs in names.items())


def _enumerated(jobs: Sequence[str]) -> str:
    shown = ", ".join(code(job) for job in dict.fromkeys(jobs[:_MOST_NAMES]))
    return f"{shown} and {len(jobs) - _MOST_NAMES} more" if len(jobs) > _MOST_NAMES else shown
