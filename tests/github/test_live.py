"""A live GitHub and a recording of it give the same facts, fault by fault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakegithub.faults import (
    Cut,
    Dropped,
    Elsewhere,
    Forbidden,
    Gone,
    Html,
    PrimaryLimit,
    SecondaryLimit,
    Status,
    TooMany,
    Unauthorized,
    WrongLength,
)
from tests.fakegithub.server import FakeGitHub
from tests.github.conftest import QUICK
from triage.errors import ProviderError
from triage.gather import gather
from triage.github import connect
from triage.logs import TEST_TRIGGERS
from triage.matching import Scanner
from triage.model import Log, LogState, MissingLog
from triage.recorded import Recorded, Recorder
from triage.source.request import PullRequestRequest, RunRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fakegithub.faults import Fault
    from triage.github.budget import Limits
    from triage.github.reads import LiveReads
    from triage.model import Facts
    from triage.source import Reads
    from triage.source.request import Request

RUNS = Path(__file__).parent.parent / "fixtures" / "runs"
CASE_A = RUNS / "case-a"
# A fork's run: three red jobs, found by branch, compared, with its workflow file.
SMALL = RUNS / "fork"
PULL = PullRequestRequest(39471)
XPU_RUN = RunRequest(35296443077)
SCANNER = Scanner(TEST_TRIGGERS)
IMPATIENT = replace(QUICK, retries=1)


def request_of(recording: Path) -> Request:
    asked = Recorded(recording).about["request"]
    return RunRequest(asked["run"]) if "run" in asked else PullRequestRequest(asked["pull"])


def facts_of(reads: Reads, request: Request = PULL) -> Facts:
    return gather(reads, request, SCANNER)


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub.from_recording(CASE_A) as fake:
        yield fake


@pytest.fixture
def live(fake: FakeGitHub) -> Iterator[LiveReads]:
    with connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=QUICK) as reads:
        yield reads


@pytest.fixture
def small() -> Iterator[FakeGitHub]:
    with FakeGitHub.from_recording(SMALL) as fake:
        yield fake


def facts_of_small(fake: FakeGitHub, *, limits: Limits = QUICK) -> Facts:
    with connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=limits) as reads:
        return facts_of(reads, request_of(SMALL))


@pytest.mark.parametrize(
    "case",
    [
        "all-green",
        "case-a",
        "case-b",
        "fork",
        "hostile-log",
        "in-progress",
        "lost-runner",
        "many-jobs",
        "no-jobs",
        "rerun",
        "truncated-log",
    ],
)
@pytest.mark.parametrize("prefix", ["", "/api/v3"], ids=["github.com", "enterprise"])
def test_live_and_recorded_runs_are_the_same_to_everything_above(case: str, prefix: str) -> None:
    request = request_of(RUNS / case)

    with (
        FakeGitHub.from_recording(RUNS / case, prefix=prefix) as fake,
        connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=QUICK) as reads,
    ):
        facts = facts_of(reads, request)

    assert facts == facts_of(Recorded(RUNS / case), request)
    assert case == "case-a" or reads.requests_made <= len(facts.red) + 8


@pytest.mark.parametrize("request_", [PULL, XPU_RUN])
def test_what_was_recorded_triages_like_what_was_live(live: LiveReads, tmp_path: Path, request_: Request) -> None:
    recorder = Recorder(live, tmp_path, request=request_)

    facts = facts_of(recorder, request_)

    assert facts_of(Recorded(tmp_path), request_) == facts


def test_one_run_of_a_recorded_pull_request_can_be_triaged_alone(live: LiveReads, tmp_path: Path) -> None:
    facts_of(Recorder(live, tmp_path, request=PULL))

    alone = facts_of(Recorded(tmp_path), XPU_RUN)

    assert [run.id for run in alone.runs] == [XPU_RUN.run_id]
    assert alone.pull is not None
    assert alone.pull.number == PULL.number


def test_case_a_costs_its_21_jobs_and_13_requests(fake: FakeGitHub, live: LiveReads) -> None:
    facts = facts_of(live)

    # A log for each of the 18 jobs that left one, annotations of the 3 that did not; for the 5 runs their jobs and
    # workflow files; the pull request, the list of runs, the comparison.
    assert len(facts.red) == 21
    assert live.requests_made == len(fake.asked()) == 21 + 2 * 5 + 3


def test_a_single_run_costs_its_jobs_and_five_requests(fake: FakeGitHub, live: LiveReads) -> None:
    facts = facts_of(live, XPU_RUN)

    assert len(facts.red) == 2
    assert len(fake.asked()) == 2 + 5


def test_threads_share_connections_and_never_at_once(fake: FakeGitHub, live: LiveReads) -> None:
    facts_of(live)

    assert 1 <= len(live.client._idle) <= 8


def test_the_store_never_sees_the_token(fake: FakeGitHub, live: LiveReads) -> None:
    facts_of(live)

    seen = fake.asked(host="blob")
    assert len(seen) == 18
    assert {request.authorization for request in seen} == {None}


def test_a_renamed_repository_is_found_under_its_new_name(fake: FakeGitHub) -> None:
    fake.state.old_names.add("acme-ml/motor")
    with connect("acme-ml/motor", token=fake.token, api_url=fake.api_url, limits=QUICK) as reads:
        facts = facts_of(reads)

    assert facts.repository.full_name == "acme-ml/engine"
    assert facts.jobs == facts_of(Recorded(CASE_A)).jobs


@pytest.mark.parametrize(
    ("granted", "missing", "what"),
    [
        ({"pull_requests": "read"}, "actions", "the runs at commit"),
        ({"actions": "read"}, "pull-requests", "pull request #39471"),
    ],
)
def test_a_permission_that_nothing_works_without_is_named(
    fake: FakeGitHub, granted: dict[str, Any], missing: str, what: str
) -> None:
    token = fake.add_token("github-actions[bot]", metadata="read", contents="read", checks="read", **granted)

    with (
        connect(fake.repository, token=token, api_url=fake.api_url, limits=QUICK) as reads,
        pytest.raises(ProviderError, match=f"read {what}.*it needs the permission `{missing}: read`"),
    ):
        facts_of(reads)


def test_without_checks_and_contents_all_the_rest_is_told(fake: FakeGitHub) -> None:
    token = fake.add_token("github-actions[bot]", actions="read", pull_requests="read", metadata="read")

    with connect(fake.repository, token=token, api_url=fake.api_url, limits=QUICK) as reads:
        facts = facts_of(reads)

    assert len(facts.red) == 21
    said = "\n".join(map(str, facts.gaps))
    assert "`checks: read`" in said
    assert "`contents: read`" in said
    assert all(isinstance(job.log, Log) for job in facts.red if not job.job.never_started and job.annotations == ())


EVERY_ADDRESS = (
    "GET */actions/runs/*",
    "GET */actions/runs/*/jobs",
    "GET */pulls*",
    "GET */compare/*",
    "GET */contents/*",
    "GET */actions/jobs/*/logs",
    "BLOB *",
)


@pytest.mark.parametrize("fault", [Status(status=502), Dropped(), Cut(at=10)], ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("pattern", EVERY_ADDRESS)
def test_a_passing_fault_at_any_address_changes_nothing(small: FakeGitHub, pattern: str, fault: Fault) -> None:
    small.fail(pattern, fault)

    assert facts_of_small(small) == facts_of(Recorded(SMALL), request_of(SMALL))


@pytest.mark.parametrize("pattern", EVERY_ADDRESS[2:])
def test_a_lasting_failure_beyond_the_jobs_still_lists_every_job(small: FakeGitHub, pattern: str) -> None:
    small.fail(pattern, Status(status=500), times=None)

    facts = facts_of_small(small)

    # Logs that cannot be had one by one came in the run's archive; nothing is missing then.
    assert bool(facts.gaps) is (pattern != "GET */actions/jobs/*/logs")
    recorded = facts_of(Recorded(SMALL), request_of(SMALL))
    assert facts.jobs == recorded.jobs
    assert [job.job for job in facts.red] == [job.job for job in recorded.red]


def test_jobs_of_one_run_that_cannot_be_read_are_a_gap_among_the_others(fake: FakeGitHub, live: LiveReads) -> None:
    fake.fail("GET */actions/runs/*/jobs", Status(status=500), nth=2, times=None)

    facts = facts_of(live)

    assert facts.red
    assert any(gap.hides_jobs for gap in facts.gaps)


def test_a_limit_in_the_middle_leaves_the_jobs_and_says_when_to_come_back(fake: FakeGitHub, live: LiveReads) -> None:
    fake.fail("GET */actions/jobs/*/logs", PrimaryLimit(resets_in=3_000), nth=4, times=None)

    facts = facts_of(live)

    assert len(facts.red) == 21
    assert any("request limit is used up until" in str(gap) for gap in facts.gaps)
    unread = [job for job in facts.red if isinstance(job.log, MissingLog) and job.log.state is LogState.UNREADABLE]
    # Eight threads may each have asked before the first of them was told.
    assert len(unread) >= 21 - 3 - 3
    assert len(fake.asked("GET */actions/jobs/*/logs")) <= 3 + 8


def test_a_log_that_is_forbidden_alone_is_told(fake: FakeGitHub, live: LiveReads) -> None:
    fake.fail("GET */actions/jobs/*/logs", Forbidden(), times=None)

    facts = facts_of(live)

    assert any("`actions: read`" in str(gap) and "logs of" in gap.what for gap in facts.gaps)


def test_a_log_that_was_cut_is_truncated(fake: FakeGitHub, live: LiveReads) -> None:
    fake.fail("BLOB *", Cut(at=500), times=None)

    facts = facts_of(live)

    logs = [job.log for job in facts.red if isinstance(job.log, Log)]
    assert logs
    assert all(log.truncated for log in logs)


LASTING = (
    Status(status=500),
    PrimaryLimit(),
    SecondaryLimit(retry_after=86_400),
    TooMany(),
    Forbidden(),
    Unauthorized(),
    Gone(),
    Dropped(),
    Cut(at=10),
    WrongLength(by=100),
    Html(),
    Elsewhere(location="http://169.254.169.254/x?sig=s1gnature"),
    Elsewhere(location="file:///etc/passwd?sig=s1gnature", status=301),
)


@pytest.fixture(scope="module")
def faulty() -> Iterator[FakeGitHub]:
    with FakeGitHub.from_recording(SMALL) as fake:
        yield fake


@pytest.mark.parametrize("fault", LASTING, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("pattern", ["GET */actions/runs/*", "GET */pulls*", "GET */co*", "GET */logs", "BLOB *"])
def test_any_lasting_fault_leaves_a_report_or_a_sentence(faulty: FakeGitHub, pattern: str, fault: Fault) -> None:
    faulty._plan.clear()
    faulty.fail(pattern, fault, times=None)
    said = ""
    try:
        facts = facts_of_small(faulty, limits=IMPATIENT)
    except ProviderError as error:
        said = str(error)
    else:
        assert len(facts.red) == 3
        said = str(facts)

    assert faulty.token not in said
    assert "s1gnature" not in said
    assert not [request for request in faulty.asked(host="blob") if request.authorization]
