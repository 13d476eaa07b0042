"""Reads unittest's output."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestReport

TRIGGERS: tuple[str, ...] = (r"^Ran [0-9]+ tests? in ",)


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what unittest said in these lines; None where it did not run."""
    return None
