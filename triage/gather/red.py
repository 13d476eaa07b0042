"""Red jobs: the log of each, read and let go, and the platform's annotations where the log cannot tell enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.errors import TriageError
from triage.logs import read_log, read_tests
from triage.model import Conclusion, Gap, JobFacts, LogState, MissingLog, TestReport
from triage.source.missing import missing_log
from triage.source.shapes import annotation_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from triage.matching import Scanner
    from triage.model import Annotation, Job, Log
    from triage.source.protocol import JSON, LogSource, Reads

# Their logs end with "The operation was canceled." or not at all; who did it stands in an annotation.
_STOPPED = frozenset({Conclusion.CANCELLED, Conclusion.TIMED_OUT, Conclusion.STALE, Conclusion.UNKNOWN})
MOST_NAMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadJob:
    """A red job as read.

    Attributes:
        log_gap: Why its log could not be read, though it may be there; None when it was, or is known not to exist.
        annotations_gap: Why its annotations could not be read, or not all of them; None when all was well.
    """

    facts: JobFacts
    log_gap: str | None = None
    annotations_gap: str | None = None


def read_job(reads: Reads, job: Job, json: JSON, scanner: Scanner) -> ReadJob:
    """Read all about one red job. Never raises on purpose: what fails is a gap, so that other jobs are still told."""
    log, tests, log_gap = _read_log(reads, job, json, scanner)
    annotations: tuple[Annotation, ...] = ()
    annotations_gap: str | None = None
    if job.check_run_id is not None and _needs_annotations(job, log):
        annotations, annotations_gap = _read_annotations(reads, job.check_run_id)
    return ReadJob(
        facts=JobFacts(job=job, log=log, tests=tests, annotations=annotations),
        log_gap=log_gap,
        annotations_gap=annotations_gap,
    )


def left_unread(job: Job, most: int | None) -> ReadJob:
    """Return a red job of which nothing is read, because so many others were."""
    log, tests, gap = _unreadable(f"at most {most} logs are read in one triage")
    return ReadJob(facts=JobFacts(job=job, log=log, tests=tests), log_gap=gap)


def _needs_annotations(job: Job, log: Log | MissingLog) -> bool:
    is_unclear = job.failed_step is None or any(step.is_unfinished for step in job.steps)
    return isinstance(log, MissingLog) or is_unclear or job.conclusion in _STOPPED


def _read_log(reads: Reads, job: Job, json: JSON, scanner: Scanner) -> tuple[Log | MissingLog, TestReport, str | None]:
    if job.never_started:
        return missing_log(job, status=None, now=None), TestReport(), None
    try:
        source = reads.log(json)
    except TriageError as error:
        return _unreadable(str(error))
    if isinstance(source, MissingLog):
        return source, TestReport(), None
    return _digest(source, job, scanner)


def _digest(source: LogSource, job: Job, scanner: Scanner) -> tuple[Log | MissingLog, TestReport, str | None]:
    try:
        log = read_log(source, scanner, steps=job.steps)
        return log, read_tests(log), None
    except (OSError, EOFError) as error:
        return _unreadable(f"{source.name} cannot be read ({error})")
    except Exception as error:  # noqa: BLE001 - a crash of ours on one log must hide neither itself nor the other jobs
        return _unreadable(f"triage itself failed on this log ({type(error).__name__}); please report it")


def _unreadable(why: str) -> tuple[MissingLog, TestReport, str]:
    return MissingLog(state=LogState.UNREADABLE, why=why), TestReport(), why


def _read_annotations(reads: Reads, check_run_id: int) -> tuple[tuple[Annotation, ...], str | None]:
    try:
        page = reads.annotations(check_run_id)
    except TriageError as error:
        return (), str(error)
    gap = None if page.is_whole else f"only {len(page.items)} of {page.total_count} were given"
    return tuple(annotation_of(item) for item in page.items), gap


def red_gaps(read: Sequence[ReadJob]) -> Iterator[Gap]:
    """Yield what is missing from red jobs; what failed alike is told in one line."""
    yield from _grouped("log", "logs", ((job, job.log_gap) for job in read))
    yield from _grouped("annotations", "annotations", ((job, job.annotations_gap) for job in read))


def _grouped(one: str, many: str, reasons: Iterable[tuple[ReadJob, str | None]]) -> Iterator[Gap]:
    by_reason: dict[str, list[str]] = {}
    for job, reason in reasons:
        if reason is not None:
            by_reason.setdefault(reason, []).append(job.facts.job.name)
    for reason, names in by_reason.items():
        shown = ", ".join(names[:MOST_NAMES])
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        yield Gap(f"{one if len(names) == 1 else many} of {shown}{more}", reason)
