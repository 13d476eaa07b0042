"""Whether a re-run can help, and why (law 7): a table, the first row that holds speaks."""

# ruff: noqa: ARG005 - every row is asked with the cause, whether it needs it or not

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.decide.advice.case import OF_MACHINES, Case
from triage.decide.sentences import count, quoted
from triage.model import Basis, Category, Rerun

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Again:
    """Whether a re-run can help, and why."""

    rerun: Rerun
    why: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: when it holds, what it says, and why. `rerun` is None where the cause's rule says it."""

    when: str
    holds: Callable[[Case], bool]
    rerun: Rerun | None
    why: Callable[[Case], str]


def _is(*categories: Category) -> Callable[[Case], bool]:
    return lambda case: case.category in categories


def _says(text: str) -> Callable[[Case], str]:
    return lambda case: text


RERUNS: tuple[Row, ...] = (
    Row(
        "the pull request has a newer commit",
        lambda case: case.change.has_moved_on,
        Rerun.POINTLESS,
        _says("the pull request has a newer commit with runs of its own"),
    ),
    Row(
        "missing label, set by now",
        lambda case: case.category is Category.MISSING_LABEL and case.has_label,
        Rerun.HELPS,
        _says("the label is there by now"),
    ),
    Row(
        "missing label",
        _is(Category.MISSING_LABEL),
        Rerun.POINTLESS,
        lambda case: "until the label is there" if case.label else "until the gate has what it asks for",
    ),
    Row(
        "pre-existing, fixed on the default branch",
        lambda case: case.category is Category.PRE_EXISTING and case.check == "fixed_on_main",
        Rerun.POINTLESS,
        _says("a re-run tests the same commit; the fix comes with a rebase"),
    ),
    Row("pre-existing", _is(Category.PRE_EXISTING), Rerun.POINTLESS, _says("it fails on the default branch too")),
    Row("regression", _is(Category.REGRESSION), Rerun.POINTLESS, _says("it fails again until the change is mended")),
    Row("starved", _is(Category.STARVED), Rerun.HELPS, _says("once runners are free")),
    Row(
        "a machine's fault, on several hosts",
        lambda case: case.category in OF_MACHINES and case.is_of_the_machine and len(case.hosts) > 1,
        Rerun.POINTLESS,
        lambda case: f"{len(case.hosts)} hosts fail alike, so another one will not help",
    ),
    Row(
        "infrastructure or GPU residue, red in an earlier attempt too",
        lambda case: case.category in OF_MACHINES and case.ruled is not Rerun.POINTLESS and case.red_attempts > 0,
        Rerun.UNKNOWN,
        lambda case: f"it was red in {count(case.red_attempts, 'earlier attempt')} too",
    ),
    Row(
        "infrastructure or GPU residue, the rule knows",
        lambda case: case.category in OF_MACHINES and case.ruled is not Rerun.UNKNOWN,
        None,
        lambda case: case.first.rule.rerun_why if case.first.rule else "",
    ),
    Row(
        "infrastructure or GPU residue, on several hosts",
        lambda case: case.category in OF_MACHINES and len(case.hosts) > 1,
        Rerun.POINTLESS,
        lambda case: f"{len(case.hosts)} hosts fail alike, so another one will not help",
    ),
    Row(
        "infrastructure or GPU residue, always on one host",
        lambda case: case.category in OF_MACHINES and len(case.hosts) == 1 and case.times_elsewhere > 1,
        Rerun.POINTLESS,
        lambda case: f"until {quoted(case.hosts[0])} is mended, unless another host takes the job",
    ),
    Row("GPU residue", _is(Category.GPU_RESIDUE), Rerun.HELPS, _says("on another host, or once the memory is free")),
    Row(
        "infrastructure, the machine went away",
        lambda case: case.category is Category.INFRASTRUCTURE and case.first.basis is Basis.PLATFORM,
        Rerun.HELPS,
        _says("another machine can run it"),
    ),
    Row("flaky", _is(Category.FLAKY), Rerun.HELPS, _says("it gives both results")),
    Row("cancelled", _is(Category.CANCELLED), Rerun.HELPS, _says("it was stopped and did not fail by itself")),
    Row("anything else", lambda case: True, Rerun.UNKNOWN, _says("one run does not show whether it fails every time")),
)
"""Asked in this order; the first row that holds speaks."""


def rerun(case: Case) -> Again:
    """Say whether running the roots of a cause again can help."""
    row = next(row for row in RERUNS if row.holds(case))
    return Again(row.rerun or case.ruled, row.why(case))
