"""Reads Jasmine's own console reporter: numbered specs with `Message:` and `Stack:`, then `N specs, M failures`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from triage.logs.tests import javascript
from triage.logs.tests.failure_blocks import Tally, block_end, failure_of, number_in, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "jasmine"


_COUNTS = regex(r"(?:Executed )?(\d+) specs?, (\d+) failures?")
_NUMBERED = regex(r"(\d+)\) (.+)$")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Jasmine said in these lines; None where it did not run."""
    if not any_line_has(lines, " specs, ", " spec, "):
        return None
    open_failures: list[TestFailure] = []
    settled: list[TestFailure] = []
    tally = Tally()
    first, floor, index = -1, 0, 0
    while index < len(lines):
        text = lines[index].text.rstrip()
        counts = _COUNTS.match(text)
        if text == "Failures:":
            first = index
            index = _read_failures(lines, index, open_failures)
            continue
        if counts:
            ran, failed = number_in(counts[1]), number_in(counts[2])
            tally.add(passed=max(0, ran - failed), failed=failed)
            settled += open_failures if failed else []
            start = output_start(lines, first if first >= 0 else index, "jasmine", "test", floor=floor)
            tally.wrote(lines[start].number, lines[index].number)
            open_failures, first, floor = [], -1, index + 1
        index += 1
    if tally.ran is None:
        return None
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last([*settled, *open_failures]),
        line_ranges=tuple(tally.ranges),
    )


def _read_failures(lines: Sequence[LogLine], index: int, failures: list[TestFailure]) -> int:
    """Read the numbered specs below `Failures:`; return the index after the last."""
    index += 1
    wanted = 1
    while index < len(lines):
        numbered = _NUMBERED.match(lines[index].text)
        if not numbered or number_in(numbered[1]) != wanted:
            break
        wanted += 1
        end = block_end(lines, index, partial(_ends_block, following=wanted))
        block = lines[index:end]
        words = [line for line in block[1:] if line.text.strip() not in {"Message:", "Stack:"}]
        told = javascript.told_by(words)
        failures.append(failure_of(block, told, test_id=numbered[2], runner=NAME))
        index = end
    return index


def _ends_block(text: str, *, following: int) -> bool:
    return text.startswith((f"{following}) ", "Pending:", "Suite error:")) or _COUNTS.match(text) is not None
