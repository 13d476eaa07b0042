"""Reports made by hand: what the renderings are judged on.

The facts of case A and case B are those of two real pull requests.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from triage.model import (
    Action,
    Basis,
    Category,
    Cause,
    Conclusion,
    Coverage,
    Evidence,
    EvidenceKind,
    Failure,
    Fault,
    Gap,
    Job,
    JobId,
    JobVerdict,
    LogState,
    NotExercised,
    Outcome,
    PullRequest,
    Report,
    Repository,
    Rerun,
    Rule,
    Run,
    RunId,
    Step,
    TestFailure,
    TestReport,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

REPOSITORY = Repository(full_name="sgl-project/sglang", url="https://github.com/sgl-project/sglang")
HEAD = "5f0c1de2b7a94c33d0e8f6a1b2c3d4e5f6a7b8c9"
AS_OF = datetime(2026, 9, 18, 8, 31, tzinfo=UTC)
FAULTS = {
    Category.INFRASTRUCTURE: Fault.INFRASTRUCTURE,
    Category.MISSING_LABEL: Fault.MISSING_LABEL,
    Category.GPU_RESIDUE: Fault.GPU_RESIDUE,
    Category.PRE_EXISTING: Fault.CODE,
    Category.REGRESSION: Fault.CODE,
    Category.CASCADE: Fault.CASCADE,
    Category.STARVED: Fault.STARVED,
    Category.CANCELLED: Fault.CANCELLED,
    Category.FLAKY: Fault.FLAKY,
    Category.UNKNOWN: Fault.UNKNOWN,
}


def a_run(run_id: int, workflow: str, *, conclusion: Conclusion | None = Conclusion.FAILURE, attempt: int = 1) -> Run:
    return Run(
        id=RunId(run_id),
        workflow=workflow,
        attempt=attempt,
        event="pull_request",
        head_sha=HEAD,
        status="completed" if conclusion else "in_progress",
        conclusion=conclusion,
        url=f"{REPOSITORY.url}/actions/runs/{run_id}",
    )


def a_verdict(
    number: int,
    name: str,
    category: Category,
    *,
    cause: int,
    run: int = 35296443070,
    step: str | None = None,
    runner: str | None = None,
    conclusion: Conclusion = Conclusion.FAILURE,
    tests: TestReport | None = None,
    evidence: tuple[Evidence, ...] = (),
    log_state: LogState = LogState.READ,
) -> JobVerdict:
    failed = Step(number=4, name=step, conclusion=Conclusion.FAILURE) if step else None
    job = Job(
        id=JobId(number),
        run_id=RunId(run),
        run_attempt=1,
        name=name,
        conclusion=conclusion,
        url=f"{REPOSITORY.url}/actions/runs/{run}/job/{number}",
        runner=runner,
        steps=(failed,) if failed else (),
    )
    failure = Failure(
        job=job,
        fault=FAULTS[category],
        basis=Basis.RULE,
        title=name,
        log_state=log_state,
        tests=tests or TestReport(),
        failed_step=failed,
    )
    return JobVerdict(failure=failure, category=category, because="", cause=cause, evidence=evidence)


def a_line(text: str, line: int, job: int, run: int = 35296443070, *, step: int = 4) -> Evidence:
    url = f"{REPOSITORY.url}/actions/runs/{run}/job/{job}#step:{step}:{line}"
    return Evidence(kind=EvidenceKind.LOG_LINE, text=text, line=line, url=url, job_id=JobId(job), run_id=RunId(run))


def a_pull_sighting(number: int, *, runner: str | None = None) -> Evidence:
    run = 35200000000 + number
    return Evidence(
        kind=EvidenceKind.OTHER_PULL,
        text=f"the same failure on #{number}",
        number=number,
        url=f"{REPOSITORY.url}/actions/runs/{run}/job/{number}",
        run_id=RunId(run),
        runner=runner,
    )


def a_report(
    verdict: Verdict,
    headline: str,
    causes: Sequence[Cause] = (),
    jobs: Sequence[JobVerdict] = (),
    *,
    runs: Sequence[Run] | None = None,
    silent: Sequence[tuple[int, str]] = (),
    coverage: Sequence[Coverage] = (),
    gaps: Sequence[Gap] = (),
) -> Report:
    return Report(
        repository=REPOSITORY,
        runs=tuple(runs if runs is not None else (a_run(35296443070, "Base"),)),
        verdict=verdict,
        headline=headline,
        causes=tuple(causes),
        jobs=tuple(jobs),
        pull=PullRequest(
            number=39471,
            title="Share the host pool",
            head_sha=HEAD,
            base_ref="main",
            url=f"{REPOSITORY.url}/pull/39471",
        ),
        not_exercised=tuple(NotExercised(job=JobId(job), why=why) for job, why in silent),
        coverage=tuple(coverage),
        gaps=tuple(gaps),
        rules_sha="3f9ab12c4d5e6f708192a3b4c5d6e7f8091a2b3c",
        version="0.1.0",
        as_of=AS_OF,
    )


BASE, EXTRA, AMD, XPU, MLX = 35296443070, 35296443071, 35296443072, 35296443073, 35296443074


def case_a() -> Report:
    """21 red jobs over five workflows, none of them the author's."""
    return a_report(
        Verdict.NOT_CAUSED_BY_PR,
        "21 failed jobs, 6 causes; nothing points at this change",
        _case_a_causes(),
        _case_a_jobs(),
        runs=(
            a_run(BASE, "PR Test (Base)", conclusion=Conclusion.CANCELLED),
            a_run(EXTRA, "PR Test (Extra)"),
            a_run(AMD, "PR Test (AMD)"),
            a_run(XPU, "PR Test (XPU)"),
            a_run(MLX, "PR Test (MLX)"),
        ),
        silent=_case_a_silent(),
        coverage=(
            Coverage(
                path="test/registered/kernels/ops/kvcache/test_hisparse.py",
                jobs=("stage-a-test-1-gpu-xpu",),
                exercised=False,
                known_by="it is registered for XPU",
            ),
            Coverage(
                path="test/registered/unit/managers/test_hisparse_unit.py",
                jobs=("stage-a-test-1-gpu-xpu", "base-a-test-cpu"),
                exercised=True,
                known_by="it is registered for XPU and CPU",
            ),
        ),
    )


