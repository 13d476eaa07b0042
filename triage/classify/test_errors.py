"""What a failed test's own error says of the machine.

Inside a failed test only that test's own error can speak (law 2): a line the test printed proves nothing. An error that
only says that a server did not come up says nothing itself; then what that server printed is the error.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.classify.gpu_memory import MemoryReading, read_memory_error
from triage.classify.guesses import telling_lines
from triage.classify.holders import stranger
from triage.classify.signs import PLAIN, look_at
from triage.classify.test_words import (
    ERROR_LINES,
    SAYS_NOTHING,
    is_own_check,
    is_silent,
    missed_server,
    only_failed,
    own_error,
    own_words,
    session_of,
    tells_of_want,
)
from triage.classify.troubles import proof_of
from triage.classify.used_up import full_before
from triage.logs.tests import wrappers
from triage.model import Basis, Fault, LogLine, Outcome, Where
from triage.regex import regex
from triage.rules.match import BLAMES_CODE, Match
from triage.signature import signature_of_rule

if TYPE_CHECKING:
    from triage.classify.story import Story
    from triage.classify.troubles import Trouble
    from triage.model import Failure, TestFailure

LEAVES_OPEN = frozenset({"address-in-use"})
"""Rules on errors that the change and a stranger bring about alike: two servers of its own, or one of another job."""

SEES_NONE = "no-gpu-visible"
"""The rule on programs that see no device: the machine has none, or the change hides it or asks wrongly."""

OPEN_BELOW = LEAVES_OPEN | {"accelerator-busy"}
"""The same of errors of a program that a runner started: one that ran before it in this job may hold the device."""

SIDE_BY_SIDE = frozenset({"lit"})
"""Runners whose tests are programs, many at a time: what is called an error there is only what one of them printed."""

LIBRARY_LINES = 2
"""Lines quoted of what libraries and other processes said at their gravest while a test ran."""

FIRST_WORDS = 3
"""Lines quoted of those that say the same as a test's error, above it."""


def machine_fault(story: Story, test: TestFailure) -> Failure | None:
    """Say what the test's own error says of the machine; None when it says nothing of it."""
    error = story.view.line(test.error_line)
    stated = read_memory_error(_statement(story, test), story.view) or _programs_memory(story, test)
    reading = stated or _servers_memory(story, test)
    if reading is not None:
        told = None if is_silent(test) or (stated is None and missed_server(story, test)) else error
        return from_memory(story, reading, told) if reading.fault is not Fault.CODE else None
    if test.outcome in {Outcome.CRASHED, Outcome.TIMED_OUT} or test.runner in SIDE_BY_SIDE:
        return None
    if is_own_check(test):
        return None
    match = next((match for match in own_error(story, test) if _speaks_of_machine(match, test)), None)
    match = match or _servers_words(story, test) or held_by_stranger(story, test)
    if match is None:
        return None
    shown = error or match.line
    proof = (*proof_of(story, match, story.view.failing_tests), *full_before(story.view, match))
    block = story.view.between(test.first_line, test.last_line)
    spoken = telling_lines(block, most=LIBRARY_LINES, of_libraries=True)
    same = _said_before(story, test, match)
    met = _met(match.line, [*spoken, *same])
    return story.from_match(match, dict.fromkeys((*met, match.line, shown, *proof, *match.lines, *spoken, *same)))


def _met(line: LogLine, others: list[LogLine]) -> list[LogLine]:
    """Where the error was met, when the line on it is a runner's summary or its place: it stands there in full."""
    if not (_SUMMARY.match(line.text) or _ONLY_PLACED.search(line.text)):
        return []
    looks = [look for look in look_at([other for other in others if not _SUMMARY.match(other.text)]) if not look.wraps]
    best = max(looks, key=lambda look: look.weight, default=None)
    return [best.line] if best is not None and best.weight >= PLAIN else []


_SUMMARY = regex(r"^(?:FAILED|ERROR) \S+::")


