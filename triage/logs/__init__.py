"""Raw text to a bounded `Log`, and the failed tests that stand in it."""

from pathlib import Path

from triage.logs.marks import MARKS
from triage.logs.reader import read_log
from triage.logs.sources import BytesSource, TextSource
from triage.logs.tests import TEST_TRIGGERS, read_tests

OUTLINES = Path(__file__).parent / "outlines.json"
"""What is known ahead of the patterns here, which `python -m triage.logs.compile` writes."""

__all__ = ["MARKS", "OUTLINES", "TEST_TRIGGERS", "BytesSource", "TextSource", "read_log", "read_tests"]
