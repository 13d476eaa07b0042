"""Which runs of the default branch tell something, from their list alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.model import Conclusion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import Facts, Run

TRUSTED_EVENTS = frozenset({"push", "schedule", "workflow_dispatch"})
"""What these run lies on the branch; a pull request's run may carry its name, from a fork's branch called alike."""

MOST_RED_RUNS = 3
MOST_RUNS = 6

_RED = frozenset({Conclusion.FAILURE, Conclusion.TIMED_OUT})


def is_trusted(run: Run, facts: Facts) -> bool:
    """Whether a run is the default branch's own, in this repository."""
    return (
        run.event in TRUSTED_EVENTS
        and run.head_branch == facts.repository.default_branch
        and run.head_repository.lower() == facts.repository.full_name.lower()
        and run.is_complete
        and not _is_too_late(run, facts)
    )


def is_under_triage(run: Run, facts: Facts) -> bool:
    """Whether a run shows the very commit under triage, in whichever run or attempt: it cannot speak for itself."""
    return any(run.id == one.id or run.head_sha == one.head_sha for one in facts.runs)


def is_of_the_same_branch(run: Run, facts: Facts) -> bool:
    """Whether a run is of the branch under triage, earlier or later: the same change, if GitHub says so or not."""
    return any((run.head_repository, run.head_branch) == (one.head_repository, one.head_branch) for one in facts.runs)


def _is_too_late(run: Run, facts: Facts) -> bool:
    """Whether the branch may hold the change by then: what a merged one breaks there is no excuse for it."""
    if facts.pull is None or facts.pull.state == "open":
        return False
    begun = min((one.created_at for one in facts.runs if one.created_at), default=None)
    return begun is None or run.created_at is None or run.created_at > begun


def telling_runs(runs: Sequence[Run], *, with_passes: bool) -> tuple[Run, ...]:
    """Choose the newest runs that failed or needed a second attempt, and the green ones next to them.

    A green run holds no failure, so that most need not be read: the one after a failure says what mended it, the one
    before when it began, and without failures the newest says that main passes.

    Args:
        runs: Newest first.
        with_passes: Whether passes matter, too.

    Returns:
        Runs whose jobs are to be read, newest first. Of those between them that were left out, none failed.
    """
    telling = [place for place, run in enumerate(runs) if run.conclusion in _RED or _was_repeated(run)]
    end = telling[MOST_RED_RUNS] if len(telling) > MOST_RED_RUNS else len(runs)
    chosen = set(telling[:MOST_RED_RUNS])
    if with_passes:
        green = [place for place, run in enumerate(runs[:end]) if run.conclusion is Conclusion.SUCCESS]
        chosen |= _beside(chosen, green) if chosen else {*green[:1]}
    return tuple(runs[place] for place in sorted(chosen)[:MOST_RUNS])


def _beside(chosen: set[int], green: Sequence[int]) -> set[int]:
    """Return the green run before and after each chosen one."""
    newer = [[place for place in green if place < red][-1:] for red in chosen]
    older = [[place for place in green if place > red][:1] for red in chosen]
    return {place for places in (*newer, *older) for place in places}


def _was_repeated(run: Run) -> bool:
    """Whether an attempt before the one that is shown may have failed: green again is not green."""
    return run.attempt > 1 and run.conclusion is Conclusion.SUCCESS
