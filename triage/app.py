"""The one recipe: fetch, read, classify, look back, decide, report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage import __version__
from triage.classify import classify, make_scanner
from triage.decide import decide
from triage.gather import gather
from triage.report import make_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.model import Report
    from triage.rules import RuleSet
    from triage.source import Reads
    from triage.source.request import Request


def triage(request: Request, reads: Reads, rules: RuleSet, *, progress: Callable[[str], None] | None = None) -> Report:
    """Triage a run or a pull request: the whole flow, one arrow a line.

    Args:
        request: What to triage.
        reads: GitHub, or a recording of it.
        rules: What is known to break.
        progress: Told in a few words what is being done.

    Raises:
        ProviderError: the run or pull request itself could not be read.
    """
    scanner = make_scanner(rules)
    facts = gather(reads, request, scanner, progress=progress)
    failures = classify(facts, rules, scanner)
    decided = decide(facts, failures)
    return make_report(facts, decided, rules_sha=rules.sha, version=__version__)
