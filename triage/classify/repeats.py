"""Failed tests that say nothing of their own: another failure of the same log, or the build, speaks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.model import Outcome
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.classify.view import LogView
    from triage.model import TestFailure

LEAST = 12
"""Characters of a message that was cut off from which its beginning says which error it was."""

_CUT = regex(r"\s*(?:\.{3}|…)$")
_MARKS = regex(r"^(?:E {1,4})?\s*")
_BARE = regex(r"^(?:Failed|FAILED TO BUILD|NO STATUS|Not Run)$")
_UNBUILT = regex(r"^FAILED TO BUILD$")


def repeats(view: LogView, test: TestFailure, tests: Sequence[TestFailure]) -> bool:
    """Whether one line tells of the test, cut off, and another test's error begins with the very same words.

    pytest's summary cuts every line to the width of the terminal; one of the errors was printed in full above.
    """
    if test.first_line != test.last_line or not (cut := _CUT.search(test.message)):
        return False
    message = test.message[: cut.start()]
    stated = f"{test.exception}: {message}" if test.exception else message
    if len(message) < LEAST:
        return False
    full = (other for other in tests if other.first_line < other.last_line)
    return any(
        _MARKS.sub("", line.text).startswith(stated)
        for other in full
        for line in view.between(other.first_line, other.last_line)
    )


def is_bare(view: LogView, test: TestFailure) -> bool:
    """Whether the log says of the test that it failed, and nothing else: its runner kept what it wrote."""
    if test.exception is not None or not _BARE.match(test.message):
        return False
    block = view.between(test.first_line, test.last_line)
    return not any(line.text.strip() for line in block if line.number != test.error_line)


def is_unbuilt(test: TestFailure) -> bool:
    """Whether the test never ran because it could not be built: then the build's own errors say why."""
    return test.outcome is Outcome.NOT_COLLECTED and test.exception is None and bool(_UNBUILT.match(test.message))
