"""Which failures are worth looking for elsewhere, and what would tell them there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.decide import signatures_of
from triage.decide.belief import believable
from triage.decide.reach import failed_tests
from triage.model import Fault
from triage.signature import signature_of_test

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from triage.model import Facts, Failure, Job, Run, Signature, TestFailure

COMPARED = frozenset({Fault.CODE, Fault.UNKNOWN, Fault.INFRASTRUCTURE, Fault.GPU_RESIDUE})
"""What never ran, was stopped, refused or only follows others is explained by the run itself."""

WORKFLOWS = ".github/workflows/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One red job to be looked for.

    Attributes:
        run: The run under triage that it is in.
        step: Name of the step that broke; None where none did.
        signatures: Not empty.
        tests: The failed test behind a signature, where there is one.
        is_code: Whether its answer hangs on main: a machine's fault stands without.
    """

    job: Job
    run: Run
    step: str | None
    signatures: tuple[Signature, ...]
    tests: Mapping[Signature, TestFailure]
    is_code: bool

    @property
    def workflow(self) -> str:
        """Name of the workflow file, as GitHub's addresses want it."""
        return self.run.workflow_path.rpartition("/")[2]


def wanted_of(facts: Facts, failures: Sequence[Failure]) -> tuple[Wanted, ...]:
    """Return the failures that can be compared: those whose answer hangs on main first, else in the order given."""
    runs = {run.id: run for run in facts.runs if run.workflow_path.startswith(WORKFLOWS)}
    found = [
        _wanted(failure, runs[failure.job.run_id])
        for failure in map(believable, failures)
        if failure.fault in COMPARED and failure.job.run_id in runs and signatures_of(failure)
    ]
    return tuple(sorted(found, key=lambda one: not one.is_code))


def _wanted(failure: Failure, run: Run) -> Wanted:
    step = failure.failed_step or failure.job.failed_step
    by_signature = {signature_of_test(test): test for test in failed_tests(failure)}
    signatures = signatures_of(failure)
    return Wanted(
        job=failure.job,
        run=run,
        step=step.name if step else None,
        signatures=signatures,
        tests={signature: by_signature[signature] for signature in signatures if signature in by_signature},
        is_code=failure.fault in {Fault.CODE, Fault.UNKNOWN},
    )


def by_workflow(wanted: Sequence[Wanted]) -> dict[str, tuple[Wanted, ...]]:
    """Group by workflow file, in order of first appearance."""
    names = dict.fromkeys(one.workflow for one in wanted)
    return {name: tuple(one for one in wanted if one.workflow == name) for name in names}
