"""The report: all that is said, in the order in which it is said, and its form for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.report.as_json import SCHEMA, log_json, report_json

if TYPE_CHECKING:
    from triage.decide import Decided
    from triage.model import Facts, Report

__all__ = ["SCHEMA", "log_json", "make_report", "report_json"]


def make_report(facts: Facts, decided: Decided, *, rules_sha: str, version: str, settings_sha: str = "") -> Report:
    """Put what was read and what was decided into the one value that every rendering is made from.

    Args:
        facts: What was read.
        decided: What `triage.decide.decide` made of those very facts.
        rules_sha: Which rules were used.
        version: Which version of the product speaks.
        settings_sha: At which commit the repository's settings and rules were read; empty when it has none.
    """
    from triage.model import Report

    return Report(
        repository=facts.repository,
        runs=facts.runs,
        verdict=decided.verdict,
        headline=decided.headline,
        causes=decided.causes,
        jobs=decided.jobs,
        pull=facts.pull,
        not_exercised=decided.not_exercised,
        coverage=decided.coverage,
        gaps=decided.gaps,
        rules_sha=rules_sha,
        settings_sha=settings_sha,
        version=version,
        as_of=decided.as_of,
    )
