"""What the platform itself says of a job: its runner, its timings, its place in the workflow, its annotations.

Structure comes before text: these signals are GitHub's, and no log line can forge them.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from triage.classify.context import JobContext, entries_of
from triage.classify.finding import finding
from triage.classify.guesses import last_words
from triage.classify.makers import NOT_MADE
from triage.classify.quoting import quote, quote_with_annotation
from triage.classify.results import failed_before
from triage.model import Conclusion, Evidence, EvidenceKind, Failure, Fault, Log, Signature, Where
from triage.regex import regex
from triage.rules.match import Match, matches, read_text
from triage.signature import signature_of_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from triage.classify.ending import Ending
    from triage.classify.view import LogView
    from triage.model import Annotation, Job, LogLine, WorkflowFile

LONGEST_ORDINARY_WAIT = timedelta(minutes=30)
"""A job that waited longer for a runner before it was cancelled was starved; a shorter wait is a plain cancellation."""

LONGEST_AGGREGATOR = timedelta(minutes=3)
"""An aggregator only looks at results. A job that worked longer than this did work of its own."""

TIME_LIMIT_SLACK = timedelta(seconds=90)
"""GitHub ends a job some seconds after its `timeout-minutes`, never before."""


def platform_words(context: JobContext) -> Failure | None:
    """An annotation of the runner service says what happened, in words that a rule knows."""
    found = [
        (match, annotation)
        for annotation in context.facts.annotations
        if annotation.is_from_platform
        for match in matches(context.rules, read_text(annotation.message, context.scanner))
        if not match.rule.wrapper and not _outranked_by_tests(context, match.rule.fault)
        if not (match.rule.id in NOT_MADE and _is_in_log(context, annotation))
    ]
    # A rule made for annotations knows the platform's words better than one made for logs.
    found.sort(key=lambda pair: pair[0].rule.where is not Where.ANNOTATION)
    return _from_annotation(context, *found[0]) if found else None


def _is_in_log(context: JobContext, annotation: Annotation) -> bool:
    """Whether the log holds the annotation's words: then what the step was handed may say more on them."""
    lines = context.view.log.lines if context.view else ()
    said = f"##[error]{annotation.message.splitlines()[0].strip()}" if annotation.message.strip() else ""
    return bool(said) and any(line.text.rstrip() == said for line in lines)


def _from_annotation(context: JobContext, match: Match, annotation: Annotation) -> Failure:
    captures, view = match.captures, context.view
    said = last_words(view, context.ending) if view and context.ending else ()
    if match.rule.fault in STOPPED:
        said = (*said[::-1], *_said_to_that(view, context.ending))
    return finding(
        context,
        match.rule.fault,
        match.rule.title,
        rule=match.rule,
        evidence=quote_with_annotation(annotation, said, context.job, view),
        signature=signature_of_rule(match.rule.id, captures),
        roots=tuple(captures[name] for name in ("roots", "root") if name in captures),
    )


STOPPED = frozenset({Fault.CANCELLED, Fault.CASCADE})
"""Faults for which a job was stopped: that it was tells more than what it was at."""


def _said_to_that(view: LogView | None, ending: Ending | None) -> tuple[LogLine, ...]:
    """What stands under the line that says that the job was stopped: what a program said to it, or which one ran on."""
    below = view.line(ending.line.number + 1) if view and ending and ending.line else None
    return (below,) if below is not None and not _OF_RUNNER.match(below.text) else ()


_OF_RUNNER = regex(
    r"^(?:##\[|\[command\]|Post job cleanup|Cleaning up orphan processes|Evaluate and set job outputs|\s*$)"
)


def _outranked_by_tests(context: JobContext, fault: Fault) -> bool:
    """A test that had failed before the job was stopped is what the author must hear of."""
    stopped = {Fault.CANCELLED, Fault.CASCADE, Fault.INFRASTRUCTURE}
    return fault in stopped and bool(context.view and context.view.failing_tests)


