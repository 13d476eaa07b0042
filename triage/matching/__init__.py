"""Patterns over log lines, in linear time: what may be written, and which lines of a block a pattern stands on.

RE2 on bytes and nothing else: no log line, however hostile, costs more than its length. A pattern sees one line at a
time, cleaned by `triage.matching.cleaning`, so what a rule's author tries on one line holds for logs of any size.
"""

from triage.matching.cleaning import clean_block, clean_line, split_stamp, with_our_stamps
from triage.matching.outlines import Outlines
from triage.matching.patterns import check_pattern, find, places_of
from triage.matching.scanner import Found, Scanner

__all__ = [
    "Found",
    "Outlines",
    "Scanner",
    "check_pattern",
    "clean_block",
    "clean_line",
    "find",
    "places_of",
    "split_stamp",
    "with_our_stamps",
]
