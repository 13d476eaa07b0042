"""Which events are answered at all, and how often (T11, T31, R4)."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakegithub import Dropped, Gone, Status
from triage.errors import ProviderError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.desk import Desk

JSON = dict[str, Any]


@pytest.fixture
def desk(lost_runner: Desk) -> Desk:
    lost_runner.settings("version: 1\ncompare: {requests: 0}\n")
    lost_runner.let("maintainer-w", "write")
    return lost_runner


@pytest.mark.parametrize("action", ["edited", "deleted", "pinned", None])
def test_t31_only_a_new_comment_is_a_command(desk: Desk, action: str) -> None:
    event = desk.event("/triage rerun", by="maintainer-w", action=action)

    assert desk.seen(event, desk.give(event)).is_silence


@pytest.mark.parametrize("minutes", [11, 60, 60 * 24 * 180, -11])
def test_t31_a_comment_of_another_time_is_a_replay(desk: Desk, minutes: int) -> None:
    event = desk.event("/triage rerun", by="maintainer-w")
    now = desk.fake.state.now + timedelta(minutes=minutes)

    assert desk.seen(event, desk.give(event, now=now)).is_silence


def test_t31_nine_minutes_in_a_queue_are_no_replay(desk: Desk) -> None:
    event = desk.event("/triage rerun", by="maintainer-w")

    assert desk.seen(event, desk.give(event, now=desk.fake.state.now + timedelta(minutes=9))).is_done


def without_a_pull(event: JSON) -> None:
    del event["issue"]["pull_request"]


def of_another_repository(event: JSON) -> None:
    event["repository"] = {**event["repository"], "full_name": "acme/other"}


def sent_by_another(event: JSON) -> None:
    event["sender"] = {**event["sender"], "id": 4_711}


def of_nobody(event: JSON) -> None:
    event["comment"]["user"] = None


def without_a_time(event: JSON) -> None:
    event["comment"]["created_at"] = "yesterday"


def without_a_number(event: JSON) -> None:
    event["comment"]["id"] = "1; rm"


def empty(event: JSON) -> None:
    event.clear()


def not_meant(event: JSON) -> None:
    event["comment"]["body"] = "I would `/triage rerun` this"


@pytest.mark.parametrize(
    "change",
    [
        without_a_pull,
        of_another_repository,
        sent_by_another,
        of_nobody,
        without_a_time,
        without_a_number,
        empty,
        not_meant,
    ],
)
def test_what_is_none_of_our_business_costs_no_request(desk: Desk, change: Callable[[JSON], None]) -> None:
    event = deepcopy(desk.event("/triage rerun", by="maintainer-w"))
    change(event)

    assert desk.give(event) == 0
    assert not desk.fake.requests


def test_r4_the_same_delivery_three_times_acts_and_answers_once(desk: Desk) -> None:
    event = desk.event("/triage rerun", by="maintainer-w")

    codes = [desk.give(event) for _ in range(3)]
    said = desk.seen(event, max(codes))

    assert said.is_done
    assert len(said.answers) == 1
    assert len(desk.reruns) == 1


def test_r4_a_second_delivery_that_sees_the_run_over_again_acts_no_second_time(desk: Desk) -> None:
    """Even where our own 👀 was taken away meanwhile."""
    event = desk.event("/triage rerun", by="maintainer-w")
    desk.give(event)
    desk.fake.state.reactions.clear()
    for run in desk.fake.state.runs.values():
        run |= {"status": "completed", "conclusion": "failure"}
    for job in desk.fake.state.jobs.values():
        if job["status"] != "completed":
            job |= {"status": "completed", "conclusion": "failure", "completed_at": job["started_at"]}

    desk.give(event)

    assert len(desk.reruns) == 1


@pytest.mark.parametrize("name", ["explain gpu", "ack gpu known", "wrong gpu", "help", "nonsense"])
def test_r4_the_same_delivery_twice_is_answered_once(desk: Desk, name: str) -> None:
    event = desk.event(f"/triage {name}", by="maintainer-w")

    codes = [desk.give(event) for _ in range(2)]

    assert len(desk.seen(event, max(codes)).answers) == 1


def test_t11_a_refusal_ends_the_one_process_that_would_have_acted(desk: Desk) -> None:
    said = desk.say("/triage rerun", by="somebody")

    writes = [one.path.rpartition("/")[2] for one in desk.fake.requests if one.method != "GET"]
    assert said.is_refused
    assert writes == ["reactions", "comments", "reactions"]


def test_a_comment_that_was_deleted_meanwhile_is_left_alone(desk: Desk) -> None:
    desk.fake.fail("POST */reactions", Gone())

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.is_silence
    assert not desk.reruns


@pytest.mark.parametrize("fault", [Status(status=502), Status(status=502, stored=True), Dropped(stored=True)])
def test_without_a_clear_receipt_nothing_is_done(desk: Desk, fault: Status | Dropped) -> None:
    """Whether we are the first to see the comment is not known then."""
    desk.fake.fail("POST */reactions", fault)
    event = desk.event("/triage rerun", by="maintainer-w")

    with pytest.raises(ProviderError):
        desk.give(event)

    assert not desk.reruns
    assert len(desk.fake.asked("POST */reactions")) == 1


def test_a_report_that_cannot_be_made_is_told(desk: Desk) -> None:
    desk.fake.fail("GET */actions/runs*", Status(status=502), times=None)

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.code == 3
    assert said.reactions == ("eyes", "confused")
    assert said.text == "GitHub could not be asked, and nothing more was done. Please try again."


def test_an_answer_whose_receipt_is_lost_is_not_written_twice(desk: Desk) -> None:
    desk.fake.fail("POST */issues/*/comments", Status(status=502, stored=True))

    said = desk.say("/triage explain gpu", by="maintainer-w")

    assert len(said.answers) == 1
    assert len(desk.fake.asked("POST */issues/*/comments")) == 1
    assert said.reactions == ("eyes", "rocket")


def test_a_last_reaction_that_is_lost_changes_nothing_of_what_was_done(desk: Desk) -> None:
    desk.fake.fail("POST */reactions", Status(status=502), nth=2)

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.code == 0
    assert said.text.startswith("**Running again**")
    assert len(desk.reruns) == 1


def test_without_a_token_the_workflow_is_told_to_give_one(desk: Desk) -> None:
    event = desk.event("/triage", by="maintainer-w")

    with pytest.raises(UsageError, match="GITHUB_TOKEN"):
        desk.give(event, token=" ")


def test_a_token_that_may_not_run_again_is_told_in_githubs_words(desk: Desk) -> None:
    weak = desk.fake.add_token(
        "github-actions[bot]", actions="read", checks="read", contents="read", pull_requests="write"
    )
    event = desk.event("/triage rerun", by="maintainer-w")

    said = desk.seen(event, desk.give(event, token=weak))

    assert said.is_refused
    assert "Resource not accessible by integration" in said.text
    assert "`actions: write`" in said.text
