"""`python -m triage.classify.compile`: write what is known ahead of the looks of lines."""

from __future__ import annotations

from triage.classify.signs import OUTLINES, patterns
from triage.matching.outlines import write_outlines


def outlines() -> str:
    """Return what should stand in the file of outlines."""
    return write_outlines(patterns().values())


if __name__ == "__main__":
    OUTLINES.write_text(outlines(), encoding="utf-8")
