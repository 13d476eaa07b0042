"""`/triage rerun`: what a re-run can help, and nothing that has not run already."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import TYPE_CHECKING

from triage.entry.command.answers import Answer, bullets, code, quoted
from triage.entry.command.numbers import check_numbers
from triage.entry.command.rerun_checks import Moment, objection_to
from triage.entry.command.rerun_choice import Planned, plan, wanted_by
from triage.entry.command.targets import nothing_failed
from triage.entry.command.turn import must_be_open
from triage.errors import ProviderError
from triage.source.writes import is_unknown

if TYPE_CHECKING:
    from triage.entry.command.rerun_choice import Plan
    from triage.entry.command.turn import Turn
    from triage.model import Report

_NAMES = 10


@unique
class _Is(Enum):
    """Whether a re-run has begun."""

    BEGUN = "Running again"
    UNKNOWN = "Perhaps running again, please look"
    NOT = "Not run again"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of one request; `why` is Markdown."""

    now: _Is
    why: str = ""


def run(turn: Turn) -> Answer:
    """Run again what can be helped by it."""
    must_be_open(turn, "nothing is run again")
    wanted = wanted_by(turn.words, turn.report)
    check_numbers(turn, wanted.numbered)
    chosen = plan(wanted, turn.report)
    if not chosen.planned:
        return Answer(text=_nothing(chosen, turn.report), has_helped=False)
    turn.check_permit()  # it was asked before the report was made, which takes a while
    lines: dict[_Is, list[str]] = {now: [] for now in _Is}
    for planned in chosen.planned:
        outcome = _run_again(turn, planned)
        lines[outcome.now].append(_described(planned, outcome))
    has_begun = bool(lines[_Is.BEGUN])
    lines[_Is.NOT] += chosen.skipped
    parts = [f"**{now.value}**\n\n{bullets(tuple(found))}" for now, found in lines.items() if found]
    if has_begun:
        parts.append("`/triage` writes the report anew when they are over.")
    reran = has_begun or bool(lines[_Is.UNKNOWN])
    return Answer(text="\n\n".join(parts), has_helped=has_begun, reran=reran)


def _nothing(chosen: Plan, report: Report) -> str:
    if not report.jobs:
        return f"There is nothing to run again: {nothing_failed(report)}"
    if not chosen.skipped:
        return "There is nothing to run again."
    return f"There is nothing that a re-run can help.\n\n{bullets(chosen.skipped)}"


def _described(planned: Planned, outcome: _Outcome) -> str:
    shown = ", ".join(code(name) for name in planned.jobs[:_NAMES])
    more = f" and {len(planned.jobs) - _NAMES} more" if len(planned.jobs) > _NAMES else ""
    causes = f"cause{'' if len(planned.causes) == 1 else 's'} {', '.join(map(str, planned.causes))}"
    along = ", ".join(code(name) for name in planned.along[:_NAMES])
    goes = f"; with {along}, because GitHub runs one job of a run again, or all failed ones" if along else ""
    why = f": {outcome.why}" if outcome.why else ""
    return f"{code(planned.run.workflow)}: {shown}{more} ({causes}){goes}{why}"


def _run_again(turn: Turn, planned: Planned) -> _Outcome:
    """Look once more, and ask GitHub once."""
    acts = turn.house.acts
    try:
        pull, run_now = acts.pull(turn.asked.number), acts.run(planned.run.id)
        moment = Moment(
            seen=planned.run,
            run=run_now,
            jobs=acts.jobs(planned.run.id),
            pull=pull,
            asked_at=turn.asked.at,
            now=turn.house.now,
        )
        if (why := objection_to(moment)) is not None:
            return _Outcome(_Is.NOT, why)
    except ProviderError as error:
        return _Outcome(_Is.NOT, f"GitHub could not be asked about it: {quoted(str(error))}")
    try:
        refusal = acts.rerun_job(planned.only.id) if planned.only is not None else acts.rerun_failed(planned.run.id)
    except ProviderError as error:
        return _unsure(turn, planned, error)
    return _Outcome(_Is.BEGUN) if refusal is None else _Outcome(_Is.NOT, f"GitHub refuses: {quoted(refusal.said)}")


def _unsure(turn: Turn, planned: Planned, error: ProviderError) -> _Outcome:
    """Find out whether GitHub did what it did not confirm. It is never asked again."""
    if not is_unknown(error):
        return _Outcome(_Is.NOT, quoted(str(error)))
    turn.house.sleep(turn.house.lag)
    try:
        run_now = turn.house.acts.run(planned.run.id)
    except ProviderError:
        return _Outcome(_Is.UNKNOWN, "GitHub did not say whether it began")
    if run_now.attempt > planned.run.attempt:
        return _Outcome(_Is.BEGUN)
    return _Outcome(_Is.UNKNOWN, "GitHub failed when it was asked, and shows no new attempt so far")
