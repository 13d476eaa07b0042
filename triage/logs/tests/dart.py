"""Reads `dart test` and `flutter test`: `00:03 +1 -1: test/cart_test.dart: adds [E]` with the error below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import Tally, Told, block_end, failure_of, line_in, number_in
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame, Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "dart test"


_PROGRESS = regex(r"\d\d:\d\d \+(\d+)(?: ~\d+)?(?: -(\d+))?: (.+)$")
_FILE = regex(r"(\S+_test\.dart): (.+)$")
_FRAME = regex(r"\s+(?!package:|dart:)(\S+\.dart)[: ](\d+):\d+\s")
_TYPE = regex(r"\s*([A-Z]\w*(?:Exception|Error)): (.*)$")
_CAUGHT = "╡ EXCEPTION CAUGHT BY "
_THROWN = regex(r"\s*The following (?:assertion|message|(\w+)(?: object)?) was thrown\b.*:\s*$")
_SEE_ABOVE = "Test failed. See exception logs above."
_CAUGHT_LINES = 12
_ENDS = ("Some tests failed.", "All tests passed!")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Dart's runner said in these lines; None where it did not run."""
    if not any_line_has(lines, "Some tests failed.", "All tests passed!", " [E]"):
        return None
    pending: list[TestFailure] = []
    settled: list[TestFailure] = []
    tally = Tally()
    first, index = -1, 0
    caught = -1
    while index < len(lines):
        progress = _PROGRESS.match(lines[index].text.rstrip())
        if not progress:
            caught = index if _CAUGHT in lines[index].text else caught
            index += 1
            continue
        first = index if first < 0 else first
        if progress[3].endswith(" [E]"):
            end = block_end(lines, index, lambda text: _PROGRESS.match(text) is not None)
            above = lines[caught + 1 : min(index, caught + _CAUGHT_LINES)] if caught >= 0 else ()
            pending.append(_failure(lines[index:end], progress[3].removesuffix(" [E]"), above))
            caught = -1
            index = end
            continue
        if progress[3] in _ENDS:
            tally.add(passed=number_in(progress[1]), failed=number_in(progress[2]))
            tally.wrote(lines[first].number, lines[index].number)
            settled += pending if progress[3] == _ENDS[0] else []
            pending, first = [], -1
        index += 1
    if tally.ran is None and not pending:
        return None
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last([*settled, *pending]),
        line_ranges=tuple(tally.ranges),
    )


def _failure(block: Sequence[LogLine], name: str, above: Sequence[LogLine] = ()) -> TestFailure:
    """Build one failure; `above` is what Flutter said of the exception it caught, before it named the test."""
    named = _FILE.match(name)
    file = relative_path(named[1]) if named else None
    words: list[LogLine] = []
    frames: list[Frame] = []
    for line in block[1:]:
        found = _FRAME.match(line.text)
        if found:
            frames.append(Frame(relative_path(found[1]), line_in(found[2])))
        elif line.text.strip() and not frames and not line.text.lstrip().startswith(("package:", "dart:", "#")):
            words.append(line)
    if words and words[0].text.strip() == _SEE_ABOVE:
        words = _caught(above) or words
    typed = _TYPE.match(words[0].text) if words else None
    message = (
        " ".join([typed[2] if typed else words[0].text, *(line.text.strip() for line in words[1:20])]) if words else ""
    )
    told = Told(
        message=message,
        line=words[0].number if words else 0,
        exception=typed[1] if typed else None,
        frames=tuple(reversed(frames)),
    )
    outcome = Outcome.FAILED
    if typed and typed[1] == "TimeoutException":
        outcome = Outcome.TIMED_OUT
    elif name.startswith("loading "):
        outcome, file = Outcome.NOT_COLLECTED, relative_path(name.removeprefix("loading "))
    return failure_of(block, told, test_id=name, runner=NAME, outcome=outcome, file=file)


def _caught(above: Sequence[LogLine]) -> list[LogLine]:
    """Return what was thrown, up to the first empty line: the words that follow `The following … was thrown`."""
    thrown = next((index for index, line in enumerate(above) if _THROWN.match(line.text)), None)
    if thrown is None:
        return []
    said = above[thrown + 1 :]
    end = next((index for index, line in enumerate(said) if not line.text.strip()), len(said))
    return list(said[:end])
