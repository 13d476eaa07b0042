"""Which commits of the default branch mended a failure, or broke it where that branch itself is under triage."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.decide import Trend
from triage.decide.history import Commits
from triage.history.lookback.questions import Between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.decide import Seen
    from triage.history.lookback.past import Past
    from triage.model import Facts, Signature


def with_commits(past: Past, found: Mapping[Signature, Seen], facts: Facts) -> dict[Signature, Seen]:
    """Add the commits between the last run of one result and the first of the other, where they are wanted."""
    spans = {signature: span for signature, seen in found.items() if (span := _span(signature, seen, facts))}
    past.ask(spans.values())
    named = dict(found)
    for signature, span in spans.items():
        between = past.get(span)
        if between is not None and between.commits:
            commits = Commits(count=between.ahead_by, named=between.commits, url=between.url)
            named[signature] = replace(found[signature], commits=commits)
    return named


def _span(signature: Signature, seen: Seen, facts: Facts) -> Between | None:
    trend = seen.trend(signature)
    if trend is Trend.MENDED:
        mend = seen.mended_by(signature)
        return Between(seen.failures(signature)[0].head_sha, mend.head_sha) if mend else None
    if not _is_of_the_default_branch(facts) or trend not in {Trend.FAILING, Trend.PASSING}:
        return None
    passed = next((one for one in seen.baselines if one.signature is None), None)
    row = seen.streak(signature)
    first = row[-1].head_sha if row else facts.runs[0].head_sha
    return Between(passed.head_sha, first) if passed and passed.head_sha != first else None


def _is_of_the_default_branch(facts: Facts) -> bool:
    branch = facts.repository.default_branch
    return facts.pull is None and bool(facts.runs) and all(run.head_branch == branch for run in facts.runs)
