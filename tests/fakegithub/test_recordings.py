"""The recordings are whole, are what their descriptions say, and are what GitHub would have said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.fakegithub import Answer, build
from tests.fakegithub.diff import split_diff
from tests.fakegithub.schema import check
from tests.fakegithub.state import load

if TYPE_CHECKING:
    from pathlib import Path

GOOD = frozenset({"success", "skipped", "neutral", None})
DESCRIPTIONS = (
    ("repository.json", "FullRepository"),
    ("runs/*.json", "WorkflowRun"),
    ("runs/*/jobs.json", "ReposOwnerRepoActionsRunsRunIdJobsGetResponse200"),
    ("branches/**/runs.json", "ReposOwnerRepoActionsRunsGetResponse200"),
    ("annotations/*.json", "[CheckAnnotation]"),
    ("pulls/*.json", "PullRequest"),
    ("pulls/*/files.json", "[DiffEntry]"),
    ("compare/*.json", "CommitComparison"),
)
EXACT = {
    "case-a": (
        "Removing existing container: ci_sglang_xpu",
        (
            'Error response from daemon: cannot remove container "ci_sglang_xpu": could not kill container: tried to '
            "kill container, but did not receive an exit event"
        ),
        'failed to convert whiteout file "opt/venv/.../.wh.pip-24.0.dist-info": operation not permitted',
        "Error: 'docker pull rocm/sgl-dev:v0.5.19-rocm10-mi30x-20260917' failed after 6 attempts",
        "RuntimeError: GPU(s) still not idle after waiting 30s before setUpClass:",
        "  GPU 0 uses 4.65 GiB (no other compute processes; self pid=911977 holds 0.00 GiB)",
        "Ran 0 tests in 30.070s",
        "##[error]Fast-fail: skipping — root cause job(s): wait-for-base-b, base-b-test-2-gpu-large (2)",
        "##[error]Missing required label 'run-ci-extra'. Add the label (e.g. via /tag-and-rerun-ci extra)",
    ),
    "case-b": (
        "SystemExit: 0",
        "asyncio.exceptions.CancelledError",
        "kill_process_tree called: parent_pid=15847",
        "ERROR: test_run (__main__.TestEncoderAttention.test_run)",
        "KeyError: 'meta_info'",
        "During handling of the above exception, another exception occurred:",
        "Exception: retry() exceed maximum number of retries.",
        "Ran 1 test in 45.250s",
        "FAILED (errors=1)",
        '  "message": "Qwen-VL image artifacts do not match prompt placeholders",',
        "End (5/29):",
        "Fail. Time elapsed: 616.07s",
    ),
}

each_case = pytest.mark.parametrize("case", build.names())


def red_jobs(folder: Path) -> dict[int, dict[str, Any]]:
    """Return the red jobs, in their newest attempt, of what a recording was made for."""
    state = load(folder)
    asked = yaml.safe_load((folder / "recording.yaml").read_text(encoding="utf-8"))["request"]
    head = state.pulls[asked["pull"]]["head"]["sha"] if "pull" in asked else ""
    runs = [run for run in state.runs.values() if run["id"] == asked.get("run") or run["head_sha"] == head]
    jobs = [job for run in runs for job in state.jobs_of(run["id"])]
    newest: dict[tuple[int, str], int] = {}
    for job in jobs:
        key = (job["run_id"], job["name"])
        newest[key] = max(newest.get(key, 0), job["run_attempt"])
    return {
        job["id"]: job
        for job in jobs
        if job["conclusion"] not in GOOD and job["run_attempt"] == newest[job["run_id"], job["name"]]
    }


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] not in build.KEPT
    }


@each_case
def test_a_recording_is_what_its_description_says(case: str, tmp_path: Path) -> None:
    build.build(case, tmp_path)

    assert files_of(tmp_path / case) == files_of(build.RUNS / case), "run `python -m tests.fakegithub.build`"


@each_case
def test_every_answer_in_a_recording_is_one_that_github_would_give(case: str) -> None:
    seen = 0
    for pattern, model in DESCRIPTIONS:
        for path in (build.RUNS / case).glob(pattern):
            check(Answer(body=json.loads(path.read_text(encoding="utf-8"))), model)
            seen += 1

    assert seen >= 4


@each_case
def test_every_red_job_has_a_right_answer_written_down(case: str) -> None:
    expected = yaml.safe_load((build.RUNS / case / "expect.yaml").read_text(encoding="utf-8"))

    assert {job["id"]: job["name"] for job in expected["jobs"]} == {
        number: job["name"] for number, job in red_jobs(build.RUNS / case).items()
    }
    assert expected["red_jobs"] == len(expected["jobs"])


@each_case
def test_every_red_job_has_a_log_or_says_why_not(case: str) -> None:
    logs = load(build.RUNS / case).logs

    assert set(red_jobs(build.RUNS / case)) <= set(logs)


@pytest.mark.parametrize("case", EXACT)
def test_the_lines_of_the_two_cases_are_there_word_for_word_and_in_order(case: str) -> None:
    folder = build.RUNS / case
    state = load(folder)
    logs = [state.logs[number].read().decode("utf-8-sig") for number in red_jobs(folder) if state.logs[number].path]
    printed = [line.partition("Z ")[2] for log in logs for line in log.splitlines()]

    assert [line for line in EXACT[case] if line not in printed] == []
    if case == "case-b":
        # From the end: `During handling …` stands twice, once in the noise.
        last = {line: place for place, line in enumerate(printed)}
        assert [last[line] for line in EXACT[case]] == sorted(last[line] for line in EXACT[case])


def test_case_a_has_21_red_jobs_of_62_in_five_runs() -> None:
    folder = build.RUNS / "case-a"
    state = load(folder)
    head = state.pulls[39471]["head"]["sha"]
    runs = [run for run in state.runs.values() if run["head_sha"] == head]

    assert (len(runs), sum(len(state.jobs_of(run["id"])) for run in runs), len(red_jobs(folder))) == (5, 62, 21)


def test_nobody_who_failed_the_same_way_is_the_same_person() -> None:
    pulls = load(build.RUNS / "case-a").pulls

    assert len({pull["user"]["login"] for pull in pulls.values()}) == len(pulls) == 12


@each_case
def test_the_lines_of_a_step_lie_within_its_times(case: str) -> None:
    state = load(build.RUNS / case)
    for number, log in state.logs.items():
        job = state.jobs[number]
        if log.path is None or log.cut or not job["steps"]:
            continue
        times = [line[:19] for line in log.read().decode("utf-8-sig").splitlines() if line[4:5] == "-"]

        assert times == sorted(times)
        assert job["started_at"][:19] <= times[0]
        assert times[-1] <= job["completed_at"][:19]


def test_a_diff_splits_into_the_patches_github_gives() -> None:
    text = (
        "diff --git a/old.py b/new.py\nsimilarity index 98%\nrename from old.py\nrename to new.py\n"
        "diff --git a/x.py b/x.py\nnew file mode 100644\n--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+x = 1\n"
    )

    renamed, added = split_diff(text)

    assert (renamed.path, renamed.status, renamed.previous, renamed.patch) == ("new.py", "renamed", "old.py", None)
    assert (added.path, added.status, added.patch) == ("x.py", "added", "@@ -0,0 +1 @@\n+x = 1")
