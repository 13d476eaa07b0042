"""Reads TAP of tape, tap, bats and others, and what `prove` makes of it when it keeps the points to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import Tally, Told, block_end, failure_of, number_in
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.logs.tests.tap_streams import (
    Point,
    count_points,
    failed_points,
    failure_at,
    is_node,
    read_streams,
    told_by_comments,
)
from triage.model import TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "tap"


_COMPLAINT = regex(r"#\s+Failed test (?:'(.*)')?")
_PROVED = regex(r"(\S+) +\(Wstat: (\d+)(?: \([^)]*\))? Tests: (\d+) Failed: (\d+)\)")
_PROVE_RESULT = regex(r"Result: (PASS|FAIL)$")
_PROVE_FILES = regex(r"Files=(\d+), Tests=(\d+),")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what programs that speak TAP said in these lines, or `prove` of them; None where there are none."""
    if not any_line_has(lines, "not ok ", "1..", "Result: "):
        return None
    streams = [stream for stream in read_streams(lines) if stream.is_tap and not is_node(stream)]
    proved = _read_prove(lines)
    if not streams and proved is None:
        return None
    tally = Tally()
    failures: list[TestFailure] = []
    for stream in streams:
        count_points(stream, tally)
        failures += [failure_at(point, NAME, stream) for point in failed_points(stream)]
    if proved is not None:
        failures = list(proved.failures) or failures
        tally.ran, tally.passed = proved.ran, proved.passed
        tally.ranges += proved.line_ranges
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last(failures),
        not_run=tuple(tally.not_run),
        line_ranges=tuple(sorted(tally.ranges)),
    )


def _read_prove(lines: Sequence[LogLine]) -> TestReport | None:
    """Read what is seen of tests when `prove` keeps their points to itself: their complaints, and its summary."""
    failures: list[TestFailure] = []
    files: list[TestFailure] = []
    finished = False
    ran = failed = 0
    for index, line in enumerate(lines):
        if complaint := _COMPLAINT.match(line.text):
            failures.append(_complaint(lines, index, complaint[1] or ""))
        elif proved := _PROVED.match(line.text):
            failed += number_in(proved[4])
            files.append(_proved(line, proved))
        elif counted := _PROVE_FILES.match(line.text):
            ran += number_in(counted[2])
        finished = finished or _PROVE_RESULT.match(line.text) is not None
    if not finished:
        return None
    told = {failure.file for failure in failures}
    failures += [one for one in files if one.file not in told]
    return TestReport(runners=(NAME,), ran=ran, passed=max(0, ran - failed), failures=tuple(failures) if files else ())


def _complaint(lines: Sequence[LogLine], index: int, name: str) -> TestFailure:
    end = block_end(lines, index, lambda text: not text.startswith("#") or bool(_COMPLAINT.match(text)))
    point = Point(lines[index], 0, passed=False, name=name or "test", lines=list(lines[index + 1 : end]))
    told, file = told_by_comments(point)
    test_id = f"{file} › {point.name}" if file else point.name
    return failure_of(lines[index:end], told, test_id=test_id, runner=NAME, file=file)


def _proved(line: LogLine, proved: re.Match[str]) -> TestFailure:
    message = f"{proved[4]} of {proved[3]} tests failed, exit status {number_in(proved[2]) >> 8}"
    told = Told(message=message, line=line.number)
    return failure_of([line], told, test_id=proved[1], runner=NAME, file=relative_path(proved[1]))
