"""Reads node's own runner, `node --test`: TAP, or the spec reporter with its list `✖ failing tests:` at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests import javascript, tap_streams
from triage.logs.tests.failure_blocks import Tally, Told, block_end, failure_of, number_in, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.model import Outcome, TestFailure, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine

NAME = "node:test"


_COUNT = regex(r"ℹ (tests|pass|fail|cancelled) (\d+)")
_PLACE = regex(r"test at (.+?):(\d+):\d+$")
_FAILED = regex(r"✖ (.+?) \([\d.]+ms\)( # .*)?$")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what node's runner said in these lines, in either notation; None where it did not run."""
    if not any_line_has(lines, "ℹ tests ", "ℹ fail ", "✖ failing tests:", "duration_ms"):
        return None
    tally = Tally()
    failures: list[TestFailure] = []
    seen = _read_streams(lines, tally, failures)
    seen = _read_spec(lines, tally, failures) or seen
    if not seen:
        return None
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last(failures),
        not_run=tuple(tally.not_run),
        line_ranges=tuple(sorted(tally.ranges)),
    )


def _read_streams(lines: Sequence[LogLine], tally: Tally, failures: list[TestFailure]) -> bool:
    streams = [stream for stream in tap_streams.read_streams(lines) if stream.is_tap and tap_streams.is_node(stream)]
    for stream in streams:
        tap_streams.count_points(stream, tally)
        failures += [
            tap_streams.failure_at(point, NAME, stream, with_file=True) for point in tap_streams.failed_points(stream)
        ]
    return bool(streams)


def _read_spec(lines: Sequence[LogLine], tally: Tally, failures: list[TestFailure]) -> bool:
    counts: dict[str, int] = {}
    seen, listing, floor = False, False, 0
    index = 0
    while index < len(lines):
        text = lines[index].text
        count = _COUNT.match(text)
        if count:
            counts[count[1]] = number_in(count[2])
            if count[1] == "cancelled" or (count[1] == "fail" and "pass" in counts):
                seen = True
            if count[1] == "cancelled":
                first = output_start(lines, index, "node", "test", floor=floor)
                tally.wrote(lines[first].number, lines[index].number)
                tally.add(passed=counts.get("pass", 0), failed=counts.get("fail", 0) + counts["cancelled"])
                counts, floor = {}, index
        elif text.startswith("✖ failing tests:"):
            seen = listing = True
        elif listing and (place := _PLACE.match(text)):
            end = _read_listed(lines, index, place, failures)
            tally.wrote(lines[index].number, lines[end - 1].number)
            index = end
            continue
        index += 1
    return seen


def _read_listed(lines: Sequence[LogLine], index: int, place: re.Match[str], failures: list[TestFailure]) -> int:
    """Read one entry of the list of failed tests; return the index after it."""
    end = block_end(lines, index, lambda text: bool(_PLACE.match(text)))
    block = lines[index:end]
    failed = _FAILED.match(block[1].text) if len(block) > 1 else None
    if failed and not failed[2]:
        failures.append(_failure(lines, block, relative_path(place[1]), failed[1]))
    return end


def _failure(lines: Sequence[LogLine], block: Sequence[LogLine], file: str, name: str) -> TestFailure:
    told = javascript.told_by(block[2:])
    outcome = Outcome.FAILED
    words = told.message.strip("'")
    if "timed out after" in words:
        outcome = Outcome.TIMED_OUT
    elif relative_path(name) == file or name.endswith(file):
        outcome = Outcome.NOT_COLLECTED
        told = _told_above(lines, block[0].number, file) or told
    told = Told(
        message=told.message.strip("'"),
        line=told.line,
        exception=told.exception,
        wrapped_by=told.wrapped_by,
        frames=told.frames,
    )
    test_id = file if outcome is Outcome.NOT_COLLECTED else f"{file} › {name}"
    return failure_of(block, told, test_id=test_id, runner=NAME, outcome=outcome, file=file)


def _told_above(lines: Sequence[LogLine], number: int, file: str) -> Told | None:
    """A file that could not be loaded says only that it failed; node printed what happened when it tried."""
    for line in lines:
        if line.number >= number:
            return None
        if file in line.text and javascript.is_error(line.text):
            return javascript.told_by([line])
    return None
