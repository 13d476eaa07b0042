"""What a log is scanned for: the rules' patterns and the marks of the test runners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs import TEST_TRIGGERS
from triage.matching import Scanner

if TYPE_CHECKING:
    from triage.rules import RuleSet


def make_scanner(rules: RuleSet) -> Scanner:
    """Compile what a log is scanned for: the rules' patterns and the marks of the test runners."""
    return Scanner({**rules.patterns(), **TEST_TRIGGERS})
