"""`python -m triage.logs.compile`: write what is known ahead of the marks of the runner and of the test runners."""

from __future__ import annotations

from triage.logs import MARKS, OUTLINES, TEST_TRIGGERS
from triage.matching.outlines import write_outlines


def outlines() -> str:
    """Return what should stand in the file of outlines."""
    return write_outlines([*TEST_TRIGGERS.values(), *MARKS.values()])


if __name__ == "__main__":
    OUTLINES.write_text(outlines(), encoding="utf-8")
