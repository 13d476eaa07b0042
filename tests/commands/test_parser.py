"""A command is the first line of a comment, exactly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.entry.command.event import first_line
from triage.entry.command.parser import LONGEST_LINE, Misused, Parsed, Word, is_command, parse, words_of
from triage.entry.command.table import COMMANDS


@pytest.mark.parametrize(
    "body",
    [
        "/triage",
        "/triage help",
        "/triage\trerun",
        "/triage\nand then some",
        "/triage help\r\nmore",
        "/triage  explain a",
    ],
)
def test_a_comment_that_begins_with_the_command_is_one(body: str) -> None:
    assert is_command(first_line(body))


@pytest.mark.parametrize(
    "body",
    [
        "",
        "please /triage",
        " /triage",
        "\t/triage",
        "    /triage rerun",
        "> /triage rerun",
        "- /triage rerun",
        "`/triage rerun`",
        "```\n/triage rerun\n```",
        "~~~\n/triage rerun\n~~~",
        "\n/triage rerun",
        "thanks\n/triage rerun",
        "<!-- \n/triage rerun -->",
        "/Triage",
        "/TRIAGE",
        "/triages",
        "/triage-rerun",
        "/triage:rerun",
        "/triage\u00a0rerun",
        "/triage\u200b",
        "\ufeff/triage",
        "//triage",
        "@bot /triage",
    ],
)
def test_what_is_quoted_fenced_indented_or_nearly_a_command_is_none(body: str) -> None:
    assert not is_command(first_line(body))


def test_a_comment_without_a_body_is_no_command() -> None:
    assert not is_command(first_line(None))


def name_of(line: str) -> str | None:
    parsed = parse(line, COMMANDS)
    return parsed.command.name if isinstance(parsed, Parsed) else None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("/triage", ""),
        ("/triage ", ""),
        ("/triage help", "help"),
        ("/triage explain unit (3.11)", "explain"),
        ("/triage rerun", "rerun"),
        ("/triage rerun 3 4", "rerun"),
        ("/triage ack gpu the host is known", "ack"),
        ("/triage wrong gpu", "wrong"),
        ("/triage label", "label"),
    ],
)
def test_every_command_is_known_by_its_name(line: str, name: str) -> None:
    assert name_of(line) == name


@pytest.mark.parametrize(
    "line",
    [
        "/triage Help",
        "/triage re-run",
        "/triage rerun!",
        "/triage 'help'",
        "/triage help me",
        "/triage explain",
        "/triage ack gpu",
        "/triage wrong",
        "/triage approve",
        "/triage " + "x" * LONGEST_LINE,
    ],
)
def test_what_is_no_command_or_not_given_so_is_told_how_to_find_help(line: str) -> None:
    parsed = parse(line, COMMANDS)

    assert isinstance(parsed, Misused)
    assert "`/triage help`" in parsed.why


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a b", (Word("a"), Word("b"))),
        ('"unit (3.11)" rest', (Word("unit (3.11)", quoted=True), Word("rest"))),
        ("`unit (3.11)`", (Word("unit (3.11)", quoted=True),)),
        ("“unit (3.11)” x", (Word("unit (3.11)", quoted=True), Word("x"))),
        ("'a b'", (Word("a b", quoted=True),)),
        ("can't don't", (Word("can't"), Word("don't"))),
        ('"open', (Word('"open'),)),
        ('"a"b', (Word('"a"b'),)),
        ('""', (Word("", quoted=True),)),
    ],
)
def test_quotes_of_every_keyboard_hold_a_name_together(line: str, words: tuple[Word, ...]) -> None:
    assert words_of(line) == words


@given(st.text())
def test_no_text_makes_the_parser_fail(text: str) -> None:
    line = f"/triage {first_line(text)}"

    parsed = parse(line, COMMANDS)

    assert isinstance(parsed, Parsed) or (text.strip() or "x") not in parsed.why.split("`")
