"""What went wrong after an excuse: a job that outlived a machine's trouble, and then failed of something else.

A machine's words excuse what they explain, and nothing that is said long after them. Where another failure is stated
there the excuse is not believed: an honest "unknown" is worth more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.classify.guesses import told_in
from triage.classify.signs import PLAIN, look_at
from triage.classify.test_words import SAYS_NOTHING
from triage.model import Fault
from triage.regex import regex
from triage.rules.match import BLAMES_CODE

if TYPE_CHECKING:
    from triage.classify.signs import Look
    from triage.classify.story import Story
    from triage.rules.match import Match

LONG_AFTER = 6
"""Lines of another matter after which an error is no longer one of the same outburst."""


def something_else_failed(story: Story, last: int) -> bool:
    """Whether the failing part states another failure after a line that was the last word on a machine's trouble.

    The code is blamed there outside of tests; or an error stands there that no rule excuses or passes on, with lines
    of another matter between it and the errors above; or the trouble was met before the command that failed, and that
    says anything of its own. What tests print does not count but for what a script calls its error, but what follows a
    run that never said that it ended does. Lines that are indented do not: they belong to what stands above them. Where
    work went on after the trouble and the log's end is missing, nobody knows: that counts.
    """
    if any(_blames(match) for match in _after(story, last)):
        return True
    explained = {line.number for match in story.shown if _explains(match) for line in match.lines}
    section = story.ending.failing
    if last < section.first:  # another command failed, and by whatever it says
        return any(not look.wraps and look.line.number not in explained for look in told_in(story.view, section))
    between = anywhere = 0  # lines of another matter since the last error: outside of tests, and whoever wrote them
    for look in told_in(story.view, section._replace(first=last + 1)):
        errs = _states_error(look) and look.line.number not in explained
        if errs and anywhere > LONG_AFTER and look.line.text.startswith(_OWN_ERROR):
            return True
        anywhere = 0 if errs else anywhere + _begins(look)
        if story.view.is_surely_in_tests(look.line.number):
            continue
        if errs and between > LONG_AFTER:
            return True
        between = 0 if errs else between + _begins(look)
    return story.view.log.truncated and between > LONG_AFTER


def code_blamed_outside_tests(story: Story) -> bool:
    """Whether the failing part blames the code in words that no test wrote, above the tests that failed or below."""
    return any(_blames(match) for match in story.failing if match in story.outside_tests)


def _after(story: Story, last: int) -> list[Match]:
    below = (match for match in story.failing if match.line.number > last)
    return [match for match in below if not any(story.view.is_surely_in_tests(line.number) for line in match.lines)]


def _blames(match: Match) -> bool:
    """Whether code is blamed by more than words that pass on what was said above, `FAILED: x returned exit code 1`."""
    said_more = match.rule.fault is Fault.CODE and match.rule.id not in SAYS_NOTHING
    return said_more and not next(look_at([match.line])).wraps


def _explains(match: Match) -> bool:
    return match.rule.wrapper or match.rule.fault not in BLAMES_CODE


def _begins(look: Look) -> bool:
    return not look.line.text[:1].isspace()


def _states_error(look: Look) -> bool:
    if look.wraps or _HEADING.match(look.line.text):
        return False
    return look.weight >= PLAIN or look.line.text.startswith(_OWN_ERROR)


_OWN_ERROR = "##[error]"
"""What a script or an action calls its error, whatever its words."""

_HEADING = regex(r"\s*Traceback \(most recent call last\)")
"""What follows it says what was raised; by itself it says nothing."""
