"""Failed tests out of logs: one small file a test runner, one table, one joined report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests import pytest, python_crash, unittest
from triage.logs.tests.joining import join
from triage.logs.tests.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.model import Log, TestReport

__all__ = ["RUNNERS", "TEST_TRIGGERS", "Runner", "read_tests"]

# One row a runner; the order says nothing. What one row says about another's lines is settled in `joining`.
RUNNERS: tuple[Runner, ...] = (
    Runner(name="pytest", triggers=pytest.TRIGGERS, read=pytest.read),
    Runner(name="unittest", triggers=unittest.TRIGGERS, read=unittest.read),
    Runner(name="python-crash", triggers=python_crash.TRIGGERS, read=python_crash.read, only_alone=True),
)

TEST_TRIGGERS: Mapping[str, str] = {
    f"test:{runner.name}:{index}": pattern for runner in RUNNERS for index, pattern in enumerate(runner.triggers)
}


def read_tests(log: Log) -> TestReport:
    """Return what all test runners in this log said, joined; an empty report where none showed itself."""
    read = ((runner, runner.read(log.lines)) for runner in RUNNERS)
    return join([(runner, report) for runner, report in read if report is not None])
