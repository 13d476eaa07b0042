"""Reads everything one triage needs, and nothing else: runs, jobs, logs, the pull request and what it changes.

Only a run or pull request that cannot be read at all raises. Whatever else fails is a gap, and the rest is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from triage.gather.listing import list_jobs, read_workflows
from triage.gather.pull import Change, read_change
from triage.gather.red import ReadJob, left_unread, read_job, red_gaps
from triage.gather.scope import scope_of
from triage.model import Facts
from triage.source.parallel import in_parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from triage.gather.listing import JobList
    from triage.matching import Scanner
    from triage.model import Job, JobFacts, JobId, Repository
    from triage.source.protocol import Reads
    from triage.source.request import Request

__all__ = ["ReadBefore", "gather"]

ReadBefore: TypeAlias = "Callable[[Repository, Sequence[Job]], Mapping[JobId, JobFacts]]"
"""What gives jobs that were read before."""

WORKERS = 8


def gather(
    reads: Reads,
    request: Request,
    scanner: Scanner,
    *,
    workers: int = WORKERS,
    max_logs: int | None = None,
    read_before: ReadBefore | None = None,
    progress: Callable[[str], None] | None = None,
) -> Facts:
    """Gather the facts of one triage.

    Asks for the run, or the pull request and the runs at its head; then for the jobs of each run, for the workflow
    file of each run that broke, for the comparison with the base branch, and for the log of each red job that ran.
    Jobs of runs that were skipped whole are not asked for.

    Args:
        reads: GitHub, or a recording of it.
        request: What to triage.
        scanner: What to look for in logs.
        workers: How many things to read at once.
        max_logs: How many logs to read at most; None for all.
        read_before: Gives those of the red jobs that an earlier triage has read; they are not asked for again.
        progress: Told in a few words what is being read.

    Raises:
        TriageError: The run or pull request itself, or the jobs of every run, could not be read.
    """
    say = progress or _silent
    say(f"reading {request}")
    scope = scope_of(reads, request)
    say(f"reading the jobs of {len(scope.runs)} workflow runs")
    jobs = list_jobs(reads, scope.runs, workers=workers)
    workflows, workflow_gaps = read_workflows(reads, scope, jobs.newest, workers=workers)
    change = read_change(reads, scope.pull, scope.head_sha) if scope.pull is not None else Change()
    red = [job for job in jobs.newest if job.is_red]
    known = read_before(scope.repository, red) if read_before is not None else {}
    unknown = [job for job in red if job.id not in known]
    new = iter(_read_red(reads, unknown, jobs, scanner, workers, max_logs, say))
    read = tuple(ReadJob(facts=known[job.id]) if job.id in known else next(new) for job in red)
    return Facts(
        repository=scope.repository,
        runs=scope.runs,
        jobs=jobs.newest,
        earlier_jobs=jobs.earlier,
        red=tuple(job.facts for job in read),
        pull=change.pull,
        files=change.files,
        workflows=workflows,
        gaps=(*scope.gaps, *jobs.gaps, *change.gaps, *workflow_gaps, *red_gaps(read)),
    )


def _silent(_: str) -> None:
    """Say nothing."""


def _read_red(
    reads: Reads,
    red: Sequence[Job],
    jobs: JobList,
    scanner: Scanner,
    workers: int,
    max_logs: int | None,
    say: Callable[[str], None],
) -> Iterator[ReadJob]:
    left_out = {job.id for job in [job for job in red if not job.never_started][max_logs:]} if max_logs else set()

    def read(job: Job) -> ReadJob:
        return left_unread(job, max_logs) if job.id in left_out else read_job(reads, job, jobs.json[job.id], scanner)

    results = in_parallel(read, red, workers=workers)
    say(f"reading the logs of {len(red)} failed jobs")
    for done, result in enumerate(results, 1):
        say(f"reading the logs of {len(red)} failed jobs: {done} done")
        yield result
