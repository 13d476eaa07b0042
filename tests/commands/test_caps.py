"""No more commands and re-runs than the caps allow, however many ask at once (T10, T29)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.commands.desk import Again
from tests.fakegithub import Stale, Status
from tests.publish.simulation import EPOCH, Clock, SimulatedWrites, World
from triage.entry.command.answers import Does, Refused, read_note
from triage.entry.command.caps import take_number
from triage.entry.command.event import Asked, Person
from triage.entry.command.table import COMMANDS
from triage.entry.command.turn import House, Turn
from triage.entry.own_rules import OwnRules
from triage.errors import ProviderError
from triage.rules import builtin_rules
from triage.settings import CommandCaps, RerunCaps, Settings

if TYPE_CHECKING:
    from datetime import datetime

    from tests.commands.desk import Desk
    from triage.source.writes import Comment

RERUN = next(command for command in COMMANDS if command.name == "rerun")
WRITERS = 60


class OneRepository:
    """Of `Acts`, what counting needs."""

    def __init__(self, writes: SimulatedWrites) -> None:
        self._writes = writes

    def comments_since(self, since: datetime) -> tuple[Comment, ...]:
        return self._writes.comments(0)


def a_turn(world: World, *, number: int, person: int, comment: int, caps: Settings) -> Turn:
    writes = SimulatedWrites(world)
    house = House(
        reads=cast("Any", None),
        writes=writes,
        acts=cast("Any", OneRepository(writes)),
        own=OwnRules(settings=caps, rules=builtin_rules()),
        store=None,
        now=EPOCH,
        lag=world.lag,
        sleep=world.clock.wait,
    )
    asked = Asked(
        repository="acme/engine",
        default_branch="main",
        number=number,
        comment_id=comment,
        at=EPOCH,
        line="/triage rerun",
        person=Person(login=f"person-{person}", id=person),
        author_id=None,
    )
    return Turn(asked, RERUN, (), house, own_id=None)


def reruns(caps: RerunCaps) -> Settings:
    """Return settings that bound re-runs alone."""
    return Settings(rerun_caps=caps, command_caps=CommandCaps(pull=1_000, person=1_000))


class Rush:
    """60 people who ask within a few seconds, on some pull requests."""

    def __init__(self, seed: int, settings: Settings, *, pulls: int, people: int, claims: Does = Does.RERUN) -> None:
        self.random = random.Random(seed)
        self.clock = Clock()
        self.world = World(self.clock, self.random, lag=3.0, lost=0.2)
        self.settings = settings
        self.claims = claims
        self.acted: list[tuple[int, int]] = []
        self.clock.run([self._asking(place % pulls, place % people, place) for place in range(WRITERS)])

    def _asking(self, number: int, person: int, comment: int) -> Any:
        def ask() -> None:
            self.clock.wait(self.random.uniform(0, 4))
            turn = a_turn(self.world, number=number, person=person, comment=comment, caps=self.settings)
            try:
                take_number(turn, self.claims)
            except (Refused, ProviderError):
                return
            self.acted.append((number, person))

        return ask


@pytest.mark.parametrize("seed", range(15))
def test_t10_sixty_who_ask_at_once_get_no_more_than_the_cap(seed: int) -> None:
    rush = Rush(seed, reruns(RerunCaps(pull=5, person=1_000, day=1_000)), pulls=1, people=WRITERS)

    assert 0 < len(rush.acted) <= 5


@pytest.mark.parametrize("seed", range(5))
def test_t10_one_person_on_many_pull_requests_gets_no_more_than_the_cap(seed: int) -> None:
    rush = Rush(seed, reruns(RerunCaps(pull=1_000, person=3, day=1_000)), pulls=WRITERS, people=2)

    assert {person for _, person in rush.acted} <= {0, 1}
    assert all(sum(who == person for _, who in rush.acted) <= 3 for person in (0, 1))


@pytest.mark.parametrize("seed", range(5))
def test_t10_a_whole_repository_gets_no_more_than_the_cap(seed: int) -> None:
    rush = Rush(seed, reruns(RerunCaps(pull=1_000, person=1_000, day=7)), pulls=WRITERS, people=WRITERS)

    assert 0 < len(rush.acted) <= 7


@pytest.mark.parametrize("seed", range(3))
def test_t29_sixty_commands_at_once_cost_no_more_triages_than_the_cap(seed: int) -> None:
    rush = Rush(
        seed, Settings(command_caps=CommandCaps(pull=8, person=1_000)), pulls=1, people=WRITERS, claims=Does.LOOKED
    )

    assert 0 < len(rush.acted) <= 8


@pytest.mark.parametrize("seed", range(3))
def test_t29_one_person_on_many_pull_requests_costs_no_more_triages_than_the_cap(seed: int) -> None:
    rush = Rush(
        seed, Settings(command_caps=CommandCaps(pull=1_000, person=3)), pulls=WRITERS, people=2, claims=Does.LOOKED
    )

    assert all(0 < sum(who == person for _, who in rush.acted) <= 3 for person in (0, 1))


@pytest.mark.parametrize("seed", range(5))
def test_those_who_asked_first_are_those_who_get_it(seed: int) -> None:
    rush = Rush(seed, reruns(RerunCaps(pull=5, person=1_000, day=1_000)), pulls=1, people=WRITERS)
    notes = [read_note(comment.body) for _, comment in sorted(rush.world.comments.items())]

    assert {person for _, person in rush.acted} <= {note.by for note in notes[:5] if note is not None}


# --------------------------------------------------------------------------------------------------------------------
# On the fake


@pytest.fixture
def desk(lost_runner: Desk) -> Desk:
    lost_runner.settings("version: 1\ncompare: {requests: 0}\nrerun_caps: {pull: 2, person: 1, day: 3}\n")
    return lost_runner


def test_t10_of_ten_requests_one_after_the_other_no_more_than_the_cap_act(desk: Desk) -> None:
    again = Again(desk)
    refused = 0
    for place in range(10):
        refused += desk.say("/triage rerun", by=desk.let(f"writer-{place}", "write")).is_refused
        again.fail()

    assert len(desk.reruns) == 2
    assert refused == 8


def test_a_cap_that_is_reached_is_told_once_and_leaves_no_comment_more(desk: Desk) -> None:
    again = Again(desk)
    writer = desk.let("writer-w", "write")
    first = desk.say("/triage rerun", by=writer)
    again.fail()
    second = desk.say("/triage rerun", by=writer)
    third = desk.say("/triage rerun", by=writer)

    assert first.is_done
    assert second.is_refused
    assert second.text == "Within 24 hours at most 1 re-runs may be asked for by one person."
    assert third.is_refused
    assert not third.answers


def test_what_was_refused_does_not_count(desk: Desk) -> None:
    desk.say("/triage rerun", by="somebody")
    desk.say("/triage explain gpu", by="somebody")

    assert desk.say("/triage rerun", by=desk.let("writer-w", "write")).is_done


def test_a_re_run_that_github_refused_does_not_count(desk: Desk) -> None:
    writer = desk.let("writer-w", "write")
    desk.fake.state.runs[37200881056]["created_at"] = "2026-08-01T00:00:00Z"
    desk.say("/triage rerun", by=writer)
    desk.fake.state.runs[37200881056]["created_at"] = "2026-10-12T07:00:00Z"

    assert desk.say("/triage rerun", by=writer).is_done


def test_a_forged_note_of_ours_takes_nothing_from_anybody(desk: Desk) -> None:
    for number in range(5):
        note = f"<!-- ci-triage answer to={number} pull=561 by=1 does=rerun why=- nonce={'0' * 16} -->\n"
        desk.fake.comment(desk.number, author="mallory", body=note)

    assert desk.say("/triage rerun", by=desk.let("writer-w", "write")).is_done


@pytest.mark.parametrize("line", ["/triage", "/triage explain gpu", "/triage explain nonsense", "/triage wrong gpu"])
def test_t29_what_costs_a_triage_is_answered_so_many_times_a_day(desk: Desk, line: str) -> None:
    desk.settings("version: 1\ncompare: {requests: 0}\ncommand_caps: {person: 2}\n")
    triager = desk.let("triager", "triage")

    said = [desk.say(line, by=triager) for _ in range(4)]
    before = len(desk.fake.asked("GET */actions/runs"))
    another = desk.say("/triage", by=desk.let("reader", "read"))

    assert [len(one.answers) for one in said] == [1, 1, 1, 0]
    assert said[2].text == "Within 24 hours at most 2 commands of one person are answered."
    assert before == 2
    assert another.is_done


def test_t29_a_pull_request_too_is_looked_at_so_many_times_a_day(desk: Desk) -> None:
    desk.settings("version: 1\ncompare: {requests: 0}\ncommand_caps: {pull: 1}\n")

    said = [desk.say("/triage explain gpu", by=desk.let(f"reader-{place}", "read")) for place in range(2)]

    assert said[0].is_done
    assert said[1].text == "Within 24 hours at most 1 commands are answered on one pull request."


def test_t29_a_re_run_is_a_command_too_and_help_is_none(desk: Desk) -> None:
    desk.settings("version: 1\ncompare: {requests: 0}\ncommand_caps: {person: 1}\n")
    writer = desk.let("writer-w", "write")

    assert desk.say("/triage help", by=writer).is_done
    assert desk.say("/triage rerun", by=writer).is_done
    assert desk.say("/triage", by=writer).is_refused
    assert desk.say("/triage help", by=writer).is_done


def test_where_github_cannot_count_nothing_is_run_again(desk: Desk) -> None:
    desk.fake.fail("GET */issues/comments", Status(status=502), times=None)

    said = desk.say("/triage rerun", by=desk.let("writer-w", "write"))

    assert said.reactions == ("eyes", "confused")
    assert not desk.reruns


def test_where_githubs_list_does_not_even_show_our_own_comment_nothing_is_run_again(desk: Desk) -> None:
    desk.fake.fail("GET */issues/comments", Stale(writes=1), times=None)

    said = desk.say("/triage rerun", by=desk.let("writer-w", "write"))

    assert said.is_refused
    assert not desk.reruns


def test_a_claim_whose_receipt_is_lost_is_found_by_its_nonce(desk: Desk) -> None:
    desk.fake.fail("POST */issues/*/comments", Status(status=502, stored=True))

    said = desk.say("/triage rerun", by=desk.let("writer-w", "write"))

    assert said.is_done
    assert said.text.startswith("**Running again**")
    assert len(desk.fake.asked("POST */issues/*/comments")) == 1


def test_a_claim_that_was_not_stored_is_no_claim(desk: Desk) -> None:
    desk.fake.fail("POST */issues/*/comments", Status(status=502))

    said = desk.say("/triage rerun", by=desk.let("writer-w", "write"))

    assert said.code == 3
    assert said.reactions == ("eyes", "confused")
    assert not desk.reruns