def _case_a_causes() -> tuple[Cause, ...]:
    daemon = (
        'Error response from daemon: cannot remove container "ci_sglang_xpu": could not kill container: '
        "tried to kill container, but did not receive an exit event"
    )
    return (
        Cause(
            id=1,
            category=Category.INFRASTRUCTURE,
            title="XPU host cannot remove its old container",
            root_job=JobId(101),
            jobs=(JobId(101), JobId(102)),
            because="The container runtime of the host failed before anything of the change was started.",
            rule=Rule(id="container-cannot-be-removed", title="…", fault=Fault.INFRASTRUCTURE, lines=()),
            evidence=(
                a_line(daemon, 34, 101, XPU),
                a_line("Removing existing container: ci_sglang_xpu", 33, 101, XPU),
                Evidence(
                    kind=EvidenceKind.MAIN_RUN,
                    text="main fails the same way, 4 h later, also on `system815752`",
                    url=f"{REPOSITORY.url}/actions/runs/35301744417/job/9001",
                    run_id=RunId(35301744417),
                    runner="system815752",
                ),
                *(a_pull_sighting(number, runner="system815752") for number in (38779, 38831, 39980)),
                Evidence(kind=EvidenceKind.DIFF, text="nothing in the change touches how the container is started"),
            ),
            rerun=Rerun.POINTLESS,
            rerun_why="until the host is mended",
            actions=(
                Action(
                    kind="report-runner",
                    text="Report `system815752` to whoever keeps the XPU runners",
                    runner="system815752",
                ),
            ),
        ),
        Cause(
            id=2,
            category=Category.INFRASTRUCTURE,
            title="AMD hosts cannot unpack the CI image",
            root_job=JobId(201),
            jobs=tuple(JobId(number) for number in (201, 202, 203, 204, 205)),
            because="The file system of the host refuses a whiteout file of the image.",
            evidence=(
                a_line(
                    'failed to convert whiteout file "opt/venv/.../.wh.pip-24.0.dist-info": operation not permitted',
                    88,
                    201,
                    AMD,
                ),
                a_line(
                    "Error: 'docker pull rocm/sgl-dev:v0.5.19-rocm10-mi30x-20260917' failed after 6 attempts",
                    131,
                    201,
                    AMD,
                ),
                *(a_pull_sighting(number) for number in (36700, 39903, 36546, 36187)),
            ),
            ruled_out=("not the registry: the layers were downloaded", "not disk space: no line of the log says so"),
            rerun=Rerun.POINTLESS,
            rerun_why="until the image or the hosts change",
        ),
        Cause(
            id=3,
            category=Category.GPU_RESIDUE,
            title="GPU 0 still held 4.65 GiB that no process owns",
            root_job=JobId(301),
            jobs=tuple(JobId(number) for number in range(301, 307)),
            because="The memory belongs to no live process; the file before it in the shard passed.",
            evidence=(
                a_line(
                    "RuntimeError: GPU(s) still not idle after waiting 30s before setUpClass:", 1042, 301, BASE, step=9
                ),
                a_line(
                    "GPU 0 uses 4.65 GiB (no other compute processes; self pid=911977 holds 0.00 GiB)",
                    1043,
                    301,
                    BASE,
                    step=9,
                ),
                a_line("Ran 0 tests in 30.070s", 1050, 301, BASE, step=9),
            ),
            rerun=Rerun.HELPS,
            rerun_why="on another host",
            actions=(
                Action(
                    kind="rerun",
                    text="Re-run the job; it is not likely to meet the same GPU",
                    command="/triage rerun 3",
                ),
            ),
        ),
        Cause(
            id=4,
            category=Category.STARVED,
            title="No runner for 5 h 41 min",
            root_job=JobId(401),
            jobs=(JobId(401), JobId(402)),
            evidence=(
                Evidence(kind=EvidenceKind.TIMING, text="queued 02:33, cancelled 08:14 with the run: 5 h 41 min"),
            ),
            rerun=Rerun.HELPS,
            rerun_why="once runners are free",
            actions=(Action(kind="wait", text="Wait until 2-GPU runners are free, then re-run"),),
        ),
        Cause(
            id=5,
            category=Category.PRE_EXISTING,
            title="`TestOverlapLoopGracefulExit` fails on main too",
            root_job=JobId(501),
            jobs=(JobId(501), JobId(502)),
            because="The same test fails with the same error on main.",
            evidence=(
                a_line("test_scheduler_mixin._StopLoop", 2210, 501, MLX, step=6),
                Evidence(
                    kind=EvidenceKind.MAIN_RUN,
                    text="main since 17 Sep, in 5 of the last 5 runs",
                    url=f"{REPOSITORY.url}/actions/runs/35280000005/job/9005",
                    run_id=RunId(35280000005),
                ),
                *(a_pull_sighting(number) for number in (39902, 38468, 36559, 39059)),
                Evidence(kind=EvidenceKind.DIFF, text="the change holds no MLX code, and the test imports none of it"),
            ),
            rerun=Rerun.POINTLESS,
            rerun_why="it fails on main",
        ),
        Cause(
            id=6,
            category=Category.MISSING_LABEL,
            title="Label `run-ci-extra` is missing",
            root_job=JobId(601),
            jobs=tuple(JobId(number) for number in (601, 602, 603, 604)),
            evidence=(
                a_line(
                    "Missing required label 'run-ci-extra'. Add the label (e.g. via /tag-and-rerun-ci extra)",
                    12,
                    601,
                    EXTRA,
                    step=2,
                ),
            ),
            rerun=Rerun.POINTLESS,
            rerun_why="before the label is there",
            actions=(
                Action(
                    kind="add-label",
                    text="Add the label `run-ci-extra`",
                    command="/tag-and-rerun-ci extra",
                    label="run-ci-extra",
                ),
            ),
        ),
    )


