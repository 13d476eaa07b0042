"""Failed tests that commands outside of them explain: the machine shows the same trouble there, or the build does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.classify.contending import lines_of, rules_where_it_failed
from triage.classify.repeats import is_bare, is_unbuilt
from triage.classify.test_errors import felt
from triage.classify.test_words import tells_of_want
from triage.classify.troubles import LOST_BEFORE, NO_DEVICE, TROUBLES, Trouble, said_of
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


def broken_before(story: Story) -> Failure | None:
    """No test is named, the program saw no device, and above it a driver says that the device is there and broken."""
    found = rules_where_it_failed(story)
    if found is None or found.rule is None or found.rule.id not in NO_DEVICE.felt or story.view.failing_tests:
        return found
    number = next((fact.line for fact in found.evidence if fact.line), 0)
    said = [match for match in story.outside_tests if match.rule.id in _BROKEN and match.line.number < number]
    if not said or _is_mended(story, said[-1].line.number, number):
        return found
    shown = (story.view.line(fact.line) for fact in found.evidence if fact.line)
    return story.from_match(said[-1], [*lines_of(said[-1]), *(line for line in shown if line)])


def _is_mended(story: Story, said: int, number: int) -> bool:
    return LOST_BEFORE.mended is not None and any(
        LOST_BEFORE.mended.search(line.text) for line in story.view.between(said + 1, number)
    )


_BROKEN = frozenset({"device-unhealthy", "gpu-lost", "gpu-memory-broken", "nvidia-driver-mismatch"})
"""Rules on a device that is there and does not work: a job that was never to have one prints none of their words."""


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
