"""What tests failed of that was so before the job began: a device that nobody holds and none can use, a port taken.

Both read like the doing of the suite itself, a leaked process or two servers on one port. Only what a tool showed of
the machine tells them apart: before anything of the job ran, or of a process that is older than the job.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.classify.gpu_table import ran_nothing_before
from triage.classify.holders import BUSY, older_process, older_processes
from triage.classify.test_errors import open_question
from triage.classify.test_words import is_silent, own_words
from triage.model import Basis, Fault
from triage.regex import regex
from triage.signature import signature_of_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.classify.story import Story
    from triage.model import Failure, LogLine, TestFailure

PORT = "address-in-use"

_NOBODY = regex(r"^\| +No running processes found +\|")
_FOR_ONE = regex(r"\bE\. (?:Process|Thread) \||\bProhibited \||\bExclusive_\w+")
"""Modes in which a device gives itself to one process: then one in another container may hold it unseen."""

_NAMED = regex(r"\b(?:[Pp]rocess(?: with pid)?|pid|PID)\W{1,3}(\d{2,7})\b")
_COMMAND = regex(r"\bcmdline(?:\(\))?[=:] ?\[(?P<words>[^\]]+)\]")
_WORD = regex(r"'([^']*)'")
_ON_DEVICE = regex(r"^\|? *\d+ +(?:\S+ +\S+ +)?(?P<pid>\d+) +C\b.* \d+MiB \|$")

FIRST_TESTS = 3
"""Tests whose own errors are shown with the proof."""


def found_so(story: Story, tests: Sequence[TestFailure]) -> Failure | None:
    """Say what every test failed of when a tool showed that it was so before the job; None without such proof."""
    return _unusable_device(story, tests) or _taken_port(story, tests)


def _unusable_device(story: Story, tests: Sequence[TestFailure]) -> Failure | None:
    """A first look at the device failed before any test, while the vendor's tool shows no process on it."""
    view = story.view
    first = min([*(test.first_line for test in tests), *(start for start, _ in view.tests.line_ranges)])
    above = (match for match in story.outside_tests if match.rule.id == BUSY and match.line.number < first)
    said = next((match.line for match in above if ran_nothing_before(view, match.line.number)), None)
    if said is None:
        return None
    shown = view.between(said.number, first)
    idle = next((line for line in shown if _NOBODY.match(line.text)), None)
    felt = _felt(story, tests)
    if idle is None or any(_FOR_ONE.search(line.text) for line in shown) or not all(felt):
        return None
    title = "The device cannot be used, and nothing holds it"
    lines = [said, *(line for line in felt[:FIRST_TESTS] if line), idle]
    failure = story.failure(Fault.INFRASTRUCTURE, title, lines, Basis.RULE)
    return replace(failure, signature=signature_of_rule("device-unusable", {}))


def _felt(story: Story, tests: Sequence[TestFailure]) -> list[LogLine | None]:
    """The line by which each test, or what ran in it where it says nothing, says that the device is not to be had."""
    ends = sorted(test.last_line for test in story.view.failing_tests)
    felt: list[LogLine | None] = []
    for test in tests:
        begin = max((end + 1 for end in ends if end < test.first_line), default=story.view.begin_of(test.first_line))
        printed = [match for match in story.shown if begin <= match.line.number <= test.last_line]
        words = printed if is_silent(test) else own_words(story, test)
        felt.append(next((match.line for match in words if match.rule.id == BUSY), None))
    return felt


def _taken_port(story: Story, tests: Sequence[TestFailure]) -> Failure | None:
    """Every test wanted a port, and `ps` shows that the process which has it is older than the job."""
    asked = [open_question(story, test) for test in tests]
    found = [match for match in asked if match is not None and match.rule.id == PORT]
    rows = [row for match in found if (row := _holder(story, match.line)) is not None]
    if not rows or len(rows) < len(tests):
        return None
    older = older_processes(story.view)
    on_device = [
        line for line in story.view.log.lines if (user := _ON_DEVICE.match(line.text)) and user["pid"] in older
    ]
    fault = Fault.GPU_RESIDUE if on_device else Fault.INFRASTRUCTURE
    title = "A process that is older than the job holds the port"
    failure = story.failure(fault, title, [found[0].line, rows[0], *on_device[:1]], Basis.RULE)
    return replace(failure, signature=signature_of_rule("port-of-older-process", {}))


def _holder(story: Story, line: LogLine) -> LogLine | None:
    command = _COMMAND.search(line.text)
    words = " ".join(_WORD.findall(command["words"])) if command else ""
    named = _NAMED.search(line.text)
    return older_process(story.view, pid=named[1] if named else "", command=words)