def _case_a_jobs() -> tuple[JobVerdict, ...]:
    cascade, start = Category.CASCADE, "Start CI container"
    stop = TestFailure(
        id="test_scheduler_mixin.py::TestOverlapLoopGracefulExit::test_exit", runner="pytest", exception="_StopLoop"
    )
    return (
        a_verdict(
            101, "stage-a-test-1-gpu-xpu", Category.INFRASTRUCTURE, cause=1, run=XPU, step=start, runner="system815752"
        ),
        a_verdict(102, "finish", cascade, cause=1, run=XPU),
        *(
            a_verdict(number, name, Category.INFRASTRUCTURE, cause=2, run=AMD, step=start, runner=host)
            for number, name, host in (
                (201, "stage-a-test-1-gpu-small-amd", "mi300-01"),
                (202, "stage-a-test-1-gpu-large-amd", "mi300-01"),
                (203, "stage-a-test-2-gpu-amd", "mi300-07"),
            )
        ),
        a_verdict(204, "wait-for-stage-a-amd", cascade, cause=2, run=AMD),
        a_verdict(205, "pr-test-amd-finish", cascade, cause=2, run=AMD),
        a_verdict(
            301,
            "base-b-test-2-gpu-large (2)",
            Category.GPU_RESIDUE,
            cause=3,
            run=BASE,
            step="Run test",
            runner="h200-14",
            tests=TestReport(runners=("unittest",), ran=0),
        ),
        a_verdict(302, "base-b-test-1-gpu-large (2)", cascade, cause=3, run=BASE, step="Check fast-fail"),
        a_verdict(303, "base-b-test-1-gpu-large (3)", cascade, cause=3, run=BASE, step="Check fast-fail"),
        a_verdict(304, "wait-for-base-b", cascade, cause=3, run=BASE),
        a_verdict(305, "pr-test-finish", cascade, cause=3, run=BASE),
        a_verdict(306, "notify-pr-states", cascade, cause=3, run=BASE, conclusion=Conclusion.CANCELLED),
        *(
            a_verdict(
                number,
                f"base-b-test-2-gpu-large ({shard})",
                Category.STARVED,
                cause=4,
                run=BASE,
                conclusion=Conclusion.CANCELLED,
                log_state=LogState.ABSENT,
            )
            for number, shard in ((401, 4), (402, 5))
        ),
        a_verdict(
            501,
            "stage-a-unit-test-mlx",
            Category.PRE_EXISTING,
            cause=5,
            run=MLX,
            step="Run unit tests",
            runner="mac-studio-3",
            tests=TestReport(runners=("pytest",), ran=212, passed=211, failures=(stop,)),
        ),
        a_verdict(502, "pr-test-mlx-finish", cascade, cause=5, run=MLX),
        a_verdict(601, "call-gate / pr-gate", Category.MISSING_LABEL, cause=6, run=EXTRA, step="Check label"),
        a_verdict(602, "call-gate-extra / pr-gate", Category.MISSING_LABEL, cause=6, run=EXTRA, step="Check label"),
        a_verdict(603, "wait-for-extra", cascade, cause=6, run=EXTRA),
        a_verdict(604, "pr-test-extra-finish", cascade, cause=6, run=EXTRA),
    )


