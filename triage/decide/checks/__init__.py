"""Whose failure it is: the policy of the product, as one ordered tuple of small checks.

Each check answers or stays silent; the first answer wins. The first line of its docstring is its row in
`docs/categories.md`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from triage.decide.checks.comparing import (
    alternates_on_main,
    fixed_on_main,
    passed_in_other_attempt,
    passed_in_retry,
    pre_existing,
    regression_in_diff,
    regression_since_main,
    seen_on_other_pulls,
)
from triage.decide.checks.job_alone import cancelled, cascade, gpu_residue, infrastructure, missing_label, starved
from triage.decide.checks.unshown import (
    change_unread,
    driven_by_change,
    near_the_diff,
    no_log,
    rootless_cascade,
    unknown,
)
from triage.decide.reach import import_facts
from triage.model import Category

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.decide.change import Change
    from triage.decide.history import History
    from triage.model import Decision, Evidence, Failure

    Check: TypeAlias = Callable[[Failure, History, Change], Decision | None]

CHECKS: tuple[Check, ...] = (
    # what the job alone shows, unless the change drives it
    cascade,
    cancelled,
    starved,
    missing_label,
    infrastructure,
    gpu_residue,
    # what comparing shows
    fixed_on_main,
    pre_existing,
    regression_in_diff,
    regression_since_main,
    passed_in_retry,
    passed_in_other_attempt,
    alternates_on_main,
    seen_on_other_pulls,
    # what nobody could show, and why
    driven_by_change,
    change_unread,
    rootless_cascade,
    no_log,
    near_the_diff,
    unknown,
)
"""Asked in this order; the first answer wins. The last one always answers."""

_WITH_IMPORTS = frozenset({Category.PRE_EXISTING, Category.FLAKY, Category.UNKNOWN})
"""What the imports of a test are told beside: they change no answer, but show how it lies to the diff."""


def first_answer(failure: Failure, history: History, change: Change) -> Decision:
    """Ask the checks in their order; the decision names the check that gave it."""
    for check in CHECKS:
        decision = check(failure, history, change)
        if decision is not None:
            said = _with_imports(decision, failure, change)
            return replace(decision, check=check.__name__, evidence=said)
    raise AssertionError("the last check always answers")


def _with_imports(decision: Decision, failure: Failure, change: Change) -> tuple[Evidence, ...]:
    """Return the evidence of a decision, and what the imports of the tests show."""
    if decision.category not in _WITH_IMPORTS:
        return decision.evidence
    return tuple(dict.fromkeys((*decision.evidence, *import_facts(failure, change))))
