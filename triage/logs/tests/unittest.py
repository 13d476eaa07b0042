"""Reads what `unittest` prints, and those that print like it: nose, Django."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.printed import Printed, hidden_cause
from triage.logs.tests.reporting import any_line_has, keep_last, one_line, total, unbroken
from triage.logs.tests.source_paths import is_installed, relative_path
from triage.logs.tests.traceback import bare_exception, read_chains, root_of
from triage.logs.tests.unittest_sessions import NAMED, id_of, sessions_in
from triage.model import Outcome, TestFailure, TestReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.logs.tests.printed import Cause
    from triage.logs.tests.traceback import Chain
    from triage.logs.tests.unittest_sessions import Block, Session
    from triage.model import Frame, LogLine


_RUNNER = "unittest"
_SIGNS = (
    " tests in ",
    " test in ",
    "FAILED (",
    "NO TESTS RAN",
    "ERROR: test",
    "FAIL: test",
    "ERROR: setUp",
    "ERROR: tear",
)


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what unittest said in these lines; None where it did not run."""
    if not any_line_has(lines, *_SIGNS):
        return None
    sessions = sessions_in(lines)
    if not sessions:
        return None
    return TestReport(
        runners=(_RUNNER,),
        ran=total(session.ran for session in sessions),
        passed=total(session.passed for session in sessions),
        failures=keep_last(failure for session in sessions for failure in _Reader(lines, session).failures()),
        line_ranges=tuple((lines[s.start].number, lines[s.end - 1].number) for s in sessions),
    )


class _Reader:
    """Reads the failures of one run."""

    def __init__(self, lines: Sequence[LogLine], session: Session) -> None:
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

    def _of_block(self, block: Block) -> TestFailure:
        test, subtest = _test_of(block.name)
        body = self.lines[block.start + 1 : block.end]
        chains = read_chains(unbroken(body)) or read_chains(body)
        # The first: what follows a traceback in a block is what the test printed.
        chain = chains[0] if chains else _stated_in(body)
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
                cause = hidden_cause(None, self._printed_by(test))
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
        """Return the test's file: the script that ran, else as a frame of the test or its module shows it."""
        if "::" in test:
            return test.partition("::")[0]
        names = test.partition(" ")[0].split(".")
        script = self.session.script
        if names[0] == "__main__" and script is not None and not is_installed(script):
            return relative_path(script)
        for frame in frames:
            stem = frame.path.rpartition("/")[2].removesuffix(".py")
            if frame.in_repository and (frame.function == names[-1] or stem in names[:-1]):
                return frame.path
        return None


def _test_of(head: str) -> tuple[str, str]:
    """Return the test's full name and which subtest it was."""
    found = NAMED.match(head)
    if found is None:
        return head.strip(), ""
    # A file that could not be imported is a test by the name of its module.
    test = found[1] if "_FailedTest" in found[2] or "ModuleImportFailure" in found[2] else id_of(found[1], found[2])
    return test, f" {found[3]}" if found[3] else ""


def _outcome_of(block: Block) -> Outcome:
    if "_FailedTest" in block.name or "ModuleImportFailure" in block.name or block.name.startswith("Failure: "):
        return Outcome.NOT_COLLECTED
    if block.name.startswith(("setUp", "tearDown")):
        return Outcome.ERROR
    return Outcome.FAILED


def _stated_in(body: Sequence[LogLine]) -> Chain:
    """Return the last exception that a block states without a traceback's head: lines are missing."""
    stated = [raised for line in body if (raised := bare_exception(line)) is not None]
    return (stated[-1],) if stated else ()
