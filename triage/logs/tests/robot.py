"""Reads the console output of Robot Framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.reporting import any_line_has, keep_last, one_line
from triage.model import TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine


_RUNNER = "robot"
_RESULT = regex(r"(\S.{0,300}?)\s{1,200}(?::: .{0,300}?)?\| (PASS|FAIL|SKIP) \|$")
_SUM = regex(r"(\d{1,9}) tests?(?: total)?, (\d{1,9}) passed, (\d{1,9}) failed")
_RULE = ("-----", "=====")
_MESSAGE_LINES = 10


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Robot Framework said in these lines; None where it did not run."""
    if not any_line_has(lines, "| FAIL |", "| PASS |"):
        return None
    failures: list[TestFailure] = []
    shown: list[int] = []
    sums: re.Match[str] | None = None
    for index, line in enumerate(lines):
        result = _RESULT.match(line.text) if line.text.endswith(" |") else None
        if result:
            shown.append(index)
            # A suite's result is followed by its sum, a test's by its message.
            message = _message(lines, index)
            if result[2] == "FAIL" and not (message and _SUM.match(message[0].text)):
                failures.append(_failure(line, result[1], message))
        sums = _SUM.match(line.text) or sums if line.text[:1].isdigit() else sums
    if not shown:
        return None
    return TestReport(
        runners=(_RUNNER,),
        ran=int(sums[2]) + int(sums[3]) if sums else None,
        passed=int(sums[2]) if sums else None,
        failures=keep_last(failures),
        line_ranges=((lines[shown[0]].number, lines[shown[-1]].number),),
    )


def _message(lines: Sequence[LogLine], index: int) -> list[LogLine]:
    message = []
    for line in lines[index + 1 : index + 1 + _MESSAGE_LINES]:
        if line.text.startswith(_RULE) or line.text.endswith("| PASS |") or line.text.endswith("| FAIL |"):
            break
        message.append(line)
    return message


def _failure(line: LogLine, name: str, message: list[LogLine]) -> TestFailure:
    return TestFailure(
        id=name.strip(),
        runner=_RUNNER,
        message=one_line(" ".join(part.text for part in message)),
        first_line=line.number,
        last_line=message[-1].number if message else line.number,
        error_line=message[0].number if message else line.number,
    )
