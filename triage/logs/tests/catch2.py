"""Reads Catch2's output, versions 2 and 3."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.logs.tests.reporting import any_line_has, keep_last, one_line
from triage.logs.tests.source_paths import frame_of
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine


_RUNNER = "catch2"
_FAILED = regex(r"(\S.{0,400}?)(?::(\d+)|\((\d+)\)): FAILED:$")
_RULE = regex(r"-{60,}$|={60,}$|\.{60,}$")
_SUM = regex(r"test cases:\s{1,20}(\d{1,9}) \|(.*)")
_ALL_PASSED = regex(r"All tests passed \(\d+ assertions? in (\d{1,9}) test cases?\)")
_PASSED = regex(r"(\d{1,9}) passed")
_MESSAGE_LINES = 12


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Catch2 said in these lines; None where it did not run."""
    if not any_line_has(lines, "test cases: ", "All tests passed (", ": FAILED:"):
        return None
    failures: list[TestFailure] = []
    name, heads = "", _Heading()
    first: int | None = None
    ends: list[int] = []
    ran = passed = None
    for index, line in enumerate(lines):
        text = line.text
        name = heads.see(text) or name
        failed = _FAILED.match(text) if text.endswith(": FAILED:") else None
        sums, all_passed = _SUM.match(text), _ALL_PASSED.match(text)
        if failed:
            first = index if first is None else first
            failures.append(_failure(lines, index, name, failed))
        elif sums or all_passed:
            count = int(sums[1]) if sums else int(all_passed[1]) if all_passed else 0
            passing = _PASSED.search(sums[2]) if sums else all_passed
            ran = (ran or 0) + count
            passed = (passed or 0) + (int(passing[1]) if passing else 0)
            ends.append(index)
    if ran is None and not any(failure.id for failure in failures):
        return None
    span = ((lines[first].number, lines[max(ends[-1] if ends else first, first)].number),) if first is not None else ()
    return TestReport(runners=(_RUNNER,), ran=ran, passed=passed, failures=keep_last(failures), line_ranges=span)


class _Heading:
    """Follows the frame of rules and names that stands before a failure: the name is the line after the first rule."""

    def __init__(self) -> None:
        self._after_rule = False

    def see(self, text: str) -> str:
        """Take the next line; return a test's name when this is one."""
        is_rule = len(text) >= 60 and text.startswith("-") and _RULE.match(text) is not None
        name = text.strip() if self._after_rule and text.strip() and not is_rule else ""
        # The second rule of a heading is followed by a location, not by a name.
        self._after_rule = is_rule and not self._after_rule
        return name if not re.match(r"\S+[:(]\d+\)?$", name) else ""


def _failure(lines: Sequence[LogLine], index: int, name: str, found: re.Match[str]) -> TestFailure:
    end = index + 1
    while end < len(lines) and end < index + _MESSAGE_LINES and not _is_edge(lines[end].text):
        end += 1
    body = [line for line in lines[index + 1 : end] if line.text.strip()]
    frame = frame_of(found[1], found[2] or found[3])
    crashed = any("fatal error condition" in line.text or "SIG" in line.text for line in body)
    return TestFailure(
        id=name or frame.path,
        runner=_RUNNER,
        outcome=Outcome.CRASHED if crashed else Outcome.FAILED,
        file=frame.path,
        message=one_line(" ".join(line.text for line in body)),
        frames=(frame,),
        first_line=lines[index].number,
        last_line=lines[end - 1].number,
        error_line=(body[0] if body else lines[index]).number,
    )


def _is_edge(text: str) -> bool:
    return _RULE.match(text) is not None or text.startswith(("test cases:", "##["))
