"""What comparing adds to each recording: the `with_history` of its `expect.yaml`, written by hand."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.fakegithub import build
from triage.app import triage
from triage.history.lookback import Limits
from triage.recorded import Recorded, Recorder
from triage.render.json_report import render_json
from triage.rules import builtin_rules
from triage.source.request import PullRequestRequest, RunRequest

if TYPE_CHECKING:
    from pathlib import Path

JSON = dict[str, Any]


@cache
def report_of(case: str) -> JSON:
    """Triage a recording, looking back as far as the usual budget reaches; return the report as JSON."""
    recorded = Recorded(build.RUNS / case)
    asked = recorded.about["request"]
    request = PullRequestRequest(number=asked["pull"]) if "pull" in asked else RunRequest(run_id=asked["run"])
    report: JSON = json.loads(render_json(triage(request, recorded, builtin_rules(), limits=Limits())))
    return report


def expected(case: str) -> JSON:
    wanted: JSON = yaml.safe_load((build.RUNS / case / "expect.yaml").read_text(encoding="utf-8"))
    return wanted


def with_history(case: str) -> JSON:
    added: JSON = expected(case).get("with_history", {})
    return added


def any_of(wanted: object) -> list[object]:
    return wanted if isinstance(wanted, list) else [wanted]


def job_named(case: str, name: str) -> JSON:
    found: JSON = next(job for job in report_of(case)["jobs"] if job["name"] == name)
    return found


def cause_of(case: str, name: str) -> JSON:
    number = job_named(case, name)["cause"]
    found: JSON = next(cause for cause in report_of(case)["causes"] if cause["id"] == number)
    return found


def facts_of(case: str, name: str, kind: str) -> list[JSON]:
    return [fact for fact in cause_of(case, name)["evidence"] if fact["kind"] == kind]


def cases_with(key: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [case for case in build.names() if key in with_history(case)])


@pytest.mark.parametrize("case", build.names())
def test_the_verdict_is_right(case: str) -> None:
    wanted = with_history(case).get("verdict", expected(case)["verdict"])

    assert report_of(case)["verdict"] in any_of(wanted)


@pytest.mark.parametrize("case", build.names())
def test_every_red_job_is_in_the_right_category(case: str) -> None:
    compared = with_history(case).get("jobs", {})
    wanted = {job["id"]: any_of(compared.get(job["name"], job["category"])) for job in expected(case)["jobs"]}
    found = {job["id"]: job["category"] for job in report_of(case)["jobs"]}

    assert found.keys() == wanted.keys()
    assert {number: category for number, category in found.items() if category not in wanted[number]} == {}


@pytest.mark.parametrize("case", build.names())
def test_the_ledger_stays_closed(case: str) -> None:
    report = report_of(case)
    listed = [job for cause in report["causes"] for job in cause["jobs"]]

    assert sorted(listed) == sorted(job["id"] for job in report["jobs"])
    assert len(report["causes"]) <= expected(case).get("causes_at_most", len(report["causes"]))


@cases_with("main_run")
def test_the_run_on_main_is_named_with_its_host(case: str) -> None:
    wanted = with_history(case)["main_run"]
    named = {fact["run_id"]: fact.get("runner") for fact in facts_of(case, wanted["for"], "main-run")}

    assert wanted["id"] in named
    assert named[wanted["id"]] == wanted.get("runner", named[wanted["id"]])


@cases_with("other_pulls")
def test_other_pull_requests_are_named_and_no_others(case: str) -> None:
    wanted = {name: sorted(numbers) for name, numbers in with_history(case)["other_pulls"].items()}
    named = {name: sorted(fact["number"] for fact in facts_of(case, name, "other-pull")) for name in wanted}

    assert named == wanted


@cases_with("fixed_on_main")
def test_what_main_has_mended_since_is_told_with_the_runs_before_and_after(case: str) -> None:
    wanted = with_history(case)["fixed_on_main"]
    name = with_history(case)["main_run"]["for"]
    runs = [fact["run_id"] for fact in facts_of(case, name, "main-run")]

    assert runs[0] == wanted["last_failing_run"]
    assert wanted["first_passing_run"] in runs


@cases_with("actions")
def test_the_next_step_is_told(case: str) -> None:
    kinds = {action["kind"] for cause in report_of(case)["causes"] for action in cause["actions"]}

    assert set(with_history(case)["actions"]) <= kinds


@cases_with("rerun")
def test_whether_running_again_can_help_is_told(case: str) -> None:
    for answer, names in with_history(case)["rerun"].items():
        assert {name: cause_of(case, name)["rerun"] for name in names} == dict.fromkeys(names, answer)


@cases_with("gaps_at_least")
def test_what_was_not_looked_at_is_told(case: str) -> None:
    assert len(report_of(case)["gaps"]) >= with_history(case)["gaps_at_least"]


def test_the_commits_that_mended_case_b_are_named() -> None:
    texts = [fact["text"] for fact in facts_of("case-b", "stage-a-test-1-gpu-xpu", "main-run")]

    assert any("Count image placeholders after the chat template" in text for text in texts)


def test_the_same_recording_gives_the_same_bytes() -> None:
    recorded = Recorded(build.RUNS / "case-a")
    once, again = (
        render_json(triage(PullRequestRequest(number=39471), recorded, builtin_rules(), limits=Limits()))
        for _ in range(2)
    )

    assert once == again


@pytest.mark.parametrize("case", ["case-a", "case-b", "flaky-on-main"])
def test_what_was_looked_at_is_recorded_with_the_rest(case: str, tmp_path: Path) -> None:
    recorded = Recorded(build.RUNS / case)
    request = PullRequestRequest(number=recorded.about["request"]["pull"])
    triage(request, Recorder(recorded, tmp_path, request=request), builtin_rules(), limits=Limits())

    again = triage(request, Recorded(tmp_path), builtin_rules(), limits=Limits())

    assert json.loads(render_json(again)) == report_of(case)


def test_that_the_mlx_test_imports_nothing_changed_is_said_after_reading_all_that_it_imports() -> None:
    said = [fact["text"] for fact in facts_of("case-a", "stage-a-unit-test-mlx", "diff")]

    assert "`test_scheduler_mixin.py` imports none of the 7 changed Python files (13 files read)" in said
