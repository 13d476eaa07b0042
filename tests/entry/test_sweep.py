"""The sweep finds what events missed, newest first, once for each pull request, within its budget (R10, T29)."""

from __future__ import annotations

import random
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.entry import events
from tests.fakegithub import FakeGitHub, objects
from tests.fakegithub.build import RUNS
from tests.github.conftest import QUICK
from triage.entry.sweep import MOST_OLDER, RESERVE, missed
from triage.github import connect, connect_writes
from triage.publish.marker import Generation, Marker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from tests.entry.conftest import Runner

START = datetime.fromisoformat("2026-10-15T08:00:00Z")
NOW = START + timedelta(hours=2)


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """Give a repository in which nothing happened yet, but that is like a recorded one."""
    with FakeGitHub.from_recording(RUNS / "regression") as fake:
        fake.state.runs.clear()
        yield fake


def ended(
    fake: FakeGitHub, number: int, *, minutes: int, conclusion: str = "failure", workflow: str = "CI", days_old: int = 0
) -> None:
    """Let a run of a pull request end that many minutes after the start; make the pull request where there is none.

    With `days_old` it is a second attempt of a run that was made so many days before.
    """
    state = fake.state
    end = START + timedelta(minutes=minutes)
    if number not in state.pulls:
        pull = deepcopy(next(iter(state.pulls.values())))
        pull |= {"number": number, "id": number, "updated_at": written(end - timedelta(days=days_old))}
        pull["head"] = {**pull["head"], "sha": head_of(number)}
        state.pulls[number] = pull
    at, made = written(end), written(end - timedelta(days=days_old))
    run_id = state.new_id()
    state.runs[run_id] = objects.workflow_run(
        repository_name=state.name,
        number=run_id,
        name=workflow,
        path=".github/workflows/ci.yml",
        title="Try",
        conclusion=conclusion,
        head_sha=head_of(number),
        head_branch=f"branch-{number}",
        actor="contributor-z",
        created_at=made,
        started_at=at,
        updated_at=at,
        attempt=2 if days_old else 1,
    )


def written(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def head_of(number: int) -> str:
    return f"{number:040x}"


def said(fake: FakeGitHub, number: int, *, minutes: int, author: str = "github-actions[bot]") -> None:
    """Let a comment of ours speak of all that had ended by then."""
    at = int((START + timedelta(minutes=minutes)).timestamp())
    marker = Marker(key="default", head=head_of(number)[:12], generation=Generation(at, 1, 1, 0))
    # GitHub stores it after what it speaks of.
    fake.state.now = max(fake.state.now, NOW)
    fake.comment(number, author=author, body=f"{marker}\n\nreport")


def found(fake: FakeGitHub, **more: Any) -> list[int]:
    with (
        connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=QUICK) as reads,
        connect_writes(fake.repository, token=fake.token, api_url=fake.api_url, limits=QUICK) as writes,
    ):
        return list(missed(reads, writes, key="default", **{"now": NOW, **more}))


def test_it_names_the_red_pull_requests_without_a_comment_newest_first(github: FakeGitHub) -> None:
    ended(github, 601, minutes=5)
    ended(github, 603, minutes=30)
    ended(github, 602, minutes=20)

    assert found(github) == [603, 602, 601]


def test_of_many_runs_of_a_pull_request_it_makes_one_triage(github: FakeGitHub) -> None:
    for minutes in range(20):
        ended(github, 601, minutes=minutes, workflow=f"CI {minutes}")

    assert found(github) == [601]


def test_a_comment_that_speaks_of_all_that_ended_needs_nothing(github: FakeGitHub) -> None:
    ended(github, 601, minutes=5)
    said(github, 601, minutes=5)

    assert found(github) == []


def test_a_comment_from_before_the_last_run_ended_is_refreshed(github: FakeGitHub) -> None:
    ended(github, 601, minutes=5)
    ended(github, 601, minutes=9, conclusion="success")
    said(github, 601, minutes=5)

    assert found(github) == [601]


def test_a_comment_that_somebody_else_forged_does_not_count(github: FakeGitHub) -> None:
    ended(github, 601, minutes=5)
    said(github, 601, minutes=5, author="contributor-z")

    assert found(github) == [601]


