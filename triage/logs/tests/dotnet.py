"""Reads `dotnet test` (VSTest and Microsoft.Testing.Platform, so MSTest, xUnit and NUnit) and NUnit's own console."""

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

NAME = "dotnet test"


_FAILED = regex(r"\s*(?:Failed|failed|X) ([\w.+`]+)")
_DURATION = regex(r"[\[(]<?[ \d.,:mhs]{1,40}[\])]$")
_NUNIT = regex(r"\d+\) (?:Failed|Error|Invalid) : ([\w.+]+)")
_SUMMARY = regex(r"(?:Passed|Failed|Skipped)!\s+- Failed:\s*(\d+), Passed:\s*(\d+), Skipped:\s*\d+, Total:\s*(\d+)")
_TOTAL = regex(r"Total tests: (\d+)(?:\. Passed: (\d+)\. Failed: (\d+))?")
_NUNIT_TOTAL = regex(r"\s*Test Count: (\d+), Pass(?:ed)?: (\d+), Fail(?:ed|ures)?: (\d+)")
_PART = regex(r"\s+(Passed|Failed): (\d+)\s*$")
_STARTED = ("Starting test execution, please wait", "A total of ", "Test run for ", "Run tests: ")
_ABORTED = regex(r"The active [Tt]est [Rr]un was aborted[. ]*(?:Reason: )?(.*)")
_SIGNS = ("Total tests: ", "ed!  - Failed:", "Test Count: ", "est run was aborted", "est Run was aborted", "Failed : ")
_HEADINGS = frozenset({"Error Message:", "Stack Trace:"})
_OUTPUT = regex(
    r"\s*(?:Standard Output Messages:|Standard Error Messages:|Debug Trace Messages:|Standard output|Error output)"
)
_FRAME = regex(r"\s*at (.+?) in (.+?):(?:line )?(\d+)\s*$")
_TYPE = regex(
    r"(?:Test method \S+ threw exception:\s*|(?:OneTime)?(?:SetUp|TearDown)(?: failed)? : )?"
    r"((?:[A-Z]\w*\.)+[A-Z]\w*(?:Exception|Error)) ?: ?(.*)$"
)
_INNER = regex(r"\s*-{2,}>? ?((?:[A-Z]\w*\.)+[A-Z]\w*Exception) ?: ?(.*?)(?: --->.*)?$")


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what .NET's runners said in these lines; None where none ran."""
    if not any_line_has(
        lines, "Total tests: ", "! ", "Test Count: ", "est run was aborted", "est Run was aborted", "Failed : "
    ):
        return None
    reader = _Reader(lines)
    index = 0
    while index < len(lines):
        index = reader.read_line(index)
    return reader.report()


