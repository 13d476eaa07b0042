"""Reads PHPUnit: numbered errors and failures, announced by `There was 1 failure:`, then the verdict in capitals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import Tally, Told, block_end, failure_of, line_in, number_in
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.model import Frame, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "phpunit"


_ANNOUNCED = regex(r"There (?:was|were) \d+ (.+?):\s*$")
_NUMBERED = regex(r"\d+\) ([\w\\]+::\S.*|[\w\\]+)$")
_COUNTS = regex(r"Tests: (\d+), Assertions: \d+(.*)")
_COUNT = regex(r"(Errors|Failures|Skipped|Incomplete): (\d+)")
_GOOD = regex(r"OK \((\d+) tests?, \d+ assertions?\)")
_DATA_SET = regex(r" with data set .*$")
_FRAME = regex(r"(?:phar://)?((?:[A-Za-z]:)?[/\\][^:]*\.(?:php|phpt|inc)):(\d+)$")
_TYPE = regex(r"([A-Z]\w*(?:\\\w+)*(?:Exception|Error|Failure)|[A-Z]\w*(?:\\[A-Z]\w*)+): ?(.*)$")
_FOREIGN = regex(r"/vendor/|\.phar/|/phpunit/phpunit/|/usr/share/php/")
_FAULTS = frozenset({"error", "errors", "failure", "failures"})


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what PHPUnit said in these lines; None where it did not run."""
    if not any_line_has(lines, "PHPUnit ", " assertions)", ", Assertions: "):
        return None
    pending: list[TestFailure] = []
    settled: list[TestFailure] = []
    tally = Tally()
    kind, first, index = "", -1, 0
    while index < len(lines):
        text = lines[index].text.rstrip()
        if kind in _FAULTS and (numbered := _NUMBERED.match(text)):
            end = block_end(lines, index, _ends_block)
            pending.append(_failure(lines[index:end], numbered[1]))
            index = end
            continue
        if announced := _ANNOUNCED.match(text):
            kind, first = announced[1], first if first >= 0 else index
        elif text.startswith("PHPUnit ") and " by Sebastian Bergmann" in text:
            first = index
        elif counts := _counts(text):
            passed, failed = counts
            tally.add(passed=passed, failed=failed)
            tally.wrote(lines[max(first, 0) if first >= 0 else index].number, lines[index].number)
            settled += pending if failed else []
            kind, first, pending = "", -1, []
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


def _counts(text: str) -> tuple[int, int] | None:
    good = _GOOD.match(text)
    if good:
        return number_in(good[1]), 0
    found = _COUNTS.match(text)
    if not found:
        return None
    counts = {word: number_in(number) for word, number in _COUNT.findall(found[2])}
    failed = counts.get("Errors", 0) + counts.get("Failures", 0)
    return max(0, number_in(found[1]) - failed - counts.get("Skipped", 0) - counts.get("Incomplete", 0)), failed


def _ends_block(text: str) -> bool:
    if text == "--" or text.startswith(("FAILURES!", "ERRORS!", "WARNINGS!", "Tests: ", "OK")):
        return True
    return _NUMBERED.match(text) is not None


def _failure(block: Sequence[LogLine], name: str) -> TestFailure:
    return failure_of(block, _told_by(block[1:]), test_id=_DATA_SET.sub("", name), runner=NAME)


def _told_by(block: Sequence[LogLine]) -> Told:
    """Read the exception or the assertion; of several causes the last one, which is the deepest."""
    parts: list[list[LogLine]] = [[]]
    for line in block:
        if line.text.strip() == "Caused by":
            parts.append([])
        else:
            parts[-1].append(line)
    said = [_told_by_part(part) for part in parts]
    top, deepest = said[0], said[-1]
    return Told(
        message=deepest.message,
        line=deepest.line,
        exception=deepest.exception,
        wrapped_by=top.exception if len(said) > 1 else None,
        frames=tuple(dict.fromkeys((*top.frames, *deepest.frames)))[:40],
    )


def _told_by_part(part: Sequence[LogLine]) -> Told:
    frames: list[Frame] = []
    words: list[LogLine] = []
    for line in part:
        found = _FRAME.match(line.text.strip())
        if found and not _FOREIGN.search(found[1]):
            frames.append(Frame(relative_path(found[1]), line_in(found[2])))
        elif not found and line.text.strip():
            words.append(line)
    best = next((line for line in words if line.text.startswith("Failed asserting")), words[0] if words else None)
    typed = _TYPE.match(words[0].text) if words else None
    rest = [line.text for line in words[1:20]]
    message = " ".join([typed[2] if typed else words[0].text, *rest]) if words else ""
    return Told(
        message=message,
        line=best.number if best else 0,
        exception=typed[1] if typed else None,
        frames=tuple(reversed(frames)),
    )
