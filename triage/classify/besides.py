"""Failed tests that commands outside of them explain: the machine shows the same trouble there, or the build does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.classify.contending import lines_of, rules_where_it_failed
from triage.classify.repeats import is_bare, is_unbuilt
from triage.classify.test_errors import felt, tells_of_want
from triage.classify.troubles import TROUBLES, Trouble, said_of
from triage.regex import regex
from triage.rules.match import BLAMES_CODE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.classify.story import Story
    from triage.model import Failure, TestFailure

TOGETHER = 10
"""Lines within which a tool says one thing in several lines."""

FIRST_TESTS = 3
"""Tests whose own errors are shown with the proof."""


def machine_besides(story: Story, tests: Sequence[TestFailure]) -> Failure | None:
    """Every test felt the same trouble, and outside of them the machine says that the trouble is its own."""
    for trouble in TROUBLES:
        told = [(test, felt(story, test, trouble)) for test in tests]
        lines = [line for _, line in told if line]
        if not lines or not all(line or _may_come_of(story, test, trouble) for test, line in told):
            continue
        if said := said_of(story, trouble, tests):
            same = (match.line for match in story.outside_tests if match.rule.id == said.rule.id)
            near = [line for line in same if abs(line.number - said.line.number) <= TOGETHER]
            return story.from_match(said, [*lines_of(said), *lines[:FIRST_TESTS], *near])
    return None


def _may_come_of(story: Story, test: TestFailure, trouble: Trouble) -> bool:
    """Whether a test that does not name the trouble may have failed of it: it says only what it lacked, or nothing."""
    return trouble.spreads and (tells_of_want(story, test) or is_bare(story.view, test))


def tests_not_built(story: Story) -> Failure | None:
    """No test failed: those that are named could not be built, and the build's own errors blame the machine."""
    tests = story.view.failing_tests
    if not tests or not all(is_unbuilt(test) for test in tests):
        return None
    if any(
        _ACTION_FAILED.search(line.text) and not _LOST_ITS_SERVER.search(line.text) for line in story.view.log.lines
    ):
        return None
    found = rules_where_it_failed(story)
    return found if found is not None and found.fault not in BLAMES_CODE else None


_ACTION_FAILED = regex(r"^ERROR: .* failed: \([A-Z]")
_LOST_ITS_SERVER = regex(r"\(Exit 3[489]\)")
"""Bazel's codes for a remote cache or executor that is lost, or that lost what it had kept."""
