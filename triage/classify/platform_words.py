"""What the machine itself says, outside of all tests, of a trouble that tests only felt.

A device that is lost, or a process that is killed, may be the doing of the change. When the kernel, the driver or the
vendor's tool says in the same log that the device is broken or that the host ran out of memory, it was not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.classify.denials import is_taken_back
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from triage.classify.story import Story
    from triage.classify.view import LogView
    from triage.model import LogLine, TestFailure
    from triage.rules.match import Match

FELT = frozenset(
    {"device-lost", "no-gpu-visible", "gpu-lost", "gpu-memory-broken", "npu-did-not-start", "nvidia-driver-mismatch"}
)
"""Rules on errors of a test that a broken device explains; a bad kernel or a wrong setting explains some, too."""

SAID = frozenset(
    {"device-unhealthy", "gpu-lost", "gpu-memory-broken", "nvidia-driver-mismatch", "no-gpu-on-the-machine"}
)
"""Rules on words of the kernel, the driver or the vendor's tool that say that a device is broken or gone."""

SMALL_PROCESS_KB = 1024 * 1024
"""Resident memory up to which a killed process is not what used the host up."""

_HOST_IS_OUT = regex(r"\bconstraint=CONSTRAINT_NONE\b.*\bglobal_oom\b")
_VICTIM = regex(r"\bOut of memory: Killed process \d+ \((?P<name>[^)]+)\).*\banon-rss:(?P<kb>\d+)kB")
_STOPPED = regex(r"\b(?:exit(?:ed)?|status|code)\b.{0,20}\b143\b|^##\[error\]The operation was cancell?ed|\bSIGTERM\b")
_KILLED = regex(
    r"\bsignal: killed\b|\bSIGKILL\b|^(?:\S+: line \d+: +\d+ )?Killed\b"
    r"|\b(?:exit(?:ed)?|returned|status|code)\b.{0,20}\b137\b|\breturn ?code -9\b",
    re.IGNORECASE,
)


def said_of_device(story: Story) -> Match | None:
    """Return what the machine says of a broken device anywhere outside the tests; None when it says nothing."""
    return next((match for match in story.outside_tests if match.rule.id in SAID), None)


def is_felt(own: Iterable[Match]) -> bool:
    """Whether a test's own error is one that a broken device explains."""
    return any(match.rule.id in FELT for match in own)


def killed_by_host(story: Story) -> tuple[LogLine, ...]:
    """Return the kernel's words by which the whole host ran out of memory and a small process of the job was killed."""
    lines = [line for line in story.view.log.lines if not story.view.is_input(line.number)]
    host = next((line for line in lines if _HOST_IS_OUT.search(line.text)), None)
    victims = [(line, found) for line in lines if (found := _VICTIM.search(line.text))]
    if host is None or not victims or any(int(found["kb"]) > SMALL_PROCESS_KB for _, found in victims):
        return ()
    return (victims[0][0], host)


def taken_away(story: Story) -> Match | None:
    """Return the cluster's or cloud's words on taking the machine away, wherever no finished test wrote them."""
    end = story.view.log.total_lines
    broke_off = [last for first, last in story.view.tests.line_ranges if end - last <= _LAST]
    for match in story.shown:
        number = match.line.number
        if match.rule.id not in TAKES_AWAY or story.view.is_input(number) or is_taken_back(match.line.text):
            continue
        if not story.view.is_in_tests(number) or any(0 <= last - number <= _LAST for last in broke_off):
            return match
    return None


TAKES_AWAY = frozenset({"pod-evicted", "runner-reclaimed"})
"""Rules on words of a cluster or cloud that takes the machine away from the job."""


def was_killed(view: LogView, test: TestFailure) -> bool:
    """Whether the log says that a failed test's program was killed, and the test itself says nothing."""
    if test.exception is not None:
        return False
    return any(_KILLED.search(line.text) for line in view.between(test.first_line - _ABOVE, test.last_line))


def ends_killed(view: LogView, first: int, last: int) -> bool:
    """Whether the last lines of a part of the log say that something was killed."""
    return any(_KILLED.search(line.text) for line in view.between(max(first, last - _LAST), last))


def ends_stopped(view: LogView, first: int, last: int) -> bool:
    """Whether the last lines of a part of the log say that it was stopped or killed."""
    return any(_STOPPED.search(line.text) for line in view.between(max(first, last - _LAST), last)) or ends_killed(
        view, first, last
    )


_ABOVE = 3
_LAST = 15
