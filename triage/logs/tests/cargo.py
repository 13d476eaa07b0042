"""Reads `cargo test`: one test binary after the other, each from `running N tests` to `test result:`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.logs.tests import rust_panics
from triage.logs.tests.failure_blocks import Tally, Told, failure_of, is_hole, is_step_end, number_in
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "cargo test"


_HASH = regex(r"-[0-9a-f]{16}$")
_DOC_TESTS = regex(r"\s+Doc-tests (\S+)")
_BEGUN = regex(r"running (\d+) tests?$")
_RESULT = regex(r"test (.+?)(?: - should panic)? \.\.\. ?(.*)$")
_ENDED = regex(r"test result: (ok|FAILED)\. (\d+) passed; (\d+) failed;")
_BLOCK = regex(r"---- (.+) stdout ----$")
_LISTED = regex(r"    (\S.*)$")
_OF_NEXTEST = regex(r"\s*-{3,} (?:TRY \d+ )?STD(?:OUT|ERR): |  std(?:out|err) ───")
_DOCUMENTED = regex(r"(\S+\.rs) - ")
_LINE_OF_DOC = regex(r" \(line \d+\)$")
_DIED = regex(r"\s+process didn't exit successfully: `[^`]*` \((.*)\)$")
_NAMED_BY_PANIC = regex(r"thread '(.+?)'(?: \(\d+\))? panicked at ")


@dataclass(slots=True)
class _Binary:
    """One test binary: what ran before its result was told."""

    name: str = ""
    file: str | None = None
    announced: int = 0
    first: int = -1
    finished: int = 0
    failed: dict[str, LogLine] = field(default_factory=dict)
    blocks: dict[str, list[LogLine]] = field(default_factory=dict)
    started: str = ""
    listing: bool = False
    torn: bool = False  # lines are missing, and with them perhaps its result


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what `cargo test` said in these lines; None where it did not run."""
    if not any_line_has(lines, "running ", "test result: ", "test failed, to rerun pass"):
        return None
    reader = _Reader(lines)
    for index in range(len(lines)):
        reader.read_line(index)
    return reader.report()


