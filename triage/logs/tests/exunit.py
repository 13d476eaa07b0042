"""Reads ExUnit, Elixir's runner: numbered tests with the place of each below, then `N tests, M failures`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import Tally, Told, block_end, failure_of, line_in, number_in, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame, Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "exunit"


_NUMBERED = regex(r"\s*\d+\) ((?:test|property|doctest) .+ \([A-Z][\w.]*\))$")
_PLACE = regex(r"     (\S+\.exs?):(\d+)\s*$")
_COUNTS = regex(
    r"(?:\d+ doctests?, )?(?:\d+ propert(?:y|ies), )?(\d+) tests?, (\d+) failures?(?:, \d+ excluded)?(?:, \d+ invalid)?"
    r"(?:, (\d+) skipped)?$"
)
_RAISED = regex(r"     \*\* \(([\w.]+)\) (.*)$")
_FRAME = regex(r"\s+(?:\([\w.-]+ [\w.-]+\) )?(\S+\.exs?):(\d+): (.*)$")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what ExUnit said in these lines; None where it did not run."""
    if not any_line_has(lines, " failures", " failure"):
        return None
    pending: list[TestFailure] = []
    settled: list[TestFailure] = []
    tally = Tally()
    first, floor, index = -1, 0, 0
    while index < len(lines):
        numbered = _NUMBERED.match(lines[index].text)
        counts = _COUNTS.match(lines[index].text.rstrip())
        place = _PLACE.match(lines[index + 1].text) if numbered and index + 1 < len(lines) else None
        if numbered and place:
            end = block_end(lines, index, _ends_block)
            pending.append(_failure(lines[index:end], numbered[1], relative_path(place[1])))
            first = first if first >= 0 else index
            index = end
            continue
        if counts and (pending or counts[2] == "0"):
            ran, failed, skipped = number_in(counts[1]), number_in(counts[2]), number_in(counts[3])
            tally.add(passed=max(0, ran - failed - skipped), failed=failed)
            start = output_start(lines, first if first >= 0 else index, "mix test", floor=floor)
            tally.wrote(lines[start].number, lines[index].number)
            settled += pending if failed else []
            pending, first, floor = [], -1, index + 1
        index += 1
    if not settled and not pending and not any_line_has(lines, "ExUnit", "mix test"):
        return None  # other runners count in the same words
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last([*settled, *pending]),
        line_ranges=tuple(tally.ranges),
    )


def _ends_block(text: str) -> bool:
    """All that belongs to a failure is indented by five."""
    return bool(text.strip()) and not text.startswith("     ")


def _failure(block: Sequence[LogLine], name: str, file: str) -> TestFailure:
    raised = next((found for line in block if (found := _RAISED.match(line.text))), None)
    words = [line for line in block[2:] if line.text.strip()]
    best = next((line for line in block if _RAISED.match(line.text)), words[0] if words else block[0])
    frames: list[Frame] = []
    for line in block[2:]:
        found = _FRAME.match(line.text)
        if found and not line.text.lstrip().startswith("("):
            frames.append(Frame(relative_path(found[1]), line_in(found[2]), found[3]))
    if raised:
        message = raised[2]
    else:
        said = [line.text.strip() for line in words]
        message = " ".join(said[: said.index("stacktrace:")] if "stacktrace:" in said else said[:10])
    told = Told(
        message=message,
        line=best.number,
        exception=raised[1] if raised else None,
        frames=tuple(reversed(frames)),
    )
    outcome = Outcome.TIMED_OUT if raised and raised[1] == "ExUnit.TimeoutError" else Outcome.FAILED
    return failure_of(block, told, test_id=name, runner=NAME, outcome=outcome, file=file)