class _Reader:
    """Reads one test assembly after the other, each closed by its counts."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self._lines = lines
        self._pending: list[TestFailure] = []
        self._settled: list[TestFailure] = []
        self._first = -1
        self._total = -1
        self._parts: dict[str, int] = {}
        self._tally = Tally()
        self._floor = 0

    def read_line(self, index: int) -> int:
        """Read the line at this index; return the index of the next one."""
        text = self._lines[index].text
        name = _name_of_failed(text)
        if name:
            return self._read_failure(index, name)
        if text.startswith(_STARTED):
            self._first = self._first if self._first >= 0 else index
        elif summary := _SUMMARY.match(text):
            self._end(index, passed=number_in(summary[2]), failed=number_in(summary[1]))
        elif nunit := _NUNIT_TOTAL.match(text):
            self._end(index, passed=number_in(nunit[2]), failed=number_in(nunit[3]))
        elif total := _TOTAL.match(text):
            self._total, self._parts = number_in(total[1]), {}
            if total[2]:
                self._end(index, passed=number_in(total[2]), failed=number_in(total[3]))
        elif self._total >= 0:
            self._read_part(index, text)
        elif aborted := _ABORTED.match(text):
            self._pending.append(_aborted(self._lines[index], aborted[1]))
        return index + 1

    def _read_part(self, index: int, text: str) -> None:
        """Read `Passed: 4` and `Failed: 1`, which stand below `Total tests:`, each left out when it is nought."""
        part = _PART.match(text)
        if part:
            self._parts[part[1]] = number_in(part[2])
        elif not text.startswith(" "):
            self._end(index - 1, passed=self._parts.get("Passed", 0), failed=self._parts.get("Failed", 0))

    def _read_failure(self, index: int, name: str) -> int:
        end = block_end(self._lines, index, _ends_block)
        block = self._lines[index:end]
        if not any(line.text.strip() for line in block[1:4]):
            return index + 1
        told = _told_by(block[1:])
        self._pending.append(failure_of(block, told, test_id=name, runner=NAME))
        self._first = self._first if self._first >= 0 else index
        return end

    def _end(self, index: int, *, passed: int, failed: int) -> None:
        self._tally.add(passed=passed, failed=failed)
        first = self._first if self._first >= 0 else index
        start = output_start(self._lines, first, "dotnet", "vstest", "nunit", floor=self._floor)
        self._tally.wrote(self._lines[start].number, self._lines[index].number)
        self._settled += [one for one in self._pending if failed or one.outcome is Outcome.CRASHED]
        self._pending, self._first, self._total, self._floor = [], -1, -1, index + 1

    def report(self) -> TestReport | None:
        """Return what was read, at the end of the log."""
        if self._total >= 0:
            self._end(len(self._lines) - 1, passed=self._parts.get("Passed", 0), failed=self._parts.get("Failed", 0))
        failures = [*self._settled, *self._pending]
        if self._tally.ran is None and not failures:
            return None
        return TestReport(
            runners=(NAME,),
            ran=self._tally.ran,
            passed=self._tally.passed,
            failures=keep_last(failures),
            line_ranges=tuple(self._tally.ranges),
        )


def _ends_block(text: str) -> bool:
    if text.startswith(
        ("[xUnit.net", "Total tests:", "Test Run ", "Passed!", "Failed!", "Results File:", "  Passed ", "  Skipped ")
    ):
        return True
    return bool(_name_of_failed(text) or _NUNIT_TOTAL.match(text) or _OUTPUT.match(text))


def _name_of_failed(text: str) -> str:
    """Return the test of `Failed Acme.CartTests.Adds(a: 2) [12 ms]` without its arguments; "" for any other line."""
    nunit = _NUNIT.match(text)
    if nunit:
        return nunit[1]
    failed = _FAILED.match(text)
    ends_well = failed is not None and _DURATION.search(text.rstrip()[-45:]) is not None
    return failed[1] if failed and ends_well else ""


def _told_by(block: Sequence[LogLine]) -> Told:
    """Read message and frames; an exception's type leads its message, and `--->` leads to a deeper one."""
    words: list[LogLine] = []
    frames: list[Frame] = []
    for line in block:
        found = _FRAME.match(line.text)
        text = line.text.strip()
        if found:
            frames.append(Frame(relative_path(found[2].removeprefix("/_/")), line_in(found[3]), found[1]))
        elif text and text not in _HEADINGS and not text.startswith(("at ", "--")) and not frames:
            words.append(line)
    typed = next(((line, found) for line in words if (found := _TYPE.match(line.text.strip()))), None)
    inner = [(line, found) for line in block if (found := _INNER.match(line.text))]
    outwards = tuple(dict.fromkeys(reversed(frames)))[:40]
    if inner:
        line, found = inner[-1]
        outer = typed[1][1] if typed else None
        return Told(message=found[2], line=line.number, exception=found[1], wrapped_by=outer, frames=outwards)
    if typed:
        line, found = typed
        return Told(message=found[2], line=line.number, exception=found[1], frames=outwards)
    message = " ".join(word.text.strip() for word in words[:20])
    return Told(message=message, line=words[0].number if words else 0, frames=outwards)


def _aborted(line: LogLine, why: str) -> TestFailure:
    told = Told(message=why or line.text, line=line.number)
    return failure_of([line], told, test_id="test host", runner=NAME, outcome=Outcome.CRASHED)