def _case_a_silent() -> tuple[tuple[int, str], ...]:
    return (
        *((number, "died before any test") for number in (101, 201, 202, 203, 301)),
        *((number, "skipped by fast-fail") for number in (302, 303)),
        *((number, "never got a runner") for number in (401, 402)),
        *((number, "stopped at the gate") for number in (601, 602)),
    )


def case_b() -> Report:
    """One red job, and the answer is to rebase."""
    test = TestFailure(
        id="__main__.TestEncoderAttention.test_run",
        runner="unittest",
        outcome=Outcome.ERROR,
        file="test/srt/xpu/test_encoder_attention_backend.py",
        exception="KeyError",
        message="'meta_info'",
        wrapped_by="Exception",
    )
    cause = Cause(
        id=1,
        category=Category.PRE_EXISTING,
        title="`TestEncoderAttention.test_run`: fixed on main already",
        root_job=JobId(11),
        jobs=(JobId(11),),
        because="main had the same failure at the commit this branch was cut from, and has passed since.",
        evidence=(
            a_line("KeyError: 'meta_info'", 4410, 11),
            a_line('"message": "Qwen-VL image artifacts do not match prompt placeholders"', 4431, 11),
            Evidence(
                kind=EvidenceKind.MAIN_RUN,
                text="main failed the same way at 1d2e3f4, the merge base",
                url=f"{REPOSITORY.url}/actions/runs/35100000001",
                run_id=RunId(35100000001),
            ),
            Evidence(
                kind=EvidenceKind.MAIN_RUN,
                text="main passes this test since 8c9d0e1",
                url=f"{REPOSITORY.url}/actions/runs/35100000002",
                run_id=RunId(35100000002),
            ),
        ),
        rerun=Rerun.POINTLESS,
        rerun_why="the branch lacks the fix",
        actions=(
            Action(kind="rebase", text="Rebase onto `main`", command="git fetch origin && git rebase origin/main"),
        ),
    )
    job = a_verdict(
        11,
        "stage-a-test-1-gpu-xpu",
        Category.PRE_EXISTING,
        cause=1,
        step="Run suite",
        runner="system815752",
        tests=TestReport(runners=("unittest",), ran=1, failures=(test,), not_run=("24 of 30 files never ran",)),
    )
    report = a_report(
        Verdict.NOT_CAUSED_BY_PR, "1 failed job, 1 cause; nothing points at this change", (cause,), (job,)
    )
    assert report.pull is not None
    return replace(report, pull=replace(report.pull, behind_by=1357))


