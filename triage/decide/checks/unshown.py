"""Checks that give `unknown`, each with its own reason: what would have to be known."""

# ruff: noqa: ARG001 - every check is asked with the same three things

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.decide import elsewhere
from triage.decide.drivers import is_drivable, touched_drivers
from triage.decide.reach import touches
from triage.decide.sentences import names
from triage.model import Basis, Category, Decision, Evidence, EvidenceKind, Fault, LogState

if TYPE_CHECKING:
    from triage.decide.change import Change
    from triage.decide.history import History
    from triage.model import Failure

MOST_FACTS = 6

LOOKS_LIKE = {
    Fault.INFRASTRUCTURE: "infrastructure",
    Fault.GPU_RESIDUE: "memory left on the GPU",
    Fault.MISSING_LABEL: "a gate that refused",
    Fault.STARVED: "a lack of runners",
    Fault.CANCELLED: "a cancellation",
    Fault.FLAKY: "a flaky test",
}
"""What an excuse that does not stand is called."""


def driven_by_change(failure: Failure, history: History, change: Change) -> Decision | None:
    """It looks like no fault of the code, but the change touches a file that drives what failed (law 3)."""
    paths = touched_drivers(failure, change)
    near = touches(failure, change) if is_drivable(failure) else ()
    if not paths and not near:
        return None
    fact = f"the change touches {names(paths)}, which can bring this about" if paths else near[0].how
    url = f"{change.pull.url}/files" if change.pull and change.pull.url else ""
    return Decision(
        category=Category.UNKNOWN,
        because=f"it looks like {LOOKS_LIKE[failure.fault]}, but {fact}",
        evidence=(Evidence(kind=EvidenceKind.DIFF, text=fact, url=url),),
    )


def change_unread(failure: Failure, history: History, change: Change) -> Decision | None:
    """It looks like no fault of the code, but what the change touches could not be read (law 1)."""
    if not change.is_unread or not (failure.fault is Fault.FLAKY or is_drivable(failure)):
        return None
    why = "what the change touches could not be read, so nothing shows that this lies outside it"
    return Decision(category=Category.UNKNOWN, because=f"it looks like {LOOKS_LIKE[failure.fault]}, but {why}")


def rootless_cascade(failure: Failure, history: History, change: Change) -> Decision | None:
    """The job looks like one that only follows others, but no red job was found that it follows."""
    if failure.fault is not Fault.CASCADE:
        return None
    because = "it looks like a job that only follows others, but no other job is red that it could follow"
    return Decision(category=Category.UNKNOWN, because=because)


def no_log(failure: Failure, history: History, change: Change) -> Decision | None:
    """There is no log to read and nothing else says what broke: a missing log excuses nobody."""
    if failure.log_state not in _NO_LOG or failure.fault in LOOKS_LIKE:
        return None
    because = f"its log {_NO_LOG[failure.log_state]}, and nothing else shows what broke"
    return Decision(category=Category.UNKNOWN, because=because)


_NO_LOG = {
    LogState.ABSENT: "was never written",
    LogState.EXPIRED: "has expired",
    LogState.PENDING: "is not there yet",
    LogState.UNREADABLE: "could not be read",
}


def near_the_diff(failure: Failure, history: History, change: Change) -> Decision | None:
    """Something leads from the failure to the diff: too little to blame the change, too much to excuse it."""
    near = touches(failure, change)
    if not near:
        return None
    return Decision(
        category=Category.UNKNOWN,
        because=f"{near[0].how}; that alone does not show whose failure it is",
        evidence=(
            *(touch.as_evidence(change) for touch in near[:MOST_FACTS]),
            *elsewhere.facts(failure, history),
            *elsewhere.passed_attempts(failure, history),
        ),
    )


def unknown(failure: Failure, history: History, change: Change) -> Decision | None:
    """Nothing shows whose failure it is."""
    facts = (*elsewhere.facts(failure, history), *elsewhere.passed_attempts(failure, history))
    return Decision(category=Category.UNKNOWN, because=_why_unknown(failure, history), evidence=facts)


def _what_main_says(failure: Failure, history: History) -> str:
    seen = history.of(failure)
    if not any(one.complete for _, one in seen):
        return "the default branch was not compared"
    if not any(one.baselines for _, one in seen):
        return "no run of the default branch executed it"
    return "the runs of the default branch do not settle it"


def _why_unknown(failure: Failure, history: History) -> str:
    if failure.fault in LOOKS_LIKE:
        return f"it looks like {LOOKS_LIKE[failure.fault]}, but nothing shows that it lies outside the change"
    if failure.fault is Fault.NONE:
        return "its log shows no failure, and yet the job is red"
    if failure.fault is Fault.CODE:
        return f"nothing leads from it to the diff, and {_what_main_says(failure, history)}"
    return "nothing shows what broke" if failure.basis is Basis.NOTHING else "nothing shows whose failure it is"
