"""Failed tests out of logs: one small file a test runner, one table, one joined report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests import pytest, unittest
from triage.logs.tests.runner import Runner
from triage.model import TestReport

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.model import Log

__all__ = ["RUNNERS", "TEST_TRIGGERS", "Runner", "read_tests"]

# A runner that starts others stands after them.
RUNNERS: tuple[Runner, ...] = (
    Runner(name="pytest", triggers=pytest.TRIGGERS, read=pytest.read),
    Runner(name="unittest", triggers=unittest.TRIGGERS, read=unittest.read),
)

TEST_TRIGGERS: Mapping[str, str] = {
    f"test:{runner.name}:{index}": pattern for runner in RUNNERS for index, pattern in enumerate(runner.triggers)
}


def read_tests(log: Log) -> TestReport:
    """Return what all test runners in this log said, joined; an empty report where none showed itself."""
    reports = tuple(report for runner in RUNNERS if (report := runner.read(log.lines)) is not None)
    return TestReport(
        runners=tuple(name for report in reports for name in report.runners),
        failures=tuple(failure for report in reports for failure in report.failures),
    )
