"""`/triage label`: the label that a gate asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.entry.command.answers import Answer, Refused, bullets, code
from triage.entry.command.turn import must_be_open
from triage.errors import ProviderError
from triage.model import Category
from triage.render.ledger import rows_of
from triage.source.writes import is_unknown

if TYPE_CHECKING:
    from triage.entry.command.turn import Turn
    from triage.model import JobVerdict
    from triage.render.ledger import Row

_AND_THEN: Final = (
    "A label that is set with a workflow's own token starts no workflow: `/triage rerun {cause}` runs the gate again."
)


def run(turn: Turn) -> Answer:
    """Put the label on the pull request."""
    must_be_open(turn, "no label is added")
    name, row, gate = _asked_for(turn)
    _check_commit(turn, gate)
    if not turn.house.acts.knows_label(name):
        raise Refused("no-such-label", f"this repository has no label {code(name)}, and none is made by command.")
    turn.check_permit()
    try:
        turn.house.acts.add_label(turn.asked.number, name)
    except ProviderError as error:
        if not is_unknown(error) or name not in turn.house.acts.pull(turn.asked.number).labels:
            raise
    job = code(gate.failure.job.name)
    return Answer(text=f"Added the label {code(name)}, which {job} asked for. {_AND_THEN.format(cause=row.cause.id)}")


def _asked_for(turn: Turn) -> tuple[str, Row, JobVerdict]:
    """Return the one label that is asked for and not there, with the gate that asks.

    Raises:
        Refused: There is none, or there are several and none was named.
    """
    has = turn.report.pull.labels if turn.report.pull is not None else ()
    found = {
        job.failure.label: (row, job)
        for row in rows_of(turn.report)
        for job in row.roots
        if row.cause.category is Category.MISSING_LABEL and job.failure.label and job.failure.label not in has
    }
    named = " ".join(word.text for word in turn.words)
    fitting = {label: gate for label, gate in found.items() if not named or label == named}
    if not fitting:
        raise Refused("no-label", "no gate asks for such a label." if named else "no gate asks for a label.")
    if len(fitting) > 1:
        labels = bullets(tuple(code(label) for label in fitting))
        raise Refused("ambiguous", f"gates ask for several labels; name one after `/triage label`:\n\n{labels}")
    ((label, (row, job)),) = fitting.items()
    return label, row, job


def _check_commit(turn: Turn, gate: JobVerdict) -> None:
    """Make sure that the label is for the commit which the person saw: it may let that commit run (T9).

    Raises:
        Refused: Something was pushed, or the gate asked only after the comment.
    """
    now = turn.house.acts.pull(turn.asked.number)
    run = next((run for run in turn.report.runs if run.id == gate.failure.job.run_id), None)
    if now.state != "open":
        raise Refused("closed", "the pull request is closed, so no label is added.")
    if run is None or run.head_sha != now.head_sha:
        raise Refused("moved-on", f"the pull request has moved on to {code(now.head_sha[:10])}; look at that first.")
    if run.created_at is None or run.created_at >= turn.asked.at:
        raise Refused("moved-on", "the gate asked for it only after your comment; look at the commit first.")
