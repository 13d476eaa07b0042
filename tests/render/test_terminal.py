"""The terminal report and what `triage log` prints; hostile text is threat T20."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from tests.render import samples
from tests.render.hostile import FRAGMENTS, foreign_strings, hostile_text, rewritten
from triage.model import Basis, Fault, Gap, LogState, Rule, TestFailure, TestReport
from triage.render.failure_text import render_log_terminal
from triage.render.terminal import render_terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.model import Failure, Report

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", samples.SAMPLES)
def test_the_report_is_the_one_a_reviewer_has_seen(name: str, width: int, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}.{width}.txt", render_terminal(samples.SAMPLES[name](), width=width, colour=False))


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    make = samples.SAMPLES[name]

    assert render_terminal(make(), width=80, colour=True) == render_terminal(make(), width=80, colour=True)


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("name", samples.SAMPLES)
def test_no_line_is_wider_than_the_window_but_addresses_and_commands(name: str, width: int) -> None:
    text = render_terminal(samples.SAMPLES[name](), width=width, colour=False)

    wide = [line.strip() for line in text.splitlines() if cell_len(line) > width]
    assert all(line.startswith(("https://", "git ", "pytest ")) for line in wide)


def test_a_wider_window_is_not_filled_beyond_what_can_be_read() -> None:
    text = render_terminal(samples.case_a(), width=400, colour=False)

    assert max(len(line) for line in text.splitlines() if "https://" not in line) == 120


def test_no_line_ends_in_spaces() -> None:
    text = render_terminal(samples.case_a(), width=80, colour=False)

    assert [line for line in text.split("\n") if line != line.rstrip()] == []


def test_without_colour_there_is_no_escape_sequence() -> None:
    assert "\x1b" not in render_terminal(samples.case_a(), width=80, colour=False)


def test_colour_changes_nothing_but_the_colour() -> None:
    coloured = render_terminal(samples.all_green(), width=80, colour=True)

    assert COLOUR.search(coloured)
    assert "\x1b" not in COLOUR.sub("", coloured)


def test_every_red_job_is_named() -> None:
    report = samples.case_a()

    text = " ".join(render_terminal(report, width=120, colour=False).split())

    assert all(f"`{row.failure.job.name}`" in text for row in report.jobs)


def test_the_ledger_ends_in_the_number_of_all_red_jobs() -> None:
    text = render_terminal(samples.case_a(), width=80, colour=False)

    above, _, below = text.partition("1 · XPU host cannot remove")
    assert above.split()[-1] == "21"
    assert below


def test_a_long_address_stays_on_one_line_so_that_it_can_be_opened() -> None:
    text = render_terminal(samples.case_a(), width=60, colour=False)

    assert "https://github.com/sgl-project/sglang/actions/runs/35296443073/job/101#step:4:34\n" in text


def filled(report: Report, texts: list[str]) -> Report:
    places = {text: place for place, text in enumerate(foreign_strings(report))}
    return rewritten(report, lambda text: texts[places[text] % len(texts)])


@given(texts=st.lists(hostile_text(), min_size=1, max_size=10), colour=st.booleans())
def test_no_escape_sequence_or_unseen_character_of_others_reaches_the_terminal(texts: list[str], colour: bool) -> None:  # noqa: FBT001
    text = render_terminal(filled(samples.case_a(), texts), width=80, colour=colour)

    assert not UNPRINTABLE.search(COLOUR.sub("", text) if colour else text)
    assert "\x1b]" not in text


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_no_known_trick_reaches_the_terminal(fragment: str) -> None:
    text = render_terminal(filled(samples.a_regression(), [f"x{fragment}"]), width=80, colour=True)

    assert not UNPRINTABLE.search(COLOUR.sub("", text))


@pytest.mark.parametrize(
    "markup", ["[/nope]", "[bold red]x[/]", "[link=http://evil.example]x[/link]", ":smile:", "\\[x]"]
)
def test_markup_of_rich_in_a_log_is_shown_and_not_obeyed(markup: str) -> None:
    text = render_terminal(filled(samples.case_b(), [markup]), width=80, colour=False)

    assert f"│ {markup}\n" in text


def a_log(**changes: object) -> Failure:
    line = samples.a_line("RuntimeError: No space left on device", 1042, 1)
    failure = samples.a_regression().jobs[0].failure
    blank = replace(
        failure,
        fault=Fault.INFRASTRUCTURE,
        basis=Basis.RULE,
        title="The disk is full",
        log_state=LogState.READ,
        rule=Rule(
            id="disk-full", title="The disk is full", fault=Fault.INFRASTRUCTURE, lines=(), advice="free the disk"
        ),
        evidence=(replace(line, url=""),),
    )
    return replace(blank, **changes)  # type: ignore[arg-type]


def test_a_log_is_told_in_a_few_lines(golden: Callable[[str, str], None]) -> None:
    tests = TestReport(
        runners=("pytest",),
        ran=120,
        failures=(
            TestFailure(id="tests/test_io.py::test_write", runner="pytest", exception="OSError", message="[Errno 28]"),
        ),
        not_run=("24 of 30 files never ran",),
    )

    text = render_log_terminal(
        "build.log",
        a_log(tests=tests, ruled_out=("not memory: the process was not killed",), gaps=(Gap("the end", "it was cut"),)),
        width=80,
        colour=False,
    )

    golden("log.80.txt", text)


def test_a_log_without_a_failure_says_so() -> None:
    failure = a_log(fault=Fault.NONE, title="", rule=None, evidence=(), tests=TestReport(ran=3))

    text = render_log_terminal("ok.log", failure, width=80, colour=False)

    assert text.startswith("ok.log · no failure found ─")
    assert text.splitlines()[0].endswith(" none")
    assert "  tests       3 tests ran.\n" in text


def test_a_log_in_which_no_test_ran_says_so() -> None:
    text = render_log_terminal("x.log", a_log(tests=TestReport(ran=0)), width=80, colour=False)

    assert "  tests       zero tests ran.\n" in text


def test_the_name_of_a_log_file_is_foreign_too() -> None:
    text = render_log_terminal("[/nope]\x1b]0;x\x07\n.log", a_log(), width=80, colour=False)

    assert text.startswith("[/nope] .log · The disk is full ─")


def test_with_colour_the_lines_of_a_log_are_the_same_lines() -> None:
    plain = render_log_terminal("x.log", a_log(rule=None), width=80, colour=False)

    assert (
        Text.from_ansi(render_log_terminal("x.log", a_log(rule=None), width=80, colour=True)).plain.rstrip()
        == plain.rstrip()
    )
