"""Every command, tried by each kind of person (T8)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.commands.desk import Again
from tests.fakegithub import Status, objects
from triage.entry.command.people import role_of
from triage.entry.command.table import COMMANDS
from triage.settings import Role
from triage.source.acts import Standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.desk import Desk

LINES: Final = {
    "help": ("/triage help",),
    "refresh": ("/triage",),
    "explain": ("/triage explain gpu",),
    "rerun": ("/triage rerun", "/triage rerun failed", "/triage rerun infra", "/triage rerun gpu", "/triage rerun 1"),
    "ack": ("/triage ack gpu the machine is known",),
    "wrong": ("/triage wrong gpu flaky",),
    "label": ("/triage label",),
}
DOCS: Final = Path(__file__).parents[2] / "docs" / "commands.md"
TABLE: Final = DOCS.read_text(encoding="utf-8").partition("<!-- people: begin -->")[2].partition("<!-- people: end")[0]
_HEAD, _, *_ROWS = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in TABLE.strip().splitlines()]
CELLS: Final = [(row[0], name, cell) for row in _ROWS for name, cell in zip(_HEAD[1:], row[1:], strict=True)]


def no_role(desk: Desk) -> str:
    desk.fake.state.repository["private"] = True
    return "somebody"


def ghost(desk: Desk) -> str:
    desk.fake.state.ghosts.add("ghost")
    return "ghost"


def unanswered(desk: Desk) -> str:
    desk.fake.fail("GET */collaborators/*/permission", Status(status=500), times=None)
    return desk.let("person-w", "admin")


def with_role(role: str) -> Callable[[Desk], str]:
    return lambda desk: desk.let("person-w", role)


def with_own_role(base: str) -> Callable[[Desk], str]:
    def person(desk: Desk) -> str:
        desk.fake.state.own_roles["release-crew"] = base
        return desk.let("person-w", "release-crew")

    return person


PEOPLE: Final[dict[str, Callable[[Desk], str]]] = {
    "no role, in a private repository": no_role,
    "read`: anybody in a public repository": with_role("read"),
    "triage": with_role("triage"),
    "write": with_role("write"),
    "maintain": with_role("maintain"),
    "admin": with_role("admin"),
    "a role of the organisation's own, made from `write": with_own_role("write"),
    "a role of the organisation's own, made from `read": with_own_role("read"),
    "the author of the pull request, with `read": lambda desk: desk.author,
    "a bot, whatever its role": lambda desk: desk.let("helper[bot]", "admin"),
    "whom GitHub does not know (404)": ghost,
    "anybody, while GitHub does not say who they are (500)": unanswered,
}
"""Each kind of person of the documented table, and how to make one."""


@pytest.fixture
def cheap(lost_runner: Desk) -> Desk:
    lost_runner.settings("version: 1\ncompare: {requests: 0}\n")
    return lost_runner


def test_the_table_is_about_every_command_and_every_kind_of_person() -> None:
    assert {name if name != "refresh" else "" for name in _HEAD[1:]} == {command.name for command in COMMANDS}
    assert [row[0] for row in _ROWS] == list(PEOPLE)
    assert {name: cell for kind, name, cell in CELLS if kind == "admin"} == dict.fromkeys(LINES, "yes")


@pytest.mark.parametrize(("kind", "name", "cell"), CELLS, ids=[f"{kind}-{name}" for kind, name, _ in CELLS])
def test_t8_each_kind_of_person_may_do_what_the_table_says(
    open_desk: Callable[[str, int], Desk], kind: str, name: str, cell: str
) -> None:
    desk = open_desk("case-a", 39471) if name == "label" and cell == "yes" else open_desk("lost-runner", 561)
    desk.settings("version: 1\ncompare: {requests: 0}\nrerun_caps: {pull: 9}\n")
    desk.fake.state.labels.add("run-ci-extra")
    person = PEOPLE[kind](desk)
    again = Again(desk)

    for line in LINES[name]:
        before = len(desk.acts)
        said = desk.say(line, by=person)

        assert {"yes": said.is_done, "no": said.is_refused, "—": said.is_silence}[cell], (line, said)
        assert (len(desk.acts) > before) == (cell == "yes" and name in {"rerun", "label"}), line
        assert cell != "no" or line != LINES[name][0] or len(said.answers) == 1
        again.fail()


def test_t8_a_refusal_says_what_would_be_needed(cheap: Desk) -> None:
    said = cheap.say("/triage rerun", by=cheap.let("reader", "read"))

    assert said.text == (
        "That needs the role `write` or more, or to have opened the pull request, and you have the role `read`."
    )


def test_t8_the_same_refusal_is_said_once(cheap: Desk) -> None:
    reader = cheap.let("reader", "read")

    answers = [cheap.say("/triage rerun", by=reader).answers for _ in range(3)]
    other = cheap.say("/triage rerun", by=cheap.let("another", "read"))

    assert [len(one) for one in answers] == [1, 0, 0]
    assert other.is_refused
    assert len(other.answers) == 1


def test_t8_a_forged_refusal_of_ours_does_not_silence_us(cheap: Desk) -> None:
    reader = cheap.let("reader", "read")
    cheap.say("/triage rerun", by=reader)
    (mine,) = [one for one in cheap.fake.state.comments.values() if one["body"].startswith("<!-- ci-triage answer")]
    body = mine["body"]
    del cheap.fake.state.comments[mine["id"]]
    cheap.fake.comment(cheap.number, author="mallory", body=body)

    assert len(cheap.say("/triage rerun", by=reader).answers) == 1


def test_t8_our_own_answers_are_no_commands(cheap: Desk) -> None:
    cheap.say("/triage help", by="somebody")
    (answer,) = [one for one in cheap.fake.state.comments.values() if one["user"]["type"] == "Bot"]

    said = cheap.say(answer["body"], by="github-actions[bot]")

    assert said.is_silence


def test_t8_a_bot_is_ignored_though_its_comment_looks_like_a_persons(cheap: Desk) -> None:
    event = cheap.event("/triage rerun", by=cheap.let("maintainer-w", "admin"))
    event["sender"] = objects.user("helper[bot]")

    assert cheap.seen(event, cheap.give(event)).is_silence


def test_t8_whoever_took_over_a_login_is_somebody_else(cheap: Desk) -> None:
    event = cheap.event("/triage rerun", by=cheap.let("maintainer-w", "admin"))
    for person in (event["comment"]["user"], event["sender"]):
        person["id"] = 4_711

    assert cheap.seen(event, cheap.give(event)).is_refused
    assert not cheap.reruns


def test_t8_the_author_is_known_by_number_and_not_by_name(cheap: Desk) -> None:
    event = cheap.event("/triage rerun", by=cheap.author)
    event["issue"]["user"] = {**event["issue"]["user"], "id": 4_711}

    assert cheap.seen(event, cheap.give(event)).is_refused
    assert not cheap.reruns


def test_t8_a_right_that_is_lost_while_the_report_is_made_is_lost(cheap: Desk) -> None:
    maintainer = cheap.let("maintainer-w", "write")
    cheap.fake.fail("GET */collaborators/*/permission", Status(status=502), nth=2, times=None)

    said = cheap.say("/triage rerun", by=maintainer)

    assert said.is_refused
    assert not cheap.reruns
    assert len(cheap.fake.asked("GET */collaborators/*/permission")) >= 2


@pytest.mark.parametrize(
    ("role", "base", "wanted"),
    [
        ("admin", "admin", Role.ADMIN),
        ("maintain", "write", Role.MAINTAIN),
        ("triage", "read", Role.TRIAGE),
        ("none", "none", None),
        ("release-crew", "write", Role.WRITE),
        ("security-readers", "read", Role.READ),
        ("owner", "something new", None),
    ],
)
def test_t8_a_role_that_an_organisation_made_up_counts_as_what_it_is_built_on(
    role: str, base: str, wanted: Role | None
) -> None:
    assert role_of(Standing(user_id=1, role=role, base=base)) is wanted


def test_the_settings_may_take_a_command_from_the_author(cheap: Desk) -> None:
    cheap.settings("version: 1\ncommands:\n  rerun: {role: write, author: false}\n")

    said = cheap.say("/triage rerun", by=cheap.author)

    assert said.is_refused
    assert said.text == "That needs the role `write` or more, and you have the role `read`."


def test_settings_that_are_wrong_leave_acting_to_those_who_write(cheap: Desk) -> None:
    cheap.settings("version: 1\ncommands:\n  rerun: {role: nobody}\n")

    assert cheap.say("/triage rerun", by=cheap.author).is_refused
    assert cheap.say("/triage rerun", by=cheap.let("maintainer-w", "write")).is_done


def test_settings_that_cannot_be_read_leave_acting_to_those_who_write(cheap: Desk) -> None:
    cheap.fake.fail("GET */contents/.github/triage.yml", Status(status=500), times=None)

    assert cheap.say("/triage rerun", by=cheap.author).is_refused