def a_regression() -> Report:
    """One failure that is the author's, one that nothing explains, one that has an excuse, and a log that was lost."""
    tests = tuple(
        TestFailure(
            id=f"tests/unit/test_background_http_poster.py::test_{name}",
            runner="pytest",
            file="tests/unit/test_background_http_poster.py",
            exception="AssertionError",
            message="assert 'POST' == 'PUT'",
        )
        for name in ("post", "retry", "close", "drain")
    )
    return a_report(
        Verdict.CAUSED_BY_PR,
        "4 failed jobs, 3 causes; 1 cause (2 jobs) points at this change",
        (
            Cause(
                id=1,
                category=Category.INFRASTRUCTURE,
                title="No space left on the runner",
                root_job=JobId(1),
                jobs=(JobId(1),),
                evidence=(a_line("No space left on device", 77, 1),),
                rerun=Rerun.HELPS,
                rerun_why="on another host",
                actions=(Action(kind="rerun", text="Re-run the job", command="gh run rerun --job 1"),),
            ),
            Cause(
                id=2,
                category=Category.REGRESSION,
                title="4 tests of `test_background_http_poster.py` fail only with this change",
                root_job=JobId(2),
                jobs=(JobId(2), JobId(3)),
                because="They pass on main, and their traceback runs through a line that this change wrote.",
                evidence=(
                    a_line("E   AssertionError: assert 'POST' == 'PUT'", 812, 2),
                    Evidence(
                        kind=EvidenceKind.MAIN_RUN,
                        text="main passes all 9 tests of the file",
                        url=f"{REPOSITORY.url}/actions/runs/7",
                    ),
                    Evidence(kind=EvidenceKind.DIFF, text="`poster.py:41` is in the traceback and in the change"),
                ),
                rerun=Rerun.POINTLESS,
                rerun_why="it failed in both attempts",
                actions=(
                    Action(
                        kind="fix",
                        text="Look at `poster.py:41`",
                        command="pytest tests/unit/test_background_http_poster.py",
                    ),
                ),
            ),
            Cause(
                id=3,
                category=Category.UNKNOWN,
                title="The log is gone",
                root_job=JobId(4),
                jobs=(JobId(4),),
                because="Without a log nothing can be shown.",
            ),
        ),
        (
            a_verdict(1, "docs", Category.INFRASTRUCTURE, cause=1, step="Build", runner="gh-4"),
            a_verdict(
                2,
                "unit",
                Category.REGRESSION,
                cause=2,
                step="pytest",
                runner="gh-5",
                tests=TestReport(ran=120, failures=tests),
            ),
            a_verdict(3, "all-green", Category.CASCADE, cause=2),
            a_verdict(4, "nightly", Category.UNKNOWN, cause=3, step="Test", log_state=LogState.EXPIRED),
        ),
        runs=(a_run(35296443070, "CI", attempt=2), a_run(35296443071, "Nightly")),
        silent=((1, "died before any test"),),
        gaps=(
            Gap("log of `nightly`", "it has expired (410)"),
            Gap("history", "the budget of 40 requests was used up after 3 of 5 runs on main"),
        ),
    )