def _said_before(story: Story, test: TestFailure, match: Match) -> list[LogLine]:
    """Where the same shows above in the session: the first word on it often names the server's own answer.

    Of an error of which the runner only names the place, the words may stand below, where the program printed them.
    """
    first, last = session_of(story, test)
    if _ONLY_PLACED.search(match.line.text):
        last = max([last, *(end for start, end in story.view.tests.line_ranges if start <= test.error_line <= end)])
    lines = [
        other.line for other in story.shown if other.rule.id == match.rule.id and first <= other.line.number <= last
    ]
    return [line for line in lines if line is not match.line and not _ONLY_PLACED.search(line.text)][:FIRST_WORDS]


_ONLY_PLACED = regex(r"^\s+(?:Caused by: )?[\w.$]+(?:Exception|Error) at \w+\.\w+:\d+$")


def felt(story: Story, test: TestFailure, trouble: Trouble) -> LogLine | None:
    """Return the line by which a test's own error tells of what the trouble explains; None when it tells of more."""
    if is_own_check(test) and not (trouble.inside and _NO_DEVICE.fullmatch(test.message)):
        return None
    text = f"{test.exception}: {test.message}" if test.exception else test.message
    if trouble.words is not None and trouble.words.search(text):
        return story.view.line(test.error_line) or LogLine(test.error_line, text)
    says_less = only_failed(test) or is_silent(test)
    words = (*own_words(story, test), *(_raised_last(story, test) if says_less else ()))
    return next((match.line for match in words if match.rule.id in trouble.felt), None)


_NO_DEVICE = regex(r"(?:hip|cuda|musa)ErrorNoDevice|[A-Z_]*(?:NO_DEVICE|DEVICE_NOT_FOUND|DEVICE_LOST)")
"""A check of what the driver returned, of which nothing is told but that name."""


def open_question(story: Story, test: TestFailure) -> Match | None:
    """Return the rule on the test's own error that leaves open whose doing it is; None for every other error."""
    if is_own_check(test):
        return None
    block = range(max(test.first_line, test.error_line - ERROR_LINES), test.error_line + ERROR_LINES + 1)
    near = (match for match in story.shown if match.line.number in block and match.line.number <= test.last_line)
    asked = LEAVES_OPEN if test.runner not in SIDE_BY_SIDE else OPEN_BELOW
    told = next((match for match in (*own_error(story, test), *near) if _leaves_open(match, asked)), None)
    return told or _of_its_program(story, test)


def _leaves_open(match: Match, asked: frozenset[str]) -> bool:
    return match.rule.id in asked or (match.rule.id == SEES_NONE and bool(_AT_ALL.search(match.line.text)))


_AT_ALL = regex(
    r"\bNo [A-Z]+s?(?: GPUs| devices)? are available\b|-capable device is detected\b|ErrorNoDevice\b|ERROR_NO_DEVICE\b"
)
"""Errors of a program that sees no device at all; one that asks for a device of a wrong number is mistaken."""


def _of_its_program(story: Story, test: TestFailure) -> Match | None:
    """Return the rule on what a program raised last, where its runner only says that it ended."""
    return next((match for match in _raised_last(story, test) if match.rule.id in OPEN_BELOW), None)


def _raised_last(story: Story, test: TestFailure) -> list[Match]:
    """Return the rules on what a program raised last, where its runner only says that it ended."""
    from triage.logs.tests.printed import Printed

    if test.exception is not None:
        return []
    if test.message and not (wrappers.passes_on(test.message) or only_failed(test)):
        return []
    number = Printed(story.view.between(_first_word(story, test), test.last_line)).complaint
    return [match for match in story.shown if match.line.number == number]


def _first_word(story: Story, test: TestFailure) -> int:
    """Where what a test said begins; of one that is only named, above that line, where no test said more than that."""
    tests = story.view.failing_tests
    if not all(is_silent(each) for each in tests):
        return test.first_line
    ended = max((each.last_line + 1 for each in tests if each.last_line < test.first_line), default=1)
    return min(test.first_line, max(ended, story.view.begin_of(test.first_line), test.first_line - PRINTED_ABOVE))


PRINTED_ABOVE = 40
"""Lines above the one that names a failed test, of which nothing else is known, in which it may have printed why."""


