"""What must come out of each recording, whatever the wording: its `expect.yaml`, written by hand."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
import yaml

from tests.fakegithub import build
from tests.render.github_html import Page
from triage.app import triage
from triage.recorded import Recorded
from triage.render.json_report import render_json
from triage.render.markdown import render_markdown
from triage.render.terminal import render_terminal
from triage.rules import builtin_rules
from triage.source.request import PullRequestRequest, RunRequest

JSON = dict[str, Any]


@cache
def outputs(case: str) -> tuple[JSON, str, str]:
    """Triage a recording; return the report as JSON, as Markdown and as the terminal shows it."""
    recorded = Recorded(build.RUNS / case)
    asked = recorded.about["request"]
    request = PullRequestRequest(number=asked["pull"]) if "pull" in asked else RunRequest(run_id=asked["run"])
    report = triage(request, recorded, builtin_rules())
    return json.loads(render_json(report)), render_markdown(report), render_terminal(report, width=100, colour=False)


def expected(case: str) -> JSON:
    wanted: JSON = yaml.safe_load((build.RUNS / case / "expect.yaml").read_text(encoding="utf-8"))
    return wanted


def any_of(wanted: object) -> list[object]:
    return wanted if isinstance(wanted, list) else [wanted]


def job_named(case: str, name: str) -> JSON:
    found: JSON = next(job for job in outputs(case)[0]["jobs"] if job["name"] == name)
    return found


def cases_with(key: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [case for case in build.names() if key in expected(case)])


@pytest.mark.parametrize("case", build.names())
def test_the_verdict_is_right(case: str) -> None:
    assert outputs(case)[0]["verdict"] in any_of(expected(case)["verdict"])


@pytest.mark.parametrize("case", build.names())
def test_every_red_job_is_in_the_right_category(case: str) -> None:
    jobs = {job["id"]: job for job in outputs(case)[0]["jobs"]}

    assert set(jobs) == {job["id"] for job in expected(case)["jobs"]}
    wrong = {
        job["name"]: (jobs[job["id"]]["fault"], jobs[job["id"]]["category"])
        for job in expected(case)["jobs"]
        if jobs[job["id"]]["fault"] not in any_of(job["fault"])
        or jobs[job["id"]]["category"] not in any_of(job["category"])
    }
    assert wrong == {}


@pytest.mark.parametrize("case", build.names())
def test_the_ledger_is_closed(case: str) -> None:
    report = outputs(case)[0]
    listed = [job for cause in report["causes"] for job in cause["jobs"]]

    assert sorted(listed) == sorted(job["id"] for job in report["jobs"])
    assert sum(report["counts"]["jobs"].values()) == expected(case)["red_jobs"]
    assert sum(report["counts"]["causes"].values()) == len(report["causes"])


@cases_with("causes_at_most")
def test_jobs_with_one_root_share_a_cause(case: str) -> None:
    assert len(outputs(case)[0]["causes"]) <= expected(case)["causes_at_most"]


@pytest.mark.parametrize("case", build.names())
def test_what_only_follows_is_in_the_cause_of_its_root(case: str) -> None:
    jobs = {job["id"]: job for job in outputs(case)[0]["jobs"]}
    for job in expected(case)["jobs"]:
        if "follows" in job and jobs[job["id"]]["category"] == "cascade":
            roots = {one["cause"] for one in jobs.values() if one["name"] in job["follows"]}

            assert jobs[job["id"]]["cause"] in roots, job["name"]


@cases_with("quotes")
def test_the_deciding_lines_are_quoted_as_printed(case: str) -> None:
    for name, lines in expected(case)["quotes"].items():
        quoted = "\n".join(evidence["text"] for evidence in job_named(case, name)["evidence"])

        assert [line for line in any_of(lines) if str(line) not in quoted] == [], name


@cases_with("never_the_explanation")
def test_noise_and_wrappers_are_never_the_explanation(case: str) -> None:
    for name, lines in expected(case)["never_the_explanation"].items():
        best = job_named(case, name)["evidence"][0]["text"]

        assert [line for line in any_of(lines) if str(line) in best] == []


@cases_with("failed_tests")
def test_failed_tests_are_named(case: str) -> None:
    for name, wanted in expected(case)["failed_tests"].items():
        named = [test["id"] for test in job_named(case, name)["failed_tests"]]

        assert len(named) == len(wanted)
        assert [test for test in wanted if not any(test in one for one in named)] == []


@cases_with("log_states")
def test_a_log_that_is_not_whole_is_said_to_be_so(case: str) -> None:
    states = expected(case)["log_states"]

    assert {name: job_named(case, name)["log"] for name in states} == states


@cases_with("gaps_at_least")
def test_what_could_not_be_seen_is_told(case: str) -> None:
    assert len(outputs(case)[0]["gaps"]) >= expected(case)["gaps_at_least"]


@cases_with("not_run")
def test_files_that_never_ran_are_counted(case: str) -> None:
    for remainder in expected(case)["not_run"].values():
        assert all(remainder in text for text in outputs(case)[1:])


@cases_with("label")
def test_the_missing_label_is_asked_for(case: str) -> None:
    actions = [action for cause in outputs(case)[0]["causes"] for action in cause["actions"]]

    assert {action["label"] for action in actions if action["kind"] == "add-label"} == {expected(case)["label"]}


@cases_with("queue")
def test_how_long_jobs_waited_is_told(case: str) -> None:
    assert all(expected(case)["queue"]["text"] in text for text in outputs(case)[1:])


@cases_with("rerun")
def test_each_cause_says_whether_running_again_can_help(case: str) -> None:
    for answer, categories in expected(case)["rerun"].items():
        found = {cause["rerun"] for cause in outputs(case)[0]["causes"] if cause["category"] in categories}

        assert found == {answer}


@cases_with("pull")
def test_the_pull_request_of_a_run_is_found(case: str) -> None:
    assert outputs(case)[0]["pull_request"]["number"] == expected(case)["pull"]


@cases_with("tells")
def test_a_run_that_made_no_job_is_told(case: str) -> None:
    report, markdown, terminal = outputs(case)
    told = json.dumps(report["gaps"]) + json.dumps(report["runs"])

    assert [number for number in expected(case)["tells"] if str(number) not in told] == []
    assert report["verdict"] not in expected(case)["never_verdict"]
    assert "could not start" in markdown
    assert "could not start" in terminal


@cases_with("absent_jobs")
def test_a_job_that_is_green_in_its_newest_attempt_is_not_in_the_report(case: str) -> None:
    names = {job["name"] for job in outputs(case)[0]["jobs"]}

    assert names.isdisjoint(expected(case)["absent_jobs"])


@cases_with("never_printed")
def test_secrets_are_in_no_output(case: str) -> None:
    report, markdown, terminal = outputs(case)
    everything = json.dumps(report) + markdown + terminal

    assert [secret for secret in expected(case)["never_printed"] if secret in everything] == []


def test_nothing_of_a_hostile_log_renders_mentions_or_moves_the_cursor() -> None:
    _, markdown, terminal = outputs("hostile-log")

    page = Page(markdown)

    assert [one for one in page.structure if one.startswith(("<img", "<script"))] == []
    assert [link for link in page.links if not link.startswith("https://github.com/acme-ml/engine")] == []
    assert "@acme-ml" not in page.running
    assert "fixes #1" not in page.running
    assert set(terminal).isdisjoint("\x1b\x07\r\0\u202e\u200b")
