"""Reads Playwright's list, line, dot and GitHub reporters: numbered blocks with retries, then lists by result."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from triage.logs.tests import javascript
from triage.logs.tests.failure_blocks import Tally, block_end, failure_of, is_hole, number_in, output_end, output_start
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.logs.tests.source_paths import relative_path
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "playwright"


_RUNNING = regex(r"Running (\d+) tests? using \d+ workers?")
_TEST = r"(?P<project>\[[^\]]+\] › )?(?P<file>\S+?\.\w+):\d+:\d+ › (?P<title>.+?) ─+"
_HEAD = regex(rf"  \d+\) {_TEST}\s*$")
_LISTED = regex(rf"    {_TEST}\s*$")
_RESULT = regex(r"  (\d+) (failed|flaky|passed|skipped|did not run|interrupted)(?: \([\d.]+\w+\))?\s*$")
_RETRY = regex(r"    Retry #\d+ ─+")
_CONTEXT = regex(r"\s*(?:Error Context:|attachment #\d+:|Usage:|─{10,})")
_TIMED_OUT = regex(r"[Tt]est timeout of \d+ms exceeded|Timed out \d+ms waiting|Timeout \d+ms exceeded")


@dataclass(slots=True)
class _Run:
    """What was read since `Running N tests`: blocks by test, and tests by result."""

    first: int = -1
    blocks: list[TestFailure] = field(default_factory=list)
    listed: dict[str, set[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    listing: str = ""
    last: int = -1


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what Playwright said in these lines; None where it did not run."""
    if not any_line_has(lines, " using ", "──"):
        return None
    reader = _Reader(lines)
    index = 0
    while index < len(lines):
        index = reader.read_line(index)
    return reader.report()


class _Reader:
    """Reads run after run; the lists at the end of each decide."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self._lines = lines
        self._run = _Run()
        self._settled: list[TestFailure] = []
        self._tally = Tally()
        self._floor = 0
        self._seen = False

    def read_line(self, index: int) -> int:
        """Read the line at this index; return the index of the next one."""
        text = self._lines[index].text
        run = self._run
        if is_hole(self._lines, index):
            run.listing = ""
        if _RUNNING.match(text):
            self._end()
            self._seen, self._run.first = True, index
        elif head := _HEAD.match(text):
            return self._read_block(index, head)
        elif (result := _RESULT.match(text)) and (run.first >= 0 or run.blocks):
            run.listing, run.last = result[2], index
            run.counts[result[2]] = number_in(result[1])
        elif listed := _LISTED.match(text) if run.listing else None:
            run.listed.setdefault(run.listing, set()).add(_name(listed))
            run.last = index
        return index + 1

    def _read_block(self, index: int, head: re.Match[str]) -> int:
        end = block_end(self._lines, index, _ends_block)
        block = _last_attempt(self._lines[index:end])
        told = javascript.told_by(block[1:])
        outcome = Outcome.TIMED_OUT if _TIMED_OUT.search(told.message) else Outcome.FAILED
        file = relative_path(head["file"])
        self._run.blocks.append(failure_of(block, told, test_id=_name(head), runner=NAME, outcome=outcome, file=file))
        self._run.last = end - 1
        return end

    def _end(self) -> None:
        """Settle the run: its lists say who failed and who passed in the end; a block may name a step in addition."""
        run = self._run
        failed = run.listed.get("failed", set()) | run.listed.get("interrupted", set())
        flaky = run.listed.get("flaky", set())
        for block in run.blocks:
            if name := _longest(block.id, flaky):
                self._settled.append(_named(block, name, Outcome.FLAKY))
            elif name := _longest(block.id, failed):
                self._settled.append(_named(block, name, block.outcome))
            elif not run.counts:
                self._settled.append(block)
        if run.counts:
            self._seen = True
            good = run.counts.get("passed", 0) + run.counts.get("flaky", 0)
            self._tally.add(passed=good, failed=run.counts.get("failed", 0))
        if left := run.counts.get("did not run", 0):
            self._tally.not_run.append(f"{left} test{'s' * (left > 1)} did not run")
        self._note_range()
        self._run = _Run()

    def _note_range(self) -> None:
        run = self._run
        if run.first < 0 and run.blocks:
            begun = self._index_of(run.blocks[0].first_line)
            run.first = output_start(self._lines, begun, "playwright", "test", floor=self._floor)
        if run.first >= 0:
            last = run.last if run.last >= 0 else output_end(self._lines, run.first)
            self._floor = last + 1
            self._tally.wrote(self._lines[run.first].number, self._lines[last].number)

    def _index_of(self, number: int) -> int:
        return next(index for index, line in enumerate(self._lines) if line.number == number)

    def report(self) -> TestReport | None:
        """Return what was read, at the end of the log."""
        self._end()
        if not self._seen and not self._settled:
            return None
        return TestReport(
            runners=(NAME,),
            ran=self._tally.ran,
            passed=self._tally.passed,
            failures=keep_last(self._settled),
            not_run=tuple(self._tally.not_run),
            line_ranges=tuple(self._tally.ranges),
        )


def _name(found: re.Match[str]) -> str:
    """Return project, file and title without the place in the file, which any change above it moves."""
    return f"{found['project'] or ''}{relative_path(found['file'])} › {found['title']}"


def _longest(name: str, listed: set[str]) -> str:
    """Return the listed test that a block belongs to: a block's title may go on with the name of a step."""
    return max((one for one in listed if name == one or name.startswith(f"{one} › ")), key=len, default="")


def _named(failure: TestFailure, name: str, outcome: Outcome) -> TestFailure:
    return replace(failure, id=name, outcome=outcome)


def _ends_block(text: str) -> bool:
    return _RESULT.match(text) is not None or _HEAD.match(text) is not None or text.startswith(("[", "::error"))


def _last_attempt(block: Sequence[LogLine]) -> Sequence[LogLine]:
    """Return the lines of the last attempt that says something, up to its attachments."""
    starts = [0, *(index for index, line in enumerate(block) if _RETRY.match(line.text))]
    for start, end in zip(reversed(starts), [len(block), *reversed(starts)], strict=False):
        attempt = block[start:end]
        stop = next((index for index, line in enumerate(attempt) if index and _CONTEXT.match(line.text)), len(attempt))
        if any(line.text.strip() for line in attempt[1:stop]):
            return attempt[:stop]
    return block
