"""Checks of what the job alone shows: an excuse stands while nothing that drives it is changed, and that is known."""

# ruff: noqa: ARG001 - every check is asked with the same three things

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.decide import elsewhere
from triage.decide.drivers import is_drivable, touched_drivers
from triage.decide.reach import lies_outside
from triage.decide.sentences import names, quoted
from triage.model import Basis, Category, Conclusion, Decision, Fault

if TYPE_CHECKING:
    from triage.decide.change import Change
    from triage.decide.history import History
    from triage.model import Failure


def cascade(failure: Failure, history: History, change: Change) -> Decision | None:
    """The job only follows others, and a red job that it follows is known."""
    if failure.fault is not Fault.CASCADE or not failure.roots:
        return None
    return Decision(category=Category.CASCADE, because=f"it failed only because {names(failure.roots)} did")


def cancelled(failure: Failure, history: History, change: Change) -> Decision | None:
    """GitHub says that the job was stopped from outside, and nothing in it had failed before."""
    if failure.fault is not Fault.CANCELLED or failure.job.conclusion is not Conclusion.CANCELLED:
        return None
    return Decision(category=Category.CANCELLED, because="nothing had failed before the cancellation")


def starved(failure: Failure, history: History, change: Change) -> Decision | None:
    """GitHub says that no machine ever took the job, and the change does not touch the workflow that asks for one."""
    if failure.fault is not Fault.STARVED or failure.basis is not Basis.PLATFORM or not _stands(failure, change):
        return None
    facts = elsewhere.facts(failure, history)
    return Decision(category=Category.STARVED, because="no runner was free", evidence=facts)


def missing_label(failure: Failure, history: History, change: Change) -> Decision | None:
    """A gate refused before any test ran, and the change does not touch the gate."""
    if failure.fault is not Fault.MISSING_LABEL or not _stands(failure, change):
        return None
    because = "a gate refused to let it run"
    if failure.label:
        because = f"a gate asks for the label {quoted(failure.label)}"
        if change.pull is not None:
            has = failure.label in change.pull.labels
            because += ", which the pull request has by now" if has else ", which the pull request does not have"
    return Decision(category=Category.MISSING_LABEL, because=because)


def infrastructure(failure: Failure, history: History, change: Change) -> Decision | None:
    """Machine, network or service failed, no failed test contradicts it, and the change drives nothing of it."""
    if failure.fault is not Fault.INFRASTRUCTURE or not _stands(failure, change):
        return None
    because = "what broke is not the code under test"
    return Decision(category=Category.INFRASTRUCTURE, because=because, evidence=elsewhere.facts(failure, history))


def gpu_residue(failure: Failure, history: History, change: Change) -> Decision | None:
    """The GPU held memory or processes of something else, and the change touches nothing that drives the job."""
    if failure.fault is not Fault.GPU_RESIDUE or not _stands(failure, change):
        return None
    because = "the GPU was not free when the job needed it"
    return Decision(category=Category.GPU_RESIDUE, because=because, evidence=elsewhere.facts(failure, history))


def _stands(failure: Failure, change: Change) -> bool:
    """Whether an excuse stands: nothing that drives it is changed (law 3), and that is known (law 1)."""
    if not is_drivable(failure):  # a machine that went away in the middle of a step
        return True
    return not touched_drivers(failure, change) and lies_outside(failure, change)
