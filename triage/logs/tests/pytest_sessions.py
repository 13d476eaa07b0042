"""Parts pytest's output: where a session begins and ends, its failure blocks, and what its lines told of each test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.logs.tests import pytest_lines as said
from triage.logs.tests.steps import StepMarks
from triage.logs.tests.traceback import HEADER
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.logs.tests.pytest_lines import Told
    from triage.model import LogLine

_BLOCKS = frozenset({"FAILURES", "ERRORS"})
_SHOWN = _BLOCKS | {"PASSES", "XFAILURES", "XPASSES", "RERUNS"}
_SUMMARIES = frozenset({"short test summary info", "rerun test summary info"})
_OTHERS = ("warnings summary", "slowest", "tests coverage", "Flaky Test Report", "Captured", "live log")
_LOOK_BACK = 400
_INTERNAL_ERROR = "INTERNALERROR> "
_CONFTEST = "ImportError while loading conftest "
_LONGEST_TRACEBACK = 200
_LINES_OF_ERROR = 5
_IS_PYTEST = regex(r'\s+File "[^"]*(?:/pytest/__main__\.py|/bin/(?:pytest|py\.test))", line').match
_FAILED_FIRST = ("FAILED ", "ERROR ", "SUBFAILED")


@dataclass(frozen=True, slots=True)
class Block:
    """What is printed of one failure: its title and the half-open range of its lines, title included."""

    title: str
    start: int
    end: int


@dataclass(slots=True)
class Session:
    """One run of pytest. All positions are indices into the kept lines; `end` is exclusive.

    What it printed may begin as early as `floor`: a run without a header shows itself only by what follows. Results
    that came on a line of their own, below what the test printed, stand at `alone`.
    """

    start: int
    end: int
    floor: int
    has_header: bool
    counts: dict[str, int] | None = None
    collected: int | None = None
    rootdir: str = ""
    blocks: list[Block] = field(default_factory=list)
    summary: list[tuple[int, Told]] = field(default_factory=list)
    progress: list[tuple[int, Told]] = field(default_factory=list)
    crashed: list[tuple[int, str]] = field(default_factory=list)
    internal_error: tuple[int, int] | None = None
    conftest: tuple[int, str] | None = None
    begun: dict[str, int] = field(default_factory=dict)
    alone: set[int] = field(default_factory=set)
    mended: list[tuple[int, str]] = field(default_factory=list)
    stopped: int | None = None

    @property
    def started(self) -> tuple[int, str] | None:
        """The last test that a line of progress named, when no result of it or of a later one has come."""
        last = next(((index, node) for node, index in reversed(self.begun.items())), None)
        return last if last and (not self.progress or last[0] > self.progress[-1][0]) else None

    @property
    def ran(self) -> int | None:
        """How many tests were executed; None where the session never said."""
        return None if self.counts is None else sum(self.counts.get(status, 0) for status in said.EXECUTED)


def sessions_in(lines: Sequence[LogLine]) -> tuple[Session, ...]:
    """Part the lines into sessions, in order. Lines of a step that ran no pytest belong to none."""
    walk = _Walk(lines)
    for index in range(len(lines)):
        walk.step(index)
    walk.close(len(lines))
    return tuple(walk.sessions)


class _Walk:
    """Goes through the lines once; knows whether it is in a session, a section, a block, what a test printed."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self.lines = lines
        self.sessions: list[Session] = []
        self.marks = StepMarks(command=("pytest", "py.test", "tox", "nox"))
        self.session: Session | None = None
        self.section = ""
        self.block: tuple[str, int] | None = None
        self.in_captured = False
        self.nested = 0
        self.floor = 0

    def step(self, index: int) -> None:
        """Read one line."""
        text = self.lines[index].text
        if self.marks.see(index, self.lines[index]):
            self.close(index)
            self.floor = index
            return
        if self._starts(index, text) or self._ends(index, text) or self.nested:
            return
        title = said.section_of(text)
        if title is not None and self._opens_section(index, title):
            return
        if self.section in _BLOCKS and self._opens_block(index, text):
            return
        self._note(index, text)

    def close(self, index: int) -> None:
        """End the session at `index`, which is not part of it."""
        self._end_block(index)
        if self.session is not None:
            self.session.end = index if self.session.counts is not None else self._end_before_death(index)
        self.session, self.section, self.nested = None, "", 0

    def _end_before_death(self, index: int) -> int:
        """Return where a session without a sum ended: before the traceback in which pytest itself died."""
        start = self.session.start if self.session is not None else index
        for at in range(max(start + 1, index - _LONGEST_TRACEBACK), index):
            if HEADER in self.lines[at].text and any(_IS_PYTEST(line.text) for line in self.lines[at + 1 : at + 8]):
                return at
        return index

    def _open(self, index: int, *, has_header: bool) -> Session:
        if self.session is None:
            start = index if has_header else self.marks.start_of_command(index)
            floor = start if has_header else max(self.floor, start - _LOOK_BACK)
            self.session = Session(start, index + 1, floor, has_header)
            self.sessions.append(self.session)
        return self.session

    def _starts(self, index: int, text: str) -> bool:
        if "test session starts" not in text or said.section_of(text) is None:
            return False
        # A test of a pytest plugin prints a whole session; it stands in the captured output of its failure.
        if self.session is not None and (self.in_captured or self.nested):
            self.nested += 1
            return True
        self.close(index)
        self._open(index, has_header=True)
        return True

    def _ends(self, index: int, text: str) -> bool:
        found = said.counts_of(text)
        if found is None:
            return False
        counts, framed = found
        if self.nested:
            self.nested -= 1
            return True
        if self.session is not None and self.session.has_header and not framed:
            return False
        session = self._open(index, has_header=False)
        session.counts = counts
        self.close(index + 1)
        self.floor = index + 1
        return True

    def _opens_section(self, index: int, title: str) -> bool:
        if title not in _SHOWN | _SUMMARIES and not title.startswith(_OTHERS):
            return False
        self._end_block(index)
        self._open(index, has_header=False)
        self.section = title
        return True

    def _opens_block(self, index: int, text: str) -> bool:
        title = said.title_of(text)
        if title is None:
            self.in_captured = self.in_captured or (self.block is not None and said.is_captured(text))
            return False
        self._end_block(index)
        self.block = (title, index)
        return True

    def _end_block(self, index: int) -> None:
        if self.block is not None and self.session is not None:
            self.session.blocks.append(Block(self.block[0], self.block[1], index))
        self.block, self.in_captured = None, False

    def _note(self, index: int, text: str) -> None:
        """Take what a line tells outside of blocks: results, numbers, crashes, pytest's own errors."""
        if text.startswith(_INTERNAL_ERROR):
            session = self._open(index, has_header=False)
            first = session.internal_error[0] if session.internal_error else index
            session.internal_error = (first, index + 1)
        elif text.startswith(_CONFTEST) and not self.in_captured:
            self._open(index, has_header=False).conftest = (index, text[len(_CONFTEST) :].strip(" '.\""))
        elif self.section in _SUMMARIES or (text.startswith(_FAILED_FIRST) and said.result_alone(text) is None):
            self._note_summary(index, text)
        elif self.section == "":
            self._note_progress(index, text)
        mended = said.mended_test(text)
        if mended is not None and self.session is not None:
            self.session.mended.append((index, mended))
        crash = said.crashed_worker(text)
        if crash is not None and self.session is not None:
            self.session.crashed.append((index, crash[1]))
        if text.startswith("!!!") and self.session is not None:
            self.session.stopped = index

    def _note_summary(self, index: int, text: str) -> None:
        told = said.told_by_summary(text)
        if told is None or not (self.section in _SUMMARIES or "::" in told.id or self._repeats(index, told)):
            return
        if self.block is None:
            self._open(index, has_header=False).summary.append((index, told))

    def _repeats(self, index: int, told: Told) -> bool:
        """Whether it repeats the error of a file just above: a log may lack the heading of the summary."""
        above = (line.text for line in self.lines[max(0, index - _LINES_OF_ERROR) : index])
        return bool(told.message) and any(text.startswith("E ") and told.message in text for text in above)

    def _note_progress(self, index: int, text: str) -> None:
        told = said.told_by_progress(text)
        if told is not None:
            self._open(index, has_header=False).progress.append((index, told))
            return
        started = said.started_test(text)
        if self.session is None and (said.is_dots(text) or (started is not None and text.strip() == started)):
            self._open(index, has_header=False)
        if self.session is not None:
            self._note_session(self.session, index, text, started)

    def _note_session(self, session: Session, index: int, text: str, started: str | None) -> None:
        if session.collected is None:
            session.collected = said.collected(text)
        if text.startswith("rootdir: "):
            session.rootdir = text[9:].partition(",")[0].strip()
        if started is not None:
            session.begun.pop(started, None)
            session.begun[started] = index
        elif (status := said.result_alone(text)) is not None:
            self._note_result_alone(session, index, status)

    def _note_result_alone(self, session: Session, index: int, status: str) -> None:
        """Take a result for that of the test that began last, and the last of several: tests print such words, too."""
        if session.progress and session.progress[-1][0] in session.alone:
            last = next(reversed(session.begun.values()))
            if session.progress[-1][0] > last:
                session.alone.remove(session.progress.pop()[0])
        if session.started is not None:
            session.alone.add(index)
            session.progress.append((index, said.Told(status, session.started[1])))
