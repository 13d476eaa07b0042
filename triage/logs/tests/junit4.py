"""Reads JUnit 4's text runner (`org.junit.runner.JUnitCore`): numbered failures between `Time:` and the verdict."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from triage.logs.tests import jvm
from triage.logs.tests.failure_blocks import Tally, block_end, failure_of, number_in, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "junit4"


_ANNOUNCED = regex(r"There (?:was|were) (\d+) failures?:\s*$")
_FAILED = regex(r"(\d+)\) ([\w$]++)?(?:\[[^\]]*\])?(?:\(([\w.$]+)\)|([\w.$]*))\s*$")
_VERDICT = regex(r"Tests run: (\d+), {1,2}Failures: (\d+)\s*$")
_GOOD = regex(r"OK \((\d+) tests?\)\s*$")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what the runner said in these lines; None where it did not run."""
    if not any_line_has(lines, "JUnit version ", "FAILURES!!!", "OK ("):
        return None
    failures: list[TestFailure] = []
    tally = Tally()
    started, floor, index = -1, 0, 0
    while index < len(lines):
        text = lines[index].text
        if _ANNOUNCED.match(text):
            index = _read_failures(lines, index, failures)
            continue
        counts = _counts(text, after_banner=started >= 0)
        if counts:
            ran, failed = counts
            tally.add(passed=max(0, ran - failed), failed=failed)
            first = started if started >= 0 else output_start(lines, index, "JUnitCore", floor=floor)
            floor = index + 1
            tally.wrote(lines[first].number, lines[index].number)
        started = index if text.startswith("JUnit version ") else -1 if counts else started
        index += 1
    if tally.ran is None and not failures:
        return None
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last(failures),
        line_ranges=tuple(tally.ranges),
    )


def _counts(text: str, *, after_banner: bool) -> tuple[int, int] | None:
    """Return how many tests ran and failed; a bare `OK (3 tests)` counts only after the runner's banner."""
    verdict = _VERDICT.match(text)
    if verdict:
        return number_in(verdict[1]), number_in(verdict[2])
    good = _GOOD.match(text) if after_banner else None
    return (number_in(good[1]), 0) if good else None


def _read_failures(lines: Sequence[LogLine], index: int, failures: list[TestFailure]) -> int:
    """Read the numbered failures below their announcement; return the index after the last."""
    wanted = 1
    index += 1
    while index < len(lines):
        failed = _FAILED.match(lines[index].text)
        if not failed or number_in(failed[1]) != wanted:
            break
        wanted += 1
        end = block_end(lines, index, partial(_ends, following=wanted))
        failures.append(_failure(lines[index:end], failed))
        index = end
    return index


def _ends(text: str, *, following: int) -> bool:
    return text.startswith((f"{following}) ", "FAILURES!!!", "Tests run:"))


def _failure(block: Sequence[LogLine], failed: re.Match[str]) -> TestFailure:
    owner = failed[3] or f"{failed[2] or ''}{failed[4] or ''}"
    told = jvm.told_by(block[1:], owner)
    outcome = Outcome.FAILED if failed[3] else Outcome.ERROR
    if (told.exception or "").endswith("TestTimedOutException"):
        outcome = Outcome.TIMED_OUT
    test_id = f"{owner}.{failed[2]}" if failed[3] else owner
    file = jvm.file_of_class(owner, told.frames)
    return failure_of(block, told, test_id=test_id, runner=NAME, outcome=outcome, file=file)
