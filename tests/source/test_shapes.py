"""GitHub's JSON as it comes, and as it should not come."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from triage.errors import ProviderError
from triage.model import Conclusion, Gap, WorkflowFile
from triage.source.shapes import annotation_of, file_of, job_of, pull_of, repository_of, run_of, workflow_of

OURS = {"id": 1, "full_name": "acme/engine"}


def a_run(**fields: Any) -> dict[str, Any]:
    return {"id": 7, "name": "CI", "repository": OURS, **fields}


def a_job(**fields: Any) -> dict[str, Any]:
    return {"id": 9, "run_id": 7, "name": "test", **fields}


def test_a_run_of_a_fork_is_told_from_its_repository() -> None:
    run = run_of(
        a_run(
            run_attempt=2,
            path=".github/workflows/ci.yml@refs/heads/main",
            event="pull_request",
            head_sha="abc",
            head_branch="fix",
            head_repository={"id": 2, "full_name": "someone/engine"},
            status="completed",
            conclusion="failure",
            created_at="2026-09-18T02:33:00Z",
            run_started_at="2026-09-18T04:33:00+02:00",
            actor={"login": "someone"},
        )
    )

    assert (run.head_repository, run.head_repository_id, run.attempt) == ("someone/engine", 2, 2)
    assert run.workflow_path == ".github/workflows/ci.yml"
    assert run.conclusion is Conclusion.FAILURE
    assert run.created_at == run.started_at == datetime(2026, 9, 18, 2, 33, tzinfo=UTC)


def test_pull_requests_into_other_repositories_are_not_a_runs_own() -> None:
    run = run_of(
        a_run(
            pull_requests=[
                {"number": 5, "base": {"repo": {"id": 1}}},
                {"number": 6, "base": {"repo": {"id": 2}}},
            ]
        )
    )

    assert run.pull_numbers == (5,)


@pytest.mark.parametrize("value", ["startup_failure", "stale"])
def test_conclusions_that_githubs_description_forgets_are_known(value: str) -> None:
    assert run_of(a_run(conclusion=value)).conclusion == value


def test_a_conclusion_of_the_future_is_unknown_and_red() -> None:
    job = job_of(a_job(conclusion="exploded"))

    assert job.conclusion is Conclusion.UNKNOWN
    assert job.is_red


def test_a_job_that_no_runner_took_is_told_by_its_empty_fields() -> None:
    job = job_of(a_job(conclusion="cancelled", runner_name="", runner_id=0, steps=[], labels=["2-gpu"]))

    assert job.never_started
    assert job.labels == ("2-gpu",)


def test_a_job_that_lost_its_runner_keeps_its_unfinished_step() -> None:
    job = job_of(
        a_job(
            conclusion="failure",
            runner_name="host-1",
            check_run_url="https://api.github.com/repos/acme/engine/check-runs/99",
            steps=[
                {"number": 1, "name": "Set up job", "status": "completed", "conclusion": "success"},
                {"number": 2, "name": "Run tests", "status": "in_progress", "conclusion": None},
            ],
        )
    )

    assert job.check_run_id == 99
    assert job.failed_step is not None
    assert job.failed_step.name == "Run tests"


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "", None, "soon", 5])
def test_a_time_that_is_none_is_none(time: object) -> None:
    assert job_of(a_job(started_at=time)).started_at is None


def test_null_is_taken_anywhere_but_for_names_and_ids() -> None:
    nothing: dict[str, Any] = dict.fromkeys(
        ("steps", "labels", "runner_name", "conclusion", "status", "head_repository", "actor", "pull_requests", "head")
    )

    assert job_of(a_job(**nothing)).steps == ()
    assert run_of(a_run(**nothing)).head_repository == ""
    assert pull_of({"number": 5, "user": None, **nothing}).author == ""


@pytest.mark.parametrize(
    ("read", "json", "what"),
    [
        (run_of, {}, "a workflow run holds no 'id'"),
        (run_of, {"id": "7"}, "a workflow run holds no 'id'"),
        (run_of, {"id": True}, "a workflow run holds no 'id'"),
        (job_of, {"id": 9}, "job 9 holds no 'run_id'"),
        (job_of, {"id": 9, "run_id": 7}, "job 9 holds no 'name'"),
        (pull_of, {"title": "x"}, "a pull request holds no 'number'"),
        (file_of, {}, "a changed file holds no 'filename'"),
        (repository_of, {"name": "engine"}, "a repository holds no 'full_name'"),
    ],
)
def test_an_answer_without_what_it_must_hold_is_an_error(read: Any, json: dict[str, Any], what: str) -> None:
    with pytest.raises(ProviderError, match=what):
        read(json)


def test_a_pull_request_whose_fork_is_gone_is_still_one() -> None:
    pull = pull_of(
        {
            "number": 5,
            "head": {"sha": "abc", "ref": "fix", "repo": None},
            "base": {"sha": "def", "ref": "main"},
            "labels": [{"name": "run-ci"}],
            "draft": True,
        }
    )

    assert (pull.head_sha, pull.head_repository, pull.base_ref) == ("abc", "", "main")
    assert pull.labels == ("run-ci",)
    assert pull.draft


def test_a_binary_file_has_no_patch_and_a_renamed_one_its_old_path() -> None:
    assert file_of({"filename": "a.png"}).patch is None
    assert file_of({"filename": "b.py", "previous_filename": "a.py", "status": "renamed"}).previous_path == "a.py"


def test_the_words_of_the_platform_are_told_from_those_at_a_file() -> None:
    lost = annotation_of({"path": ".github", "message": "The runner lost communication", "annotation_level": "failure"})
    lint = annotation_of({"path": "a.py", "start_line": 3, "message": "E401"})

    assert lost.is_from_platform
    assert not lint.is_from_platform
    assert lint.line == 3


def workflow(text: str) -> WorkflowFile:
    answer = workflow_of(".github/workflows/ci.yml", text)
    assert isinstance(answer, WorkflowFile)
    return answer


def test_a_workflow_tells_who_waits_for_whom() -> None:
    read = workflow(
        """
        name: PR Test
        on: [push]
        concurrency: {group: "${{ github.ref }}", cancel-in-progress: true}
        jobs:
          build:
            steps:
              - uses: actions/checkout@v4
              - run: |
                  make
                  make install
          test:
            name: Test ${{ matrix.shard }}
            needs: build
            if: github.event_name == 'pull_request'
            timeout-minutes: 90
            strategy: {fail-fast: false, matrix: {shard: [1, 2]}}
            steps:
              - {name: Run, run: pytest, timeout-minutes: 30}
          finish: {needs: [build, test], if: always()}
          other: {uses: ./.github/workflows/other.yml}
        """
    )
    build, test, finish, other = read.jobs

    assert (read.name, read.concurrency_group, read.cancels_in_progress) == ("PR Test", "${{ github.ref }}", True)
    assert [step.name for step in build.steps] == ["Run actions/checkout@v4", "Run make"]
    assert (test.needs, test.timeout_minutes, test.has_matrix, test.fail_fast) == (("build",), 90.0, True, False)
    assert test.steps[0].timeout_minutes == 30
    assert (finish.needs, finish.condition) == (("build", "test"), "always()")
    assert other.uses == "./.github/workflows/other.yml"


def test_words_that_yaml_takes_for_something_else_stay_words() -> None:
    read = workflow("on: push\nname: on\nconcurrency: 12:30:45\njobs: {no: {if: yes}, 1: {needs: off}}")

    assert read.name == "on"
    assert read.concurrency_group == "12:30:45"
    assert [(job.key, job.condition, job.needs) for job in read.jobs] == [("no", "yes", ()), ("1", "", ("off",))]


def test_a_time_limit_that_is_an_expression_is_not_known() -> None:
    assert workflow("jobs: {a: {timeout-minutes: '${{ inputs.minutes }}'}}").jobs[0].timeout_minutes is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("jobs: [", "not valid YAML in line 1"),
        ("name: x\n\tjobs: {}", "not valid YAML in line 2"),
        ("", "holds no `jobs:`"),
        ("- a", "holds no `jobs:`"),
        ("jobs: 5", "holds no `jobs:`"),
        ("jobs: {}\n# " + "x" * 600_000, "larger than"),
        ("a: " + "[" * 100_000, ""),
        ("".join(f"{' ' * depth}a:\n" for depth in range(600)), "nested too deeply"),
    ],
)
def test_a_broken_workflow_file_is_a_gap(text: str, why: str) -> None:
    answer = workflow_of(".github/workflows/ci.yml", text)

    assert isinstance(answer, Gap)
    assert answer.what == "workflow file .github/workflows/ci.yml"
    assert why in answer.why


def test_a_file_that_describes_something_huge_costs_nothing() -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 9))
    bomb = f"l0: &l0 [x, x, x]\n{levels}\njobs: {{a: {{name: *l8, needs: *l8, if: *l8, steps: *l8, <<: *l8}}}}"

    read = workflow(bomb)

    assert read.jobs[0].name == "a"
    assert read.jobs[0].needs == ()


def test_odd_shapes_inside_a_workflow_are_read_as_far_as_they_go() -> None:
    read = workflow("jobs: {a: null, b: [1], c: {needs: {x: y}, steps: [null, 5, {run: [1]}], strategy: x}}")

    assert [job.key for job in read.jobs] == ["a", "b", "c"]
    assert [step.name for step in read.jobs[2].steps] == ["", "", ""]
