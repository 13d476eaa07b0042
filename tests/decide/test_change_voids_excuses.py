"""Law 3: an excuse is void when the change touches what failed; law 1: also while it is not known what it touches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import (
    RUN,
    a_failure,
    a_file,
    a_job,
    a_pull,
    a_rule,
    a_run,
    a_test,
    a_workflow,
    a_workflow_job,
    broken_machine,
    never_started,
    refused,
    stopped,
    the_facts,
)
from triage.decide import decide
from triage.model import Basis, Category, Evidence, EvidenceKind, Failure, Fault, Step, TestReport, Where, WorkflowFile


def answer(
    failure: Failure, *paths: str, workflow: WorkflowFile | None = None
) -> tuple[Category, str, tuple[Evidence, ...]]:
    files = tuple(a_file(path) for path in paths)
    facts = the_facts([failure], files=files, workflows={RUN: workflow} if workflow else {})
    row = decide(facts, (failure,)).jobs[0]
    return row.category, row.because, row.evidence


IMAGE = broken_machine(rule=a_rule(name="image-unpack", title="The image could not be unpacked"))
PIP = broken_machine(rule=a_rule(name="pip-timeout", title="pip could not download a package"))
CLONE = broken_machine(
    job=a_job(step="Check out"), rule=a_rule(name="submodule-failed", title="A submodule is missing on the server")
)
COMPILER_KILLED = broken_machine(rule=a_rule(name="compiler-killed", title="The build ran out of memory"))


@pytest.mark.parametrize(
    ("failure", "path"),
    [
        (IMAGE, "docker/rocm.Dockerfile"),
        (IMAGE, "Dockerfile"),
        (IMAGE, "deploy/docker-compose.ci.yml"),
        (PIP, "python/pyproject.toml"),
        (PIP, "requirements/dev-requirements.txt"),
        (PIP, "web/package-lock.json"),
        (PIP, "Cargo.lock"),
        (PIP, "go.mod"),
        (CLONE, ".gitmodules"),
        (COMPILER_KILLED, "csrc/CMakeLists.txt"),
        (IMAGE, ".github/workflows/pr-test.yml"),
        (IMAGE, ".github/actions/start/action.yml"),
        (IMAGE, "scripts/ci/start_container.sh"),
        (refused(), ".github/workflows/pr-gate.yml"),
        (never_started(), ".github/workflows/pr-test.yml"),
    ],
)
def test_a_change_to_what_drives_the_failure_voids_the_excuse(failure: Failure, path: str) -> None:
    category, because, evidence = answer(failure, "docs/guide.md", path)

    assert category is Category.UNKNOWN
    assert f"`{path}`" in because
    assert evidence[-1].kind is EvidenceKind.DIFF


@pytest.mark.parametrize(
    ("failure", "path"),
    [
        (IMAGE, "python/engine/scheduler.py"),
        (IMAGE, "python/pyproject.toml"),
        (IMAGE, "test/unit/test_pool.py"),
        (PIP, "docs/installing.md"),
        (CLONE, "docker/Dockerfile"),
        (stopped(), ".github/workflows/pr-test.yml"),
    ],
)
def test_a_change_to_something_else_leaves_the_excuse_standing(failure: Failure, path: str) -> None:
    assert answer(failure, path)[0] is not Category.UNKNOWN


def test_a_regression_is_never_claimed_only_because_an_excuse_is_void() -> None:
    assert answer(IMAGE, "Dockerfile")[0] is Category.UNKNOWN


START = broken_machine(job=a_job(name="xpu-test", step="Start CI container"))


def workflow_that_runs(command: str = "", *, uses: str = "") -> WorkflowFile:
    return a_workflow(a_workflow_job("xpu-test", run=command, uses=uses, step="Start CI container"))


@pytest.mark.parametrize(
    "path",
    [
        "scripts/ci/xpu/start.sh",
        "scripts/ci/xpu/environment.sh",
        "scripts/ci/common.sh",
        ".github/workflows/pr-test.yml",
    ],
)
def test_the_commands_of_the_job_say_which_scripts_drive_it(path: str) -> None:
    workflow = workflow_that_runs("bash scripts/ci/xpu/start.sh --name ci_xpu")

    assert answer(START, path, workflow=workflow)[0] is Category.UNKNOWN


@pytest.mark.parametrize("path", ["scripts/ci/npu/start.sh", ".github/workflows/docs.yml", "tools/format.sh"])
def test_scripts_that_the_job_does_not_run_leave_the_excuse_standing(path: str) -> None:
    workflow = workflow_that_runs("bash scripts/ci/xpu/start.sh --name ci_xpu")

    assert answer(START, path, workflow=workflow)[0] is Category.INFRASTRUCTURE


def test_a_local_action_that_the_job_uses_drives_it() -> None:
    workflow = workflow_that_runs(uses="./.github/actions/start-container")

    assert answer(START, ".github/actions/start-container/run.py", workflow=workflow)[0] is Category.UNKNOWN
    assert answer(START, ".github/actions/upload/run.py", workflow=workflow)[0] is Category.INFRASTRUCTURE


def test_a_command_that_reads_a_file_without_naming_it_is_driven_by_that_file() -> None:
    workflow = workflow_that_runs("make start-container")

    assert answer(START, "Makefile", workflow=workflow)[0] is Category.UNKNOWN


RESIDUE = broken_machine(
    job=a_job(name="2-gpu (2)", step="Run test"),
    rule=a_rule(name="gpu-not-idle", title="The GPU was not free", fault=Fault.GPU_RESIDUE, where=Where.TEST_ERROR),
    tests=TestReport(runners=("unittest",), ran=0),
)


def test_residue_is_void_when_the_change_touches_the_harness_that_looks_for_it() -> None:
    assert answer(RESIDUE, "python/engine/srt/mem_cache/pool_host/mla.py")[0] is Category.GPU_RESIDUE
    assert answer(RESIDUE, "test/registered/unit/test_hisparse_unit.py")[0] is Category.GPU_RESIDUE
    assert answer(RESIDUE, "python/engine/test/test_utils.py")[0] is Category.UNKNOWN
    assert answer(RESIDUE, "test/conftest.py")[0] is Category.UNKNOWN


DOWNLOAD = broken_machine(
    rule=a_rule(name="hub-down", title="The model hub did not answer", where=Where.TEST_ERROR),
    tests=TestReport(
        runners=("pytest",),
        ran=3,
        failures=(a_test(exception="ConnectionError", frames=[("python/engine/loader.py", 88)]),),
    ),
)


def test_a_machines_error_in_a_test_that_the_change_touches_excuses_nobody() -> None:
    assert answer(DOWNLOAD, "docs/guide.md")[0] is Category.INFRASTRUCTURE
    assert answer(DOWNLOAD, "test/unit/test_pool.py")[0] is Category.UNKNOWN
    assert answer(DOWNLOAD, "python/engine/loader.py")[0] is Category.UNKNOWN


def test_a_machines_error_in_a_test_that_names_no_file_excuses_nobody() -> None:
    nameless = TestReport(runners=("gtest",), ran=3, failures=(a_test(file=None),))
    failure = broken_machine(rule=a_rule(where=Where.TEST_ERROR), tests=nameless)

    category, because, _ = answer(failure, "src/pool.cc")

    assert category is Category.UNKNOWN
    assert because == "it looks like infrastructure, but nothing shows that it lies outside the change"


@pytest.mark.parametrize("failure", [IMAGE, PIP, RESIDUE, DOWNLOAD, refused(), never_started()])
def test_while_it_is_not_known_what_the_change_touches_no_drivable_excuse_is_given(failure: Failure) -> None:
    row = decide(the_facts([failure], files=None), (failure,)).jobs[0]

    assert row.category is Category.UNKNOWN
    assert "what the change touches could not be read" in row.because


def test_a_pull_request_that_could_not_be_found_is_a_change_that_could_not_be_read() -> None:
    facts = the_facts([IMAGE], no_pull=True, runs=[a_run(event="pull_request")])

    assert decide(facts, (IMAGE,)).jobs[0].category is Category.UNKNOWN


def test_a_run_without_any_change_has_no_change_that_could_void_anything() -> None:
    facts = the_facts([IMAGE], no_pull=True, runs=[a_run(event="schedule")])

    assert decide(facts, (IMAGE,)).jobs[0].category is Category.INFRASTRUCTURE


def test_a_machine_that_went_away_in_the_middle_of_a_step_is_nobodys_change() -> None:
    job = a_job(step=None)
    lost = a_failure(job=job, fault=Fault.INFRASTRUCTURE, basis=Basis.PLATFORM, title="The runner was lost")
    failure = replace(lost, failed_step=Step(number=3, name="Run tests", status="in_progress"))

    assert decide(the_facts([failure], files=None), (failure,)).jobs[0].category is Category.INFRASTRUCTURE
    assert answer(failure, ".github/workflows/pr-test.yml")[0] is Category.INFRASTRUCTURE


def test_an_annotation_about_how_the_job_was_set_up_is_driven_by_its_workflow_only() -> None:
    failure = a_failure(fault=Fault.INFRASTRUCTURE, basis=Basis.PLATFORM, title="The job could not be set up")

    assert answer(failure, ".github/workflows/pr-test.yml")[0] is Category.UNKNOWN
    assert answer(failure, "scripts/start.sh")[0] is Category.INFRASTRUCTURE


def test_an_excuse_that_stands_says_that_the_change_drives_nothing_of_it() -> None:
    failure = IMAGE

    cause = decide(the_facts([failure], pull=a_pull()), (failure,)).causes[0]

    (sentence,) = cause.ruled_out
    assert sentence.startswith("the changed file does not drive this step: it is no workflow, CI script")
