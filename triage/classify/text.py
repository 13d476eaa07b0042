"""What the log says broke: the tests it names, then the rules that show where it failed.

Who is believed, and when, is the order of `CHECKS`. A rule that excuses is believed only where running tests did not
write (law 2), and only in the part of the log that failed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.classify.afterwards import code_blamed_outside_tests, something_else_failed
from triage.classify.besides import broken_before, machine_besides, tests_not_built
from triage.classify.contending import lines_of
from triage.classify.ending import Outcome
from triage.classify.evidence import evidence_of_tests, title_of_tests, told_before_counted
from triage.classify.flakes import proof_of_retry, words_on_flakes
from triage.classify.found_so import found_so
from triage.classify.gpu_memory import read_memory_error
from triage.classify.guesses import error_lines, names_cause, states_error
from triage.classify.holders import holder_of
from triage.classify.host_memory import killed_by_host
from triage.classify.makers import NOT_MADE, maker_failed, only_not_made
from triage.classify.platform_words import ends_killed, ends_stopped, killed_in, only_cut_off, taken_away, was_killed
from triage.classify.refusals import refusal
from triage.classify.repeats import repeats
from triage.classify.reports import reporting_script
from triage.classify.signs import look_at
from triage.classify.story import Story
from triage.classify.test_errors import from_memory, held_by_stranger, machine_fault, memory_of_stranger, open_question
from triage.classify.test_words import is_silent
from triage.model import Basis, Failure, Fault
from triage.model import Outcome as TestOutcome
from triage.signature import signature_of_line, signature_of_rule, signature_of_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from triage.classify.context import JobContext
    from triage.model import TestFailure
    from triage.rules.match import Match

STOPS_BEFORE_WORK = (Fault.MISSING_LABEL, Fault.STARVED, Fault.CASCADE, Fault.CANCELLED)
"""Faults by which a job ends before it does anything; where several show, the first of these is the cause."""

REFUSES = frozenset({Fault.MISSING_LABEL, Fault.STARVED})
"""Those that end a job at once: one that failed of something else later was not refused, and only told of it."""

LAST_OUTBURST = 300
"""Lines above the end of the failing part from which want of GPU memory did not end it."""

RIGHT_BELOW = 6
"""Lines below a failed test in which a harness says that the file failed which held it."""

# --------------------------------------------------------------------------------------------------------------------
# The checks, in the order of `CHECKS`


def gate_or_cascade(story: Story) -> Failure | None:
    """A gate refused, or another job's failure is named as the reason; no test of this job failed."""
    if story.view.failing_tests:
        return None
    failing = (*story.failing, *_makers_failed(story))
    others = [match for match in failing if match.rule.fault in STOPS_BEFORE_WORK or match.rule.id in NOT_MADE]
    for fault in STOPS_BEFORE_WORK:
        found = [match for match in failing if match.rule.fault is fault]
        if found and not (fault in REFUSES and _outlived_refusal(story)):
            return story.from_match(found[-1], lines_of(found[-1], *found, *others))
    return None


def _outlived_refusal(story: Story) -> bool:
    """Whether something else failed after the last word on what was refused, or on other jobs."""
    said = [match.line.number for match in story.matches if match.rule.fault in STOPS_BEFORE_WORK]
    last = story.ending.failing.last
    return something_else_failed(story, max((number for number in said if number <= last), default=last))


def _makers_failed(story: Story) -> tuple[Match, ...]:
    """Where the job says that another one failed, when all that broke here is that something is not there."""
    if not only_not_made(story):
        return ()
    return tuple(match for match in story.outside_tests if match.rule.fault is Fault.CASCADE)


def failed_tests(story: Story) -> Failure | None:
    """Tests failed: code, unless the very error of every one of them is a machine's, and nothing else failed."""
    tests = story.view.failing_tests
    if not tests:
        return None
    telling = _telling(story, tests)
    readings = [machine_fault(story, test) for test in telling]
    blamed = [test for test, reading in zip(telling, readings, strict=True) if reading is None]
    shown = told_before_counted(story.view, blamed or list(tests))
    stated = None if blamed else _of_one_mind(readings)
    known = stated if stated is not None and stated.fault is not Fault.UNKNOWN else None
    machine = known or machine_besides(story, shown) or found_so(story, shown) or stated
    if machine is not None:
        last = max(max(test.last_line, test.error_line) for test in tests)
        return None if code_blamed_outside_tests(story) or something_else_failed(story, last) else machine
    lines = evidence_of_tests(story, shown)
    fault, title = Fault.CODE, title_of_tests(shown)
    left_open = [open_question(story, test) for test in shown]
    if all(left_open) and left_open[0] is not None:
        fault, title = Fault.UNKNOWN, f"{title}: {left_open[0].rule.title}"
        lines = [left_open[0].line, *lines]
    failure = story.failure(fault, title, lines, Basis.TESTS)
    return replace(failure, signature=signature_of_test(shown[0]))


