"""Looks back: where else the failures under triage were seen, as far as a budget reaches.

Few requests first: the runs of the same workflow files on the default branch, the jobs of those that failed, the logs
of jobs that broke in the same step; then other pull requests; then earlier attempts. What was not looked at is a gap.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage.decide import History, Seen
from triage.decide.moments import newest_time
from triage.history.lookback.budget import Budget, Limits
from triage.history.lookback.closures import look_at_imports
from triage.history.lookback.main_branch import look_at_main
from triage.history.lookback.others import look_at_attempts, look_at_pulls
from triage.history.lookback.past import Past
from triage.history.lookback.questions import Means
from triage.history.lookback.stack import own_commits
from triage.history.lookback.wanted import wanted_of
from triage.settings import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.history.lookback.memory import Memory
    from triage.matching import Scanner
    from triage.model import Facts, Failure
    from triage.rules import RuleSet
    from triage.settings import Settings
    from triage.source.protocol import Reads

__all__ = ["Limits", "look_back"]


def look_back(
    reads: Reads,
    facts: Facts,
    failures: tuple[Failure, ...],
    rules: RuleSet,
    scanner: Scanner,
    *,
    settings: Settings = BUILT_IN,
    limits: Limits | None = None,
    memory: Memory | None = None,
    progress: Callable[[str], None] | None = None,
) -> History:
    """Look for each failure on the default branch, on other pull requests and in other attempts.

    Args:
        reads: GitHub, or a recording of it.
        facts: What was read of the change under triage.
        failures: What broke in each red job, in the order of `facts.red`.
        rules: What is known to break.
        scanner: What to look for in logs.
        settings: What the repository says its jobs are: elsewhere they are the same.
        limits: What it may cost.
        memory: What keeps answers from one triage to the next.
        progress: Told in a few words what is being read.

    Returns:
        All that was found. Never raises for what cannot be read: that is a gap.
    """
    limits = limits or Limits()
    wanted = wanted_of(facts, failures)
    until = newest_time(facts)
    if until is None:
        return History()
    # What comparing takes must not hang on how much there is to import, nor the other way round.
    for_imports = Budget(replace(limits, requests=min(limits.files, limits.requests)), reads.requests_left)
    if not wanted:
        return History(closures=look_at_imports(reads, facts, failures, for_imports))
    since = until - limits.window
    budget = Budget(limits, reads.requests_left)
    past = Past(
        Means(reads=reads, rules=rules, scanner=scanner, settings=settings), budget, memory, workers=limits.workers
    )
    say = progress or _silent
    say("comparing with the default branch")
    main = look_at_main(past, wanted, facts, since)
    say("comparing with other pull requests")
    pulls = look_at_pulls(past, wanted, facts, since, main.seen)
    attempts = look_at_attempts(past, wanted, facts, main.seen)
    signatures = dict.fromkeys(signature for one in wanted for signature in one.signatures)
    return History(
        seen={
            signature: replace(
                main.seen.get(signature, Seen()),
                pulls=pulls.get(signature, ()),
                attempts=attempts.get(signature, ()),
            )
            for signature in signatures
        },
        own_commits=own_commits(main.runs, facts),
        closures=look_at_imports(reads, facts, failures, for_imports),
        gaps=(*main.gaps, *past.gaps()),
    )


def _silent(_: str) -> None:
    """Say nothing."""
