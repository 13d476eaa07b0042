"""Parts the output of `unittest` into runs: what ran, the blocks of its failures, what verbose progress told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.logs.tests.steps import StepMarks
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine

_RULE = "=" * 50
_THIN_RULE = "-" * 50
_RAN = regex(r"Ran (\d{1,9}) tests? in ")
_NUMBERS = regex(r"(failures|errors|skipped|expected failures|unexpected successes)=(\d{1,9})")
_HEAD = regex(r"(ERROR|FAIL|UNEXPECTED SUCCESS): (\S.{0,500})$")
NAMED = regex(r"(\S{1,300}) \(([\w.]{1,300})\)(?: (\[.{0,300}\]|\(.{0,300}\)|\[.{0,200}\] \(.{0,300}\)))?$")
_STARTED = regex(r"(\S{1,300}) \(([\w.]{1,300})\)(?: \.\.\. ?(.*))?$")
_RESULT = regex(r"(?:.{0,200} )?(ok|FAIL|ERROR|skipped .{0,200}|expected failure|unexpected success)$")
_SCRIPT = regex(r"(?:##\[group\]Run |\+ |\$ )?(?:\S+/)?python[\d.]* (?:-[uBIX]\S* ){0,4}(\S+\.py)\b")
_BEGIN = regex(r"(?:Begin|End) \(\d+/\d+\):")
_LOOK_BACK = 400
_VERDICT = regex(r"(?:FAILED|OK)(?: \(.{1,200}\))?$|NO TESTS RAN$")


@dataclass(frozen=True, slots=True)
class Block:
    """One `ERROR:` or `FAIL:` block: its words, and the half-open range of its lines, its head included."""

    kind: str
    name: str
    start: int
    end: int


@dataclass(slots=True)
class Session:
    """One run of unittest; positions are indices, `end` is exclusive. What it printed may begin as early as `floor`."""

    start: int
    end: int
    floor: int
    ran: int | None = None
    numbers: dict[str, int] = field(default_factory=dict)
    failed: bool | None = None
    blocks: list[Block] = field(default_factory=list)
    started: dict[str, tuple[int, int]] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    script: str | None = None

    @property
    def showed_itself(self) -> bool:
        """Whether any line was unittest's for sure."""
        return self.ran is not None or self.failed is not None or bool(self.blocks)

    @property
    def passed(self) -> int | None:
        """How many tests passed; None where the run was cut short."""
        if self.ran is None or self.failed is None:
            return None
        return max(0, self.ran - sum(self.numbers.values()))


def sessions_in(lines: Sequence[LogLine]) -> list[Session]:
    """Part the lines into runs of unittest, in order; those that showed nothing are left out."""
    return [session for session in _Walk(lines).sessions() if session.showed_itself]


class _Walk:
    """Goes through the lines once and parts them into runs of unittest."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self.lines = lines
        self.marks = StepMarks(command=("unittest", "nosetests", "manage.py test", "setup.py test"))
        self.found: list[Session] = []
        self.session: Session | None = None
        self.head: tuple[str, str, int] | None = None
        self.script: tuple[int, str] | None = None
        self.floor = 0
        self.running: tuple[str, int] | None = None

    def sessions(self) -> list[Session]:
        """Return all runs, in order."""
        for index, line in enumerate(self.lines):
            if self.marks.see(index, line):
                self._close(index)
                self.script, self.floor = None, index
            self._step(index, line.text)
        self._close(len(self.lines))
        return self.found

    def _step(self, index: int, text: str) -> None:
        if _BEGIN.match(text):
            self._close(index)
            self.script, self.floor = None, index + 1
            return
        script = _SCRIPT.match(text) if ".py" in text and "python" in text else None
        if script and self.session is None:
            self.script = (index, script[1])
        ran = _RAN.match(text)
        if ran:
            self._end_block(index - 1 if self._is_rule(index - 1) else index)
            self._open(index).ran = int(ran[1])
        elif text.startswith(("FAILED (", "OK", "NO TESTS RAN")) and _VERDICT.match(text):
            self._finish(index, text)
        elif text.startswith(_RULE):
            self._end_block(index)
        elif not self._begins_block(index, text):
            self._note_progress(index, text)

    def _is_rule(self, index: int) -> bool:
        return index >= 0 and self.lines[index].text.startswith(_THIN_RULE)

    def _open(self, index: int) -> Session:
        if self.session is None:
            start = self.marks.start_of_command(index)
            if self.script is not None:
                start = min(start, self.script[0] + 1)
            script = self.script[1] if self.script else None
            self.session = Session(start, index + 1, floor=max(self.floor, start - _LOOK_BACK), script=script)
            self.found.append(self.session)
        return self.session

    def _finish(self, index: int, text: str) -> None:
        # `OK` alone is a word that many programs print; here it ends a run that has told of itself.
        if self.session is None and not text.startswith("FAILED ("):
            return
        self._end_block(index)
        session = self._open(index)
        session.failed = text.startswith("FAILED")
        session.numbers = {what: int(number) for what, number in _NUMBERS.findall(text)}
        self._close(index + 1)

    def _close(self, index: int) -> None:
        self._end_block(index)
        if self.session is not None:
            self.session.end = index
        self.session, self.running = None, None

    def _begins_block(self, index: int, text: str) -> bool:
        found = _HEAD.match(text)
        if found is None:
            return False
        after_rule = index > 0 and self.lines[index - 1].text.startswith(_RULE)
        if not after_rule and not NAMED.match(found[2]):
            return False
        self._end_block(index)
        self._open(index)
        self.head = (found[1], found[2], index)
        return True

    def _end_block(self, index: int) -> None:
        if self.head is not None and self.session is not None:
            self.session.blocks.append(Block(*self.head, end=index))
        self.head = None

    def _note_progress(self, index: int, text: str) -> None:
        """Follow the verbose kind of progress: a test's name, what it printed, its result."""
        if self.head is not None:
            return
        started = _STARTED.match(text) if text[:1].isalpha() and "(" in text else None
        if started is not None and (started[3] is not None or text.startswith("test")):
            self.running = (id_of(started[1], started[2]), index)
            session = self._open(index)
            session.started[self.running[0]] = (index, index + 1)
        result = _RESULT.match(text)
        if result is not None and self.running is not None and self.session is not None:
            test, at = self.running
            self.session.started[test] = (at, index + 1)
            self.session.results[test] = result[1]
            self.running = None


def id_of(name: str, where: str) -> str:
    """Return the full name of a test: newer versions print it in the brackets, older ones only the class."""
    return where if where == name or where.endswith(f".{name}") else f"{where}.{name}"