def all_green() -> Report:
    runs = tuple(a_run(35296443070 + number, f"CI {number}", conclusion=Conclusion.SUCCESS) for number in range(5))
    return a_report(Verdict.NO_FAILURES, "no failed job in 5 workflow runs", runs=runs)


def still_running() -> Report:
    """One failure so far, two runs unfinished."""
    cause = Cause(
        id=1,
        category=Category.STARVED,
        title="No runner for 2 h 5 min",
        root_job=JobId(1),
        jobs=(JobId(1),),
        rerun=Rerun.HELPS,
        rerun_why="once runners are free",
    )
    return a_report(
        Verdict.INCOMPLETE,
        "1 failed job, 1 cause so far; 2 runs are still going",
        (cause,),
        (a_verdict(1, "gpu", Category.STARVED, cause=1, conclusion=Conclusion.CANCELLED, log_state=LogState.ABSENT),),
        runs=(a_run(1, "Base"), a_run(2, "AMD", conclusion=None), a_run(3, "XPU", conclusion=None)),
    )


def many_causes(number: int = 120) -> Report:
    """More than a comment can hold: every cause with long lines and twelve pull requests."""
    causes = tuple(
        Cause(
            id=index,
            category=Category.UNKNOWN if index % 3 else Category.INFRASTRUCTURE,
            title=f"`test_{index}` fails for a reason that takes a while to tell",
            root_job=JobId(index),
            jobs=(JobId(index), JobId(index + 10_000)),
            because="A sentence that says why it is so. " * 3,
            evidence=(
                *(a_line(f"{index}: " + "x" * 490, line, index) for line in range(1, 13)),
                *(a_pull_sighting(39000 + other) for other in range(12)),
            ),
            ruled_out=("not this", "not that"),
        )
        for index in range(1, number + 1)
    )
    jobs = tuple(
        verdict
        for cause in causes
        for verdict in (
            a_verdict(
                cause.id, f"job {cause.id}", cause.category, cause=cause.id, step="Test", runner=f"host-{cause.id}"
            ),
            a_verdict(cause.id + 10_000, f"after {cause.id}", Category.CASCADE, cause=cause.id),
        )
    )
    return a_report(
        Verdict.NEEDS_ATTENTION,
        f"{2 * number} failed jobs, {number} causes; {number - number // 3} causes need a look",
        causes,
        jobs,
    )


SAMPLES = {
    "case_a": case_a,
    "case_b": case_b,
    "regression": a_regression,
    "all_green": all_green,
    "still_running": still_running,
}
