"""One fault at a time at every place where GitHub is asked, and many at once: a report, never an excuse that is wrong.

The matrix is made from `Reads`, `Writes` and `Acts` themselves: a method without its row in `sites` fails here, and so
does a row that asks GitHub anywhere else than where its faults are.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakegithub import FakeGitHub
from tests.fakegithub.build import RUNS
from tests.fakegithub.faults import PrimaryLimit
from tests.fakegithub.objects.commits import commit
from tests.github.conftest import QUICK
from tests.reliability.sites import (
    ACTS,
    ASK_NOTHING,
    FAULTS,
    IS_THOROUGH,
    READS,
    SIGNATURE,
    WRITES,
    methods_of,
    pairs,
)
from triage.app import triage
from triage.errors import ProviderError
from triage.github import connect, connect_writes
from triage.github.acts import LiveActs
from triage.history.lookback import Limits
from triage.model import Category, MissingLog
from triage.publish import PublishSettings, publish
from triage.publish.marker import read_marker
from triage.recorded import Recorded
from triage.render.markdown import render_markdown
from triage.rules import RuleSet, builtin_rules
from triage.source.acts import Acts, Refusal
from triage.source.protocol import Page, Reads
from triage.source.request import PullRequestRequest
from triage.source.writes import Writes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.model import Report

IMPATIENT = replace(QUICK, retries=1, between_writes=0.0)
# Two regressions and what follows from them: whatever goes wrong must not turn them into somebody else's.
CASE = RUNS / "regression"
ASKS_THE_AUTHOR = frozenset({Category.REGRESSION, Category.UNKNOWN})
BOT = "github-actions[bot]"


@cache
def few_rules() -> RuleSet:
    """Return some of the rules: what is tested here is not what they say, and few are compiled sooner."""
    rules = builtin_rules()
    return replace(rules, rules=rules.rules[:20])


@cache
def pull_number() -> int:
    return int(Recorded(CASE).about["request"]["pull"])


@cache
def without_fault() -> Report:
    return triage(PullRequestRequest(pull_number()), Recorded(CASE), few_rules(), limits=Limits())


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, FakeGitHub]]:
    with (
        FakeGitHub.from_recording(CASE) as whole,
        FakeGitHub.from_recording(RUNS / "lost-runner") as alone,
    ):
        alone.state.commits["main", ""] = [
            commit(alone.repository, "5" * 40, message="Warm up", author="dev-1", at="2026-09-18T09:00:00Z")
        ]
        yield {"whole": whole, "alone": alone}


def fresh(fake: FakeGitHub) -> FakeGitHub:
    fake._plan.clear()
    fake.requests.clear()
    fake.used.clear()
    fake.state.comments.clear()
    fake.state.check_runs.clear()
    fake.state.past.clear()
    return fake


@pytest.fixture
def fake(servers: dict[str, FakeGitHub]) -> FakeGitHub:
    """A GitHub with a pull request to triage whole."""
    return fresh(servers["whole"])


@pytest.fixture
def alone(servers: dict[str, FakeGitHub]) -> FakeGitHub:
    """A GitHub that has an answer to every single question."""
    return fresh(servers["alone"])


# ---------------------------------------------------------------------------------------------------------------------
# The matrix is whole


def test_every_read_has_its_faults() -> None:
    assert set(READS) | ASK_NOTHING >= methods_of(Reads)
    assert set(READS) <= methods_of(Reads)


def test_every_write_has_its_faults() -> None:
    assert set(WRITES) == methods_of(Writes)


def test_every_act_has_its_faults() -> None:
    assert set(ACTS) == methods_of(Acts)


def test_a_part_of_the_matrix_holds_every_place_and_every_fault() -> None:
    for names in (ASKED_BY_A_PULL_REQUEST, tuple(WRITES)):
        part = pairs(names, every=4)

        assert {name for name, _ in part} == set(names)
        assert {fault for _, fault in part} == set(FAULTS)


def asked_elsewhere(fake: FakeGitHub, *addresses: str) -> list[str]:
    """Return what was asked at none of the addresses."""
    asked = [f"{'BLOB' if one.host == 'blob' else one.method} {one.path}" for one in fake.requests]
    assert asked
    return [one for one in asked if not any(fnmatchcase(one, address) for address in addresses)]


@pytest.mark.parametrize("name", READS)
def test_every_read_asks_where_its_faults_are_and_nowhere_else(alone: FakeGitHub, name: str) -> None:
    ask(alone, name)

    assert alone.asked(READS[name].addresses[0])
    assert asked_elsewhere(alone, *READS[name].addresses) == []


@pytest.mark.parametrize("name", ACTS)
@pytest.mark.usefixtures("before")
def test_every_act_asks_where_its_faults_are_and_nowhere_else(alone: FakeGitHub, name: str) -> None:
    act(alone, name)

    assert asked_elsewhere(alone, ACTS[name].address) == []


def test_publishing_asks_only_where_writes_have_their_faults(fake: FakeGitHub) -> None:
    post(fake, without_fault())
    fake.comment(pull_number(), author=BOT, body=ours(fake)[0])
    post(fake, later(without_fault()))

    assert asked_elsewhere(fake, *WRITES.values()) == []
    assert [address for address in WRITES.values() if not fake.asked(address)] == []


def test_a_triage_asks_only_where_reads_have_their_faults(fake: FakeGitHub) -> None:
    triaged(fake)

    assert asked_elsewhere(fake, *(address for site in READS.values() for address in site.addresses)) == []


# ---------------------------------------------------------------------------------------------------------------------
# One question, one fault: the right answer, or none


def ask(fake: FakeGitHub, name: str) -> Any:
    """Ask one question of a connection of its own; return what can be compared."""
    with connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=IMPATIENT, deadline=30) as reads:
        answer = READS[name].call(reads, fake)
        if name != "log" or isinstance(answer, MissingLog):
            return answer
        with answer.open() as file:
            return answer.truncated, file.read()


def is_honest(answer: Any, right: Any, fault: str) -> bool:
    """Whether an answer is the right one, or says itself that it is not whole."""
    match answer:
        case Page():
            return answer == right or not answer.is_whole or (not answer.items and fault in {"404", "410"})
        case MissingLog():
            return bool(answer.why)
        case bool(truncated), bytes(text):
            # Bytes beyond the length that the server told are never seen by anybody.
            is_start = right[1].startswith(text)
            return answer == right or (is_start and (truncated or fault == "longer than told"))
        case None:
            return fault == "404"
        case _:
            return bool(answer == right)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", READS)
def test_a_question_that_always_fails_is_answered_rightly_or_not_at_all(
    alone: FakeGitHub, name: str, fault: str
) -> None:
    right = ask(alone, name)
    for address in READS[name].addresses:
        alone.fail(address, FAULTS[fault], times=None)

    try:
        is_right, said = is_honest(ask(alone, name), right, fault), ""
    except ProviderError as error:
        is_right, said = len(str(error)) > 20, str(error)

    assert is_right
    assert alone.token not in said
    assert SIGNATURE not in said


# ---------------------------------------------------------------------------------------------------------------------
# A whole triage


def triaged(fake: FakeGitHub) -> Report:
    with connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=IMPATIENT, deadline=30) as reads:
        return triage(PullRequestRequest(pull_number()), reads, few_rules(), limits=Limits(seconds=20))


def post(fake: FakeGitHub, report: Report) -> None:
    with connect_writes(
        fake.repository, token=fake.token, api_url=fake.api_url, limits=IMPATIENT, deadline=30
    ) as writes:
        publish(report, writes, settings=PublishSettings(check_run=True), sleep=lambda _: None)


def ours(fake: FakeGitHub) -> list[str]:
    return [one["body"] for one in fake.state.comments.values() if read_marker(one["body"])]


def assert_nothing_is_excused_by_the_fault(report: Report) -> None:
    before = {row.failure.job.id: row.category for row in without_fault().jobs}
    assert [row.failure.job.id for row in report.jobs] == list(before)
    for row in report.jobs:
        assert row.category in ASKS_THE_AUTHOR or before[row.failure.job.id] not in ASKS_THE_AUTHOR
        assert row.because
    assert sum(len(cause.jobs) for cause in report.causes) == len(before)


def assert_what_is_missing_is_told(report: Report) -> None:
    weaker = [(row.category, before.category) for row, before in zip(report.jobs, without_fault().jobs, strict=True)]
    if any(now != before for now, before in weaker):
        assert set(report.gaps) - set(without_fault().gaps)
        assert "listed at the foot" in render_markdown(report)


ASKED_BY_A_PULL_REQUEST = tuple(
    name for name in READS if name not in {"repository", "run", "annotations", "pulls_with_head", "pulls_of_commit"}
)


@pytest.mark.parametrize(("name", "fault"), pairs(ASKED_BY_A_PULL_REQUEST))
def test_whatever_always_fails_the_report_lists_every_job_and_excuses_none(
    fake: FakeGitHub, name: str, fault: str
) -> None:
    site = READS[name]
    for address in site.addresses:
        fake.fail(address, FAULTS[fault], times=None)

    report = None
    with suppress(ProviderError):
        report = triaged(fake)

    if report is None:
        assert site.nothing_without
        return
    assert_nothing_is_excused_by_the_fault(report)
    assert_what_is_missing_is_told(report)
    post(fake, report)
    assert len(ours(fake)) == 1


@pytest.mark.parametrize("seed", range(200 if IS_THOROUGH else 8))
def test_many_faults_at_once_excuse_nothing_and_leave_one_comment(fake: FakeGitHub, seed: int) -> None:
    chance = random.Random(seed)
    addresses = [address for name in ASKED_BY_A_PULL_REQUEST for address in READS[name].addresses]
    for address in sorted({*addresses, *WRITES.values()}):
        if chance.random() < 0.4:
            fault = FAULTS[chance.choice(sorted(FAULTS))]
            fake.fail(address, fault, nth=chance.randint(1, 3), times=chance.choice([1, 2, None]))

    with suppress(ProviderError):
        report = triaged(fake)
        assert_nothing_is_excused_by_the_fault(report)
        post(fake, report)

    fake._plan.clear()
    post(fake, without_fault())
    post(fake, later(without_fault()))
    assert len(ours(fake)) == 1


# ---------------------------------------------------------------------------------------------------------------------
# Writes


def later(report: Report, minutes: int = 5) -> Report:
    assert report.as_of is not None
    return replace(report, as_of=report.as_of + timedelta(minutes=minutes))


@pytest.mark.parametrize(("name", "fault"), pairs(tuple(WRITES)))
def test_whatever_fails_while_writing_one_comment_is_left_in_the_end(fake: FakeGitHub, name: str, fault: str) -> None:
    post(fake, without_fault())
    if name == "create_comment":
        fresh(fake)
    if name == "delete_comment":
        fake.comment(pull_number(), author=BOT, body=ours(fake)[0])
    fake.fail(WRITES[name], FAULTS[fault], times=2)

    post(fake, later(without_fault()))  # whatever comes of it, it does not raise
    post(fake, later(without_fault(), 10))
    fake._plan.clear()
    post(fake, later(without_fault(), 15))

    assert len(ours(fake)) == 1
    assert render_markdown(later(without_fault(), 15)) in ours(fake)[0]


# ---------------------------------------------------------------------------------------------------------------------
# Acts


@pytest.fixture
def before(alone: FakeGitHub) -> Iterator[None]:
    """Let a GitHub forget what is done there."""
    alone.state.roles["passer-by"] = "read"
    alone.state.labels.add("run-ci")
    state, alone.state = alone.state, deepcopy(alone.state)
    yield
    alone.state = state


def act(fake: FakeGitHub, name: str) -> Any:
    with connect_writes(
        fake.repository, token=fake.token, api_url=fake.api_url, limits=IMPATIENT, deadline=30
    ) as writes:
        return ACTS[name].call(LiveActs(fake.repository, client=writes.client), fake)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ACTS)
@pytest.mark.usefixtures("before")
def test_an_act_that_fails_is_done_once_at_most_and_says_so(alone: FakeGitHub, name: str, fault: str) -> None:
    done = ACTS[name].done or (lambda _: 0)
    began = done(alone)
    alone.fail(ACTS[name].address, FAULTS[fault], times=None)

    answer, said = None, ""
    try:
        answer = act(alone, name)
    except ProviderError as error:
        said = str(error)

    assert done(alone) - began <= 1
    assert alone.token not in said
    assert SIGNATURE not in said
    if said or isinstance(answer, Refusal):
        return
    if ACTS[name].done is not None:
        assert done(alone) - began == 1
        return
    alone._plan.clear()
    assert answer == act(alone, name) or (name, fault) in ANSWERED_OTHERWISE


# A label that is not found is one that does not exist; a list may be behind.
ANSWERED_OTHERWISE = frozenset({("knows_label", "404"), ("comments_since", "stale")})


# ---------------------------------------------------------------------------------------------------------------------
# Clocks, and gaps that nobody wrote


@pytest.mark.parametrize("days", [-1, 1])
def test_a_clock_that_is_a_day_off_neither_hangs_nor_excuses(fake: FakeGitHub, days: int) -> None:
    """GitHub tells when its limit ends as a time; ours may be another."""
    fake.fail("GET */actions/jobs/*/logs", PrimaryLimit(resets_in=days * 86_400))
    began = time.monotonic()

    report = triaged(fake)

    assert time.monotonic() - began < 60
    assert_nothing_is_excused_by_the_fault(report)
    assert_what_is_missing_is_told(report)


def test_a_gap_says_what_and_why(fake: FakeGitHub) -> None:
    fake.fail("GET */contents/*", FAULTS["500"], times=None)

    gaps = triaged(fake).gaps

    assert gaps
    assert all(gap.what and gap.why for gap in gaps)
