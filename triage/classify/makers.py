"""Artifacts that are missing because the job that makes them failed.

Any step that was handed the results of the jobs this one needs shows them; an artifact is made by the job whose name is
in its own. One that failed made nothing, whatever else the change did to the artifact's name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.classify.contending import lines_of
from triage.classify.results import HANDED_BY_NEEDS, RESULTS_IN_JSON, failed_before
from triage.model import Basis, Fault
from triage.regex import regex
from triage.signature import signature_of_rule

if TYPE_CHECKING:
    from triage.classify.story import Story
    from triage.model import Failure

NOT_MADE = frozenset({"artifact-missing"})
"""Rules that only know that something is not there which another job makes."""

_BROKEN = frozenset({"failure", "cancelled"})
_APART = regex(r"[^a-z0-9]+")


def only_not_made(story: Story) -> bool:
    """Whether all that broke here is that something is not there which another job makes."""
    return bool(story.failing) and all(match.rule.id in NOT_MADE for match in story.failing)


def maker_failed(story: Story) -> Failure | None:
    """Say that the job failed only because the one whose artifact it wants had: the step was told so."""
    if not only_not_made(story):
        return None
    missing = story.failing[-1]
    artifact = next((text for text in missing.captures.values() if text), "")
    handed = (line.text for line in story.view.log.lines if HANDED_BY_NEEDS.search(line.text))
    given = {found["name"]: found["result"] for text in handed for found in RESULTS_IN_JSON.finditer(text)}
    makers = tuple(name for name, result in given.items() if result in _BROKEN and _is_in(name, artifact))
    makers = makers or _makers_in_env(story, missing.line.number, artifact)
    if not makers or story.view.failing_tests:
        return None
    title = "Failed only because a job it reports on failed"
    told = [line for line in story.view.log.lines if _ends_in_failure(line.text, makers) or _in_env(line.text, makers)]
    failure = story.failure(Fault.CASCADE, title, [*lines_of(missing), *told], Basis.RULE)
    return replace(failure, roots=makers, signature=signature_of_rule("report", {"roots": ", ".join(makers)}))


def _makers_in_env(story: Story, number: int, artifact: str) -> tuple[str, ...]:
    """Jobs of which the step was handed one by one that they failed, `BUILD_RESULT: failure`, and that make artifacts.

    Void where a step of this very job had failed before: then it may be that one's result.
    """
    if failed_before(story.view, number):
        return ()
    lines = story.view.between(story.view.begin_of(number), number)
    found = (_HANDED.match(line.text) for line in lines if story.view.is_input(line.number))
    names = (match["name"].lower() for match in found if match)
    return tuple(name for name in names if name in _MAKERS or _is_in(name, artifact))


def _in_env(text: str, names: tuple[str, ...]) -> bool:
    found = _HANDED.match(text)
    return found is not None and found["name"].lower() in names


_HANDED = regex(r"^ +(?P<name>[A-Z][A-Z0-9_]*)_RESULT: (?:failure|cancelled)$")
_MAKERS = frozenset({"build", "builds", "compile", "package", "packages", "packaging", "wheel", "wheels", "dist"})
"""What a job that makes artifacts is called after; steps have outcomes and conclusions, only jobs have results."""


def _is_in(name: str, artifact: str) -> bool:
    return f"-{_plain(name)}-" in f"-{_plain(artifact)}-"


def _ends_in_failure(text: str, names: tuple[str, ...]) -> bool:
    """Whether a line shows the result of one of some jobs, and nothing else."""
    return any(_plain(text) == f"{_plain(name)}-{result}" for name in names for result in _BROKEN)


def _plain(name: str) -> str:
    return _APART.sub("-", name.lower()).strip("-")
