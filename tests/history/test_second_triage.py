"""A second triage of the same pull request asks GitHub for nothing that the first was told for good."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.fakegithub import FakeGitHub, build
from triage.app import triage
from triage.github import connect
from triage.history.lookback import Limits
from triage.history.store import Store
from triage.model import Gap
from triage.recorded import Recorded
from triage.render.json_report import render_json
from triage.rules import builtin_rules
from triage.source.request import PullRequestRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from triage.model import Report

ASK = PullRequestRequest(number=39471)
RULES = builtin_rules()
MAY_CHANGE = (
    "/pulls/39471",  # its labels, its head
    "/actions/runs",  # runs that began since, or were run again
    "/compare/main...5f0c1de4b7a90c3e2d81f6a5940be7c1d3286f0a",  # main moves
)


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub.from_recording(build.RUNS / "case-a") as running:
        yield running


def asked(fake: FakeGitHub, store: Store) -> tuple[Report, list[str]]:
    """Triage; return the report and the paths that were asked for, below the repository's."""
    before = len(fake.requests)
    with connect(fake.repository, token=fake.token, api_url=fake.api_url) as live:
        report = triage(ASK, live, RULES, limits=Limits(), store=store)
    return report, [request.path.removeprefix(f"/repos/{fake.repository}") for request in fake.requests[before:]]


def test_the_second_triage_asks_only_for_what_may_have_changed(fake: FakeGitHub, tmp_path: Path) -> None:
    with Store.open(tmp_path / "history.db") as store:
        first, _ = asked(fake, store)
        second, paths = asked(fake, store)

    assert sorted(paths) == sorted(MAY_CHANGE)
    assert render_json(second) == render_json(first)


def test_what_the_triage_of_another_pull_request_has_read_is_not_read_again(fake: FakeGitHub, tmp_path: Path) -> None:
    """Its jobs and its logs are there: looking back takes them from the history."""
    witness = PullRequestRequest(number=38779)
    with (
        Store.open(tmp_path / "history.db") as store,
        connect(fake.repository, token=fake.token, api_url=fake.api_url) as live,
    ):
        triage(witness, live, RULES, store=store)
        _, paths = asked(fake, store)

    its_run = next(run for run in fake.state.runs.values() if run["head_branch"] == "router-warm-up")
    its_jobs = [job["id"] for job in fake.state.jobs_of(its_run["id"])]
    assert f"/actions/runs/{its_run['id']}/jobs" not in paths
    assert not {f"/actions/jobs/{number}/logs" for number in its_jobs} & set(paths)


def test_a_database_that_breaks_is_a_gap_and_nothing_else(tmp_path: Path) -> None:
    recorded = Recorded(build.RUNS / "case-a")
    with Store.open(tmp_path / "history.db") as store:
        sound = triage(ASK, recorded, RULES, limits=Limits())
        with closing(sqlite3.connect(tmp_path / "history.db")) as connection:
            connection.executescript("DROP TABLE triage_kept; DROP TABLE triage_sighting;")
        broken = triage(ASK, recorded, RULES, limits=Limits(), store=store)

    assert broken.verdict is sound.verdict
    assert [gap for gap in broken.gaps if gap not in sound.gaps]
    assert {gap.what for gap in broken.gaps if gap not in sound.gaps} == {"history"}


def test_a_store_that_could_not_be_opened_is_a_gap(tmp_path: Path) -> None:
    gap = Gap("history", "the disk is gone")

    report = triage(ASK, Recorded(build.RUNS / "case-a"), RULES, store=gap)

    assert gap in report.gaps


def test_lists_are_asked_for_again_after_a_while(tmp_path: Path) -> None:
    from triage.history.lookback.memory import FRESH, StoredAnswers
    from triage.history.lookback.questions import FailedRuns
    from triage.model import Repository

    times = [datetime(2026, 9, 18, 8, tzinfo=UTC)]
    question = FailedRuns("ci.yml", "pull_request", times[0] - timedelta(days=7))
    with Store.open(tmp_path / "history.db") as store:
        memory = StoredAnswers(store, Repository(full_name="acme/engine"), reader="r", clock=lambda: times[0])
        memory.keep({question: ()})
        soon = memory.recall([question])
        times[0] += FRESH
        later = memory.recall([question])

    assert soon == {question: ()}
    assert later == {}
