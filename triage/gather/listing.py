"""The jobs of the runs, sorted by what counts, and the workflow files that explain them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from triage.errors import ProviderError, TriageError
from triage.gather.attempts import newest_attempts
from triage.model import Conclusion, Gap, Job, JobId, Run, RunId, WorkflowFile
from triage.source.parallel import in_parallel
from triage.source.shapes import job_of, pull_of, workflow_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from triage.gather.scope import Scope
    from triage.source.protocol import JSON, Reads

WORKFLOWS = ".github/workflows/"
# This event runs the file of the base branch, whatever the pull request makes of it.
_OF_BASE_BRANCH = "pull_request_target"
# All that such a run can hold are jobs that did not run.
_WITHOUT_JOBS = frozenset({Conclusion.SKIPPED, Conclusion.ACTION_REQUIRED})


@dataclass(frozen=True, slots=True, kw_only=True)
class JobList:
    """The jobs of some runs; `json` holds GitHub's own objects."""

    newest: tuple[Job, ...] = ()
    earlier: tuple[Job, ...] = ()
    json: Mapping[JobId, JSON]
    gaps: tuple[Gap, ...] = ()


def list_jobs(reads: Reads, runs: Sequence[Run], *, workers: int) -> JobList:
    """List the jobs of every run that can hold one that ran.

    Raises:
        TriageError: Not one of the lists could be read.
    """
    asked = [run for run in runs if run.conclusion not in _WITHOUT_JOBS]
    answers = list(in_parallel(lambda run: _jobs_of(reads, run), asked, workers=workers))
    failed = [answer for answer in answers if isinstance(answer, TriageError)]
    if failed and len(failed) == len(answers):
        raise failed[0]
    gaps = [
        Gap(f"jobs of run {run.id} of {run.workflow}", str(answer), hides_jobs=True)
        for run, answer in zip(asked, answers, strict=True)
        if isinstance(answer, TriageError)
    ]
    lists = [answer for answer in answers if isinstance(answer, JobList)]
    return JobList(
        newest=tuple(job for jobs in lists for job in jobs.newest),
        earlier=tuple(job for jobs in lists for job in jobs.earlier),
        json={job_id: json for jobs in lists for job_id, json in jobs.json.items()},
        gaps=(*gaps, *(gap for jobs in lists for gap in jobs.gaps)),
    )


def _jobs_of(reads: Reads, run: Run) -> JobList | TriageError:
    try:
        page = reads.jobs(run.id)
    except TriageError as error:
        return error
    jobs: list[Job] = []
    json: dict[JobId, JSON] = {}
    gaps: list[Gap] = []
    for item in page.items:
        try:
            job = job_of(item)
        except ProviderError as error:
            gaps.append(Gap(f"a job of run {run.id} of {run.workflow}", str(error), hides_jobs=True))
            continue
        jobs.append(job if job.workflow else replace(job, workflow=run.workflow))
        json[job.id] = item
    if not page.is_whole:
        why = f"GitHub gave only {len(page.items)} of {page.total_count}"
        gaps.append(Gap(f"jobs of run {run.id} of {run.workflow}", why, hides_jobs=True))
    newest, earlier = newest_attempts(jobs)
    return JobList(newest=newest, earlier=earlier, json=json, gaps=tuple(gaps))


def read_workflows(
    reads: Reads, scope: Scope, jobs: Iterable[Job], *, workers: int
) -> tuple[dict[RunId, WorkflowFile], tuple[Gap, ...]]:
    """Read the workflow files of the runs that have something to explain: a red job, or no job at all.

    Returns:
        The files by run, and why some could not be read. Each file is asked for once.
    """
    places = {run.id: _place(run, scope) for run in _to_explain(scope.runs, jobs)}
    distinct = list(dict.fromkeys(place for place in places.values() if place is not None))
    answers = dict(
        zip(distinct, in_parallel(lambda place: _read(reads, *place), distinct, workers=workers), strict=True)
    )
    files = {run_id: answers[place] for run_id, place in places.items() if place is not None}
    return (
        {run_id: answer for run_id, answer in files.items() if isinstance(answer, WorkflowFile)},
        tuple(answer for answer in answers.values() if isinstance(answer, Gap)),
    )


def _to_explain(runs: Iterable[Run], jobs: Iterable[Job]) -> list[Run]:
    listed = list(jobs)
    red, any_jobs = {job.run_id for job in listed if job.is_red}, {job.run_id for job in listed}
    return [
        run
        for run in runs
        if run.id in red or (run.id not in any_jobs and run.conclusion is not None and run.conclusion.is_red)
    ]


def _place(run: Run, scope: Scope) -> tuple[str, str] | None:
    """Return path and commit of a run's workflow file; None where it is no file, as for GitHub's own scans."""
    if not run.workflow_path.startswith(WORKFLOWS):
        return None
    if run.event == _OF_BASE_BRANCH and scope.pull is not None:
        return run.workflow_path, pull_of(scope.pull).base_sha or scope.repository.default_branch
    return run.workflow_path, run.head_sha


def _read(reads: Reads, path: str, ref: str) -> WorkflowFile | Gap:
    try:
        text = reads.file(path, ref)
    except TriageError as error:
        return Gap(f"workflow file {path}", str(error))
    if text is None:
        return Gap(f"workflow file {path}", f"there is none at {ref[:10]}")
    return workflow_of(path, text)
