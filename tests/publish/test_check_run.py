"""The neutral check run with the report as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakegithub import Dropped, Forbidden, Status
from tests.publish.conftest import report_on
from tests.render.samples import a_regression, case_a, many_causes
from triage.model import Frame, TestFailure, TestReport
from triage.publish.check_run import MOST_ANNOTATIONS, MOST_CHARACTERS, TOO_LONG, check_run_of, json_text
from triage.publish.outcome import Failed, NotAllowed, Published, Unknown
from triage.render.json_report import render_json

if TYPE_CHECKING:
    from tests.fakegithub import FakeGitHub
    from tests.publish.conftest import Publisher
    from triage.model import Report

CREATE, LIST = "POST */check-runs", "GET */check-runs"


def checks_of(fake: FakeGitHub) -> list[dict[str, Any]]:
    return list(fake.state.check_runs.values())


def test_it_is_made_only_where_it_is_wanted(post: Publisher, fake: FakeGitHub) -> None:
    assert post().check_run is None
    assert checks_of(fake) == []


def test_it_is_neutral_and_at_the_commit_of_the_report(post: Publisher, fake: FakeGitHub) -> None:
    outcome = post(check_run=True).check_run

    (check,) = checks_of(fake)
    assert isinstance(outcome, Published)
    assert (check["conclusion"], check["status"]) == ("neutral", "completed")
    assert check["head_sha"] == report_on().runs[0].head_sha
    assert check["output"]["summary"].startswith("### CI triage")


def test_the_same_report_again_updates_the_one_that_is_there(post: Publisher, fake: FakeGitHub) -> None:
    post(check_run=True)
    noted = len(fake.state.annotations[checks_of(fake)[0]["id"]])

    post(check_run=True)

    assert len(checks_of(fake)) == 1
    assert len(fake.state.annotations[checks_of(fake)[0]["id"]]) == noted  # GitHub adds, never replaces


def test_the_json_is_whole_or_left_out() -> None:
    text = json_text(case_a())

    assert json.loads(text.strip("`\n")) == json.loads(render_json(case_a()))
    assert json_text(many_causes(300)) == TOO_LONG


@pytest.mark.parametrize("report", [case_a(), a_regression(), many_causes(300)], ids=["case a", "regression", "many"])
def test_it_never_exceeds_what_github_takes(report: Report) -> None:
    check = check_run_of(report)

    assert max(len(check["output"][part]) for part in ("summary", "text")) <= MOST_CHARACTERS
    assert len(check["output"]["annotations"]) <= MOST_ANNOTATIONS


def with_places(*places: str) -> Report:
    report = a_regression()
    tests = TestReport(
        failures=tuple(
            TestFailure(
                id=f"test_{number}",
                runner="pytest",
                exception="KeyError",
                message="'meta_info'",
                frames=(Frame(path, 41),),
            )
            for number, path in enumerate(places)
        )
    )
    jobs = tuple(replace(job, failure=replace(job.failure, tests=tests)) for job in report.jobs)
    return replace(report, jobs=jobs)


def test_annotations_stand_where_the_change_breaks() -> None:
    notes = check_run_of(with_places("src/pool.py"))["output"]["annotations"]

    assert {(one["path"], one["start_line"]) for one in notes} == {("src/pool.py", 41)}
    assert notes[0]["message"] == "test_0: KeyError: 'meta_info'"
    assert {one["annotation_level"] for one in notes} <= {"failure", "warning"}


@pytest.mark.parametrize("path", ["/etc/passwd", "../../x.py", "a/../../b.py", "~/x.py", "a\u202eb.py", "a\nb.py"])
def test_a_path_that_leads_out_of_the_repository_is_no_place(path: str) -> None:
    assert check_run_of(with_places(path))["output"]["annotations"] == []


def test_a_thousand_failed_tests_are_fifty_annotations() -> None:
    check = check_run_of(with_places(*["src/pool.py"] * 1_000))

    assert len(check["output"]["annotations"]) == MOST_ANNOTATIONS


def test_without_the_permission_the_comment_is_published_all_the_same(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail(CREATE, Forbidden())

    result = post(check_run=True)

    assert isinstance(result.comment, Published)
    assert result.check_run == NotAllowed("this token may not make a check run: that needs `checks: write`")


def test_a_lost_answer_is_not_sent_again(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail(CREATE, Dropped(stored=True))

    first = post(check_run=True).check_run
    second = post(check_run=True).check_run

    assert isinstance(first, Unknown)
    assert isinstance(second, Published)
    assert len(checks_of(fake)) == 1


def test_a_list_that_cannot_be_read_means_that_none_is_made(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail(LIST, Status(status=500), times=None)

    assert isinstance(post(check_run=True).check_run, Failed)
    assert checks_of(fake) == []
