"""`/triage explain JOB`: the proof for one job, in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.entry.command.answers import Answer, code, said
from triage.entry.command.targets import find_cause
from triage.render.markdown import render_cause

if TYPE_CHECKING:
    from triage.entry.command.targets import Target
    from triage.entry.command.turn import Turn


def run(turn: Turn) -> Answer:
    """Explain it."""
    target = find_cause(turn.words, turn.report)
    return Answer(text=f"{_about(target)}{render_cause(turn.report, target.row.cause.id)}")


def _about(target: Target) -> str:
    """Say of a job what its cause does not say of all of them."""
    if target.job is None:
        return ""
    job, cause = target.job.failure.job, target.row.cause
    in_cause = f"{code(job.name)} (`{job.id}`) is in cause {cause.id}"
    if target.job in target.row.roots:
        return f"{in_cause}.\n\n"
    return f"{in_cause}, which it only follows: {said(target.job.because)}\n\n"
