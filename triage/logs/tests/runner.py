"""What a reader of one test runner's output is: a row of the table in `triage.logs.tests`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple

from triage.model import LogLine, TestReport

Read = Callable[[Sequence[LogLine]], TestReport | None]
"""Takes kept lines by rising number, with holes; None when this runner did not show itself. Never raises."""


class Runner(NamedTuple):
    """One test runner.

    Attributes:
        name: As it stands in `TestFailure.runner`.
        triggers: RE2 patterns of lines the log reader must keep, with what stands round them. `^` only at the start.
        module: The file of this folder that reads its lines.
        wraps: It starts other runners: a failure of theirs inside one of its own says more than its own.
        only_alone: It is no real runner: what it finds counts only where no runner was at work.
        always: Asked whatever was found: its lines of progress are too many to look for, and they tell its output.
    """

    name: str
    module: str
    triggers: tuple[str, ...]
    wraps: bool = False
    only_alone: bool = False
    always: bool = False

    def read(self, lines: Sequence[LogLine]) -> TestReport | None:
        """Turn kept lines into what this runner said; None when it did not show itself. Never raises."""
        reader: Read = import_module(f"triage.logs.tests.{self.module}").read
        return reader(lines)