def _telling(story: Story, tests: Sequence[TestFailure]) -> list[TestFailure]:
    """Those that say something of their own, and those for which none of these can speak."""
    spoken = [test for test in tests if not (_is_silent(story, test) or repeats(story.view, test, tests))]
    return [test for test in tests if test in spoken or (spoken and not _is_spoken_for(test, spoken))]


def _is_spoken_for(test: TestFailure, spoken: Sequence[TestFailure]) -> bool:
    """Whether another test of the same runner says why, or one that failed right above it."""
    return any(test.runner == other.runner or 0 <= test.first_line - other.last_line <= RIGHT_BELOW for other in spoken)


def _of_one_mind(readings: list[Failure | None]) -> Failure | None:
    """What the errors of tests say of the machine, when all that say something agree whose fault it is."""
    found = [reading for reading in readings if reading is not None]
    return found[0] if len({reading.fault for reading in found}) == 1 else None


def _is_silent(story: Story, test: TestFailure) -> bool:
    """Whether a whole log says nothing of why the test failed."""
    if not (is_silent(test) and story.view.log.complete):
        return False
    return held_by_stranger(story, test) is None and not memory_of_stranger(story, test)


def held_by_another(story: Story) -> Failure | None:
    """No test is named as failed, and a tool showed that another held the device which the program did not get."""
    section = story.ending.failing
    if story.view.failing_tests:
        return None
    found = [match for match in story.shown if section.holds(match.line.number) and holder_of(story.view, match)]
    if not found or something_else_failed(story, found[-1].line.number):
        return None
    return story.from_match(found[0], lines_of(*found))


def host_out_of_memory(story: Story) -> Failure | None:
    """The kernel says that the whole host ran out of memory, and what failed was killed while it held little."""
    section, tests = story.ending.failing, story.view.failing_tests
    lines = killed_by_host(story.view, section)
    killed = (
        all(was_killed(story.view, test) for test in tests)
        if tests
        else ends_killed(story.view, section.first, section.last)
    )
    if not lines or not killed:
        return None
    title = "The host ran out of memory, and killed a process that held little of it"
    told = killed_in(story.view, section.first, section.last)
    failure = story.failure(Fault.INFRASTRUCTURE, title, [*lines, *told], Basis.RULE)
    return replace(failure, signature=signature_of_rule("host-out-of-memory", {}))


def machine_taken_away(story: Story) -> Failure | None:
    """The job was stopped or killed before any test of it failed, and the cluster says that it took the machine."""
    section = story.ending.failing
    failed = story.view.failing_tests and not only_cut_off(story)
    if failed or not ends_stopped(story.view, section.first, section.last):
        return None
    said = taken_away(story)
    end = [section.end] if section.end else []
    same = [match for match in story.shown if said and match.rule.id == said.rule.id]
    return story.from_match(said, [*lines_of(said, *same), *end]) if said else None


def stopped_in_tests(story: Story) -> Failure | None:
    """Something told the step to stop while a test ran: what, if the runner says so; else nobody is blamed for it."""
    if not only_cut_off(story):
        return None
    tests, end = story.view.failing_tests, story.ending.failing.end
    end_lines = [end] if end else []
    said = [match for match in story.failing if match.line.text.startswith("##[error]")]
    if said and said[-1].rule.fault is Fault.INFRASTRUCTURE:
        return story.from_match(said[-1], [*lines_of(said[-1]), *end_lines])
    if any(match.rule.fault is not Fault.UNKNOWN for match in story.failing):
        return None
    title = f"Something stopped the step while `{tests[0].id}` ran, and the log does not say what"
    lines = [*end_lines, *evidence_of_tests(story, list(tests))]
    return story.failure(Fault.UNKNOWN, title, lines, Basis.GUESS)


