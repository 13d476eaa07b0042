"""Reads Mocha's report, whatever the reporter: `N failing`, then numbered blocks of suites, test and error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from triage.logs.tests import javascript
from triage.logs.tests.failure_blocks import Tally, block_end, failure_of, number_in, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "mocha"


_NEAR = 5
_PASSING = regex(r" +(\d+) passing(?: \(.*\))?\s*$")
_FAILING = regex(r" +(\d+) failing\s*$")
_NUMBERED = regex(r" +(\d+)\) (.*)$")
_HOOK = regex(r'^"(?:before|after)(?: all| each)" hook|" hook(?: for |:|$| in )')
_TIMED_OUT = regex(r"[Tt]imeout of \d+ms exceeded|Timed out retrying")

# A time-out names the file at its end, and has no frames.
_FILE_IN_WORDS = regex(r"\((/\S+\.[cm]?[jt]sx?)\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One report of Mocha's: the indices of its first and its last line, its counts and what failed."""

    first: int
    last: int
    passed: int
    failed: int
    failures: tuple[TestFailure, ...] = ()


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Mocha said in these lines; None where it did not run, or where Cypress ran it."""
    if not any_line_has(lines, " passing", " failing") or any_line_has(lines, "(Run Starting)"):
        return None
    sections = read_sections(lines, NAME)
    if not sections:
        return None
    tally = Tally()
    floor = 0
    for section in sections:
        tally.add(passed=section.passed, failed=section.failed)
        first = output_start(lines, section.first, "mocha", "test", floor=floor)
        tally.wrote(lines[first].number, lines[section.last].number)
        floor = section.last
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last(failure for section in sections for failure in section.failures),
        line_ranges=tuple(tally.ranges),
    )


def read_sections(lines: Sequence[LogLine], runner: str) -> list[Section]:
    """Read every report in these lines; `runner` is who ran Mocha."""
    sections: list[Section] = []
    index = 0
    while index < len(lines):
        passing = _PASSING.match(lines[index].text)
        failing = _FAILING.match(lines[index].text)
        if passing:
            sections.append(Section(first=index, last=index, passed=number_in(passing[1]), failed=0))
        elif failing:
            failures, end = _read_failures(lines, index, runner)
            # `2 passing` stands right above, or above `1 pending`, where anything passed.
            above = (
                sections.pop() if sections and index - sections[-1].last < _NEAR and not sections[-1].failed else None
            )
            section = Section(
                first=above.first if above else index,
                last=end - 1,
                passed=above.passed if above else 0,
                failed=number_in(failing[1]),
                failures=tuple(failures),
            )
            sections.append(section)
            index = end - 1
        index += 1
    return sections


def _read_failures(lines: Sequence[LogLine], index: int, runner: str) -> tuple[list[TestFailure], int]:
    """Read the numbered blocks below `N failing`; return them and the index after the last."""
    failures: list[TestFailure] = []
    index += 1
    while index < len(lines):
        numbered = _NUMBERED.match(lines[index].text)
        if numbered and number_in(numbered[1]) == len(failures) + 1:
            end = block_end(lines, index, partial(_ends_block, following=len(failures) + 2))
            end = _without_tail(lines, index, end)
            failures.append(_failure(lines[index:end], numbered[2], runner))
            index = end
        elif lines[index].text.strip():
            break
        else:
            index += 1
    return failures, index


def _ends_block(text: str, *, following: int) -> bool:
    numbered = _NUMBERED.match(text)
    if numbered:
        return number_in(numbered[1]) == following
    return _PASSING.match(text) is not None or text.startswith(("  (Results)", "  (Screenshots)"))


def _without_tail(lines: Sequence[LogLine], start: int, end: int) -> int:
    """Two blank lines end Mocha's report, and what stands below at the margin is another program's."""
    blank = 0
    for index in range(start + 1, end):
        text = lines[index].text
        if not text.strip():
            blank += 1
            continue
        if blank > 1 and not text.startswith((" ", "+", "-")):
            return index - blank
        blank = 0
    return end


def _failure(block: Sequence[LogLine], first: str, runner: str) -> TestFailure:
    """Read suites and test, one below the other and each deeper, up to the one that ends with a colon."""
    parts, body = [first.rstrip()], 1
    for line in block[1:12] if not first.rstrip().endswith(":") else ():
        text = line.text.strip()
        if not text or not line.text.startswith("     "):
            break
        body += 1
        parts.append(text)
        if text.endswith(":"):
            break
    else:
        body = 1 if not parts[-1].endswith(":") else body
    parts[-1] = parts[-1].removesuffix(":")
    told = javascript.told_by(block[body:])
    outcome = Outcome.ERROR if _HOOK.search(parts[-1]) else Outcome.FAILED
    if _TIMED_OUT.search(told.message):
        outcome = Outcome.TIMED_OUT
    in_words = _FILE_IN_WORDS.search(told.message)
    file = relative_path(in_words[1]) if in_words else None
    return failure_of(block, told, test_id=" ".join(parts), runner=runner, outcome=outcome, file=file)
