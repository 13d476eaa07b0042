"""Reads what `unittest` prints, and those that print like it: nose, Django, Twisted's `ERROR:` blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.logs.tests.printed import Printed, hidden_cause
from triage.logs.tests.reporting import any_line_has, keep_last, one_line, total
from triage.logs.tests.steps import StepMarks
from triage.logs.tests.source_paths import is_installed, relative_path
from triage.logs.tests.traceback import bare_exception, read_chains, root_of
from triage.model import Outcome, TestFailure, TestReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.logs.tests.printed import Cause
    from triage.logs.tests.traceback import Chain
    from triage.model import Frame, LogLine

TRIGGERS: tuple[str, ...] = (
    r"^Ran [0-9]+ tests? in ",
    r"^(?:ERROR|FAIL): \S+(?: \(|$)",
    r"^FAILED \((?:failures|errors|unexpected successes|skipped)=",
    r"^NO TESTS RAN",
    r" \.\.\. (?:ERROR|FAIL)$",
    r"^={70}$",
)

_RUNNER = "unittest"
_SIGNS = ("Ran ", "FAILED (", "ERROR: ", "FAIL: ")
_RULE = "=" * 50
_THIN_RULE = "-" * 50
_RAN = re.compile(r"Ran (\d{1,9}) tests? in ")
_NUMBERS = re.compile(r"(failures|errors|skipped|expected failures|unexpected successes)=(\d{1,9})")
_HEAD = re.compile(r"(ERROR|FAIL|UNEXPECTED SUCCESS): (\S.{0,500})$")
_NAMED = re.compile(r"(\S{1,300}) \(([\w.]{1,300})\)(?: (\[.{0,300}\]|\(.{0,300}\)|\[.{0,200}\] \(.{0,300}\)))?$")
_STARTED = re.compile(r"(\S{1,300}) \(([\w.]{1,300})\)(?: \.\.\. ?(.*))?$")
_RESULT = re.compile(r"(?:.{0,200} )?(ok|FAIL|ERROR|skipped .{0,200}|expected failure|unexpected success)$")
_SCRIPT = re.compile(r"(?:##\[group\]Run |\+ |\$ )?(?:\S+/)?python[\d.]* (?:-[uBIX]\S* ){0,4}(\S+\.py)\b")
_BEGIN = re.compile(r"(?:Begin|End) \(\d+/\d+\):")
_LOOK_BACK = 400
_VERDICT = re.compile(r"(?:FAILED|OK)(?: \(.{1,200}\))?$|NO TESTS RAN$")


@dataclass(frozen=True, slots=True)
class _Block:
    """One `ERROR:` or `FAIL:` block: its words, and the half-open range of its lines, its head included."""

    kind: str
    name: str
    start: int
    end: int


@dataclass(slots=True)
class _Session:
    """One run of unittest; positions are indices, `end` is exclusive. What it printed may begin as early as `floor`."""

    start: int
    end: int
    floor: int
    ran: int | None = None
    numbers: dict[str, int] = field(default_factory=dict)
    failed: bool | None = None
    blocks: list[_Block] = field(default_factory=list)
    started: dict[str, tuple[int, int]] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    script: str | None = None


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what unittest said in these lines; None where it did not run."""
    if not any_line_has(lines, *_SIGNS):
        return None
    sessions = [session for session in _Walk(lines).sessions() if _showed_itself(session)]
    if not sessions:
        return None
    return TestReport(
        runners=(_RUNNER,),
        ran=total(session.ran for session in sessions),
        passed=total(_passed(session) for session in sessions),
        failures=keep_last(failure for session in sessions for failure in _Reader(lines, session).failures()),
        line_ranges=tuple((lines[s.start].number, lines[s.end - 1].number) for s in sessions),
    )


def _showed_itself(session: _Session) -> bool:
    return session.ran is not None or session.failed is not None or bool(session.blocks)


def _passed(session: _Session) -> int | None:
    if session.ran is None or session.failed is None:
        return None
    return max(0, session.ran - sum(session.numbers.values()))


class _Walk:
    """Goes through the lines once and parts them into runs of unittest."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self.lines = lines
        self.marks = StepMarks(command=("unittest", "nosetests", "manage.py test", "setup.py test"))
        self.found: list[_Session] = []
        self.session: _Session | None = None
        self.head: tuple[str, str, int] | None = None
        self.script: tuple[int, str] | None = None
        self.floor = 0
        self.running: tuple[str, int] | None = None

    def sessions(self) -> list[_Session]:
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

    def _open(self, index: int) -> _Session:
        if self.session is None:
            start = self.marks.start_of_command(index)
            if self.script is not None:
                start = min(start, self.script[0] + 1)
            script = self.script[1] if self.script else None
            self.session = _Session(start, index + 1, floor=max(self.floor, start - _LOOK_BACK), script=script)
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
        if not after_rule and not _NAMED.match(found[2]):
            return False
        self._end_block(index)
        self._open(index)
        self.head = (found[1], found[2], index)
        return True

    def _end_block(self, index: int) -> None:
        if self.head is not None and self.session is not None:
            self.session.blocks.append(_Block(*self.head, end=index))
        self.head = None

    def _note_progress(self, index: int, text: str) -> None:
        """Follow the verbose kind of progress: a test's name, what it printed, its result."""
        if self.head is not None:
            return
        started = _STARTED.match(text) if text[:1].isalpha() and "(" in text else None
        if started is not None and (started[3] is not None or text.startswith("test")):
            self.running = (_id_of(started[1], started[2]), index)
            session = self._open(index)
            session.started[self.running[0]] = (index, index + 1)
        result = _RESULT.match(text)
        if result is not None and self.running is not None and self.session is not None:
            test, at = self.running
            self.session.started[test] = (at, index + 1)
            self.session.results[test] = result[1]
            self.running = None