def held_by_stranger(story: Story, test: TestFailure) -> Match | None:
    """Return the rule on what a program raised last, where another than this job held the device."""
    match = _of_its_program(story, test)
    return match if match and stranger(story.view, match) else None


def from_memory(story: Story, reading: MemoryReading, error: LogLine | None = None) -> Failure:
    """Build the answer that the arithmetic of GPU memory gives; `error` is what the test or gate itself said."""
    lines = [line for line in (error, reading.line, reading.shown_by) if line]
    failure = story.failure(reading.fault, reading.title, lines, Basis.RULE)
    signature = signature_of_rule("gpu-memory", {"fault": reading.fault.value})
    return replace(failure, signature=signature, ruled_out=(reading.why,))


def _statement(story: Story, test: TestFailure) -> list[LogLine]:
    """The test's error, and what stands round it; of one that a server raised above, that line alone."""
    block = story.view.between(test.first_line, test.last_line)
    raised = story.view.line(test.error_line) if test.wrapped_by is not None else None
    above = [raised] if raised is not None and raised.number < test.first_line else []
    return [*above, *(line for line in block if abs(line.number - test.error_line) <= ERROR_LINES)]


def _speaks_of_machine(match: Match, test: TestFailure) -> bool:
    rule = match.rule
    speaks = rule.where is Where.TEST_ERROR or (rule.where is Where.SETUP_ERROR and _is_preparing(test))
    return speaks and not rule.wrapper and rule.fault not in BLAMES_CODE


def _is_preparing(test: TestFailure) -> bool:
    """Whether it failed before it checked anything: a test's fixture, or a script that is no test."""
    from triage.logs.tests import python_script

    return test.outcome is Outcome.ERROR or (test.runner == python_script.RUNNER and not python_script.is_test(test.id))


def _servers_words(story: Story, test: TestFailure) -> Match | None:
    """What a server printed before the test gave up on it, when the test's error says nothing else.

    Void when anything in the same session blames the code.
    """
    if not tells_of_want(story, test):
        return None
    first, last = session_of(story, test)
    here = [match for match in story.shown if first <= match.line.number <= last and not match.rule.wrapper]
    if any(match.rule.fault is Fault.CODE and match.rule.id not in SAYS_NOTHING for match in here):
        return None
    spoken = {Where.TEST_ERROR, Where.SETUP_ERROR}  # a server that does not come up is a test that was not set up
    told = [match for match in here if match.rule.where in spoken and match.rule.fault not in BLAMES_CODE]
    return next((match for match in told if match.line.number == told[-1].line.number), None)  # exact rules stand first


def _servers_memory(story: Story, test: TestFailure) -> MemoryReading | None:
    """What a server that did not come up said of the device's memory, when that was not free before the tests."""
    if not missed_server(story, test):
        return None
    reading = read_memory_error(story.view.between(*session_of(story, test)), story.view)
    return reading if reading is not None and reading.fault is Fault.GPU_RESIDUE else None


def _programs_memory(story: Story, test: TestFailure) -> MemoryReading | None:
    """What the program said of the device's memory of which its runner only says that it failed, if it said no more."""
    return _only_memory(story, test) if only_failed(test) else None


def memory_of_stranger(story: Story, test: TestFailure) -> bool:
    """Whether all that stands at a test's name is that memory was missing which a tool showed before as another's."""
    reading = _only_memory(story, test)
    return reading is not None and reading.shown_by is not None


def _only_memory(story: Story, test: TestFailure) -> MemoryReading | None:
    """What a test's lines say of the device's memory that another held, where they state no other error."""
    block = story.view.between(test.first_line, test.last_line)
    reading = read_memory_error(block, story.view)
    if reading is None or reading.fault is not Fault.GPU_RESIDUE:
        return None
    others = (look for look in look_at(block) if look.weight >= PLAIN and not look.wraps)
    apart = [look for look in others if abs(look.line.number - reading.line.number) > ERROR_LINES]
    return None if any(look.line.number != test.error_line for look in apart) else reading
