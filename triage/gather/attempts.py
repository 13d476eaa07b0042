"""Which jobs count when a run was run again in part: the newest of each, worked out by us.

GitHub's own `filter=latest` has changed its meaning before, and a re-run of failed jobs lists only those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from triage.model import Job


def newest_attempts(jobs: Iterable[Job]) -> tuple[tuple[Job, ...], tuple[Job, ...]]:
    """Split the jobs of all attempts of one run.

    A job that a later attempt lists again is replaced by it; one that it leaves out still counts. Jobs are the same by
    name and place among their namesakes.

    Args:
        jobs: In GitHub's order.

    Returns:
        The newest of each, in order of first appearance; and those that were replaced.
    """
    by_name: dict[str, list[Job]] = {}
    for job in jobs:
        by_name.setdefault(job.name, []).append(job)
    newest: list[Job] = []
    replaced: list[Job] = []
    for namesakes in by_name.values():
        kept = _newest_of(namesakes)
        newest += kept
        replaced += [job for job in namesakes if job not in kept]
    return tuple(newest), tuple(sorted(replaced, key=lambda job: (job.run_attempt, job.id)))


def _newest_of(namesakes: Sequence[Job]) -> list[Job]:
    slots: list[Job] = []
    for attempt in sorted({job.run_attempt for job in namesakes}):
        listed = [job for job in namesakes if job.run_attempt == attempt]
        places = _places(slots, len(listed))
        for job, place in zip(listed, places, strict=False):
            slots[place] = job
        slots += listed[len(places) :]
    return slots


def _places(slots: Sequence[Job], wanted: int) -> list[int]:
    """Choose which of the jobs so far were run again, when namesakes make that unclear: red ones first.

    Only "re-run failed jobs" leaves some of them out, and never a red one.
    """
    order = sorted(range(len(slots)), key=lambda place: (not slots[place].is_red, place))
    return sorted(order[:wanted])