class _Reader:
    """Reads the failures of one run."""

    def __init__(self, lines: Sequence[LogLine], session: _Session) -> None:
        self.lines = lines
        self.session = session
        first = session.blocks[0].start if session.blocks else session.end
        self.live = Printed(lines[session.floor : first])

    def failures(self) -> list[TestFailure]:
        """Return the failures in log order."""
        if self.session.failed is False:
            return []
        told = [self._of_block(block) for block in self.session.blocks]
        if not told and self.session.failed:
            told = self._of_progress() or self._of_last_traceback()
        return told

    def _of_block(self, block: _Block) -> TestFailure:
        test, subtest = _test_of(block.name)
        body = self.lines[block.start + 1 : block.end]
        chains = read_chains(body)
        chain = chains[-1] if chains else _stated_in(body)
        cause = hidden_cause(root_of(chain) if chain else None, self._printed_by(test))
        return self._failure(test + subtest, cause, _outcome_of(block), (block.start, block.end))

    def _printed_by(self, test: str) -> Printed:
        """Return what the test printed: between its name and its result, else all that its run printed before."""
        at = self.session.started.get(test)
        return Printed(self.lines[at[0] : at[1]]) if at else self.live

    def _of_progress(self) -> list[TestFailure]:
        """Read failed tests whose blocks are not there from what they printed while they ran."""
        failures = []
        for test, (start, end) in self.session.started.items():
            if self.session.results.get(test) in {"FAIL", "ERROR"}:
                chain = _last_stated(self.lines[start:end])
                cause = hidden_cause(root_of(chain) if chain else None, self._printed_by(test))
                failures.append(self._failure(test, cause, Outcome.FAILED, (start, end)))
        return failures

    def _of_last_traceback(self) -> list[TestFailure]:
        """Read a run that only says that it failed: by its last traceback through a test function."""
        start, end = self.session.start, self.session.end
        for chain in reversed(read_chains(self.lines[start:end])):
            for frame in chain[-1].frames:
                if frame.in_repository and frame.function.startswith(("test", "setUp", "tearDown")):
                    test = f"{frame.path}::{frame.function}"
                    return [self._failure(test, hidden_cause(root_of(chain), self.live), Outcome.FAILED, (start, end))]
        return []

    def _failure(self, test: str, cause: Cause, outcome: Outcome, span: tuple[int, int]) -> TestFailure:
        raised, body = cause.raised, self.lines[span[0] + 1 : span[1]]
        spoken = next((line for line in body if line.text.strip(" -")), self.lines[span[0]])
        return TestFailure(
            id=test,
            runner=_RUNNER,
            outcome=outcome,
            file=self._file_of(test, cause.frames),
            exception=raised.type if raised else None,
            message=raised.message if raised else one_line(spoken.text),
            frames=cause.frames,
            first_line=self.lines[span[0]].number,
            last_line=self.lines[max(span[0], span[1] - 1)].number,
            error_line=cause.error_line or (raised.line if raised else spoken.number),
            wrapped_by=cause.wrapper.type if cause.wrapper else None,
        )

    def _file_of(self, test: str, frames: tuple[Frame, ...]) -> str | None:
        """Return the test's file: as a frame of the test shows it, else the script that ran, else by its module."""
        if "::" in test:
            return test.split("::")[0]
        module, _, rest = test.partition(".")
        method = test.split(" ")[0].rsplit(".", 1)[-1]
        for frame in frames:
            stem = frame.path.rsplit("/", 1)[-1].removesuffix(".py")
            if frame.in_repository and (frame.function == method or f".{stem}." in f".{test}."):
                if module != "__main__" or frame.function == method or self.session.script is None:
                    return frame.path
        if module == "__main__" or not rest:
            script = self.session.script
            return relative_path(script) if script and not is_installed(script) else None
        return None


def _id_of(name: str, where: str) -> str:
    """Return the full name of a test: newer versions print it in the brackets, older ones only the class."""
    return where if where == name or where.endswith(f".{name}") else f"{where}.{name}"


def _test_of(head: str) -> tuple[str, str]:
    """Return the test's full name and which subtest it was."""
    found = _NAMED.match(head)
    if found is None:
        return head.strip(), ""
    # A file that could not be imported is a test by the name of its module.
    test = found[1] if "_FailedTest" in found[2] or "ModuleImportFailure" in found[2] else _id_of(found[1], found[2])
    return test, f" {found[3]}" if found[3] else ""


def _outcome_of(block: _Block) -> Outcome:
    if "_FailedTest" in block.name or "ModuleImportFailure" in block.name or block.name.startswith("Failure: "):
        return Outcome.NOT_COLLECTED
    if block.name.startswith(("setUp", "tearDown")):
        return Outcome.ERROR
    return Outcome.FAILED


def _stated_in(body: Sequence[LogLine]) -> Chain:
    """Return the last exception that a block states without a traceback's head: lines are missing."""
    stated = [raised for line in body if (raised := bare_exception(line)) is not None]
    return (stated[-1],) if stated else ()


def _last_stated(part: Sequence[LogLine]) -> Chain:
    """Return what a test's output says last: an exception by itself, or the last traceback."""
    chains, bare = read_chains(part), _stated_in(part)
    if chains and bare and bare[-1].line <= chains[-1][-1].line:
        return chains[-1]
    return bare or (chains[-1] if chains else ())
