"""Jobs that failed for no other reason than that a test had to be run again: their own last words say so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.classify.guesses import told_in
from triage.classify.signs import PLAIN
from triage.regex import regex

if TYPE_CHECKING:
    from triage.classify.story import Story
    from triage.model import LogLine, TestFailure

_LAST_WORDS = 6
_FLAKY_TESTS = regex(r"\bflak(?:y|es?|iness)\b", re.IGNORECASE)
_ONLY_RETRIED = regex(
    r"\bexit(?:ing|ed|s)? (?:with )?(?:non-?zero|1) (?:because|as|since) .*\b(?:retr(?:y|ied)|re-?run|flaky)\b"
    r"|\bfail(?:ing|ed) (?:the job |the run )?because .*\b(?:flaky|needed a retry|was retried)\b",
    re.IGNORECASE,
)
_PASSED_AGAIN = regex(
    r"\bpassed (?:on|after|in) (?:the )?(?:attempt|retry|try|re-?run|second|\d+(?:nd|rd|th)?)\b", re.IGNORECASE
)


def words_on_flakes(story: Story) -> tuple[LogLine, ...]:
    """Return the lines by which a job says that it only failed because failed tests passed when they were run again."""
    section, tests = story.ending.failing, story.view.failing_tests
    if not tests:
        return () if story.view.tests.failures else _runners_count(story)
    looks = told_in(story.view, section)[-_LAST_WORDS:]
    last = [look.line for look in looks]
    if all(test.last_line < section.first and test.error_line < section.first for test in tests):
        # The step that ran the tests ended well; a step after it refuses what had to be run again.
        names = {test.id.rpartition(".")[2] for test in tests}
        told = [line for line in last if _FLAKY_TESTS.search(line.text)]
        if any(look.weight >= PLAIN and not look.wraps and look.line not in told for look in looks):
            return ()
        return tuple(sorted(told, key=lambda line: not any(name in line.text for name in names)))
    named = [line for line in last if _NAMED_FLAKY.search(line.text)]
    if named and all(any(_name_of(test) in line.text for line in named) for test in tests):
        after = told_in(story.view, section._replace(first=named[-1].number + 1))
        worse = any(_WORSE.search(look.line.text) or (look.weight and not look.wraps) for look in after)
        return () if worse else tuple(named)
    said = [line for line in last if _ONLY_RETRIED.search(line.text)]
    below = story.view.between(max(test.last_line for test in tests) + 1, section.last)
    passed = [line for line in below if _PASSED_AGAIN.search(line.text)]
    return (*said, *passed[-1:]) if said and passed else ()


_NAMED_FLAKY = regex(
    r"\bflak(?:y|es?)\b.*\bfail(?:s|ed)? (?:in|on|at) (?:the )?(?:attempt|try|run|first|1st|\d)\b.*"
    r"\b(?:passe[ds]|succeed(?:s|ed)) (?:in|on|at|after) (?:the )?(?:attempt|retry|try|run|re-?run|second|\d)",
    re.IGNORECASE,
)
"""A job's word on one test of which it says in what attempt it failed, and in which it passed."""


def _name_of(test: TestFailure) -> str:
    """The last part of a test's name, by which a job's own words call it."""
    return test.id.rpartition("::")[2].strip()


def _runners_count(story: Story) -> tuple[LogLine, ...]:
    """Return a runner's count of tests that passed in a retry, where it was told to fail on them and says no worse.

    It is asked only of what no reader of test output knows. The count must be all but the last that was printed: what
    ran after it may have failed with few words.
    """
    section = story.ending.failing
    lines = story.view.between(section.first, section.last)
    asked = any(_TOLD_TO_FAIL.search(line.text) for line in lines)
    if not asked or any(_WORSE.search(line.text) for line in lines) or _known_otherwise(story):
        return ()
    told = told_in(story.view, section)
    counted = [place for place, look in enumerate(told) if _COUNTED.search(look.line.text)]
    passed = [line for line in lines if _IN_RETRY.search(line.text) and not story.view.is_input(line.number)]
    if not counted or not passed or len(told) - counted[-1] > _LAST_WORDS:
        return ()
    if any(not _SUMMARY.search(look.line.text) for look in told[counted[-1] + 1 :]):
        return ()
    return (told[counted[0]].line, passed[-1])


def _known_otherwise(story: Story) -> bool:
    return any(not (match.rule.wrapper or story.view.is_in_tests(match.line.number)) for match in story.failing)


_TOLD_TO_FAIL = regex(
    r"--fail-on-flaky(?:-tests)?(?:['\"\s]|$)|\bFAIL_ON_FLAKY: *['\"]?(?:true|1)\b|\bFAIL_ON_FLAKY=(?:true|1)\b"
)
_COUNTED = regex(r"^\s*(?:[1-9]\d* flaky|Flaky: +[1-9]\d*\b.*|Some tests (?:are|were) flaky)$")
_IN_RETRY = regex(
    r"^\s*\S+ .*\((?:retry #\d+|passed on (?:attempt|retry) \d+)\)(?: \([\d.]+ ?m?s\))?$|^\s*\S+ .*\(retry \d+/\d+\)$"
)
_WORSE = regex(
    r"\b[1-9]\d* (?:failed|failures?|errors?|interrupted|did not run|incomplete|risky)\b|\b(?:Failed|Errors?): +[1-9]"
)
_SUMMARY = regex(
    r"^\s*(?:\[[\w -]+\] › |\S+\.\w+:\d+:\d+ › |(?:Tests|Assertions|Time taken|Duration|Finished)\b"
    r"|\d+ (?:passed|skipped)\b|Some tests (?:are|were) flaky$|Serving HTML|To open last|npx playwright show-report)"
)
"""What a runner prints of its tests below that count."""


def proof_of_retry(story: Story) -> tuple[LogLine, ...]:
    """Return the lines by which a test runner says that tests passed when run again, last ones first."""
    section = story.ending.failing
    lines = story.view.between(section.first, section.last)
    said = [line for line in lines if _SAYS_SO.search(line.text) and not story.view.is_input(line.number)]
    return tuple(said[: -_PROOF - 1 : -1])


_PROOF = 2
_SAYS_SO = regex(
    r"^\s*\d+ flaky$|^\s*[✓✔] .*\(retry #\d+\)|\bfailed and then (?:succeeded|passed)\b"
    r"|\bneeded more than one (?:attempt|try|run)\b|\bwas re-?run and then passed\b"
    r"|\bflaky tests? (?:were|was) retried\b|\bThere (?:is|are) \d+ flakes?\b|^\s*(?:\S+ +)?FLAKY\b(?! tests)"
    r"|\bpassed (?:on|after) (?:the )?(?:attempt|retry|re-?run|second)\b|\bpassed \d+ out of the required \d+ times"
)
