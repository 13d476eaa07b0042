"""Reads pytest's output, whole runs of it or what is left of them in a bounded log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.reporting import any_line_has, keep_last, total
from triage.model import TestReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.logs.tests.pytest_sessions import Session
    from triage.model import LogLine


_SIGNS = (
    "test session starts",
    "= FAILURES =",
    "= ERRORS =",
    "short test summary info",
    "INTERNALERROR>",
    "ImportError while loading conftest ",
    ".py::",
    "%]",
)
_ENDS = ("passed", "failed", "error", "errors", "warning", "warnings", "skipped", "deselected", "xfailed", "tests ran")
_SUMS = tuple(f"{word} in " for word in _ENDS)


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what pytest said in these lines; None where it did not run."""
    if not any_line_has(lines, *_SIGNS, *_SUMS):
        return None
    # Every log is asked for its signs, few have any: only these load the rest.
    from triage.logs.tests.pytest_failures import failures_of
    from triage.logs.tests.pytest_sessions import sessions_in

    sessions = sessions_in(lines)
    if not sessions:
        return None
    return TestReport(
        runners=("pytest",),
        ran=total(session.ran for session in sessions),
        passed=total(session.counts.get("passed", 0) if session.counts is not None else None for session in sessions),
        failures=keep_last(failure for session in sessions for failure in failures_of(lines, session)),
        not_run=tuple(dict.fromkeys(text for session in sessions if (text := _not_run(session)))),
        line_ranges=tuple((lines[s.start].number, lines[s.end - 1].number) for s in sessions),
        unended=tuple(span for s in sessions if (span := _unended(lines, s))),
    )


def _unended(lines: Sequence[LogLine], session: Session) -> tuple[int, int] | None:
    """Return the lines below the last result of a session that never counted them."""
    told = (*session.progress, *session.summary)
    if session.counts is not None or not told:
        return None
    last = max(index for index, _ in told)
    return lines[last].number + 1, lines[session.end - 1].number


def _not_run(session: Session) -> str | None:
    """Say how many collected tests never ran, when the session stopped early."""
    if session.stopped is None or session.collected is None or session.counts is None:
        return None
    seen = sum(session.counts.get(status, 0) for status in ("passed", "failed", "xfailed", "xpassed", "skipped"))
    left = session.collected - seen
    return f"{left} of {session.collected} tests never ran" if left > 0 else None
