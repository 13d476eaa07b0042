"""A cause's number means what it meant in the report that the person had before them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.commands.desk import BOT
from triage.publish.marker import read_marker

if TYPE_CHECKING:
    from tests.commands.desk import JSON, Desk


@pytest.fixture
def desk(lost_runner: Desk) -> Desk:
    lost_runner.settings("version: 1\ncompare: {requests: 0}\n")
    lost_runner.let("maintainer-w", "write")
    lost_runner.say("/triage", by="maintainer-w")
    return lost_runner


def report_of(desk: Desk) -> JSON:
    comments = desk.fake.state.comments.values()
    (found,) = [one for one in comments if one["user"]["login"] == BOT and read_marker(one["body"])]
    return found


def rename(desk: Desk) -> None:
    """Let another job have failed than the report says."""
    for job in desk.fake.state.jobs.values():
        if job["name"] == "gpu":
            job["name"] = "gpu-2"


def test_the_command_that_the_report_offers_does_what_it_says(case_a: Desk) -> None:
    case_a.settings("version: 1\ncompare: {requests: 0}\n")
    case_a.let("maintainer-w", "write")
    case_a.say("/triage", by="maintainer-w")
    offered = re.search(r"\*\*Re-run:\*\*.*`(/triage rerun [\d ]+)`", report_of(case_a)["body"])
    assert offered is not None

    said = case_a.say(offered[1], by="maintainer-w")

    done, _, not_done = said.text.partition("**Not run again**")
    assert said.is_done
    assert not not_done
    for number in offered[1].split()[2:]:
        assert re.search(rf"causes? [\d, ]*\b{number}\b", done)


@pytest.mark.parametrize("line", ["/triage rerun 1", "/triage wrong 1 flaky", "/triage ack 1 known"])
def test_a_number_that_still_means_the_same_is_taken(desk: Desk, line: str) -> None:
    assert desk.say(line, by="maintainer-w").is_done


@pytest.mark.parametrize("line", ["/triage rerun 1", "/triage wrong 1 flaky", "/triage ack 1 known"])
def test_a_number_that_may_mean_another_cause_by_now_is_refused(desk: Desk, line: str) -> None:
    rename(desk)

    said = desk.say(line, by="maintainer-w")

    assert said.is_refused
    assert said.text == (
        "The failures have changed since the report was written, and 1 may be another cause now. "
        "`/triage` writes it anew; or name the job."
    )
    assert not desk.reruns


def test_a_name_is_what_it_is_whatever_the_numbers(desk: Desk) -> None:
    rename(desk)

    assert desk.say("/triage rerun gpu-2", by="maintainer-w").is_done


def test_a_report_that_was_written_after_the_comment_is_not_what_its_writer_saw(desk: Desk) -> None:
    event = desk.event("/triage rerun 1", by="maintainer-w")
    report_of(desk)["updated_at"] = desk.fake.state.tick()

    said = desk.seen(event, desk.give(event))

    assert said.is_refused
    assert said.text.startswith("The report was written anew after your comment.")
    assert not desk.reruns


def test_a_report_that_somebody_forged_says_nothing_about_numbers(desk: Desk) -> None:
    rename(desk)
    body = report_of(desk)["body"]
    desk.say("/triage", by="maintainer-w")
    desk.fake.comment(desk.number, author="mallory", body=body)

    assert desk.say("/triage rerun 1", by="maintainer-w").is_done


def test_without_a_report_on_the_pull_request_the_answer_names_what_was_run(lost_runner: Desk) -> None:
    lost_runner.settings("version: 1\ncompare: {requests: 0}\n")

    said = lost_runner.say("/triage rerun 1", by=lost_runner.let("maintainer-w", "write"))

    assert said.text.startswith("**Running again**\n\n- `CI`: `gpu` (cause 1)")
