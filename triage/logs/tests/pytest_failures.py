"""The failures of one run of pytest: from its failure blocks, else its summary, else what was printed as it went."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.logs.tests import pytest_blocks as blocks
from triage.logs.tests import python_crash
from triage.logs.tests.printed import Printed
from triage.logs.tests.pytest_lines import FAILED_STATUS, crashed_worker
from triage.logs.tests.pytest_names import Names, Title, file_of, read_title, stable
from triage.logs.tests.reporting import unbroken
from triage.logs.tests.source_paths import relative_path
from triage.logs.tests.steps import FAILED_STEP
from triage.logs.tests.traceback import bare_exception, frame_in
from triage.model import Outcome, TestFailure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.logs.tests.pytest_blocks import Reading
    from triage.logs.tests.pytest_lines import Told
    from triage.logs.tests.pytest_sessions import Block, Session
    from triage.model import LogLine

_RUNNER = "pytest"
_TIME_LIMIT = "+++ Timeout +++"
_MAX_FRAMES = 60
_TELLING = 12  # characters of a message by which it is known again
_LONGEST_ERROR = 12
_LONGEST_IMPORT = 400


def failures_of(lines: Sequence[LogLine], session: Session) -> tuple[TestFailure, ...]:
    """Return the failures of one session in log order, those that passed when run again included."""
    reader = _Reader(lines, session)
    found = [*reader.mended()]
    if session.counts is None or session.counts.get("failed") or session.counts.get("error") or _broke(session):
        told = _without_sums_of_subtests([*reader.from_blocks(), *reader.from_lines()])
        found += told or reader.unnamed()
        found += reader.of_broken_session()
    return tuple(sorted(found, key=lambda failure: failure.first_line))


def _broke(session: Session) -> bool:
    return session.internal_error is not None or bool(session.crashed)


class _Reader:
    """Reads one session. Positions are indices into the kept lines."""

    def __init__(self, lines: Sequence[LogLine], session: Session) -> None:
        self.lines = lines
        self.session = session
        told = [told.id for _, told in (*session.summary, *session.progress)]
        self.names = Names([*told, *session.begun, *(node for _, node in session.crashed)])
        self.summary = {stable(told.id): (index, told) for index, told in session.summary if _is_failure(told)}
        ends = [block.start for block in session.blocks] + [index for index, _ in session.summary]
        self.progress_end = min(ends, default=session.end)
        self.live = Printed(lines[session.start : self.progress_end])
        self.in_blocks: set[str] = set()

    # -- what pytest printed in full

    def from_blocks(self) -> Iterator[TestFailure]:
        """Yield the failures of the blocks under FAILURES and ERRORS."""
        for block in self.session.blocks:
            yield self._of_block(block)

    def _of_block(self, block: Block) -> TestFailure:
        body = self.lines[block.start + 1 : block.end]
        title = read_title(block.title)
        reading = blocks.read_block(unbroken(body), self.live) or blocks.read_block(body, self.live)
        crash = next((crash for line in body if (crash := crashed_worker(line.text))), None)
        spoken = reading or blocks.plain_text(body) or blocks.Reading(None, "", self.lines[block.start].number)
        node = stable(crash[1]) if crash else self.names.node_of(title, spoken.frames)
        self.in_blocks.add(node)
        if crash is not None:
            spoken = self._of_worker(node, spoken)
        elif node in self.summary and (reading is None or self._is_of_another(node, reading, block)):
            index, told = self.summary[node]
            is_better = told.message and not told.message.startswith(spoken.message[:40])
            spoken = blocks.of_summary(told.message, self.lines[index].number) if is_better else spoken
        outcome = Outcome.CRASHED if crash else title.outcome
        return self._failure(node + title.subtest, spoken, outcome, block.start, block.end)

    def _is_of_another(self, node: str, reading: Reading, block: Block) -> bool:
        """Whether the error stands behind a hole in the lines and is not the one that the summary names."""
        broken = len(unbroken(self.lines[block.start : block.end])) < block.end - block.start
        return broken and _is_another(reading, self.summary[node][1])

    def _of_worker(self, node: str, spoken: Reading) -> Reading:
        """Return what the interpreter of a crashed worker printed about the test that it was running."""
        part = self.lines[self.session.start : self.session.end]
        for dump in python_crash.dumps_in(part):
            frame = dump.test_frame
            if frame is not None and frame.function and f"::{frame.function}" in node:
                number = part[dump.start].number
                return blocks.Reading(python_crash.NAME, dump.error, number, dump.frames)
        return spoken

    # -- what single lines told

    def from_lines(self) -> Iterator[TestFailure]:
        """Yield failed tests that have no block: tracebacks are switched off, or these lines were not kept."""
        for node, (index, told) in {**self._failed_in_progress(), **self.summary}.items():
            if node not in self.in_blocks:
                yield self._of_told(node, index, told)

    def _failed_in_progress(self) -> dict[str, tuple[int, Told]]:
        last = {stable(told.id): (index, told) for index, told in self.session.progress}
        return {node: row for node, row in last.items() if _is_failure(row[1])}

    def _of_told(self, node: str, index: int, told: Told) -> TestFailure:
        around = self._output_of(node)
        start, end = around or (index, index + 1)
        reading = blocks.read_marked(self.lines[start:end], self._printed_before(start, end)) if around else None
        if reading is None or _is_another(reading, told):
            summed_up = self._in_full(told) or blocks.of_summary(told.message, self.lines[index].number)
            reading = blocks.look_behind(summed_up, self._printed_for(around))
        if not reading.exception and not reading.message and around:
            reading = blocks.guess_from(self._printed_before(start, end), reading)
        outcome = Outcome.NOT_COLLECTED if "::" not in node else _OUTCOMES.get(told.status, Outcome.FAILED)
        failure = self._failure(node, reading, outcome, start, end)
        if reading.error_line == self.lines[index].number:
            return failure
        # An error that was found above all that names the test belongs to it.
        return replace(failure, first_line=min(failure.first_line, failure.error_line))

    def _output_of(self, node: str) -> tuple[int, int] | None:
        """Return the lines from where progress named a failed test to where it named the next one."""
        marks = [index for index, _ in self.session.progress]
        named = [index for index, told in self.session.progress if stable(told.id) == node and _is_failure(told)]
        begun = [index for begun, index in self.session.begun.items() if stable(begun) == node]
        if named and begun and named[-1] in self.session.alone:
            next_ones = [index for index in (*marks, *self.session.begun.values()) if index > named[-1]]
            return begun[-1], min(next_ones, default=max(self.progress_end, named[-1] + 1))
        if named or begun:
            start = (named or begun)[-1]
        elif marks and len(self.summary) == 1:
            # All that was printed after the last result belongs to the one test whose result never came.
            start = marks[-1] + 1
        elif not marks and len(self.summary) == 1:
            told = self.summary.get(node)
            first = self._first_error(self.session.floor, told[0]) if told else None
            return (first, told[0]) if first is not None and told else None
        else:
            return None
        end = next((mark for mark in marks if mark > start), self.progress_end)
        return (start, end) if end > start else (start, start + 1)

    def _in_full(self, told: Told) -> Reading | None:
        """Return the error of which the summary has the beginning, where pytest printed it outside of all blocks."""
        words = told.message.rstrip(".…")
        if self.session.blocks or len(words) < _TELLING:
            return None
        lines = self.lines[self.session.floor : self.session.end]
        at = next((at for at, line in enumerate(lines) if line.text[:1] == "E" and words in line.text[1:]), None)
        if at is None or not blocks.is_error_line(lines[at].text):
            return None
        return blocks.read_marked(lines[at : at + _LONGEST_ERROR], Printed())

    def _printed_for(self, around: tuple[int, int] | None) -> Printed:
        """Return what may hold the cause of a failure: what its test printed; all of a run in which one test failed."""
        if around is not None:
            return self._printed_before(*around)
        alone = len(self.summary) == 1
        return Printed(self.lines[self.session.floor : self.progress_end]) if alone else Printed()

    def _printed_before(self, start: int, end: int) -> Printed:
        """Return what stands between the result before and the one after: a result may come after the output."""
        before = [index for index, _ in self.session.progress if index < start]
        return Printed(self.lines[(before[-1] + 1 if before else self.session.start) : end])

    def unnamed(self) -> list[TestFailure]:
        """Return the failure that the session counted and never named; empty where its error is not there either."""
        session = self.session
        if session.counts is None:
            return []
        start = self._first_error(session.floor, session.end)
        reading = blocks.read_marked(self.lines[session.floor : session.end], self.live)
        if reading is None or not reading.frames or start is None:
            return []
        frame = next((frame for frame in reading.frames if frame.in_repository), reading.frames[0])
        node = f"{frame.path}::{frame.function}" if frame.function.startswith("test") else frame.path
        return [self._failure(node, reading, Outcome.FAILED, start, session.end)]

    def _first_error(self, start: int, end: int) -> int | None:
        """Return where the first error line of these stands."""
        return next((index for index in range(start, end) if blocks.is_error_line(self.lines[index].text)), None)

    def mended(self) -> Iterator[TestFailure]:
        """Yield the tests that a plugin ran again and that passed then."""
        results: dict[str, list[tuple[int, str]]] = {}
        for index, told in (*self.session.progress, *self.session.summary):
            results.setdefault(stable(told.id), []).append((index, told.status))
        finished = self.session.counts is not None
        for node, told_of in results.items():
            reruns = [index for index, status in told_of if status == "RERUN"]
            statuses = {status for _, status in told_of}
            if reruns and not statuses & FAILED_STATUS and (finished or "PASSED" in statuses):
                yield self._mended(node, reruns[0], reruns[-1])
        for index, name in self.session.mended:
            yield self._mended(self.names.node_of(Title(stable(name), Outcome.FLAKY), ()), index, index)

    def _mended(self, node: str, first: int, last: int) -> TestFailure:
        reading = blocks.Reading(None, "passed when it was run again", self.lines[last].number)
        return self._failure(node, reading, Outcome.FLAKY, first, last + 1)

    # -- what ended the session itself

    def of_broken_session(self) -> Iterator[TestFailure]:
        """Yield what ended the session: a `conftest.py` that cannot be loaded, an error of pytest itself, a crash."""
        session = self.session
        if session.conftest is not None:
            yield self._of_conftest(*session.conftest)
        elif session.internal_error is not None:
            yield self._of_internal_error(*session.internal_error)
        elif session.counts is None:
            part = self.lines[session.start : session.end]
            dumps = self._dumps_of(part)
            for dump in dumps if not session.crashed else ():
                test = self._test_of(dump)
                failure = python_crash.failure_of(dump, part, test=test, runner=_RUNNER)
                yield replace(failure, file=file_of(test, session.rootdir) or failure.file)
            if not dumps:
                yield from self._of_silent_end()

    def _dumps_of(self, part: Sequence[LogLine]) -> list[python_crash.Dump]:
        """Return the crashes of pytest itself; where none shows its frames, the last one in a test that never ended."""
        dumps = python_crash.dumps_in(part)
        own = [dump for dump in dumps if dump.of_pytest]
        started = self.session.started
        after = [dump for dump in dumps if started is not None and self.session.start + dump.start > started[0]]
        return own or after[-1:]

    def _test_of(self, dump: python_crash.Dump) -> str:
        """Return the test that ran when the interpreter died: as progress named it, else as the stack shows it."""
        frame, started = dump.test_frame, self.session.started
        on_its_line = started is not None and started[0] == self.session.start + dump.start
        if started is not None and (frame is None or not dump.of_pytest or on_its_line or frame.function in started[1]):
            return stable(started[1])
        return f"{frame.path}::{frame.function}" if frame is not None else _RUNNER

    def _of_silent_end(self) -> Iterator[TestFailure]:
        session, end = self.session, self.session.end
        if end >= len(self.lines) or not self.lines[end].text.startswith(FAILED_STEP):
            return
        banner = next((at for at in range(session.start, end) if _TIME_LIMIT in self.lines[at].text), None)
        if banner is not None:
            yield self._of_time_limit(banner, end)
        elif session.started is not None and stable(session.started[1]) not in self.summary:
            index, node = session.started
            reading = blocks.Reading(None, "pytest ended while this test was running", self.lines[index].number)
            yield self._failure(stable(node), reading, Outcome.CRASHED, index, end)

    def _of_time_limit(self, banner: int, end: int) -> TestFailure:
        """Build the failure of the test in which pytest-timeout ended the process, after it printed all stacks."""
        frames = [frame for line in self.lines[banner:end] if (frame := frame_in(line.text)) and frame.in_repository]
        test = next((frame for frame in frames if frame.function.startswith("test")), None)
        named = f"{test.path}::{test.function}" if test else _RUNNER
        node = stable(self.session.started[1]) if self.session.started else named
        reading = blocks.Reading(None, "Timeout", self.lines[banner].number, tuple(frames[:_MAX_FRAMES]))
        return self._failure(node, reading, Outcome.TIMED_OUT, banner, end)

    def _of_conftest(self, start: int, path: str) -> TestFailure:
        end = start + 1
        last = min(self.session.end, start + _LONGEST_IMPORT)
        for index in range(start + 1, last):
            # The last one may stand without pytest's mark.
            if blocks.is_error_line(self.lines[index].text) or bare_exception(self.lines[index]) is not None:
                end = index + 1
            elif end > start + 1:
                break
        reading = blocks.read_block(self.lines[start + 1 : end], Printed())
        reading = reading or blocks.Reading(None, "cannot be loaded", self.lines[start].number)
        return self._failure(relative_path(path), reading, Outcome.NOT_COLLECTED, start, end)

    def _of_internal_error(self, start: int, end: int) -> TestFailure:
        # What was printed just before tells why, when all that came through is `SystemExit: 2`.
        before = max(self.session.start, start - 5)
        reading = blocks.read_internal_error(self.lines[start:end], self.lines[before:start])
        files = (frame.path for frame in reading.frames if frame.in_repository)
        outcome = Outcome.NOT_COLLECTED if not self.session.progress else Outcome.ERROR
        return self._failure(next(files, "INTERNALERROR"), reading, outcome, before, end)

    def _failure(self, node: str, reading: Reading, outcome: Outcome, start: int, end: int) -> TestFailure:
        timed_out = reading.message.startswith("Timeout ") and (reading.exception or "Failed").endswith("Failed")
        return TestFailure(
            id=node,
            runner=_RUNNER,
            outcome=Outcome.TIMED_OUT if timed_out else outcome,
            file=file_of(node, self.session.rootdir),
            exception=reading.exception,
            message=reading.message,
            frames=reading.frames,
            first_line=self.lines[start].number,
            last_line=self.lines[max(start, end - 1)].number,
            error_line=reading.error_line,
            wrapped_by=reading.wrapped_by,
        )


_OUTCOMES = {"ERROR": Outcome.ERROR}


def _is_failure(told: Told) -> bool:
    return told.status in FAILED_STATUS


def _is_another(reading: Reading, told: Told) -> bool:
    """Whether the error found near a test is another one than the summary names for it."""
    stated = blocks.of_summary(told.message, 0).exception
    return bool(stated and reading.exception and not reading.wrapped_by and stated != reading.exception)


def _without_sums_of_subtests(failures: Sequence[TestFailure]) -> list[TestFailure]:
    """Leave out `contains 2 failed subtests`, whose subtests are there themselves."""
    of_subtests = {failure.id.partition(mark)[0] for failure in failures for mark in (" (", " [") if mark in failure.id}
    return [
        failure for failure in failures if not (failure.message.startswith("contains ") and failure.id in of_subtests)
    ]
