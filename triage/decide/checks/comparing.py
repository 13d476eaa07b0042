"""Checks that compare: with the default branch, the diff, other attempts and other pull requests.

What main shows of the very same failure outranks the diff: a failure that is there without the change is not the
change's, whatever its traceback leads through. The diff outranks every sign of flakiness.
"""

# ruff: noqa: ARG001 - every check is asked with the same three things

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.decide import elsewhere
from triage.decide.history import Trend
from triage.decide.reach import failed_tests, lies_outside, sure_touches, touches
from triage.model import Category, Decision, Fault

if TYPE_CHECKING:
    from triage.decide.change import Change
    from triage.decide.history import History
    from triage.model import Evidence, Failure

MOST_FACTS = 6
"""Facts of one kind that a decision names."""

ENOUGH_AUTHORS = 2
"""Other pull requests count by author: one bad change, pushed often, must not excuse the next."""

_NEVER_RAN = frozenset({Fault.CASCADE, Fault.CANCELLED, Fault.STARVED, Fault.MISSING_LABEL})


def fixed_on_main(failure: Failure, history: History, change: Change) -> Decision | None:
    """The default branch failed in the same way and passes since, by a commit that this branch lacks: rebase."""
    trends = _trends(failure, history)
    if Trend.MENDED not in trends or trends - {Trend.MENDED, Trend.FAILING}:
        return None
    if not _may_compare(failure, history, change) or not _lacks_the_mend(failure, history):
        return None
    return Decision(
        category=Category.PRE_EXISTING,
        because="the default branch failed in the same way, and has passed since a commit that this branch lacks",
        evidence=elsewhere.facts(failure, history),
    )


def pre_existing(failure: Failure, history: History, change: Change) -> Decision | None:
    """The default branch executes it and fails now, within the window, in the same way in every failed test."""
    if _trends(failure, history) != {Trend.FAILING} or not _may_compare(failure, history, change):
        return None
    length = min(len(seen.streak(signature)) for signature, seen in history.of(failure))
    times = f", {length} runs in a row" if length > 1 else ""
    return Decision(
        category=Category.PRE_EXISTING,
        because=f"it fails in the same way on the default branch{times}",
        evidence=elsewhere.facts(failure, history),
    )


def regression_in_diff(failure: Failure, history: History, change: Change) -> Decision | None:
    """The failing test, its traceback or the error itself lies in a changed file, and main never failed like this."""
    sure = sure_touches(failure, change)
    if failure.fault is Fault.UNKNOWN:  # no rule knows the error: only the very line that it names blames the change
        sure = tuple(touch for touch in sure if touch.on_changed_line)
    elif failure.fault is not Fault.CODE:
        return None
    if not sure or _is_known_on_main(failure, history):
        return None
    facts = tuple(touch.as_evidence(change) for touch in sure[:MOST_FACTS])
    return Decision(
        category=Category.REGRESSION, because=sure[0].how, evidence=(*facts, *elsewhere.passes(failure, history))
    )


def regression_since_main(failure: Failure, history: History, change: Change) -> Decision | None:
    """The default branch executed the same test and passes, and here it touches the diff or failed in every attempt."""
    if failure.fault is not Fault.CODE or not change.exists or Trend.PASSING not in _trends(failure, history):
        return None
    why, facts = _nearness(failure, change) or _determinism(failure, history) or ("", ())
    if not why:
        return None
    return Decision(
        category=Category.REGRESSION,
        because=f"the default branch executed the same test and passes; here {why}",
        evidence=(*elsewhere.passes(failure, history), *facts),
    )


def passed_in_retry(failure: Failure, history: History, change: Change) -> Decision | None:
    """Every failed test passed in a retry of the same run, and nothing leads from them to the diff."""
    if failure.fault is not Fault.FLAKY or not failure.is_same_commit_flake or not lies_outside(failure, change):
        return None
    return Decision(category=Category.FLAKY, because="it failed, then passed in a retry of the same run")


