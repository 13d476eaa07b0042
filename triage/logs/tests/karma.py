"""Reads Karma: `Browser version (system) suite test FAILED` with indented lines below, and `Executed N of M`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests import javascript
from triage.logs.tests.failure_blocks import Tally, block_end, failure_of, number_in, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "karma"

_BROWSER = (
    r"(?:Chrome|Chromium|HeadlessChrome|Firefox|Safari|Mobile Safari|Edge|MS Edge|IE|Opera|PhantomJS|Android|Electron"
    r"|jsdom|Samsung)"
)


_FAILED = regex(rf"(?P<browser>{_BROWSER}[^()]{{0,60}}?)(?: [\d.]+)* \([^)]*\) (?P<test>.+) FAILED$")
_COUNTS = regex(r".*Executed (\d+) of (\d+)(?: \((\d+) FAILED\))?(?: \(skipped (\d+)\))?")
_COUNTS_OF = regex(rf"{_BROWSER}[^()]*\([^)]*\)")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Karma said in these lines; None where it did not run."""
    if not any_line_has(lines, "Executed ", ") "):
        return None
    failures: list[TestFailure] = []
    counts: dict[str, tuple[int, int]] = {}
    first = last = -1
    index = 0
    while index < len(lines):
        text = lines[index].text.rstrip()
        failed = _FAILED.match(text) if text.endswith(" FAILED") else None
        counted = _COUNTS.match(text) if "Executed " in text else None
        if failed:
            first = index if first < 0 else first
            end = block_end(lines, index, _ends_block)
            failures.append(_failure(lines[index:end], failed))
            index = last = end
            continue
        if counted:
            browser = _COUNTS_OF.match(text)
            counts[browser[0] if browser else ""] = (number_in(counted[1]), number_in(counted[3]))
            first = index if first < 0 else first
            last = index + 1
        index += 1
    if not counts and not failures:
        return None
    tally = Tally()
    for ran, failed_tests in counts.values():
        tally.add(passed=max(0, ran - failed_tests), failed=failed_tests)
    start = output_start(lines, first, "karma", "test")
    tally.wrote(lines[start].number, lines[last - 1].number)
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last(failures),
        line_ranges=tuple(tally.ranges),
    )


def _ends_block(text: str) -> bool:
    """All that belongs to a failure is indented."""
    return bool(text) and not text.startswith((" ", "\t"))


def _failure(block: Sequence[LogLine], failed: re.Match[str]) -> TestFailure:
    """Name a failure after browser and test; the browser's version is left out, since it changes by itself."""
    told = javascript.told_by(block[1:])
    return failure_of(block, told, test_id=f"[{failed['browser'].strip()}] {failed['test']}", runner=NAME)
