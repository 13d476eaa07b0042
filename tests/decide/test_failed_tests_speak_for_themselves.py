"""Law 2: no text in a log excuses a failed test, except that test's own error."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import a_failure, a_job, a_rule, a_test, broken_machine, failing_tests, the_facts
from triage.decide import decide
from triage.decide.belief import believable
from triage.model import Basis, Category, Conclusion, Failure, Fault, Outcome, Signature, TestReport, Where

FAILED = TestReport(runners=("pytest",), ran=12, failures=(a_test(),))


def category_of(failure: Failure) -> Category:
    return decide(the_facts([failure]), (failure,)).jobs[0].category


@pytest.mark.parametrize("where", [Where.ANYWHERE, Where.OUTSIDE_TESTS, Where.ANNOTATION])
@pytest.mark.parametrize("fault", [Fault.INFRASTRUCTURE, Fault.GPU_RESIDUE])
def test_a_rule_that_did_not_read_the_tests_own_error_cannot_excuse_a_failed_test(where: Where, fault: Fault) -> None:
    failure = broken_machine(rule=a_rule(where=where, fault=fault), tests=FAILED)

    assert category_of(failure) is Category.UNKNOWN


def test_a_test_that_prints_every_infrastructure_line_stays_a_failed_test() -> None:
    failure = broken_machine(line="No space left on device", tests=FAILED)

    decided = decide(the_facts([failure]), (failure,))

    assert decided.jobs[0].category is Category.UNKNOWN
    assert decided.causes[0].title == "`test/unit/test_pool.py::test_share` fails"
    assert decided.causes[0].rule is None


def test_the_very_error_of_every_failed_test_may_name_a_broken_machine() -> None:
    failure = broken_machine(rule=a_rule(where=Where.TEST_ERROR), tests=FAILED)

    assert category_of(failure) is Category.INFRASTRUCTURE


def test_the_arithmetic_of_gpu_memory_speaks_for_the_tests_it_was_read_from() -> None:
    reading = a_failure(
        fault=Fault.GPU_RESIDUE, basis=Basis.RULE, tests=FAILED, signature=Signature("rule", ("gpu-memory",))
    )

    assert category_of(reading) is Category.GPU_RESIDUE


def test_no_arithmetic_makes_a_failed_test_infrastructure() -> None:
    assert category_of(a_failure(fault=Fault.INFRASTRUCTURE, basis=Basis.RULE, tests=FAILED)) is Category.UNKNOWN


@pytest.mark.parametrize(
    "fault", [Fault.CASCADE, Fault.CANCELLED, Fault.STARVED, Fault.MISSING_LABEL, Fault.INFRASTRUCTURE]
)
def test_a_test_that_failed_before_its_job_was_stopped_is_what_the_author_hears_of(fault: Fault) -> None:
    job = a_job(conclusion=Conclusion.CANCELLED)
    stopped = a_failure(job=job, fault=fault, basis=Basis.PLATFORM, tests=FAILED, roots=("other",))

    assert category_of(stopped) is Category.UNKNOWN


def test_a_test_that_passed_in_a_retry_contradicts_no_broken_machine() -> None:
    mended = TestReport(runners=("pytest",), ran=12, failures=(a_test(outcome=Outcome.FLAKY),))

    assert category_of(broken_machine(tests=mended)) is Category.INFRASTRUCTURE


def test_a_failure_that_blames_nobody_wrongly_is_believed_as_it_was_read() -> None:
    failure = failing_tests()

    assert believable(failure) is failure
    assert believable(replace(failure, fault=Fault.UNKNOWN)).fault is Fault.UNKNOWN
