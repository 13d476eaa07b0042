"""Reads harnesses that say little: a line that names a failed test, and the error below or above it.

One table for all of them. None is believed on one line alone: a harness is at work only where its own summary, or
another line that nothing else prints, shows too. What a full reader tells of the same lines wins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from triage.logs.tests.failure_blocks import Told, failure_of, is_aftermath, is_boundary, is_hole
from triage.logs.tests.harness_table import ANY_SCRIPT, HARNESSES, Harness, Side
from triage.matching import Scanner
from triage.model import TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from triage.model import LogLine, TestFailure

LONGEST_ERROR = 40
"""Lines of one failure that are looked at for its error."""

LONGEST_LINE = 300
"""Characters of a line that are looked at: what names a test or states an error says so early."""

_SAYS_MOST: tuple[re.Pattern[str], ...] = (
    regex(r"^\s*what\(\): +\S"),
    regex(r"^\s*(?:E +|error: |Error: )?(?:\(in promise\) )?(?:\w+[.:]+)*[A-Z]\w*(?:Error|Exception|Refused)\b:? ?\S*"),
    regex(
        r"(?i)\bexpected\b.*\b(?:got|found|but|received|was|to (?:be|equal|have|contain))\b|\bnot (?:the same|equal)\b"
    ),
    regex(r"(?i)^[\s`'\"]*(?:uncaught exception|error|fatal|terminate called|assert\w*|fail(?:ure)?|caused by)\b.*\S"),
    regex(r"(?i)^[\s`'\"]*(?:expected|actual|received|got|want(?:ed)?|found|passed in)\b"),
    regex(r"(?i):\d+:?(?:\d+:)? (?:\w+ )?error: \S"),
)
"""Which line of a failure states its error; the first row that fits any line decides."""

_POINTS = regex(r"(?i)\bsee:? +\S+\.(?:log|txt|html|xml)$")
"""A line that says where to read on."""


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what small harnesses said in these lines; None where none was at work."""
    found = _find(lines)
    runs = [(harness, run) for harness in HARNESSES for run in _runs(harness, lines, found)]
    runs = runs or [(ANY_SCRIPT, run) for run in _runs(ANY_SCRIPT, lines, found)]
    failures = [failure for _, run in runs for failure in run.failures]
    if not failures:
        return None
    return TestReport(
        runners=tuple(dict.fromkeys(harness.name for harness, _ in runs)),
        failures=_each_once(sorted(failures, key=lambda failure: failure.first_line)),
        line_ranges=tuple(run.span for _, run in runs),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """Places of a harness's lines, by rising index."""

    failed: list[int] = field(default_factory=list)
    shows: list[int] = field(default_factory=list)


def _find(lines: Sequence[LogLine]) -> dict[str, _Found]:
    found: dict[str, _Found] = {}
    block = "\n".join(line.text[:LONGEST_LINE] for line in lines).encode("utf-8", "replace")
    for index, key in _scanner().scan_block(block):
        what, _, name = key.partition(":")
        row = found.setdefault(name.rpartition(":")[0], _Found())
        (row.failed if what == "failed" else row.shows).append(index)
    return found


@lru_cache(maxsize=1)
def _scanner() -> Scanner:
    rows = (*HARNESSES, ANY_SCRIPT)
    failed = {f"failed:{row.name}:0": row.failed for row in rows}
    return Scanner(failed | {f"shows:{row.name}:{place}": text for row in rows for place, text in enumerate(row.shows)})


def _each_once(failures: Sequence[TestFailure]) -> tuple[TestFailure, ...]:
    """Each test as it was told, not as a list at the end names it once more."""
    told: dict[str, TestFailure] = {}
    for failure in failures:
        known = told.get(failure.id)
        if known is None or (known.id in known.message and failure.id not in failure.message):
            told[failure.id] = failure
    return tuple(told.values())


@dataclass(frozen=True, slots=True)
class _Run:
    """What one harness wrote in one step."""

    span: tuple[int, int]
    failures: tuple[TestFailure, ...]


def _runs(harness: Harness, lines: Sequence[LogLine], found: Mapping[str, _Found]) -> Iterator[_Run]:
    places = found.get(harness.name)
    if places is None or not places.failed or not places.shows:
        return
    for first, last in _steps(lines):
        marks = [index - first for index in places.failed if first <= index < last]
        if marks and any(first <= index < last for index in places.shows):
            part = lines[first:last]
            yield _Run((part[0].number, part[-1].number), tuple(_failures(harness, part, marks)))


def _steps(lines: Sequence[LogLine]) -> Iterator[tuple[int, int]]:
    """Parts of the log between two lines of the platform, each without holes at its ends."""
    start = 0
    for index, line in enumerate(lines):
        if is_boundary(line.text) or is_aftermath(line.text) or (index and line.step != lines[index - 1].step):
            if index > start:
                yield start, index
            start = index + 1 if is_boundary(line.text) or is_aftermath(line.text) else index
    if start < len(lines):
        yield start, len(lines)


def _failures(harness: Harness, part: Sequence[LogLine], marks: list[int]) -> Iterator[TestFailure]:
    for place, index in enumerate(marks):
        named = re.match(harness.failed, part[index].text[:LONGEST_LINE])
        if named is None:
            continue
        block = _block(harness, part, index, marks[place - 1] if place else -1, (*marks, len(part))[place + 1])
        groups = named.groupdict()
        yield failure_of(
            block,
            _told(harness, block, part[index]),
            test_id=(groups.get("test") or groups.get("file") or part[index].text).strip(" ─│"),
            runner=harness.name,
            file=groups.get("file"),
        )


def _block(harness: Harness, part: Sequence[LogLine], index: int, before: int, after: int) -> Sequence[LogLine]:
    """The mark with the lines that tell of it, as far as they reach without a hole."""
    if harness.error is Side.HERE:
        return part[index : index + 1]
    if harness.error is Side.ABOVE:
        start = index
        while start - 1 > before and index - start < LONGEST_ERROR and not _ends(harness, part, start - 1, start):
            start -= 1
        return part[start : index + 1]
    end = index + 1
    while end < min(after, index + LONGEST_ERROR) and not _ends(harness, part, end, end):
        end += 1
    return part[index:end]


def _ends(harness: Harness, part: Sequence[LogLine], index: int, hole: int) -> bool:
    return is_hole(part, hole) or bool(harness.ends and harness.ends.match(part[index].text[:LONGEST_LINE]))


def _told(harness: Harness, block: Sequence[LogLine], mark: LogLine) -> Told:
    if harness.error is Side.HERE:
        return Told(message=mark.text, line=mark.number)
    told = (line for line in block if line.number != mark.number and line.text.strip())
    others = [line for line in told if not _POINTS.search(line.text[:LONGEST_LINE])]
    printed = _of_last_program(harness, others)
    for says in _SAYS_MOST:
        for line in printed or others:
            if says.search(_bare(harness, line)[:LONGEST_LINE]):
                return Told(message=_bare(harness, line), line=line.number)
    line = printed[0] if printed else mark
    return Told(message=_bare(harness, line), line=line.number)


def _bare(harness: Harness, line: LogLine) -> str:
    return harness.prints.sub("", line.text) if harness.prints else line.text


def _of_last_program(harness: Harness, lines: Sequence[LogLine]) -> list[LogLine]:
    """What the last of a test's programs wrote: those before it did not fail, or there would be no other."""
    printed: list[LogLine] = []
    is_over = False
    for line in lines if harness.prints else ():
        is_over = is_over or _NEXT_PROGRAM.match(line.text) is not None
        if harness.prints and harness.prints.match(line.text):
            printed = [line] if is_over else [*printed, line]
            is_over = False
    return printed


_NEXT_PROGRAM = regex(r"^# (?:RUN|executed command): ")
