"""What a log is scanned for: the rules' patterns and the marks of the test runners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs import MARKS, TEST_TRIGGERS
from triage.matching import Scanner

if TYPE_CHECKING:
    from triage.rules import RuleSet


def make_scanner(rules: RuleSet) -> Scanner:
    """Compile what a log is scanned for: the rules' patterns and the marks of the test runners."""
    # With the reader's own marks in it, one set of patterns is compiled and not two.
    return Scanner({**rules.patterns(), **TEST_TRIGGERS, **MARKS})
