"""Threats T12 and T13: nothing that others wrote becomes a command of the Actions runner."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render import samples
from tests.render.hostile import foreign_strings, hostile_text, rewritten
from triage.render.annotations import render_annotations
from triage.render.runner_commands import step_output, without_commands, workflow_command

COMMAND = re.compile(r"::(?P<name>[a-z-]+)(?: title=(?P<title>[^:,\r\n]*))?::(?P<message>[^\r\n]*)")


def unescaped(text: str) -> str:
    """Read a message as the runner does: the percent sign last."""
    for raw, escaped in (("\r", "%0D"), ("\n", "%0A"), (":", "%3A"), (",", "%2C"), ("%", "%25")):
        text = text.replace(escaped, raw)
    return text


def test_the_author_s_causes_are_errors_and_come_first() -> None:
    lines = render_annotations(samples.a_regression()).splitlines()

    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning", "::notice"]
    assert lines[0].startswith(
        "::error title=regression%3A 4 tests of 'test_background_http_poster.py' fail only with this change::"
        "'unit' failed in step 'pytest'; 4 of 120 tests failed. They pass on main,"
    )


def test_a_green_report_has_no_annotation() -> None:
    assert render_annotations(samples.all_green()) == ""


@pytest.mark.parametrize("causes", [1, 10, 11, 300])
def test_there_are_never_more_annotations_than_github_shows_and_the_rest_is_counted(causes: int) -> None:
    lines = render_annotations(samples.many_causes(causes)).splitlines()

    assert len(lines) == min(causes, 10)
    if causes > 10:
        assert lines[-1].endswith(f"::{causes - 9} more causes with {2 * (causes - 9)} jobs are in the step summary.")


@given(st.lists(hostile_text(), min_size=1, max_size=10))
def test_whatever_is_in_them_annotations_are_one_command_a_line(texts: list[str]) -> None:
    report = samples.a_regression()
    places = {text: place for place, text in enumerate(foreign_strings(report))}

    lines = render_annotations(rewritten(report, lambda text: texts[places[text] % len(texts)])).split("\n")

    assert lines.pop() == ""
    assert [match["name"] for line in lines if (match := COMMAND.fullmatch(line))] == ["error", "warning", "notice"]


@given(st.text(), st.text())
def test_the_runner_reads_back_exactly_what_was_meant(message: str, title: str) -> None:
    line = workflow_command("error", message, title=title)

    assert "\n" not in line
    assert "\r" not in line
    match = COMMAND.fullmatch(line)
    assert match is not None
    assert unescaped(match["message"]) == message
    assert unescaped(match["title"] or "") == title


@given(hostile_text())
def test_text_of_others_is_printed_while_the_runner_obeys_nothing(text: str) -> None:
    token = "9f86d081884c7d659a2feaa0c55ad015"

    printed = without_commands(text, token=token)

    assert printed.startswith(f"::stop-commands::{token}\n")
    assert printed.endswith(f"\n::{token}::\n")
    assert printed.count(token) == 2


@pytest.mark.parametrize("token", ["", "abc"])
def test_a_token_that_the_text_could_hold_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="must not stand in the text"):
        without_commands("x ::abc:: ::error::y", token=token)


def test_an_output_ends_only_where_it_is_meant_to() -> None:
    assert step_output("verdict", "a\nevil=1", delimiter="d-1") == "verdict<<d-1\na\nevil=1\nd-1\n"


@pytest.mark.parametrize("delimiter", ["", "EOF"])
def test_a_delimiter_that_the_value_could_hold_is_refused(delimiter: str) -> None:
    with pytest.raises(ValueError, match="must not stand in the value"):
        step_output("verdict", "a\nEOF\nevil=1", delimiter=delimiter)