def memory_outside_tests(story: Story) -> Failure | None:
    """A GPU memory error that no test reported, in the part that failed."""
    section = story.ending.failing
    reading = read_memory_error(story.view.between(section.first, section.last), story.view)
    if reading is None or (reading.fault is Fault.GPU_RESIDUE and _is_outlived(story, reading.line.number)):
        return None
    return from_memory(story, reading)


def _is_outlived(story: Story, number: int) -> bool:
    return story.ending.failing.last - number > LAST_OUTBURST or something_else_failed(story, number)


def only_flakes(story: Story) -> Failure | None:
    """Every failing test passed in a retry of the same run, and nothing else went wrong."""
    flakes = [test for test in story.view.tests.failures if test.outcome is TestOutcome.FLAKY]
    outside = [match for match in story.failing if not story.view.is_in_tests(match.line.number)]
    if not flakes or story.view.failing_tests or outside:
        return None
    shown = [*proof_of_retry(story), *evidence_of_tests(story, flakes), *error_lines(story.view, story.ending)]
    failure = story.failure(Fault.FLAKY, f"`{flakes[0].id}` failed, then passed in a retry", shown, Basis.TESTS)
    return replace(failure, signature=signature_of_test(flakes[0]))


def refused_flakes(story: Story) -> Failure | None:
    """The job's last words say that it failed only because tests that failed had to be run again, and passed."""
    lines = words_on_flakes(story)
    if not lines:
        return None
    tests = story.view.failing_tests
    if not tests:
        failure = story.failure(Fault.FLAKY, "A test failed, then passed in a retry", [*lines], Basis.TESTS)
        return replace(failure, signature=signature_of_line(lines[0].text))
    shown = [*lines, *evidence_of_tests(story, list(tests))]
    failure = story.failure(Fault.FLAKY, f"`{tests[0].id}` failed, then passed in a retry", shown, Basis.TESTS)
    return replace(failure, signature=signature_of_test(tests[0]))


def guess(story: Story) -> Failure | None:
    """No rule knows it: show what looks like the error, and claim nothing."""
    lines = error_lines(story.view, story.ending)
    end = story.ending.failing.end
    shown = (*lines, *([end] if end else []))
    if not shown:
        return None
    if end is not None and names_cause(end) and not states_error(lines[:1]):
        lines = shown = (end, *lines)
    title = "No rule knows this failure; this looks like its error" if lines else "The log does not say what broke"
    if story.view.log.truncated and not any(look.weight for look in look_at(lines)):
        # What stands last where a log is torn off is no more the error than any other line.
        title, lines = "The log breaks off; these are its last lines", ()
    failure = story.failure(Fault.UNKNOWN, title, shown, Basis.GUESS if lines else Basis.NOTHING)
    return replace(failure, signature=signature_of_line(lines[0].text) if lines else None)


def cancelled_or_out_of_time(story: Story) -> Failure | None:
    """The log ends by being stopped, and nothing in it had failed before."""
    if story.ending.outcome is not Outcome.CANCELLED or story.context.job.conclusion is not None:
        return None
    return story.failure(Fault.CANCELLED, "Cancelled", [story.ending.line] if story.ending.line else [], Basis.RULE)


CHECKS: tuple[Callable[[Story], Failure | None], ...] = (
    gate_or_cascade,
    maker_failed,
    host_out_of_memory,
    machine_taken_away,
    stopped_in_tests,
    refused_flakes,
    reporting_script,
    tests_not_built,
    failed_tests,
    only_flakes,
    memory_outside_tests,
    broken_before,
    refusal,
    held_by_another,
    cancelled_or_out_of_time,
    guess,
)
"""Asked in this order; the first answer wins."""


def explain(context: JobContext) -> Failure | None:
    """Say what the log shows; None when there is no log, or when it shows no failure."""
    if context.view is None or context.ending is None:
        return None
    story = Story(context=context, view=context.view, ending=context.ending)
    if shows_no_failure(story):
        return None
    return next((failure for check in CHECKS if (failure := check(story))), None)


def shows_no_failure(story: Story) -> bool:
    """Whether the log ends well; one that does not say how it ended shows nothing either way."""
    return story.ending.outcome is Outcome.PASSED and not story.view.failing_tests
