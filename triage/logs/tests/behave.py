"""Reads the output of behave: failing scenarios of Gherkin features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.traceback import read_chains, root_of
from triage.model import TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine


_RUNNER = "behave"
_LISTED = regex(r"\s{1,8}(\S+\.feature):(\d+)\s{1,4}(\S.{0,300})$")
_SUM = regex(r"(\d{1,9}) scenarios? passed, (\d{1,9}) failed")
_ASSERTION = regex(r"\s*Assertion Failed: (.{0,500})$")
_SCENARIO = regex(r"\s{1,8}(?:Scenario|Scenario Outline): (\S.{0,300}?)(?:\s{2,}# (\S+):\d+)?$")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what behave said in these lines; None where it did not run."""
    if not any_line_has(lines, "Failing scenarios:", " scenarios passed", " scenario passed"):
        return None
    began: dict[str, int] = {}
    failures: list[TestFailure] = []
    ran = passed = None
    order: list[int] = []
    for index, line in enumerate(lines):
        scenario = _SCENARIO.match(line.text)
        listed = _LISTED.match(line.text)
        sums = _SUM.match(line.text)
        if scenario:
            began[scenario[1]] = index
            order.append(index)
        elif listed:
            failures.append(_failure(lines, index, listed, began.get(listed[3]), order))
        elif sums:
            ran, passed = int(sums[1]) + int(sums[2]), int(sums[1])
    if ran is None and not failures:
        return None
    spans = ((lines[order[0]].number, lines[order[-1]].number),) if order else ()
    return TestReport(runners=(_RUNNER,), ran=ran, passed=passed, failures=keep_last(failures), line_ranges=spans)


def _failure(
    lines: Sequence[LogLine], index: int, listed: re.Match[str], start: int | None, order: list[int]
) -> TestFailure:
    first = index if start is None else start
    last = next((begin for begin in order if begin > first), index)
    part = lines[first:last]
    chains = read_chains(part)
    root = root_of(chains[-1]) if chains else None
    said = next((line for line in part if _ASSERTION.match(line.text)), lines[index])
    words = _ASSERTION.match(said.text)
    return TestFailure(
        id=f"{listed[1]} {listed[3].strip()}",
        runner=_RUNNER,
        file=listed[1],
        exception=root.raised.type if root else "AssertionError" if words else None,
        message=root.raised.message if root else words[1] if words else "",
        frames=root.frames if root else (),
        first_line=lines[first].number,
        last_line=lines[max(first, last - 1)].number,
        error_line=root.raised.line if root else said.number,
    )
