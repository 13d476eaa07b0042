"""Reads pytest's output."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestReport

TRIGGERS: tuple[str, ...] = (r"^=+ test session starts =+$",)


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what pytest said in these lines; None where it did not run."""
    return None
