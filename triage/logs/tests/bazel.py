"""Reads Bazel's test results. It starts other programs: what their own runners tell says more."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.logs.tests.reporting import any_line_has, keep_last, one_line
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine


_RUNNER = "bazel"
_SIGNS = (
    "Executed ",
    "Test output for ",
    "FAIL: //",
    "FAILED in ",
    "TIMEOUT in ",
    "FLAKY, ",
    "NO STATUS",
    "FAILED TO BUILD",
)
_TARGET = r"((?:@[^/\s]{0,100})?//[^\s:]{0,300}(?::[^\s:]{1,200})?)"
_RESULT = regex(
    rf"{_TARGET}\s{{1,200}}(?:\(cached\) )?(PASSED|FAILED TO BUILD|FAILED|TIMEOUT|FLAKY|NO STATUS|REMOTE FAILURE)\b(.*)"
)
_EARLY = regex(rf"(?:FAIL|TIMEOUT|FLAKY): {_TARGET} ")
_OUTPUT = regex(rf"=+ Test output for {_TARGET}.{{0,60}}:$")
_SUM = regex(r"Executed (\d{1,9}) out of (\d{1,9}) tests?: ?(.*)")
_PASS = regex(r"(\d{1,9}) tests? pass")
_RULE = "=" * 60

_OUTCOMES = {
    "FAILED TO BUILD": Outcome.NOT_COLLECTED,
    "NO STATUS": Outcome.NOT_COLLECTED,
    "TIMEOUT": Outcome.TIMED_OUT,
    "FLAKY": Outcome.FLAKY,
}


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Bazel said in these lines; None where it ran no test."""
    if not any_line_has(lines, *_SIGNS):
        return None
    outputs: dict[str, tuple[int, int]] = {}
    open_output: tuple[str, int] | None = None
    failures: list[TestFailure] = []
    ran = passed = None
    shown = False
    for index, line in enumerate(lines):
        text = line.text
        output = _OUTPUT.match(text) if text.startswith("=") else None
        if output:
            open_output, shown = (output[1], index), True
        elif open_output is not None and text.startswith(_RULE):
            outputs[open_output[0]] = (open_output[1], index)
            open_output = None
        elif (result := _RESULT.match(text)) is not None:
            shown = True
            if result[2] in _FAILED:
                failures.append(_failure(lines, index, result, outputs))
        elif (early := _EARLY.match(text)) is not None:
            shown = True
            outputs.setdefault(early[1], (index, index))
        elif (sums := _SUM.match(text)) is not None:
            shown, ran = True, int(sums[1])
            passing = _PASS.search(sums[3])
            passed = int(passing[1]) if passing else passed
    if not shown:
        return None
    return TestReport(
        runners=(_RUNNER,),
        ran=ran,
        passed=passed,
        failures=keep_last(failures),
        line_ranges=tuple((lines[start].number, lines[end].number) for start, end in sorted(outputs.values())),
    )


_FAILED = frozenset({"FAILED", "REMOTE FAILURE", *_OUTCOMES})


def _failure(
    lines: Sequence[LogLine], index: int, result: re.Match[str], outputs: dict[str, tuple[int, int]]
) -> TestFailure:
    start, end = outputs.get(result[1], (index, index))
    return TestFailure(
        id=result[1],
        runner=_RUNNER,
        outcome=_OUTCOMES.get(result[2], Outcome.FAILED),
        message=one_line(f"{result[2]}{_without_times(result[3])}"),
        first_line=lines[start].number,
        last_line=lines[end].number,
        error_line=lines[index].number,
    )


def _without_times(text: str) -> str:
    return re.sub(r"\s?in \d[\d.]*s", "", text)
