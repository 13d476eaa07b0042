"""Live and recorded reads of one repository say the same."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakegithub import FakeGitHub, build
from triage.github import connect
from triage.model import MissingLog
from triage.recorded import Recorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.source.protocol import Reads

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def everything(reads: Reads, recorded: Recorded) -> dict[str, Any]:
    """Ask for all that a triage of the recording needs."""
    request = recorded.about["request"]
    run_ids = [request["run"]] if "run" in request else []
    if "pull" in request:
        pull = reads.pull(request["pull"])
        run_ids += [run["id"] for run in reads.runs_at(pull["head"]["sha"]).items]
    answers: dict[str, Any] = {"repository": reads.repository(), "runs": sorted(run_ids)}
    for run_id in run_ids:
        run, page = reads.run(run_id), reads.jobs(run_id)
        answers[f"run {run_id}"] = run
        answers[f"jobs {run_id}"] = (page.items, page.total_count)
        answers[f"pulls {run_id}"] = [one["number"] for one in reads.pulls_of_commit(run["head_sha"]).items]
        answers[f"workflow {run_id}"] = reads.file(run["path"], run["head_sha"])
        for job in page.items:
            if job["conclusion"] in {"failure", "cancelled"}:
                answers[f"log {job['id']}"] = _log(reads, job)
                answers[f"annotations {job['id']}"] = reads.annotations(job["id"]).items
    return answers


def _log(reads: Reads, job: dict[str, Any]) -> object:
    log = reads.log(job)
    if isinstance(log, MissingLog):
        return "missing"  # why it is missing depends on the day the live client asks
    with log.open() as file:
        return log.truncated, file.read()


def _with_addresses_of(fake: FakeGitHub) -> Callable[[Any], Any]:
    """Return what puts GitHub's own addresses back in place of the fake's."""

    def put_back(answer: Any) -> Any:
        text = json.dumps(answer, default=repr, sort_keys=True)
        return json.loads(text.replace(fake.api_url, "https://api.github.com"))

    return put_back


@pytest.mark.parametrize("case", build.names())
def test_the_live_client_reads_from_the_fake_what_the_recording_holds(case: str) -> None:
    recorded = Recorded(build.RUNS / case)
    with (
        FakeGitHub.from_recording(build.RUNS / case) as fake,
        connect(fake.repository, token=fake.token, api_url=fake.api_url) as live,
    ):
        put_back = _with_addresses_of(fake)
        read_live, read_recorded = everything(live, recorded), everything(recorded, recorded)

    assert put_back(read_live) == put_back(read_recorded)


def test_runs_of_main_are_the_same_too() -> None:
    recorded = Recorded(build.RUNS / "case-a")
    with (
        FakeGitHub.from_recording(build.RUNS / "case-a") as fake,
        connect(fake.repository, token=fake.token, api_url=fake.api_url) as live,
    ):
        ids = [
            [run["id"] for run in reads.runs_on("main", workflow="pr-test-xpu.yml", since=LONG_AGO).items]
            for reads in (live, recorded)
        ]

    assert ids[0] == ids[1] == [35301744417, 35293008114, 35280391127, 35266120455]


def test_an_enterprise_server_is_asked_below_its_own_path() -> None:
    with (
        FakeGitHub.from_recording(build.RUNS / "many-jobs", prefix="/api/v3") as fake,
        connect(fake.repository, token=fake.token, api_url=fake.api_url) as live,
    ):
        page = live.jobs(37644410052)

    assert fake.api_url.endswith("/api/v3")
    assert len(page.items) == page.total_count == 230
    assert [one.query["page"] for one in fake.asked("GET */jobs")] == ["1", "2", "3"]


def test_failed_runs_of_others_and_their_pull_requests_are_the_same_too() -> None:
    recorded = Recorded(build.RUNS / "case-a")
    with (
        FakeGitHub.from_recording(build.RUNS / "case-a") as fake,
        connect(fake.repository, token=fake.token, api_url=fake.api_url) as live,
    ):
        failed, pulls = (
            [
                [run["id"] for run in reads.failed_runs("pr-test-mlx.yml", event="pull_request", since=LONG_AGO).items]
                for reads in (live, recorded)
            ],
            [{pull["number"] for pull in reads.recent_pulls().items} for reads in (live, recorded)],
        )
        left = live.requests_left()

    assert failed[0] == failed[1]
    assert len(failed[0]) == 5
    assert pulls[0] == pulls[1]
    assert len(pulls[0]) == 12
    assert left is not None
    assert left < fake.rate_limit