def passed_in_other_attempt(failure: Failure, history: History, change: Change) -> Decision | None:
    """Tests failed in a job that passed in an earlier attempt of the same commit, and nothing leads to the diff."""
    passed = elsewhere.passed_attempts(failure, history)
    if failure.fault is not Fault.CODE or not failed_tests(failure) or not passed or not lies_outside(failure, change):
        return None
    return Decision(
        category=Category.FLAKY,
        because="the same commit passed it in another attempt",
        evidence=passed[:MOST_FACTS],
    )


def alternates_on_main(failure: Failure, history: History, change: Change) -> Decision | None:
    """The default branch shows this very failure and passes of the same test in turn, and nothing leads to the diff."""
    trends = _trends(failure, history)
    if not trends or trends - {Trend.ALTERNATING, Trend.FAILING} or not lies_outside(failure, change):
        return None
    if not _may_compare(failure, history, change):
        return None
    return Decision(
        category=Category.FLAKY,
        because="the default branch fails in the same way and passes in turn",
        evidence=elsewhere.facts(failure, history),
    )


def seen_on_other_pulls(failure: Failure, history: History, change: Change) -> Decision | None:
    """Changes of at least two other authors fail in the same way, main was looked at, and nothing leads to the diff."""
    if failure.fault is not Fault.CODE or history.own_commits or not lies_outside(failure, change):
        return None
    # Where main was not wholly looked at, it may pass, and then this may be the change's after all.
    if not all(seen.complete for _, seen in history.of(failure)):
        return None
    authors = [{sighting.author for sighting in seen.pulls if sighting.author} for _, seen in history.of(failure)]
    if min((len(known) for known in authors), default=0) < ENOUGH_AUTHORS:
        return None
    return Decision(
        category=Category.FLAKY,
        because="changes of other authors fail in the same way",
        evidence=elsewhere.facts(failure, history),
    )


# --------------------------------------------------------------------------------------------------------------------
# What these checks share


def _trends(failure: Failure, history: History) -> set[Trend]:
    """What main says of the failure, one answer a signature; empty when it cannot be compared."""
    return {seen.trend(signature) for signature, seen in history.of(failure)}


def _may_compare(failure: Failure, history: History, change: Change) -> bool:
    """Whether main can speak for others here.

    Not for what never ran, not once this very change was on it, and not for a mere line of the log while something
    leads from the failure to the diff: a line is weaker than a test or a rule.
    """
    if failure.fault in _NEVER_RAN or history.own_commits:
        return False
    mere_line = failure.signature is not None and failure.signature.kind == "line"
    return not mere_line or lies_outside(failure, change)


def _is_known_on_main(failure: Failure, history: History) -> bool:
    """Whether main showed every part of this very failure within the window, whatever it does now."""
    seen = history.of(failure)
    return bool(seen) and not history.own_commits and all(one.failures(signature) for signature, one in seen)


def _lacks_the_mend(failure: Failure, history: History) -> bool:
    """Whether the branch is known to lack every commit that mended a part of the failure."""
    mended = [
        seen.mended_by(signature) for signature, seen in history.of(failure) if seen.trend(signature) is Trend.MENDED
    ]
    return all(one is not None and one.in_branch is False for one in mended)


def _nearness(failure: Failure, change: Change) -> tuple[str, tuple[Evidence, ...]] | None:
    # What is merely imported need not have run: too little to blame, whatever main says.
    near = tuple(touch for touch in touches(failure, change) if not touch.by_import)
    return (near[0].how, tuple(touch.as_evidence(change) for touch in near[:MOST_FACTS])) if near else None


def _determinism(failure: Failure, history: History) -> tuple[str, tuple[Evidence, ...]] | None:
    repeated = tuple(elsewhere.attempt(one) for _, seen in history.of(failure) for one in seen.attempts)
    if not repeated or elsewhere.passed_attempts(failure, history):
        return None
    return "it failed in the same way in every attempt", repeated[:MOST_FACTS]
