"""Reads the output of doctest, the C++ framework (Python's doctest is read with pytest's)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.reporting import any_line_has, keep_last, one_line
from triage.logs.tests.source_paths import frame_of
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine


_RUNNER = "doctest"
_CASE = regex(r"TEST CASE: {1,4}(\S.{0,300})$")
_ERROR = regex(r"(\S.{0,400}?)(?::(\d+)|\((\d+)\)): (?:FATAL )?ERROR: (.*)$")
_SUM = regex(r"\[doctest\] test cases:\s{1,20}(\d{1,9}) \|\s{1,20}(\d{1,9}) passed")
_RULE = "=" * 60


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what doctest said in these lines; None where it did not run."""
    if not any_line_has(lines, "[doctest] ", "TEST CASE:  "):
        return None
    failures: list[TestFailure] = []
    name, start = "", 0
    first = last = None
    ran = passed = None
    for index, line in enumerate(lines):
        text = line.text
        case = _CASE.match(text)
        error = _ERROR.match(text) if "ERROR: " in text and name else None
        sums = _SUM.match(text)
        if text.startswith("[doctest]") or case:
            first, last = (index if first is None else first), index
        if case:
            name, start = case[1], index
        elif error:
            failures.append(_failure(lines, start, index, name, error))
        elif sums:
            ran, passed = (ran or 0) + int(sums[1]), (passed or 0) + int(sums[2])
    if ran is None and not failures:
        return None
    span = ((lines[first].number, lines[last].number),) if first is not None and last is not None else ()
    return TestReport(runners=(_RUNNER,), ran=ran, passed=passed, failures=keep_last(failures), line_ranges=span)


def _failure(lines: Sequence[LogLine], start: int, index: int, name: str, found: re.Match[str]) -> TestFailure:
    end = index + 1
    while end < len(lines) and lines[end].text.startswith("  "):
        end += 1
    frame = frame_of(found[1], found[2] or found[3])
    crashed = "SIG" in found[4] and "crashed" in found[4]
    values = (line.text for line in lines[index + 1 : min(end, index + 4)])
    return TestFailure(
        id=name,
        runner=_RUNNER,
        outcome=Outcome.CRASHED if crashed else Outcome.FAILED,
        file=frame.path,
        message=one_line(" ".join([found[4], *values])),
        frames=(frame,),
        first_line=lines[start].number,
        last_line=lines[end - 1].number,
        error_line=lines[index].number,
    )