class _Reader:
    """Keeps the binary that is running and the block that is being read."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self._lines = lines
        self._binary = _Binary()
        self._block: list[LogLine] | None = None
        self._nested = False
        self._unfinished: _Binary | None = None
        self._settled: list[TestFailure] = []
        self._not_run: list[str] = []
        self._tally = Tally()

    def read_line(self, index: int) -> None:
        """Read the line at this index."""
        line = self._lines[index]
        text = line.text
        if is_hole(self._lines, index):
            self._binary.torn = True
        if is_hole(self._lines, index) or is_step_end(text):
            self._block, self._binary.listing = None, False
        if _OF_NEXTEST.match(text):
            self._nested = True  # nextest shows what one test's own harness printed
        elif self._nested and not text.startswith(("    Running", "   Doc-tests", "     Running", "##[group]")):
            return
        elif begun := _BEGUN.match(text):
            self._begin(index, number_in(begun[1]))
        elif self._binary.first < 0:
            self._read_between(line)
        elif ended := _ENDED.match(text):
            self._end(index, ended)
        elif text.startswith(("error: test failed", "error: doctest failed")) or is_step_end(text):
            self._break_off(index)
        else:
            self._read_inside(line)

    def _begin(self, index: int, announced: int) -> None:
        if self._binary.first >= 0:
            self._break_off(index)
        self._binary.first, self._binary.announced = index, announced

    def _read_between(self, line: LogLine) -> None:
        """Read what Cargo prints around a binary: which one comes next, and how the one before died."""
        self._nested = False
        running = line.text.strip() if line.text.startswith("     Running ") else ""
        docs = _DOC_TESTS.match(line.text)
        died = _DIED.match(line.text) if self._unfinished else None
        if running:
            self._binary.name, self._binary.file = _binary_of(running)
        elif docs:
            self._binary.name, self._binary.file = f"{docs[1]} (doc)", None
        elif died and self._unfinished:
            self._settled.append(_crashed(self._unfinished, self._lines, line, died[1]))
            self._unfinished = None

    def _read_inside(self, line: LogLine) -> None:
        binary, text = self._binary, line.text
        block = _BLOCK.match(text)
        result = _RESULT.match(text) if text.startswith("test ") else None
        if block:
            self._block = binary.blocks.setdefault(block[1], [])
            self._block.clear()
            self._block.append(line)
        elif text == "failures:":
            self._block, binary.listing = None, True
        elif self._block is not None:
            self._block.append(line)
        elif binary.listing and (listed := _LISTED.match(text)):
            binary.failed.setdefault(listed[1], line)
        elif result:
            self._read_result(line, result)
        else:
            self._read_output(line)

    def _read_result(self, line: LogLine, result: re.Match[str]) -> None:
        binary = self._binary
        if result[2].startswith("FAILED"):
            binary.failed[result[1]] = line
        binary.started = "" if result[2] else result[1]
        binary.finished += bool(result[2])

    def _read_output(self, line: LogLine) -> None:
        """Read what a test writes when its output is not captured; its verdict may stand alone on a line."""
        binary, text = self._binary, line.text.strip()
        panicked = _NAMED_BY_PANIC.match(text)
        if text in {"ok", "FAILED"} and binary.started:
            if text == "FAILED":
                binary.failed[binary.started] = line
            binary.started, binary.finished = "", binary.finished + 1
        elif panicked:
            binary.blocks[panicked[1]] = [line]
            binary.blocks[""] = binary.blocks[panicked[1]]
        elif "" in binary.blocks and len(binary.blocks[""]) < 200:
            binary.blocks[""].append(line)

    def _end(self, index: int, ended: re.Match[str]) -> None:
        binary = self._binary
        self._tally.add(passed=number_in(ended[2]), failed=number_in(ended[3]))
        if ended[1] == "FAILED":
            self._settled += [_failure(binary, name, line) for name, line in binary.failed.items()]
        self._close(index)

    def _break_off(self, index: int) -> None:
        """The binary ended without a result: it died, or the rest was not kept; what failed until then, failed."""
        binary = self._binary
        self._settled += [_failure(binary, name, line) for name, line in binary.failed.items()]
        self._unfinished = binary
        left = binary.announced - binary.finished
        if left > 0 and not binary.torn:
            named = f" of {binary.name}" if binary.name else ""
            self._not_run.append(f"{left} of {binary.announced} tests{named} never ended")
        self._close(index - 1)

    def _close(self, index: int) -> None:
        self._tally.wrote(self._lines[self._binary.first].number, self._lines[index].number)
        self._binary, self._block = _Binary(), None

    def report(self) -> TestReport | None:
        """Return what was read, at the end of the log."""
        if self._binary.first >= 0:
            self._break_off(len(self._lines))
        if self._tally.ran is None and not self._settled and self._unfinished is None:
            return None
        return TestReport(
            runners=(NAME,),
            ran=self._tally.ran,
            passed=self._tally.passed,
            failures=keep_last(self._settled),
            not_run=tuple(self._not_run),
            line_ranges=tuple(self._tally.ranges),
        )


def _binary_of(running: str) -> tuple[str, str | None]:
    """Read `Running tests/api.rs (target/debug/deps/api-0123456789abcdef)`: the binary's name, and its source file."""
    source, _, program = running.removeprefix("Running ").removeprefix("unittests ").rpartition(" ")
    name = program.strip("()").replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    return _HASH.sub("", name), source or None


def _failure(binary: _Binary, name: str, line: LogLine) -> TestFailure:
    block = binary.blocks.get(name) or [line]
    told = rust_panics.told_by(block, name)
    test_id = f"{binary.name} {_LINE_OF_DOC.sub('', name)}".strip()
    documented = _DOCUMENTED.match(name)
    own = documented[1] if documented else binary.file
    file = next((frame.path for frame in reversed(told.frames) if frame.in_repository), own)
    return failure_of(block, told, test_id=test_id, runner=NAME, file=file)


def _crashed(binary: _Binary, lines: Sequence[LogLine], died: LogLine, how: str) -> TestFailure:
    name = f"{binary.name} {binary.started}".strip()
    told = Told(message=f"process didn't exit successfully: {how}", line=died.number)
    block = [lines[binary.first], died]
    return failure_of(block, told, test_id=name or "cargo test", runner=NAME, outcome=Outcome.CRASHED, file=binary.file)