def starved(context: JobContext) -> Failure | None:
    """No machine ever took the job, although it waited."""
    job = context.job
    if not job.never_started or job.created_at is None or job.completed_at is None:
        return None
    waited = job.completed_at - job.created_at
    if waited < LONGEST_ORDINARY_WAIT:
        return None
    text = f"queued {job.created_at:%H:%M} → {job.completed_at:%H:%M} UTC ({spell(waited)}), never got a runner"
    labels = " + ".join(job.labels)
    wanted = f"; it asked for `{labels}`" if labels else ""
    evidence = Evidence(kind=EvidenceKind.TIMING, text=text + wanted, url=job.url, job_id=job.id, run_id=job.run_id)
    return finding(
        context,
        Fault.STARVED,
        f"No runner for {spell(waited)}",
        evidence=(evidence,),
        signature=Signature("rule", ("never-started", labels)),
    )


def spell(span: timedelta) -> str:
    """Return a duration in words people read: `5 h 41 min`, `42 min`, `8 s`."""
    minutes, seconds = divmod(int(span.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min" if minutes else f"{seconds} s"


def matrix_fail_fast(context: JobContext) -> Failure | None:
    """Another leg of the same matrix failed, and the matrix is set to stop the rest."""
    job, entry = context.job, context.workflow_job
    if job.conclusion is not Conclusion.CANCELLED or entry is None or not (entry.has_matrix and entry.fail_fast):
        return None
    legs = [other for other in context.siblings if other.id != job.id and entry.key in _keys(context, other)]
    first = min((leg for leg in legs if leg.conclusion is Conclusion.FAILURE), key=_ended, default=None)
    if first is None or _ended(first) > _ended(job) or _outranked_by_tests(context, Fault.CASCADE):
        return None
    text = f"cancelled by fail-fast of the matrix `{entry.key}` after `{first.name}` failed"
    return finding(
        context,
        Fault.CASCADE,
        "Stopped because another leg of its matrix failed",
        evidence=(Evidence(kind=EvidenceKind.TIMING, text=text, url=first.url, job_id=first.id, run_id=first.run_id),),
        roots=(first.name,),
    )


def _keys(context: JobContext, job: Job) -> set[str]:
    return {entry.key for entry in entries_of(context.workflow, job.name)} if context.workflow else set()


def _ended(job: Job) -> str:
    return job.completed_at.isoformat() if job.completed_at else "9999"


def own_time_limit(context: JobContext) -> Failure | None:
    """The job ran exactly as long as its workflow allows: GitHub shows that as a cancellation."""
    job, entry = context.job, context.workflow_job
    if job.conclusion not in {Conclusion.CANCELLED, Conclusion.TIMED_OUT} or job.duration is None:
        return None
    limit = timedelta(minutes=entry.timeout_minutes) if entry and entry.timeout_minutes else None
    if job.conclusion is not Conclusion.TIMED_OUT and (
        limit is None or not limit <= job.duration <= limit + TIME_LIMIT_SLACK
    ):
        return None
    allowed = f" of {spell(limit)}" if limit else ""
    text = f"ran {spell(job.duration)} and was stopped at its time limit{allowed}"
    return finding(
        context,
        Fault.UNKNOWN,
        "Stopped at its own time limit",
        evidence=(Evidence(kind=EvidenceKind.TIMING, text=text, url=job.url, job_id=job.id, run_id=job.run_id),),
    )


def aggregator(context: JobContext) -> Failure | None:
    """The job waits for others (`needs`), runs whatever became of them, and did no work of its own."""
    entry, workflow, job = context.workflow_job, context.workflow, context.job
    if entry is None or workflow is None or not entry.needs or not _runs_regardless(entry.condition):
        return None
    roots = tuple(_red_needs(context, workflow, entry.needs))
    worked = job.duration is not None and job.duration > LONGEST_AGGREGATOR
    if not roots or worked or context.facts.tests.runners or has_own_words(context):
        return None
    names = ", ".join(f"`{root.name}`" for root in roots[:3]) + (
        f" and {len(roots) - 3} more" if len(roots) > 3 else ""
    )
    text = f"waits for {names} (`needs` in {workflow.path}), which failed first"
    return finding(
        context,
        Fault.CASCADE,
        "Failed only because a job it waits for failed",
        evidence=(Evidence(kind=EvidenceKind.TIMING, text=text, url=job.url, job_id=job.id, run_id=job.run_id),),
        roots=tuple(root.name for root in roots),
        reports_only=True,
    )


_REGARDLESS = regex(r"always\(\)|failure\(\)|cancelled\(\)")


def _runs_regardless(condition: str) -> bool:
    return bool(_REGARDLESS.search(condition))


def _red_needs(context: JobContext, workflow: WorkflowFile, needs: tuple[str, ...]) -> Iterator[Job]:
    """The red jobs this one waits for; through skipped ones, which are red only by what they wait for."""
    keys = {entry.key: entry for entry in workflow.jobs}
    wanted, queue = set(needs), list(needs)
    while queue:
        entry = keys.get(queue.pop())
        fresh = set(entry.needs if entry else ()) - wanted
        wanted |= fresh
        queue += sorted(fresh)
    for job in context.siblings:
        if job.id != context.job.id and job.is_red and _keys(context, job) & wanted:
            yield job


def has_own_words(context: JobContext) -> bool:
    """Whether the log blames something else than a cascade: a rule does, or a step above the failing one had failed."""
    if not isinstance(context.facts.log, Log):
        return False
    if context.view and context.ending and failed_before(context.view, context.ending.sections[-1].last):
        return True
    return any(
        match.rule.fault not in {Fault.CASCADE, Fault.CANCELLED} and not match.rule.wrapper
        for match in matches(context.rules, context.facts.log)
    )


def lost_runner(context: JobContext) -> Failure | None:
    """A step began and GitHub never learned how it ended: the machine went away. Why, only an annotation could say."""
    unfinished = next((step for step in context.job.steps if step.is_unfinished), None)
    if unfinished is None or context.job.conclusion is None or context.view is not None:
        return None
    text = f"step `{unfinished.name}` never ended and there is no log: the runner went away while it ran"
    job = context.job
    return finding(
        context,
        Fault.UNKNOWN,
        "The runner went away",
        evidence=(Evidence(kind=EvidenceKind.TIMING, text=text, url=job.url, job_id=job.id, runner=job.runner),),
    )


def cancelled(context: JobContext) -> Failure | None:
    """The job was stopped from outside, and nothing in it had failed before."""
    if context.job.conclusion is not Conclusion.CANCELLED or _outranked_by_tests(context, Fault.CANCELLED):
        return None
    job = context.job
    whole_run = context.run is not None and context.run.conclusion is Conclusion.CANCELLED
    text = "the whole run was cancelled" if whole_run else "the job was cancelled; GitHub does not say by whom"
    line = context.ending.line if context.ending else None
    lines = (*_why_stopped(context.view), *([line] if line else []))
    said = tuple(quote(line, job, context.view) for line in lines if context.view)
    return finding(
        context,
        Fault.CANCELLED,
        "Cancelled with its run" if whole_run else "Cancelled",
        evidence=(
            *said,
            Evidence(kind=EvidenceKind.TIMING, text=text, url=job.url, job_id=job.id, run_id=job.run_id),
        ),
        signature=Signature("rule", ("cancelled", str(job.run_id))),
    )


def _why_stopped(view: LogView | None) -> Iterator[LogLine]:
    """Yield the line by which Jenkins, or the job, says why it was stopped: by a person, a newer one, a branch."""
    if view is not None:
        near = view.between(view.log.total_lines - STOPPED_WITHIN, view.log.total_lines)
        yield from [line for line in near if _STOPPED.match(line.text)][:1]


STOPPED_WITHIN = 30
"""Last lines of a log among which Jenkins, or a script that cancels its own run, says why."""

_STOPPED = regex(
    r"^(?:Aborted by \S|Failed in branch \S|Superseded by \S|Canceled since \S)"
    r"|^\S.*\b(?:superseded by|newer (?:commit|push|run)|no longer the (?:head|latest))\b.*\b[Cc]ancell?(?:ing|ed)?\b"
)

BEFORE_TEXT: tuple[Callable[[JobContext], Failure | None], ...] = (
    starved,
    platform_words,
    matrix_fail_fast,
    own_time_limit,
    aggregator,
    lost_runner,
)
"""Asked in this order before the log is looked at; the first answer wins."""

AFTER_TEXT: tuple[Callable[[JobContext], Failure | None], ...] = (cancelled,)
"""Asked when the log explained nothing: a job can fail by itself and be cancelled afterwards."""
