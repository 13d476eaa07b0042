"""The words of a failed test's own error: what it states, compares, or only passes on."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from triage.classify.story import COMPARED, Story
from triage.logs.tests import wrappers
from triage.model import Fault, LogLine, Outcome, Where
from triage.regex import regex
from triage.rules.match import Match, matches, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.model import TestFailure

SAYS_NOTHING = frozenset({"python-exception", "javascript-exception", "cpp-exception", "panic"})
"""Rules that only know that something was raised, not what."""

ERROR_LINES = 3
"""Lines round a test's error that still belong to the statement of it."""


def is_silent(test: TestFailure) -> bool:
    """Whether the log names the test and says nothing of why it failed."""
    return test.exception is None and not test.message and test.outcome not in {Outcome.CRASHED, Outcome.TIMED_OUT}


def is_own_check(test: TestFailure) -> bool:
    """Whether the test compared two things and found them different: whatever words these hold, it meant to say so."""
    return (test.exception is not None and wrappers.is_assertion(test.exception)) or bool(
        _COMPARES.search(test.message)
    )


_COMPARES = regex(
    r"^(?:[Aa]ssert|[Ee]xpect)|\bassertion\b|, want\b|\bgot\b.*\bwant|\bbut (?:was|got)\b"
    r"|\bexpected\b.*\b(?:got|found|received|was)\b"
    rf"|{COMPARED.pattern}"
)


def own_error(story: Story, test: TestFailure) -> Iterator[Match]:
    """Rules that show in the test's error: on the line that states it, or in the error as the test runner told it."""
    error = story.view.line(test.error_line)
    text = f"{test.exception}: {test.message}" if test.exception else test.message
    wrapping = _wrapping_lines(story, test)
    for match in story.shown:
        if match.line.number == test.error_line or match.line.number in wrapping:
            yield match
    for match in matches(story.context.rules, read_text(text, story.context.scanner)):
        line = error or LogLine(test.error_line, text)
        yield replace(match, line=line, lines=(line,))


def _wrapping_lines(story: Story, test: TestFailure) -> frozenset[int]:
    """Where the exception that reached the runner names the server, which the socket's own error does not."""
    if test.wrapped_by is None or (test.exception or "").rpartition(".")[2] not in _OF_SOCKETS:
        return frozenset()
    names = re.compile(rf"(?:E +)?(?:\w+\.)*{re.escape(test.wrapped_by)}:")
    below = story.view.between(test.error_line + 1, test.last_line)
    return frozenset(line.number for line in below if names.match(line.text))


_OF_SOCKETS = frozenset(
    {
        *("TimeoutError", "timeout", "gaierror", "SSLError", "SSLEOFError", "IncompleteRead", "RemoteDisconnected"),
        *("ConnectionResetError", "ConnectionAbortedError", "BrokenPipeError", "ProtocolError", "NewConnectionError"),
        *("NameResolutionError", "ConnectTimeoutError", "ReadTimeoutError", "MaxRetryError"),
    }
)


def own_words(story: Story, test: TestFailure) -> tuple[Match, ...]:
    """Rules that show in a test's own error; of a program that died in a test, in the last words it wrote there."""
    own = tuple(own_error(story, test))
    if test.outcome is not Outcome.CRASHED:
        return own
    return (*own, *(match for match in story.shown if test.first_line <= match.line.number <= test.last_line))


def tells_of_want(story: Story, test: TestFailure) -> bool:
    """Whether the test's error only tells of a want: a server that did not come up, a GPU that was not seen.

    A rule knows the wording, and leaves open why; or it only passes on that something failed. Rules that blame the
    code, and other errors that no rule knows, do not.
    """
    own = [match.rule for match in own_error(story, test) if match.rule.id not in SAYS_NOTHING]
    if not own and test.exception is not None:
        return wrappers.is_wrapper(test.exception, test.message)
    return bool(own) and all(rule.fault is Fault.UNKNOWN or rule.where is Where.TEST_ERROR for rule in own)


def only_failed(test: TestFailure) -> bool:
    """Whether CTest says no more of a program than that it failed."""
    return test.runner == _STARTS_PROGRAMS and _FAILED_ONLY.fullmatch(test.message) is not None


_STARTS_PROGRAMS = "ctest"
_FAILED_ONLY = regex(r"Failed|(?:Subprocess|Child) aborted|Exception: \w+")


def missed_server(story: Story, test: TestFailure) -> bool:
    """Whether the test gave up on a server; a check may say that in its own words: `500 != 200: it did not start`."""
    return wrappers.passes_on(test.message) if is_own_check(test) else tells_of_want(story, test)


def session_of(story: Story, test: TestFailure) -> tuple[int, int]:
    """The lines of the test run up to the test's error."""
    holding = [start for start, end in story.view.tests.line_ranges if start <= test.error_line <= end]
    return min([*holding, test.first_line]), max(test.error_line, test.last_line)
