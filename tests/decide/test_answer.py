"""The verdict and the one line that carries it."""

from __future__ import annotations

import re

import pytest

from tests.builders import (
    a_failure,
    a_file,
    a_job,
    a_run,
    a_test,
    broken_machine,
    failing_tests,
    following,
    never_started,
    refused,
    the_facts,
)
from triage.decide import Decided, decide
from triage.model import Basis, Conclusion, Failure, Fault, Gap, LogState, Run, Verdict

GREEN = a_job(name="lint", conclusion=Conclusion.SUCCESS)
RUNNING = a_job(name="slow", conclusion=None)


def decided_on(*failures: Failure, changed: str = "docs/guide.md") -> Decided:
    return decide(the_facts(failures, files=(a_file(changed),)), failures)


def test_nothing_red_is_no_failure() -> None:
    decided = decide(the_facts([], green=[GREEN], runs=[a_run(conclusion=Conclusion.SUCCESS)]), ())

    assert decided.verdict is Verdict.NO_FAILURES
    assert decided.headline == "no failed job in 1 workflow run"


def test_failures_that_ask_nothing_of_the_change_are_said_without_claiming_more_than_is_known() -> None:
    decided = decided_on(broken_machine(job=a_job(name="xpu")), following("xpu"), refused(), never_started())

    assert decided.verdict is Verdict.NOT_CAUSED_BY_PR
    assert decided.headline == "4 failed jobs, 3 causes; nothing points at this change"


def test_one_regression_makes_the_verdict_whatever_else_is_red() -> None:
    regression = failing_tests(a_test(), job=a_job(name="unit"))

    decided = decided_on(broken_machine(), regression, a_failure(), changed="test/unit/test_pool.py")

    assert decided.verdict is Verdict.CAUSED_BY_PR
    assert decided.headline == "3 failed jobs, 3 causes; 1 cause (1 job) points at this change"


def test_an_unknown_failure_asks_for_a_look() -> None:
    decided = decided_on(broken_machine(), failing_tests(job=a_job(name="unit")), following("unit"))

    assert decided.verdict is Verdict.NEEDS_ATTENTION
    assert decided.headline == "3 failed jobs, 2 causes; 1 cause (2 jobs) needs a look"


@pytest.mark.parametrize(
    ("failures", "headline"),
    [
        ((a_failure(),), "1 failed job; it needs a look"),
        ((a_failure(), a_failure()), "2 failed jobs, 2 causes; all of them need a look"),
    ],
)
def test_a_headline_about_every_cause_does_not_count_them_twice(failures: tuple[Failure, ...], headline: str) -> None:
    assert decided_on(*failures).headline == headline


def test_jobs_that_still_run_leave_the_answer_open() -> None:
    failure = broken_machine()
    facts = the_facts([failure], green=[RUNNING], runs=[a_run(conclusion=None)])

    decided = decide(facts, (failure,))

    assert decided.verdict is Verdict.INCOMPLETE
    assert decided.headline == "1 failed job so far; 1 job is still running"


def test_a_run_that_has_not_ended_leaves_the_answer_open() -> None:
    decided = decide(the_facts([], green=[GREEN], runs=[a_run(conclusion=None)]), ())

    assert decided.verdict is Verdict.INCOMPLETE
    assert decided.headline == "no failed job seen; 1 run is still going"


def test_a_regression_is_said_while_other_jobs_still_run() -> None:
    failure = failing_tests()
    facts = the_facts([failure], green=[RUNNING], files=(a_file("test/unit/test_pool.py"),))

    assert decide(facts, (failure,)).verdict is Verdict.CAUSED_BY_PR


def test_jobs_that_could_not_be_listed_leave_the_answer_open() -> None:
    failure = broken_machine()
    gap = Gap("jobs of run 100", "200 of 230 were given", hides_jobs=True)

    decided = decide(the_facts([failure], gaps=[gap]), (failure,))

    assert decided.verdict is Verdict.INCOMPLETE
    assert decided.headline == "1 failed job so far; not everything could be read"
    assert gap in decided.gaps


def test_something_else_that_could_not_be_read_is_a_gap_and_no_more() -> None:
    failure = broken_machine()
    gap = Gap("compare with main", "GitHub answered 502")

    decided = decide(the_facts([failure], gaps=[gap]), (failure,))

    assert decided.verdict is Verdict.NOT_CAUSED_BY_PR
    assert gap in decided.gaps


@pytest.mark.parametrize("state", [LogState.EXPIRED, LogState.PENDING, LogState.UNREADABLE])
def test_a_job_that_stays_unknown_because_its_log_is_gone_leaves_the_answer_open(state: LogState) -> None:
    failure = a_failure(fault=Fault.UNKNOWN, basis=Basis.NOTHING, log_state=state)

    decided = decide(the_facts([failure]), (failure,))

    assert decided.verdict is Verdict.INCOMPLETE
    assert any("unit-test" in gap.what for gap in decided.gaps)


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (a_run(conclusion=Conclusion.STARTUP_FAILURE), "GitHub found a fault in the workflow and made no job"),
        (a_run(conclusion=Conclusion.FAILURE), "it ended red without a single job"),
    ],
)
def test_a_red_run_without_a_red_job_is_never_called_green(run: Run, why: str) -> None:
    decided = decide(the_facts([], runs=[run]), ())

    assert decided.verdict is Verdict.INCOMPLETE
    assert decided.headline == "no failed job seen; 1 run failed without one"
    assert any(why in gap.why for gap in decided.gaps)


def test_what_was_not_compared_is_a_gap_wherever_something_is_red() -> None:
    assert any("nothing on them was compared" in gap.why for gap in decided_on(broken_machine()).gaps)
    assert not decide(the_facts([], green=[GREEN], runs=[a_run(conclusion=Conclusion.SUCCESS)]), ()).gaps


def test_a_run_of_no_change_says_nothing_about_a_change() -> None:
    failure = broken_machine()
    facts = the_facts([failure], no_pull=True, runs=[a_run(event="schedule")])

    assert decide(facts, (failure,)).headline == "1 failed job; nothing points at the code"


def test_a_headline_fits_an_email_preview_and_its_numbers_are_those_of_the_ledger() -> None:
    many = [broken_machine(job=a_job(name=f"job-{n}"), captures=(str(n % 7),)) for n in range(250)]

    decided = decided_on(*many)
    jobs, causes = (int(number) for number in re.findall(r"\d+", decided.headline)[:2])

    assert len(decided.headline) < 90
    assert (jobs, causes) == (250, len(decided.causes))


def test_the_time_of_a_report_is_the_newest_that_github_gave() -> None:
    failure = broken_machine()
    facts = the_facts([failure])

    assert decide(facts, (failure,)).as_of == max(run.updated_at for run in facts.runs if run.updated_at)


def test_runs_of_no_pull_request_say_that_no_diff_was_compared() -> None:
    failure = broken_machine()
    facts = the_facts([failure], no_pull=True, runs=[a_run(event="push")])

    assert any("no diff was compared" in gap.why for gap in decide(facts, (failure,)).gaps)
