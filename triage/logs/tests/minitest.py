"""Reads Minitest and Ruby's test-unit: failures and errors in blocks, then `N runs, M assertions, K failures`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import Tally, Told, block_end, failure_of, line_in, number_in, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.ruby import frames_in
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "minitest"


_COUNTS = regex(r"(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors(?:, (\d+) (?:skips|pendings))?")
_HEAD = regex(r"\s*\d+\) (?:Failure|Error):\s*(.*)$")
_RAILS_HEAD = regex(r"(?:Failure|Error):\s*$")
_UNIT_HEAD = regex(r"(?:Failure|Error): (\w+)\((\S+?)\)(?:: (.*))?$")
_NAMED = regex(r"([\w:]+#\w.*?)(?: \[(.+?):(\d+)\])?:\s*$")
_TYPE = regex(r"([A-Z]\w*(?:::[A-Z]\w*)*): ?(.*)$")
_PICTURE = regex(r"\s+(?:=> )?\d+: ")
_PLACE = regex(r"\s*\S+\.rb:\d+")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Minitest or test-unit said in these lines; None where neither ran."""
    if not any_line_has(lines, " assertions, "):
        return None
    pending: list[TestFailure] = []
    settled: list[TestFailure] = []
    tally = Tally()
    floor = index = 0
    while index < len(lines):
        text = lines[index].text
        counts = _COUNTS.match(text)
        if _HEAD.match(text) or _RAILS_HEAD.match(text) or _UNIT_HEAD.match(text):
            end = block_end(lines, index, _ends_block)
            failure = _failure(lines[index:end])
            pending += [failure] if failure else []
            index = end if failure else index + 1
            continue
        if counts:
            ran, failed, skipped = (
                number_in(counts[1]),
                number_in(counts[2]) + number_in(counts[3]),
                number_in(counts[4]),
            )
            tally.add(passed=max(0, ran - failed - skipped), failed=failed)
            settled += pending if failed else []
            start = output_start(lines, index, "rake", "ruby", "rails test", "minitest", floor=floor)
            tally.wrote(lines[start].number, lines[index].number)
            pending, floor = [], index + 1
        index += 1
    if tally.ran is None:
        return None
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last([*settled, *pending]),
        line_ranges=tuple(tally.ranges),
    )


def _ends_block(text: str) -> bool:
    starts_another = _HEAD.match(text) or _RAILS_HEAD.match(text) or _UNIT_HEAD.match(text) or _COUNTS.match(text)
    return starts_another is not None or text.startswith(("=====", "Finished in ", "bin/rails test ", "rails test "))


def _failure(block: Sequence[LogLine]) -> TestFailure | None:
    """Read one block; None where no test is named, and so a test only printed the same words."""
    unit = _UNIT_HEAD.match(block[0].text)
    if unit:
        told = _told_by(block, 0, unit[3] or "")
        return failure_of(block, told, test_id=f"{unit[2]}#{unit[1]}", runner=NAME)
    inline = (_HEAD.match(block[0].text) or [None, ""])[1] or ""
    at = 0 if inline else 1
    named = _NAMED.match((inline or (block[1].text.strip() if len(block) > 1 else ""))[:600])
    if not named:
        return None
    place = (Frame(relative_path(named[2]), line_in(named[3])),) if named[2] else ()
    told = _told_by(block, at, "")
    frames = told.frames or place
    told = Told(message=told.message, line=told.line, exception=told.exception, frames=frames)
    return failure_of(block, told, test_id=named[1], runner=NAME)


def _told_by(block: Sequence[LogLine], at: int, first: str) -> Told:
    """Read what stands below the test's name, up to the first frame; `KeyError: words` names a type."""
    words = [
        line
        for line in block[at + 1 :]
        if line.text.strip() and not _PLACE.match(line.text) and not _PICTURE.match(line.text)
    ]
    text = first or " ".join(line.text.strip() for line in words[:20])
    typed = _TYPE.match(text)
    is_error = typed is not None and typed[1] not in {"Expected", "Actual", "Message"}
    best = block[at] if first or not words else words[0]
    return Told(
        message=typed[2] if typed and is_error else text,
        line=best.number,
        exception=typed[1] if typed and is_error else None,
        frames=frames_in(block[at + 1 :]),
    )
