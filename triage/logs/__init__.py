"""Raw text to a bounded `Log`, and the failed tests that stand in it."""

from triage.logs.marks import MARKS
from triage.logs.reader import read_log
from triage.logs.sources import BytesSource, TextSource
from triage.logs.tests import TEST_TRIGGERS, read_tests

__all__ = ["MARKS", "TEST_TRIGGERS", "BytesSource", "TextSource", "read_log", "read_tests"]
