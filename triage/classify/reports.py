"""Scripts of the repository that die of an exception only to report that another job did not succeed.

The step was given what became of other jobs, and the exception says just that. A script that died of anything else
says something else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.model import Basis, Fault
from triage.regex import regex
from triage.signature import signature_of_rule

if TYPE_CHECKING:
    from triage.classify.story import Story
    from triage.model import Failure

_GIVEN = regex(r"['\"](?P<name>[^'\"\n]{1,100})['\"]:\s*\{\s*['\"]result['\"]:\s*['\"](?P<result>[a-z_]+)['\"]")
_SCRIPTS = ("python",)
_BROKEN = frozenset({"failure", "cancelled"})
_DID_NOT_SUCCEED = regex(
    r"\b(?:failure|failed|fails|failing|cancell?ed|unsuccessful|not succeed|no success)\b"
    r"|\b(?:not|isn't|wasn't)(?: all| been)? (?:successful|green)\b|!= ?['\"]?success\b",
)
_OF_JOBS = regex(r"\b(?:jobs?|needs|checks?|workflows?|stages?)\b")


def reporting_script(story: Story) -> Failure | None:
    """Say that the job failed only because a job it reports on did: the only thing its script died of."""
    tests = story.view.failing_tests
    if len(tests) != 1 or story.view.tests.runners != _SCRIPTS:
        return None
    message = tests[0].message
    broken = _broken(story)
    named = tuple(name for name in broken if name in message)
    if not broken or not _DID_NOT_SUCCEED.search(message) or not (named or _OF_JOBS.search(message)):
        return None
    line = story.view.line(tests[0].error_line)
    failure = story.failure(
        Fault.CASCADE, "Failed only because a job it reports on failed", [line] if line else [], Basis.RULE
    )
    roots = named or broken
    return replace(failure, roots=roots, signature=signature_of_rule("report", {"roots": ", ".join(roots)}))


def _broken(story: Story) -> tuple[str, ...]:
    """Names of the jobs that the failing step was given as failed or cancelled, each once."""
    section = story.ending.failing
    inputs = (line.text for line in story.view.between(section.first, section.last) if story.view.is_input(line.number))
    given = _GIVEN.finditer("\n".join(inputs))
    return tuple(dict.fromkeys(found["name"] for found in given if found["result"] in _BROKEN))
