"""Reads TestNG's own text reporter: `FAILED: adds` with the exception below, and the counts in a box."""

from __future__ import annotations

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

NAME = "testng"


_FAILED = regex(r"FAILED(?P<setup> CONFIGURATION)?: (?:@\w+ )?(?P<name>[\w.$]+)")
_TOTAL = regex(r"Total tests run: (\d+),(?: Passes: (\d+),)? Failures: (\d+), Skips: (\d+)")
_ENDS = ("FAILED: ", "PASSED: ", "SKIPPED: ", "FAILED CONFIGURATION: ", "PASSED CONFIGURATION: ", "=====")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what TestNG said in these lines; None where it did not run, or where Maven tells the same."""
    if not any_line_has(lines, "Total tests run: ", "[TestNG] ") or any_line_has(lines, "T E S T S"):
        return None
    failures: list[TestFailure] = []
    tally = Tally()
    started, floor, index = -1, 0, 0
    pending: list[TestFailure] = []
    while index < len(lines):
        text = lines[index].text
        failed = _FAILED.match(text)
        total = _TOTAL.match(text)
        if failed:
            end = block_end(lines, index, lambda text: text.startswith(_ENDS))
            pending.append(_failure(lines[index:end], failed))
            started = started if started >= 0 else output_start(lines, index, "testng", floor=floor)
            index = end
            continue
        if text.startswith("[TestNG] Running:"):
            started = index
        elif total:
            ran, failed_tests, skipped = number_in(total[1]), number_in(total[3]), number_in(total[4])
            tally.add(passed=max(0, ran - failed_tests - skipped), failed=failed_tests)
            tally.wrote(lines[max(started, 0)].number if started >= 0 else lines[index].number, lines[index].number)
            failures += pending if failed_tests or skipped else []
            started, floor, pending = -1, index + 1, []
        index += 1
    failures += pending
    if tally.ran is None and not failures:
        return None
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last(failures),
        line_ranges=tuple(tally.ranges),
    )


def _failure(block: Sequence[LogLine], failed: re.Match[str]) -> TestFailure:
    told = jvm.told_by(block[1:])
    name = failed["name"]
    # The reporter prints the method alone; its class is that of the outermost frame with the same method.
    owner = next((frame.function for frame in told.frames if frame.function.endswith(f".{name}")), name)
    outcome = Outcome.ERROR if failed["setup"] else Outcome.FAILED
    file = jvm.file_of_class(owner.rpartition(".")[0], told.frames)
    return failure_of(block, told, test_id=owner, runner=NAME, outcome=outcome, file=file)
