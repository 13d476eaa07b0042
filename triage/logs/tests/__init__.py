"""Failed tests out of logs: one small file a test runner, one table, one joined report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests.table import RUNNERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.model import Log, TestReport

__all__ = ["RUNNERS", "TEST_TRIGGERS", "read_tests"]

TEST_TRIGGERS: Mapping[str, str] = {
    f"test:{runner.name}:{index}": pattern for runner in RUNNERS for index, pattern in enumerate(runner.triggers)
}


def read_tests(log: Log) -> TestReport:
    """Return what the test runners in this log said, joined; an empty report where none showed itself.

    The log must have been scanned for `TEST_TRIGGERS`: a reader is asked only when one of its lines shows.
    """
    from triage.logs.tests.joining import join

    shown = {key.removeprefix("test:").rpartition(":")[0] for key in log.hits if key.startswith("test:")}
    asked = (runner for runner in RUNNERS if runner.always or runner.name in shown)
    read = ((runner, runner.read(log.lines)) for runner in asked)
    return join([(runner, report) for runner, report in read if report is not None])
