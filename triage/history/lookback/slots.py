"""One attempt of a run of the default branch, as far as one failure is concerned: what came of it there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, unique
from typing import TYPE_CHECKING

from triage.decide import Baseline
from triage.history.lookback.questions import LogOf
from triage.model import Conclusion, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.history.lookback.past import Past
    from triage.history.lookback.told import Needles, Told
    from triage.history.lookback.wanted import Wanted
    from triage.model import Job, Run, Signature

_RED = frozenset({Conclusion.FAILURE, Conclusion.TIMED_OUT})
_NOT_THE_CODE = frozenset(
    {Fault.INFRASTRUCTURE, Fault.GPU_RESIDUE, Fault.CASCADE, Fault.CANCELLED, Fault.STARVED, Fault.MISSING_LABEL}
)
# What has no time lies in no window.
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@unique
class Reach(Enum):
    """How far a job got, from its steps alone."""

    PASSED = "executed the step, and the step passed"
    BROKE = "broke in that step, so that only its log can tell"
    NOT_REACHED = "never came to it"


@dataclass(frozen=True, slots=True)
class Unsure:
    """It may have failed in the same way, and nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Jobs of the same name as the failed ones, in one attempt of one run. `is_unread`: its jobs are not known."""

    run: Run
    attempt: int
    signature: Signature
    passes: tuple[Job, ...] = ()
    logs: tuple[LogOf, ...] = ()
    is_unread: bool = False


def slots_of(
    run: Run, jobs: tuple[Job, ...] | None, signature: Signature, wanted: Sequence[Wanted], needles: Needles
) -> Iterator[Slot]:
    """Yield the attempts of a run, newest first; one that is unread when its jobs are not known."""
    if jobs is None:
        yield Slot(run=run, attempt=run.attempt, signature=signature, is_unread=True)
        return
    for attempt in sorted({job.run_attempt for job in jobs}, reverse=True):
        reached = [
            (job, reach(job, one.step))
            for one in wanted
            for job in jobs
            if job.run_attempt == attempt and job.name == one.job.name
        ]
        yield Slot(
            run=run,
            attempt=attempt,
            signature=signature,
            passes=tuple(job for job, how in reached if how is Reach.PASSED),
            logs=tuple(LogOf(job, needles) for job, how in reached if how is Reach.BROKE),
        )


def reach(job: Job, step: str | None) -> Reach:
    """Say whether a job came to the step of that name; without one, the job as a whole counts."""
    if job.conclusion is not Conclusion.SUCCESS and job.conclusion not in _RED:
        return Reach.NOT_REACHED
    broken = job.failed_step
    if job.conclusion in _RED and (step is None or broken is None or broken.name == step):
        return Reach.BROKE
    if step is None:
        return Reach.PASSED
    passed = any(one.name == step and one.conclusion is Conclusion.SUCCESS for one in job.steps)
    return Reach.PASSED if passed else Reach.NOT_REACHED


def judge(past: Past, slot: Slot, test: str | None) -> Baseline | Unsure | None:
    """Say what came of a failure in one attempt: the same failure, another one, a pass, or nothing that counts."""
    results = [_judge_log(past.get(log), slot, log.job, test) for log in slot.logs]
    baselines = [one for one in results if isinstance(one, Baseline)]
    alike = [one for one in baselines if one.signature == slot.signature]
    if alike:
        return alike[0]
    if slot.is_unread or any(isinstance(one, Unsure) for one in results):
        return Unsure()
    failed = [one for one in baselines if one.signature is not None]
    passes = [one for one in baselines if one.signature is None]
    return next(iter((*failed, *passes, *(_baseline(slot, job, None) for job in slot.passes))), None)


def _judge_log(told: Told | None, slot: Slot, job: Job, test: str | None) -> Baseline | Unsure | None:
    if told is None:
        return Unsure()
    if told.shows(slot.signature):
        return _baseline(slot, job, slot.signature)
    if told.fault in _NOT_THE_CODE:
        return None  # killed before it could say anything
    if test is None:
        return _baseline(slot, job, told.signatures[0]) if told.signatures else Unsure()
    if test in told.tests:
        other = told.tests[test]
        return Unsure() if other is None else _baseline(slot, job, other)
    if test in told.executed:
        return _baseline(slot, job, None)
    return None if told.signatures else Unsure()


def _baseline(slot: Slot, job: Job, signature: Signature | None) -> Baseline:
    return Baseline(
        run_id=slot.run.id,
        job_id=job.id,
        job_name=job.name,
        head_sha=slot.run.head_sha,
        at=job.started_at or slot.run.created_at or _LONG_AGO,
        url=job.url,
        signature=signature,
        runner=job.runner,
    )
