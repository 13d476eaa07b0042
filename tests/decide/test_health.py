"""A triage that has gone blind says so at the top, and does not look like one with hard cases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_failure, a_job, a_run, a_test, failing_tests, the_facts
from triage.decide import decide
from triage.decide.health import LEAST_LOGS, blindness
from triage.model import Basis, Conclusion, Failure, Gap, LogState
from triage.publish.check_run import check_run_of
from triage.publish.runner import outputs_of
from triage.render.annotations import render_annotations
from triage.render.json_report import render_json
from triage.render.markdown import render_markdown
from triage.render.step_summary import render_step_summary
from triage.render.terminal import render_terminal
from triage.report import make_report

if TYPE_CHECKING:
    from triage.model import Report


def not_understood(number: int, *, basis: Basis = Basis.GUESS, log_state: LogState = LogState.READ) -> list[Failure]:
    return [
        a_failure(job=a_job(name=f"job {place}"), basis=basis, log_state=log_state, title="Not understood")
        for place in range(number)
    ]


def reported(*failures: Failure) -> Report:
    facts = the_facts(failures)
    return make_report(facts, decide(facts, failures), rules_sha="", version="0")


def rendered(*failures: Failure) -> tuple[str, str]:
    report = reported(*failures)
    return render_markdown(report), render_terminal(report, width=10_000, colour=False)


@pytest.mark.parametrize("basis", [Basis.GUESS, Basis.NOTHING])
def test_five_logs_of_which_nothing_was_understood_are_an_alarm(basis: Basis) -> None:
    gap = blindness(not_understood(LEAST_LOGS, basis=basis))

    assert gap is not None
    assert gap.is_loud
    assert str(gap).startswith("what 5 logs say: no rule and no test runner explains")


def test_fewer_are_a_hard_case() -> None:
    assert blindness(not_understood(LEAST_LOGS - 1)) is None


@pytest.mark.parametrize("one", [a_failure(basis=Basis.RULE), failing_tests(a_test())], ids=["rule", "test runner"])
def test_one_that_was_understood_shows_that_triage_can_see(one: Failure) -> None:
    assert blindness([*not_understood(20), one]) is None


def test_logs_that_could_not_be_read_say_nothing_of_the_rules() -> None:
    assert blindness(not_understood(20, log_state=LogState.EXPIRED)) is None


def test_what_the_platform_explains_does_not_show_that_logs_are_understood() -> None:
    by_the_platform = a_failure(basis=Basis.PLATFORM)

    assert blindness([*not_understood(LEAST_LOGS), by_the_platform]) is not None
    assert blindness([*not_understood(LEAST_LOGS - 1), by_the_platform]) is None


def test_the_alarm_stands_at_the_top_and_first_among_what_could_not_be_seen() -> None:
    failures = tuple(not_understood(LEAST_LOGS))
    facts = the_facts(failures, gaps=[Gap("labels", "not read")])

    decided = decide(facts, failures)
    markdown, terminal = rendered(*failures)

    assert decided.gaps[0] == blindness(failures)
    for rendering in (markdown, terminal):
        text = " ".join(rendering.split())
        top = text[: len(text) // 2]
        assert "triage itself may have gone blind" in top
        assert top.index("gone blind") < top.index("listed at the")


def test_a_red_run_of_which_no_job_was_read_is_said_at_the_top() -> None:
    facts = the_facts([], runs=[a_run(conclusion=Conclusion.FAILURE)])
    report = make_report(facts, decide(facts, ()), rules_sha="", version="0")

    assert report.gaps[0].is_loud
    assert "ended red without a single job" in render_markdown(report).split("listed at the foot")[0]


def test_the_alarm_is_in_everything_that_a_triage_leaves() -> None:
    report = reported(*not_understood(LEAST_LOGS))

    assert "gone blind" in json.loads(render_json(report))["gaps"][0]
    assert "gone blind" in render_step_summary(report)[:1_000]
    assert render_annotations(report).startswith("::warning title=CI triage::What 5 logs say: no rule")
    assert "gone blind" in str(check_run_of(report))
    assert outputs_of(report)["partial"] == "true"


def test_without_an_alarm_no_annotation_speaks_of_triage_itself() -> None:
    assert "CI triage" not in render_annotations(reported(failing_tests(a_test())))


def test_without_an_alarm_the_top_only_counts() -> None:
    markdown, _ = rendered(failing_tests(a_test()))

    assert "gone blind" not in markdown
