"""Which lines show why tests failed: their errors, what their programs said of it, where they stand.

What a runner itself says comes first as long as it says more than that something failed. Little is known of what small
harnesses print, and one that starts other programs only passes their end on: then what looks like the error is shown.
"""

from __future__ import annotations

from itertools import islice, takewhile
from typing import TYPE_CHECKING

from triage.classify.guesses import error_lines, telling_lines
from triage.classify.repeats import is_bare
from triage.classify.said_elsewhere import said_elsewhere
from triage.classify.test_errors import LIBRARY_LINES, PRINTED_ABOVE
from triage.classify.test_words import is_own_check, is_silent, session_of
from triage.logs.tests import wrappers
from triage.logs.tests.harness_table import SMALL_HARNESSES
from triage.model import Fault, Outcome
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.classify.story import Story
    from triage.classify.view import LogView
    from triage.model import LogLine, TestFailure

FIRST_TESTS = 3
"""Tests that are quoted before all others."""

BELOW, BELOW_ALONE = 2, 4
"""Lines quoted below a test's error; a test that failed alone may tell more."""

PASSES_ON = frozenset({"ctest"})
"""Runners that start other programs, and of them only say that they failed."""


def evidence_of_tests(story: Story, tests: list[TestFailure]) -> list[LogLine]:
    """Return what shows why tests failed, the most telling lines first.

    Args:
        story: The log.
        tests: At least one; the most telling first.
    """
    lines = list(_of_errors(story, tests))
    if _says_nothing(tests[0]) or is_bare(story.view, tests[0]):
        return [*_blamed(story), *_of_machine(story, tests[0]), *error_lines(story.view, story.ending), *lines]
    if tests[0].runner in SMALL_HARNESSES:
        lines += error_lines(story.view, story.ending)
    return lines


def _says_nothing(test: TestFailure) -> bool:
    """Whether all that is known of a failed test is the line that names it."""
    names_it = test.error_line in {test.first_line, test.last_line}
    return is_silent(test) and names_it and test.outcome is not Outcome.FLAKY


def _blamed(story: Story) -> list[LogLine]:
    """The last lines that rules blame code for."""
    return [match.line for match in story.failing if match.rule.fault is Fault.CODE][-FIRST_TESTS:]


def _of_errors(story: Story, tests: list[TestFailure]) -> Iterator[LogLine]:
    """The errors of the first tests, what a server said of it, what stands round the errors, then the rest."""
    view = story.view
    first = tests[:FIRST_TESTS]
    yield from _of_sanitizers(story)
    for test in first:
        if test.runner in PASSES_ON:
            yield from telling_lines(view.between(test.error_line + 1, test.last_line), most=BELOW)
    for test in first:
        yield from said_elsewhere(view, test)
    errors = [line for test in tests if (line := view.line(test.error_line))]
    if _COMMAND_FAILED.search(first[0].message):
        yield from _of_machine(story, first[0])
    yield from _told_in_summary(story, first[0])
    yield from errors[:FIRST_TESTS]
    yield from _of_missed_server(story, tests[0])
    yield from words_after_summary(story)
    for test in first:
        below = takewhile(_is_no_heading, view.between(test.error_line + 1, test.last_line))
        most = BELOW_ALONE if len(tests) == 1 and test.outcome is not Outcome.FLAKY else BELOW
        yield from islice((line for line in below if line.text.strip(" E")), most)
    yield from _of_machine(story, first[0])
    block = view.between(first[0].first_line, first[0].last_line)
    yield from telling_lines(block, most=LIBRARY_LINES, of_libraries=True)
    yield from _blamed(story)
    yield from _in_summary(story, first[0])
    for test in first:
        yield from view.between(test.first_line, test.first_line)
    yield from errors[FIRST_TESTS:]


def _of_sanitizers(story: Story) -> list[LogLine]:
    """What a sanitizer found while a test ran that says nothing of its own: the tests after it may feel only that."""
    silent = [test for test in story.view.failing_tests if is_silent(test)]
    found = (match.line for match in story.shown if match.rule.id in SANITIZERS)
    return [line for line in found if any(test.first_line <= line.number <= test.last_line for test in silent)][:1]


