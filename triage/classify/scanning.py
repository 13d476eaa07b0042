"""What a log is scanned for: the rules' patterns and the marks of the test runners."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from triage.logs import MARKS, OUTLINES, TEST_TRIGGERS
from triage.matching import Outlines, Scanner
from triage.rules.builtin import OUTLINES as RULES_OUTLINES

if TYPE_CHECKING:
    from triage.rules import RuleSet


def make_scanner(rules: RuleSet) -> Scanner:
    """Compile what a log is scanned for: the rules' patterns and the marks of the test runners."""
    # With the reader's own marks in it, one set of patterns is compiled and not two.
    patterns = {**rules.patterns(), **TEST_TRIGGERS, **MARKS}
    return Scanner(patterns, outlines=known_outlines().of(patterns.values()))


@cache
def known_outlines() -> Outlines:
    """Return what is known ahead of the built-in rules and of the marks."""
    return Outlines(*(path.read_bytes() for path in (OUTLINES, RULES_OUTLINES) if path.is_file()))
