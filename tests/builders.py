"""Facts made by hand: keyword-only, valid by default, so that a test names only what it is about."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from triage.decide import Baseline, History, Seen, signatures_of
from triage.model import (
    Basis,
    ChangedFile,
    Conclusion,
    Evidence,
    EvidenceKind,
    Facts,
    Failure,
    Fault,
    Frame,
    Gap,
    Job,
    JobFacts,
    JobId,
    LogState,
    MissingLog,
    Outcome,
    PullRequest,
    Repository,
    Rerun,
    Rule,
    Run,
    RunId,
    Sighting,
    Signature,
    Step,
    TestFailure,
    TestReport,
    Where,
    WorkflowFile,
    WorkflowJob,
    WorkflowStep,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REPOSITORY = Repository(full_name="acme/engine", url="https://github.com/acme/engine")
NOW = datetime(2026, 9, 18, 8, 31, tzinfo=UTC)
HEAD = "5f0c1de2b7a94c33d0e8f6a1b2c3d4e5f6a7b8c9"
RUN = RunId(100)

_numbers = itertools.count(1)


def a_run(
    *,
    number: int = RUN,
    workflow: str = "PR Test",
    conclusion: Conclusion | None = Conclusion.FAILURE,
    event: str = "pull_request",
    head_sha: str = HEAD,
    attempt: int = 1,
) -> Run:
    return Run(
        id=RunId(number),
        workflow=workflow,
        workflow_path=".github/workflows/pr-test.yml",
        attempt=attempt,
        event=event,
        head_sha=head_sha,
        status="completed" if conclusion else "in_progress",
        conclusion=conclusion,
        url=f"{REPOSITORY.url}/actions/runs/{number}",
        created_at=NOW - timedelta(hours=6),
        updated_at=NOW,
    )


def a_job(
    *,
    name: str = "unit-test",
    number: int | None = None,
    run: int = RUN,
    attempt: int = 1,
    conclusion: Conclusion | None = Conclusion.FAILURE,
    runner: str | None = "host-1",
    step: str | None = "Run tests",
    ended: datetime | None = NOW - timedelta(hours=1),
    labels: tuple[str, ...] = (),
) -> Job:
    """A finished red job by default; without a runner it never started."""
    of = number if number is not None else 1000 + next(_numbers)
    failed = Step(number=3, name=step, conclusion=conclusion) if step and runner else None
    return Job(
        id=JobId(of),
        run_id=RunId(run),
        run_attempt=attempt,
        name=name,
        status="completed" if conclusion else "in_progress",
        conclusion=conclusion,
        url=f"{REPOSITORY.url}/actions/runs/{run}/job/{of}",
        runner=runner,
        labels=labels,
        created_at=NOW - timedelta(hours=6),
        started_at=NOW - timedelta(hours=2),
        completed_at=ended if conclusion else None,
        steps=(failed,) if failed else (),
    )


def a_test(
    *,
    name: str = "test/unit/test_pool.py::test_share",
    file: str | None = "test/unit/test_pool.py",
    exception: str | None = "RuntimeError",
    message: str = "mat1 and mat2 shapes cannot be multiplied",
    frames: Iterable[tuple[str, int]] = (),
    outcome: Outcome = Outcome.FAILED,
) -> TestFailure:
    return TestFailure(
        id=name,
        runner="pytest",
        file=file,
        exception=exception,
        message=message,
        outcome=outcome,
        frames=tuple(Frame(path, line) for path, line in frames),
        first_line=200,
        last_line=240,
        error_line=239,
    )


def a_rule(
    *,
    name: str = "disk-full",
    title: str = "The disk is full",
    fault: Fault = Fault.INFRASTRUCTURE,
    where: Where = Where.OUTSIDE_TESTS,
    rerun: Rerun = Rerun.UNKNOWN,
    rerun_why: str = "",
    owner: str = "runner owners",
    advice: str = "",
) -> Rule:
    return Rule(
        id=name,
        title=title,
        fault=fault,
        lines=("pattern",),
        where=where,
        rerun=rerun,
        rerun_why=rerun_why,
        owner=owner,
        advice=advice,
    )


def a_line(text: str, *, line: int = 34, job: Job | None = None) -> Evidence:
    return Evidence(
        kind=EvidenceKind.LOG_LINE,
        text=text,
        line=line,
        job_id=job.id if job else None,
        run_id=job.run_id if job else None,
    )


def a_failure(
    *,
    job: Job | None = None,
    fault: Fault = Fault.UNKNOWN,
    basis: Basis = Basis.RULE,
    title: str = "Something broke",
    rule: Rule | None = None,
    signature: Signature | None = None,
    tests: TestReport | None = None,
    log_state: LogState = LogState.READ,
    evidence: tuple[Evidence, ...] = (),
    roots: tuple[str, ...] = (),
    label: str | None = None,
    places: Iterable[tuple[str, int]] = (),
    reports_only: bool = False,
) -> Failure:
    of = job or a_job()
    return Failure(
        job=of,
        fault=fault,
        basis=basis,
        title=title,
        rule=rule,
        signature=signature,
        tests=tests or TestReport(),
        log_state=log_state,
        evidence=evidence,
        failed_step=of.failed_step,
        roots=roots,
        label=label,
        places=tuple(Frame(path, line) for path, line in places),
        reports_only=reports_only,
    )


def failing_tests(*tests: TestFailure, job: Job | None = None, ran: int | None = 40) -> Failure:
    """A job whose tests failed, as `triage.classify` reads it."""
    failed = tests or (a_test(),)
    failure = a_failure(
        job=job,
        fault=Fault.CODE,
        basis=Basis.TESTS,
        title=f"`{failed[0].id}` fails",
        tests=TestReport(runners=("pytest",), ran=ran, failures=failed),
        evidence=(a_line(f"{failed[0].exception}: {failed[0].message}", line=239),),
    )
    return replace(failure, signature=signatures_of(failure)[0] if signatures_of(failure) else None)


def broken_machine(
    *,
    job: Job | None = None,
    rule: Rule | None = None,
    line: str = "write /var/lib/docker: no space left on device",
    captures: tuple[str, ...] = (),
    tests: TestReport | None = None,
) -> Failure:
    """A job that a rule calls broken by a machine, before any test ran."""
    known = rule or a_rule()
    return a_failure(
        job=job or a_job(step="Start CI container"),
        fault=known.fault,
        basis=Basis.RULE,
        title=known.title,
        rule=known,
        signature=Signature("rule", (known.id, *captures)),
        evidence=(a_line(line),),
        tests=tests,
    )


def following(*roots: str, job: Job | None = None, by_text: bool = False, reports_only: bool = True) -> Failure:
    """A job that failed only because of others, which it names."""
    return a_failure(
        job=job or a_job(name="finish"),
        fault=Fault.CASCADE,
        basis=Basis.RULE if by_text else Basis.PLATFORM,
        title="Failed only because a job it waits for failed",
        roots=roots,
        reports_only=reports_only,
    )


def never_started(*, job: Job | None = None) -> Failure:
    of = job or a_job(name="gpu-test (4)", conclusion=Conclusion.CANCELLED, runner=None, labels=("2-gpu",))
    text = "queued 02:33 → 08:14 UTC (5 h 41 min), never got a runner"
    return a_failure(
        job=of,
        fault=Fault.STARVED,
        basis=Basis.PLATFORM,
        title="No runner for 5 h 41 min",
        log_state=LogState.ABSENT,
        evidence=(Evidence(kind=EvidenceKind.TIMING, text=text, job_id=of.id),),
    )


def stopped(*, job: Job | None = None) -> Failure:
    of = job or a_job(conclusion=Conclusion.CANCELLED)
    return a_failure(
        job=of,
        fault=Fault.CANCELLED,
        basis=Basis.PLATFORM,
        title="Cancelled with its run",
        signature=Signature("rule", ("cancelled", str(of.run_id))),
    )


def refused(
    *,
    job: Job | None = None,
    label: str | None = "run-ci-extra",
    line: str = "Missing required label 'run-ci-extra'. Add the label (e.g. via /tag-and-rerun-ci extra)",
) -> Failure:
    return a_failure(
        job=job or a_job(name="call-gate / pr-gate", step="Check the label"),
        fault=Fault.MISSING_LABEL,
        basis=Basis.RULE,
        title="A required label is missing",
        rule=a_rule(name="missing-label", title="A required label is missing", fault=Fault.MISSING_LABEL),
        signature=Signature("rule", ("missing-label", label or "")),
        label=label,
        evidence=(a_line(line),),
    )


def a_file(
    path: str, *, status: str = "modified", added_lines: Iterable[int] = (), previous_path: str | None = None
) -> ChangedFile:
    patch = "".join(f"@@ -{line},0 +{line},1 @@\n+new\n" for line in added_lines)
    return ChangedFile(path=path, status=status, previous_path=previous_path, patch=patch or None)


def a_pull(
    *, number: int = 7, labels: tuple[str, ...] = (), head_sha: str = HEAD, author: str = "author"
) -> PullRequest:
    return PullRequest(
        number=number,
        author=author,
        head_sha=head_sha,
        base_ref="main",
        labels=labels,
        url=f"{REPOSITORY.url}/pull/{number}",
    )


DOCS_ONLY = (a_file("docs/guide.md"),)
"""A change that touches nothing that runs."""


def a_workflow(*jobs: WorkflowJob, path: str = ".github/workflows/pr-test.yml") -> WorkflowFile:
    return WorkflowFile(path=path, jobs=jobs)


def a_workflow_job(
    key: str, *, needs: tuple[str, ...] = (), run: str = "", uses: str = "", step: str = "Run tests"
) -> WorkflowJob:
    steps = (WorkflowStep(name=step, run=run, uses=uses),) if run or uses else ()
    return WorkflowJob(key=key, name=key, needs=needs, steps=steps)


def the_facts(
    failures: Iterable[Failure],
    *,
    green: Iterable[Job] = (),
    earlier: Iterable[Job] = (),
    files: tuple[ChangedFile, ...] | None = DOCS_ONLY,
    pull: PullRequest | None = None,
    no_pull: bool = False,
    runs: Iterable[Run] | None = None,
    workflows: Mapping[RunId, WorkflowFile] | None = None,
    gaps: Iterable[Gap] = (),
) -> Facts:
    """The facts that these failures were read from: a pull request whose files are known, unless said otherwise."""
    red = tuple(failures)
    jobs = (*(failure.job for failure in red), *green)
    numbers = dict.fromkeys(job.run_id for job in jobs)
    found = tuple(runs) if runs is not None else tuple(a_run(number=number) for number in numbers)
    return Facts(
        repository=REPOSITORY,
        runs=found or (a_run(conclusion=Conclusion.SUCCESS),),
        jobs=jobs,
        red=tuple(
            JobFacts(job=failure.job, log=MissingLog(state=LogState.ABSENT, why="made by hand"), tests=failure.tests)
            for failure in red
        ),
        earlier_jobs=tuple(earlier),
        pull=None if no_pull else pull or a_pull(),
        files=None if no_pull else files,
        workflows=workflows or {},
        gaps=tuple(gaps),
    )


# --------------------------------------------------------------------------------------------------------------------
# What happened elsewhere


def on_main(
    *signatures: Signature | None,
    newest: datetime = NOW - timedelta(hours=2),
    runner: str | None = None,
    in_branch: bool | None = None,
    complete: bool = True,
    pulls: Iterable[Sighting] = (),
    attempts: Iterable[Sighting] = (),
) -> Seen:
    """What main did, newest first, a run every hour: a signature for how it failed, None where it passed."""
    baselines = tuple(
        Baseline(
            run_id=RunId(9000 + place),
            job_id=JobId(90000 + place),
            job_name="unit-test",
            head_sha=f"{place + 1:040x}",
            at=newest - timedelta(hours=place),
            url=f"{REPOSITORY.url}/actions/runs/{9000 + place}",
            signature=signature,
            runner=runner,
            in_branch=in_branch,
        )
        for place, signature in enumerate(signatures)
    )
    return Seen(baselines=baselines, complete=complete, pulls=tuple(pulls), attempts=tuple(attempts))


def on_pull(number: int, *, author: str = "", runner: str | None = None, at: datetime | None = None) -> Sighting:
    return Sighting(
        run_id=RunId(8000 + number),
        job_id=JobId(80000 + number),
        job_name="unit-test",
        attempt=1,
        at=at or NOW - timedelta(hours=5),
        url=f"{REPOSITORY.url}/actions/runs/{8000 + number}",
        runner=runner,
        pull_number=number,
        author=author or f"author-{number}",
    )


def history_of(failure: Failure, seen: Seen, *, own_commits: tuple[str, ...] = ()) -> History:
    """The same was seen of every part of a failure."""
    return History(seen=dict.fromkeys(signatures_of(failure), seen), own_commits=own_commits)
