"""Which of the workflow runs at a commit count: the newest of each workflow and event."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from triage.model import Conclusion, Gap

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from triage.model import Run

# What a label or a review starts, only to find that there is nothing to do. It replaces nothing.
_DID_NOTHING = frozenset({Conclusion.SKIPPED, Conclusion.NEUTRAL, Conclusion.ACTION_REQUIRED})
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def runs_that_count(runs: Sequence[Run]) -> tuple[tuple[Run, ...], tuple[Gap, ...]]:
    """Keep the newest run of each workflow and event.

    Returns:
        Those that count, in the order given; and a gap for each that ended badly but was started anew.
    """
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.workflow_path or run.workflow, run.event), []).append(run)
    newest = {key: _newest(group) for key, group in groups.items()}
    counted = {run.id for run in newest.values()}
    gaps = tuple(
        Gap(
            f"run {run.id} of {run.workflow}",
            f"not counted: run {newest[key].id} of the same workflow at the same commit is newer",
        )
        for key, group in groups.items()
        for run in group
        if run.id not in counted and _ended_badly(run)
    )
    return tuple(run for run in runs if run.id in counted), gaps


def _newest(group: Iterable[Run]) -> Run:
    return max(group, key=lambda run: (run.conclusion not in _DID_NOTHING, run.created_at or _LONG_AGO, run.id))


def _ended_badly(run: Run) -> bool:
    # A run that a newer one cancelled has nothing to say that the newer one does not.
    return run.conclusion is not None and run.conclusion.is_red and run.conclusion is not Conclusion.CANCELLED
