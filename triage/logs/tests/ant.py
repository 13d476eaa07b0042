"""Reads Ant's `<junit>` task: `Testcase: adds(com.acme.StoreTest): FAILED` and the exception, all behind `[junit]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests import jvm
from triage.logs.tests.failure_blocks import Tally, block_end, failure_of, number_in
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "ant"


_MARGIN = regex(r" *\[junit\w*\] ?")
_SUITE = regex(r"(?:Testsuite: |Running )([\w.$]+)\s*$")
_CASE = regex(r"Testcase: (.+?)(?:\(([\w.$]+)\))?:\s+(?:FAILED|Caused an ERROR)\s*$")
_COUNTS = regex(r"Tests run: (\d+), Failures: (\d+)(?:, (?:Errors|Aborted): (\d+))?(?:, Skipped: (\d+))?")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Ant's tasks said of tests in these lines; None where they ran none."""
    if not any_line_has(lines, "[junit"):
        return None
    failures: list[TestFailure] = []
    tally = Tally()
    suite, first, last, index = "", -1, -1, 0
    while index < len(lines):
        text = _plain(lines[index].text)
        if text is None:
            index += 1
            continue
        first, last = index if first < 0 else first, index
        case = _CASE.match(text)
        if case:
            end = block_end(lines, index, _ends_block)
            owner = case[2] or suite
            body = [type(line)(line.number, _plain(line.text) or "") for line in lines[index + 1 : end]]
            test_id = f"{owner}.{case[1]}" if owner else case[1]
            file = jvm.file_of_class(owner)
            failures.append(
                failure_of(lines[index:end], jvm.told_by(body, owner), test_id=test_id, runner=NAME, file=file)
            )
            index = last = end - 1
        elif named := _SUITE.match(text):
            suite = named[1]
        elif counts := _COUNTS.match(text):
            ran, failed, skipped = (
                number_in(counts[1]),
                number_in(counts[2]) + number_in(counts[3]),
                number_in(counts[4]),
            )
            tally.add(passed=max(0, ran - failed - skipped), failed=failed)
        index += 1
    if tally.ran is None and not failures:
        return None
    tally.wrote(lines[first].number, lines[last].number)
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last(failures),
        line_ranges=tuple(tally.ranges),
    )


def _plain(text: str) -> str | None:
    """Cut off what Ant prints before each line of the task; None where it is not the task's."""
    found = _MARGIN.match(text)
    return text[found.end() :] if found else None


def _ends_block(text: str) -> bool:
    plain = _plain(text)
    return plain is None or plain.startswith(("Testcase: ", "Testsuite: ", "Test ", "Tests run: "))