SANITIZERS = frozenset({"sanitizer", "gpu-illegal-access"})
"""Rules on tools that watch a program, and say of it what the test cannot."""


def _of_machine(story: Story, test: TestFailure) -> list[LogLine]:
    """What a test printed of the machine's troubles: it excuses nothing, and may be why the test failed."""
    first = test.first_line - (PRINTED_ABOVE if is_silent(test) else 0)
    told = [match for match in story.shown if first <= match.line.number <= test.last_line]
    return [match.line for match in told if match.rule.fault in OF_MACHINES and not match.rule.wrapper][:LIBRARY_LINES]


OF_MACHINES = frozenset({Fault.INFRASTRUCTURE, Fault.GPU_RESIDUE})

_COMMAND_FAILED = regex(r"(?i)\bcommand failed\b|\bnon-?zero exit\b|\bexit(?:ed with)? (?:code|status)\b")
"""Errors of tests that only started a program: what that program said is the error."""


def told_before_counted(view: LogView, tests: list[TestFailure]) -> list[TestFailure]:
    """Put those of which the log says more in front of those of which only a summary's line is kept."""
    errors = {test.error_line: view.line(test.error_line) for test in tests}
    counted = {number for number, line in errors.items() if line is not None and _SUMMARY.match(line.text)}
    return sorted(tests, key=lambda test: test.error_line in counted)


_SUMMARY = regex(r"^(?:FAILED|ERROR) \S+::")


def _in_summary(story: Story, test: TestFailure) -> list[LogLine]:
    """The line by which the runner names the test once more, when all have run."""
    name = test.id.rpartition("::")[2].rpartition(".")[2] or test.id
    below = story.view.between(test.last_line + 1, story.ending.failing.last)
    return [line for line in below if _NAMES_AGAIN.match(line.text) and name in line.text][:1]


def _told_in_summary(story: Story, test: TestFailure) -> list[LogLine]:
    """The same line of a runner that puts the place and the whole error into it: it tells more than the error alone."""
    lines = _in_summary(story, test) if test.message else []
    return [line for line in lines if line.text.startswith("[ERROR]") and test.message.splitlines()[0] in line.text]


_NAMES_AGAIN = regex(r"^\s*(?:(?:FAILED|ERROR) \S+|\[ERROR\] +\S+:\d+ |rspec \./|--- FAIL: |\[  FAILED  \] )")


def _of_missed_server(story: Story, test: TestFailure) -> list[LogLine]:
    """What a server printed on which a test's own check gave up."""
    if not (is_own_check(test) and wrappers.passes_on(test.message)):
        return []
    from triage.logs.tests.printed import Printed

    first, _ = session_of(story, test)
    number = Printed(story.view.between(first, test.first_line - 1)).complaint
    line = story.view.line(number) if number is not None else None
    return [line] if line is not None else []


def _is_no_heading(line: LogLine) -> bool:
    """Whether the line still belongs to the error: what a test printed stands under a heading of its own."""
    return not _HEADING.match(line.text)


_HEADING = regex(
    r"^(?:-{4,} Captured |[-=_*]{10,}|(?:E +)?(?:Traceback \(most recent|During handling of|The above exception was) )"
)


def words_after_summary(story: Story) -> list[LogLine]:
    """What a server or tool said after the tests' summary: often the cause of what the client only felt."""
    ends = [test.last_line for test in story.view.failing_tests]
    section = story.ending.failing
    below = story.view.between(max(ends, default=section.first) + 1, section.last)
    return [line for line in below if _SERVER_WORDS.search(line.text)][:2]


_SERVER_WORDS = regex(r'"(?:message|detail|error|reason)"\s*:\s*"[^"]{8,}"')


def title_of_tests(tests: list[TestFailure]) -> str:
    """Name what failed in a few words."""
    first = tests[0].id
    return f"`{first}` fails" if len(tests) == 1 else f"{len(tests)} tests fail, first `{first}`"
