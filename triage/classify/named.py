"""Jobs that the settings name for what they are.

A name is believed only where nothing speaks against it: these are asked when structure and log explained nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.classify.finding import finding
from triage.classify.structure import LONGEST_AGGREGATOR, has_own_words
from triage.model import Basis, Conclusion, Evidence, EvidenceKind, Fault
from triage.settings import PLACE
from triage.settings.globs import fits_name

if TYPE_CHECKING:
    from triage.classify.context import JobContext
    from triage.model import Failure


def named_aggregator(context: JobContext) -> Failure | None:
    """The settings call it an aggregator, it did nothing of its own, and a job before it in its run is red."""
    job = context.job
    aggregators = context.settings.aggregators if context.settings else ()
    if not fits_name(aggregators, job.name) or _worked(context) or has_own_words(context):
        return None
    others = [other for other in context.siblings if other.id != job.id and other.is_red]
    # What reports does not break: of the red jobs, those are roots that the settings do not call aggregators, too.
    roots = tuple(other.name for other in others if not fits_name(aggregators, other.name))
    if not roots:
        return None
    text = f"{PLACE} says that `{job.name}` only reports what became of other jobs, and {len(roots)} of its run failed"
    return finding(
        context,
        Fault.CASCADE,
        "Failed only because a job it reports on failed",
        evidence=(Evidence(kind=EvidenceKind.RULE, text=text, url=job.url, job_id=job.id, run_id=job.run_id),),
        roots=roots,
        reports_only=True,
    )


def named_gate(context: JobContext, explained: Failure | None) -> Failure | None:
    """The settings call it a gate, it failed without doing anything else, and no rule knows its log better.

    Args:
        context: The job.
        explained: What its log was guessed to say, with the lines to quote; None when it says nothing.
    """
    job = context.job
    gates = context.settings.gates if context.settings else ()
    if not fits_name(gates, job.name) or job.conclusion is not Conclusion.FAILURE:
        return None
    if context.view is None or context.view.log.truncated or _worked(context):
        return None
    text = f"{PLACE} says that `{job.name}` only decides whether other jobs may run"
    said = Evidence(kind=EvidenceKind.RULE, text=text, url=job.url, job_id=job.id, run_id=job.run_id)
    gate = finding(context, Fault.MISSING_LABEL, "The gate refused", evidence=(said,))
    if explained is None or explained.basis is not Basis.GUESS:
        return gate
    return replace(gate, evidence=(*explained.evidence, said), signature=explained.signature)


def _worked(context: JobContext) -> bool:
    """Whether the job did work of its own: a test ran, or it took longer than looking at results does."""
    tests, duration = context.facts.tests, context.job.duration
    return bool(tests.runners or tests.failures) or (duration is not None and duration > LONGEST_AGGREGATOR)
