"""Who stopped a job or killed a program, in the words of the shell, the kernel, a cluster or a cloud."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.classify.denials import is_taken_back
from triage.model import Outcome
from triage.regex import regex

if TYPE_CHECKING:
    from triage.classify.story import Story
    from triage.classify.view import LogView
    from triage.model import LogLine, TestFailure
    from triage.rules.match import Match

_STOPPED = regex(
    r"\b(?:exit(?:ed)?|status|code)\b.{0,20}\b143\b|^##\[error\]The operation was cancell?ed|\bSIGTERM\b"
    r"|^🚨 Error: The command was interrupted by a signal: (?:terminated|killed|interrupt)"
)
_KILLED = regex(
    r"\bsignal: killed\b|\bSIGKILL\b|^(?:\S+: line \d+: +\d+ )?Killed\b|\bKilled signal terminated program\b"
    r"|\b(?:exit(?:ed)?|returned|status|code)\b.{0,20}\b137\b|\breturn ?code -9\b|\bdied due to signal 9\b",
    re.IGNORECASE,
)


def taken_away(story: Story) -> Match | None:
    """Return the cluster's or cloud's words on taking the machine away, wherever no finished test wrote them."""
    end = story.view.log.total_lines
    broke_off = [last for first, last in story.view.tests.line_ranges if end - last <= _LAST]
    for match in story.shown:
        number = match.line.number
        if match.rule.id not in TAKES_AWAY or story.view.is_input(number) or is_taken_back(match.line.text):
            continue
        if match.rule.id in ENDS_AT_ONCE and number < story.ending.failing.first:
            continue
        if not story.view.is_in_tests(number) or any(0 <= last - number <= _LAST for last in broke_off):
            return match
    return None


TAKES_AWAY = frozenset({"agent-stopped", "pod-evicted", "runner-reclaimed", "scheduler-lost-node"})
"""Rules on words of a cluster or cloud that takes the machine away from the job."""

ENDS_AT_ONCE = frozenset({"scheduler-lost-node"})
"""Those that are no warning: a step of the job that began after them still had a machine."""


def only_cut_off(story: Story) -> bool:
    """Whether the failing part was told to stop, and all that failed is a test that ran just then and says nothing.

    Who told it to is not said by that: the exit code is the same for the runner, for a limit that a script sets itself,
    and for a test that stops its own process.
    """
    tests, end = story.view.failing_tests, story.ending.failing.end
    if not tests or end is None or not _TOLD_TO_STOP.search(end.text):
        return False
    return all(test.outcome is Outcome.CRASHED and test.exception is None for test in tests)


_TOLD_TO_STOP = regex(r"\b(?:exit code|status|exited with):? 143\b")


def was_killed(view: LogView, test: TestFailure) -> bool:
    """Whether the log says that a failed test's program was killed, and the test itself says nothing."""
    if test.exception is not None:
        return False
    return any(_KILLED.search(line.text) for line in view.between(test.first_line - _ABOVE, test.last_line))


def ends_killed(view: LogView, first: int, last: int) -> bool:
    """Whether the last lines of a part of the log say that something was killed."""
    return bool(killed_in(view, first, last))


def killed_in(view: LogView, first: int, last: int) -> list[LogLine]:
    """Return those of the last lines of a part of the log that say that something was killed."""
    return [line for line in view.between(max(first, last - _LAST), last) if _KILLED.search(line.text)]


def ends_stopped(view: LogView, first: int, last: int) -> bool:
    """Whether the last lines of a part of the log say that it was stopped or killed."""
    return any(_STOPPED.search(line.text) for line in view.between(max(first, last - _LAST), last)) or ends_killed(
        view, first, last
    )


_ABOVE = 3
_LAST = 15
