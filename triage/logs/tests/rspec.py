"""Reads RSpec: numbered examples below `Failures:`, errors outside of examples, then `N examples, M failures`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import Tally, Told, block_end, failure_of, number_in, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.ruby import frames_in
from triage.logs.tests.source_paths import relative_path
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "rspec"


_COUNTS = regex(
    r"\s*(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?"
)
_NUMBERED = regex(r"  (\d+)\) (.+)$")
_OUTSIDE = regex(r"An error occurred (?:while loading (\S+?)\.?(?: - .*)?|in an? (`.*` hook).*)$")
_TYPE = regex(r"([A-Z]\w*(?:::[A-Z]\w*)*):\s*(.*)$")
_SOURCE = regex(r"(?:\d+\.\d+\) )?Failure/Error: ?(.*)$")
_PLACE = regex(r"#? ?(\./)?\S+\.rb:\d+")
_CAUSE = "--- Caused by: ---"


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what RSpec said in these lines; None where it did not run."""
    if not any_line_has(lines, " examples, ", " example, "):
        return None
    pending: list[TestFailure] = []
    settled: list[TestFailure] = []
    tally = Tally()
    first, floor, index = -1, 0, 0
    while index < len(lines):
        text = lines[index].text.rstrip()
        counts = _COUNTS.match(text)
        if text == "Failures:":
            first = first if first >= 0 else index
            index = _read_failures(lines, index, pending)
            continue
        if outside := _OUTSIDE.match(text):
            first = first if first >= 0 else index
            index = _read_outside(lines, index, outside, pending)
            continue
        if counts:
            ran, failed, waiting = number_in(counts[1]), number_in(counts[2]), number_in(counts[3])
            tally.add(passed=max(0, ran - failed - waiting), failed=failed)
            settled += pending if failed or counts[4] else []
            start = output_start(lines, first if first >= 0 else index, "rspec", "rake", floor=floor)
            tally.wrote(lines[start].number, lines[index].number)
            pending, first, floor = [], -1, index + 1
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


def _read_failures(lines: Sequence[LogLine], index: int, failures: list[TestFailure]) -> int:
    """Read the numbered examples below `Failures:`; return the index after the last."""
    index += 1
    wanted = 1
    while index < len(lines):
        numbered = _NUMBERED.match(lines[index].text)
        if numbered and number_in(numbered[1]) == wanted:
            wanted += 1
            end = block_end(lines, index, partial(_ends_block, following=wanted))
            block = lines[index:end]
            failures.append(failure_of(block, _told_by(block[1:]), test_id=numbered[2], runner=NAME))
            index = end
        elif lines[index].text.strip():
            break
        else:
            index += 1
    return index


def _read_outside(lines: Sequence[LogLine], index: int, found: re.Match[str], failures: list[TestFailure]) -> int:
    """Read an error of a file that could not be loaded, or of a hook of the whole run."""
    end = block_end(lines, index, lambda text: bool(_OUTSIDE.match(text)) or _ends_all(text))
    block = lines[index:end]
    file = relative_path(found[1]) if found[1] else None
    outcome = Outcome.NOT_COLLECTED if file else Outcome.ERROR
    test_id = file or found[2]
    failures.append(failure_of(block, _told_by(block[1:]), test_id=test_id, runner=NAME, outcome=outcome, file=file))
    return end


def _ends_block(text: str, *, following: int) -> bool:
    return text.startswith(f"  {following}) ") or _ends_all(text)


def _ends_all(text: str) -> bool:
    return text.startswith(("Finished in ", "Failed examples:", "Top ", "Run options:")) or bool(_COUNTS.match(text))


def _told_by(block: Sequence[LogLine]) -> Told:
    """Read type and words: the exception's, or what was expected; of several causes the deepest."""
    parts = _split_causes(block)
    said = [_told_by_part(part) for part in parts]
    top, deepest = said[0], next((one for one in reversed(said) if one.message or one.exception), said[0])
    frames = dict.fromkeys(frame for one in (top, deepest) for frame in one.frames)
    return Told(
        message=deepest.message,
        line=deepest.line,
        exception=deepest.exception,
        wrapped_by=top.exception if deepest is not top else None,
        frames=tuple(frames),
    )


def _split_causes(block: Sequence[LogLine]) -> list[list[LogLine]]:
    parts: list[list[LogLine]] = [[]]
    for line in block:
        if _CAUSE in line.text:
            parts.append([])
        elif not line.text.strip(" #-"):
            continue
        else:
            parts[-1].append(line)
    return parts


_SIDE = regex(r"[\s#]*expected: ")
_SOURCE_BELOW = regex(r"Failure/Error:\s*$")


def _told_by_part(part: Sequence[LogLine]) -> Told:
    exception: str | None = None
    words: list[LogLine] = []
    in_source = False
    source: LogLine | None = None
    for line in part:
        text = line.text.strip().removeprefix("#").strip()
        typed = _TYPE.fullmatch(text)
        if found := _SOURCE.match(text):
            if source is not None:
                break  # of several failed expectations the first one is told
            source, in_source, words = line, not found[1], []
        elif _PLACE.match(text):
            in_source = False
        elif typed and exception is None and not words:
            exception, in_source = typed[1], False
            words += [line] if typed[2] else []
        elif not in_source and not text.startswith(("Got ", "(compared using")):
            words.append(line)
    message = " ".join(word.text.strip().removeprefix("#").strip() for word in words[:20])
    best = words[0] if words else source
    if source is not None and words and _SIDE.match(words[0].text) and not _SOURCE_BELOW.search(source.text):
        best = source  # what was compared says more than one side of it
    return Told(message=message, line=best.number if best else 0, exception=exception, frames=frames_in(part))
