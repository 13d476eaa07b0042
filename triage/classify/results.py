"""Results of jobs in GitHub's own four words: whether a step was handed them, shows them, or speaks of its own work.

A step that only looks at results writes nothing else. One that also compiled, or that runs after a step that failed
and was allowed to, tells of what became of its own job: that is no other job's failure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.classify.guesses import told_in
from triage.model import Fault
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.classify.view import LogView, Section
    from triage.rules.match import Match

RESULT = regex(
    r"^(?:##\[error\])?[\W\s]*(?:\w+: )?(?:[Jj]ob )?['\"`]?(?P<name>[\w.-]+(?: \([^)]*\)| / [\w.-]+)?)['\"`]?"
    r"(?: (?:result|status))?"
    r"\s*(?:[:=|]|→|->|\s)\s*(?:\{ ?\"result\": ?|completed,? \(?)?"
    r"[`'\"]?(?P<result>success|failure|cancelled|skipped)[`'\"]?(?: \([^)]*\)| ?\}|\))?[\s|]*[,;.]?$"
)
"""A line that shows one job's result."""

RESULTS_IN_JSON = regex(
    r"\"(?P<name>[\w./ -]+)\": ?(?:\{ ?\"result\": ?)?\"(?P<result>success|failure|cancelled|skipped)\""
)

HANDED = regex(
    r"^\s*(?:\w*(?:RESULT|NEEDS|STATUS|OUTCOME)\w*): .*\b(?:failure|cancelled)\b|\bneeds\.[\w*-]+\.result\b"
    r"|\[ +[\"']?(?:failure|cancelled)[\"']? +!?==? +[\"']?success\b|\bcase +[\"']?(?:failure|cancelled)[\"']? +in\b"
    r"|\"result\": ?\"(?:failure|cancelled)\""
    r"|^(?:##\[group\]Run |\s*)(?:export )?\w*(?:RESULT|NEEDS)\w*=[\"']?(?:failure|cancelled)\b",
    re.IGNORECASE,
)
"""A step's command or `env:` with the results of others in it."""

HANDED_BY_NEEDS = regex(
    r"^\s*\w*(?:RESULTS?|NEEDS)(?:_JSON)?: .*\b(?:failure|cancelled)\b"
    r"|\[ +[\"']?(?:failure|cancelled)[\"']? +!?==? +[\"']?success\b|\"result\": ?\"(?:failure|cancelled)\""
)
"""The same in the forms that only results of jobs have: enough for a step that says nothing."""

_FAILED = regex(r"^##\[error\]")
_NOTHING_THERE = regex(r"(?i)\bartifacts?\b.*\b(?:find|found|expired)\b|\bfind\b.*\bartifacts?\b")
"""A step's failure, as the runner states it; and an artifact that another job has not made."""

_OWN_WORDS = 6
"""The weight of what a compiler says of a place, or a program that dies of an exception."""

_PLAIN = "some-jobs-failed"
"""The rule on words that a script could say of checks of its own, too; `NAME: failure` is like it."""

_ON_JOBS = regex(r"(?i)\b(?:jobs?|check runs?|workflows?|waiting|waited|polling|results?|status(?:es)?)\b")
"""A line that a job which only looks at others writes."""


_SEVERAL = 2


def was_handed(view: LogView, section: Section, what: re.Pattern[str]) -> bool:
    """Whether the step was handed something: its command, its `with:` or its `env:` shows it."""
    lines = view.between(section.first, section.last)
    return any(what.search(line.text) for line in lines if view.is_input(line.number))


def failed_before(view: LogView, number: int) -> bool:
    """Whether a step above the one that wrote the line had failed, and the job went on (`continue-on-error`).

    What such a job reports at its end, `lint: failure`, is what became of its own steps.
    """
    above = (line.text for line in view.between(1, view.begin_of(number) - 1))
    return any(_FAILED.match(text) and not _NOTHING_THERE.search(text) for text in above)


def without_own_reports(view: LogView, section: Section, found: Sequence[Match]) -> tuple[Match, ...]:
    """Leave out the rules on other jobs where the failing part did work of its own, and tells of that."""
    of_jobs = [match for match in found if match.rule.fault is Fault.CASCADE]
    if not of_jobs or not _is_own_report(view, section, found, of_jobs):
        return tuple(found)
    return tuple(match for match in found if match.rule.fault is not Fault.CASCADE)


def _is_own_report(view: LogView, section: Section, found: Sequence[Match], of_jobs: Sequence[Match]) -> bool:
    numbers = {match.line.number for match in of_jobs}
    if any(match.rule.fault is Fault.CODE and match.line.number not in numbers for match in found):
        return True
    told = told_in(view, section)
    if any(look.weight == _OWN_WORDS and look.line.number not in numbers for look in told):
        return True
    if not all(_is_plain(match, view) for match in of_jobs):
        return False
    results = [look for look in told if RESULT.match(look.line.text)]
    others = [
        look
        for look in told
        if look not in results and not (look.wraps or look.line.number in numbers or _ON_JOBS.search(look.line.text))
    ]
    return len(results) < _SEVERAL and bool(others) and not was_handed(view, section, HANDED)


def _is_plain(match: Match, view: LogView) -> bool:
    """Whether the words are such as a script says of its own checks, too."""
    said = match.rule.id == _PLAIN or bool(RESULT.match(match.line.text))
    return said and not view.is_input(match.line.number)
