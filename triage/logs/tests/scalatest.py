"""Reads what sbt shows of ScalaTest, MUnit, specs2 and JUnit: `*** FAILED ***`, `==> X`, `[error] Test x failed:`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests import jvm
from triage.logs.tests.failure_blocks import Tally, Told, block_end, failure_of, line_in, number_in, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import Frame, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "scalatest"


_LEVEL = regex(r"\[(?:info|error|warn)\] ?")
_SUITE = regex(r"([A-Z]\w*(?:Spec|Test|Suite|Tests|Specification)\w*):\s*$")
_FAILED = regex(r"(\s*)(?:- )?(.+?) \*\*\* FAILED \*\*\*(?: \(.+\))?\s*$")
_MUNIT = regex(r"==> X ([\w.$]+\.[^.].*?)(?: +[\d.]+s)? +([\w.$]+(?:Exception|Error)): ?(.*)$")
_JUNIT = regex(r"Test ([\w.$]+) failed: (?:([\w.$]+(?:Exception|Error)): )?(.*?)(?:, took [\d.]+ s(?:ec)?)?$")
_SUCCEEDED = regex(r"Tests: succeeded (\d+), failed (\d+)")
_TOTAL = regex(r"(?:Passed|Failed|Error): Total (\d+), Failed (\d+), Errors (\d+), Passed (\d+)")
_PLACE = regex(r"\(([\w./-]+\.scala):(\d+)\)")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what ran under sbt in these lines; None where nothing did."""
    if not any_line_has(lines, "*** FAILED ***", "Tests: succeeded ", ": Total ", "==> X "):
        return None
    failures: list[TestFailure] = []
    tally = Tally()
    suite, first, floor, index = "", -1, 0, 0
    counted = False
    while index < len(lines):
        text = _plain(lines[index].text)
        failure, end = _read_failure(lines, index, text, suite)
        if failure:
            failures.append(failure)
            first = first if first >= 0 else index
            index = end
            continue
        if named := _SUITE.match(text):
            suite, first = named[1], first if first >= 0 else index
        elif counts := _counts(text):
            # sbt counts again what ScalaTest has counted.
            if counts[2] or not counted:
                tally.add(passed=counts[0], failed=counts[1])
            counted = counts[2]
            start = output_start(lines, first if first >= 0 else index, "sbt", floor=floor)
            tally.wrote(lines[start].number, lines[index].number)
            first, floor = -1, index + 1
        index += 1
    if tally.ran is None and not failures:
        return None
    return TestReport(
        runners=(NAME,),
        ran=tally.ran,
        passed=tally.passed,
        failures=keep_last(failures),
        line_ranges=tuple(tally.ranges),
    )


def _plain(text: str) -> str:
    found = _LEVEL.match(text)
    return text[found.end() :] if found else text


def _counts(text: str) -> tuple[int, int, bool] | None:
    """Return how many passed and failed, and whether the framework itself counted."""
    found = _SUCCEEDED.match(text)
    if found:
        return number_in(found[1]), number_in(found[2]), True
    total = _TOTAL.match(text)
    return (number_in(total[4]), number_in(total[2]) + number_in(total[3]), False) if total else None


def _read_failure(lines: Sequence[LogLine], index: int, text: str, suite: str) -> tuple[TestFailure | None, int]:
    failed = _FAILED.match(text) if "*** FAILED ***" in text else None
    told_at_once = _MUNIT.match(text[:600]) or _JUNIT.match(text)
    if failed and not text.startswith("***"):
        return _scalatest(lines, index, failed, suite)
    if told_at_once:
        test_id, exception, words = told_at_once.groups()
        owner = test_id.rpartition(".")[0]
        told = Told(message=words, line=lines[index].number, exception=exception)
        file = jvm.file_of_class(owner)
        file = file.removesuffix(".java") + ".scala" if file else None
        return failure_of([lines[index]], told, test_id=test_id, runner=NAME, file=file), index + 1
    return None, index


def _scalatest(
    lines: Sequence[LogLine], index: int, failed: re.Match[str], suite: str
) -> tuple[TestFailure | None, int]:
    """Read the lines below a failed test, which are deeper than its own."""
    depth = len(failed[1])

    def ends(text: str) -> bool:
        plain = _plain(text)
        return len(plain) - len(plain.lstrip()) <= depth or "*** FAILED ***" in plain

    end = block_end(lines, index, ends)
    block = lines[index:end]
    body = [type(line)(line.number, _plain(line.text)) for line in block[1:]]
    told = jvm.told_by(body)
    place = next((found for line in body if (found := _PLACE.search(line.text))), None)
    if not told.exception:
        said = next((line for line in body if line.text.strip()), None)
        told = Told(message=said.text.strip() if said else "", line=said.number if said else 0)
    frames = (Frame(place[1], line_in(place[2])),) if place else ()
    told = Told(
        message=_PLACE.sub("", told.message).strip(),
        line=told.line,
        exception=told.exception,
        wrapped_by=told.wrapped_by,
        frames=told.frames or frames,
    )
    name = failed[2].strip()
    return failure_of(block, told, test_id=f"{suite}: {name}" if suite else name, runner=NAME), end
