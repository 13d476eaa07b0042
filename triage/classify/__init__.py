"""What broke in each job, from the job alone: structure first, then rules, then guesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.classify.context import JobContext
from triage.classify.ending import Outcome
from triage.classify.finding import log_gap
from triage.classify.named import named_aggregator, named_gate
from triage.classify.scanning import make_scanner
from triage.classify.structure import AFTER_TEXT, BEFORE_TEXT
from triage.classify.text import explain
from triage.model import Basis, Conclusion, Failure, Fault, Job, JobFacts, JobId, Log, RunId

if TYPE_CHECKING:
    from triage.matching import Scanner
    from triage.model import Facts, TestReport
    from triage.rules import RuleSet
    from triage.settings import Settings

__all__ = ["classify", "classify_job", "classify_log", "make_scanner"]


def classify(facts: Facts, rules: RuleSet, scanner: Scanner, settings: Settings | None = None) -> tuple[Failure, ...]:
    """Say what broke in every red job, in the order of `facts.red`; `settings` name aggregators and gates."""
    runs = {run.id: run for run in facts.runs}
    return tuple(
        _classify(
            JobContext(
                facts=red,
                rules=rules,
                scanner=scanner,
                run=runs.get(red.job.run_id),
                siblings=tuple(job for job in facts.jobs if job.run_id == red.job.run_id),
                workflow=facts.workflows.get(red.job.run_id),
                settings=settings,
            )
        )
        for red in facts.red
    )


def classify_job(facts: JobFacts, rules: RuleSet, scanner: Scanner, settings: Settings | None = None) -> Failure:
    """Say what broke in one job of which nothing around it is known."""
    return _classify(JobContext(facts=facts, rules=rules, scanner=scanner, settings=settings))


def classify_log(name: str, log: Log, tests: TestReport, rules: RuleSet, scanner: Scanner) -> Failure:
    """Say what a lone log shows; `Fault.NONE` when it shows no failure."""
    job = Job(id=JobId(0), run_id=RunId(0), run_attempt=1, name=name)
    return classify_job(JobFacts(job=job, log=log, tests=tests), rules, scanner)


def _classify(context: JobContext) -> Failure:
    if context.job.conclusion is Conclusion.SUCCESS:
        return _nothing(context, Fault.NONE, "The job passed")
    for check in BEFORE_TEXT:
        if found := check(context):
            return found
    explained = explain(context)
    if explained is not None and explained.basis not in {Basis.GUESS, Basis.NOTHING}:
        return explained
    if named := named_aggregator(context) or named_gate(context, explained):
        return named
    for check in AFTER_TEXT:
        if found := check(context):
            return found
    if explained is not None:
        return explained
    if context.job.conclusion is None and context.ending and context.ending.outcome is Outcome.PASSED:
        return _nothing(context, Fault.NONE, "The log shows no failure")
    return _nothing(context, Fault.UNKNOWN, "Nothing shows what broke")


def _nothing(context: JobContext, fault: Fault, title: str) -> Failure:
    return Failure(
        job=context.job,
        fault=fault,
        basis=Basis.NOTHING,
        title=title,
        log_state=context.log_state,
        tests=context.facts.tests,
        failed_step=context.job.failed_step,
        gaps=tuple(log_gap(context)),
    )