def test_a_green_pull_request_without_a_comment_is_left_alone(github: FakeGitHub) -> None:
    ended(github, 601, minutes=5, conclusion="success")

    assert found(github) == []


@pytest.mark.parametrize("change", [{"state": "closed"}, {"head": "moved on"}])
def test_what_is_closed_or_has_moved_on_is_left_alone(github: FakeGitHub, change: dict[str, str]) -> None:
    ended(github, 601, minutes=5)
    pull = github.state.pulls[601]
    if "head" in change:
        pull["head"]["sha"] = "e" * 40
    else:
        pull["state"] = change["state"]

    assert found(github) == []


def test_a_flood_does_not_make_it_do_more_than_its_share(github: FakeGitHub) -> None:
    for number in range(601, 641):
        ended(github, number, minutes=number - 600)

    assert found(github, most=3) == [640, 639, 638]
    assert len(github.asked("GET */comments")) == 3


def test_it_leaves_requests_to_the_triages_that_events_ask_for(github: FakeGitHub) -> None:
    ended(github, 601, minutes=5)
    github.rate_limit = RESERVE

    assert found(github) == []


def test_a_re_run_of_a_run_of_three_days_ago_is_found(github: FakeGitHub) -> None:
    ended(github, 601, minutes=60, conclusion="success", days_old=3)
    said(github, 601, minutes=-3 * 24 * 60)

    assert found(github) == [601]


def test_a_re_run_of_an_older_run_is_found_beside_a_newer_run_of_the_same_commit(github: FakeGitHub) -> None:
    ended(github, 601, minutes=5, conclusion="success", workflow="Labels")
    ended(github, 601, minutes=60, conclusion="success", days_old=3)
    said(github, 601, minutes=5)

    assert found(github) == [601]


def test_a_run_of_three_days_ago_that_nobody_ran_again_is_left_alone(github: FakeGitHub) -> None:
    ended(github, 601, minutes=-3 * 24 * 60)

    assert found(github) == []
    assert not github.asked("GET */comments")


def test_older_runs_cost_a_bounded_number_of_requests_and_each_pull_request_has_its_turn(github: FakeGitHub) -> None:
    for number in range(601, 601 + 130):
        ended(github, number, minutes=-5 * 24 * 60)

    asked: list[str] = []
    for hours in range(3):
        before = len(github.asked("GET */actions/runs"))
        assert found(github, now=NOW + timedelta(hours=hours)) == []
        heads = [
            one.query["head_sha"] for one in github.asked("GET */actions/runs")[before:] if "head_sha" in one.query
        ]
        assert len(heads) <= MOST_OLDER
        asked += heads

    assert {head_of(number) for number in range(601, 601 + 130)} <= set(asked)


@pytest.mark.parametrize("seed", range(4))
def test_r10_what_events_missed_sweeps_find(github: FakeGitHub, seed: int) -> None:
    """Drop three of ten events, and sweep: every pull request says what it would have said with all of them."""
    chance = random.Random(seed)
    with_all: dict[int, int] = {}
    heard: dict[int, int] = {}
    for minutes in range(60):
        number = chance.randrange(601, 625)
        days = 4 if number % 5 == 0 else 0
        red = number not in with_all or chance.random() < 0.5
        ended(github, number, minutes=minutes, conclusion="failure" if red else "success", days_old=days)
        with_all[number] = minutes
        if chance.random() >= 0.3:
            heard[number] = minutes
    for number, minutes in heard.items():
        said(github, number, minutes=minutes)

    swept: list[int] = []
    while numbers := found(github):
        for number in numbers:
            said(github, number, minutes=with_all[number])
        swept += numbers

    assert set(swept) == {number for number, minutes in with_all.items() if heard.get(number) != minutes}
    assert len(swept) == len(set(swept))


def test_a_scheduled_sweep_makes_the_comments_that_are_missing(
    action_on: Callable[[str], AbstractContextManager[Runner]],
) -> None:
    with action_on("regression") as action:
        action.state.now = datetime.now(UTC)
        action.state.runs[action.run_id]["created_at"] = action.state.tick()
        first = action("schedule", events.scheduled(action.state))
        again = action("workflow_dispatch", events.dispatched(action.state), run_id="sweep")

        assert "swept: 1 pull request triaged" in first.log, first
        assert "3 failed jobs" in action.body
        assert "swept: 0 pull requests triaged" in again.log, again
