"""What must hold of a run just before it is run again (T9, T10, R4): a table, the first objection counts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from triage.entry.command.answers import code

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from triage.model import Job, PullRequest, Run

MOST_RERUNS: Final = 50
"""GitHub's own limit of re-runs of a run."""
OLDEST: Final = timedelta(days=30)
"""GitHub runs nothing again that is older."""
# What a push or a pull request started. Whatever else runs at a commit (a deployment, a release) is not ours to start.
_EVENTS: Final = frozenset({"pull_request", "pull_request_target", "push"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """All that was read just before.

    Attributes:
        seen: The run as the report saw it.
        run: As it is now, with the jobs of all attempts.
        asked_at: When the comment was written.
    """

    seen: Run
    run: Run
    jobs: tuple[Job, ...]
    pull: PullRequest
    asked_at: datetime
    now: datetime


def objection_to(moment: Moment) -> str | None:
    """Return why the run must not be run again now, as Markdown; None when nothing speaks against it."""
    return next((why for check in OBJECTIONS if (why := check(moment)) is not None), None)


def _closed(moment: Moment) -> str | None:
    return "the pull request is closed" if moment.pull.state != "open" else None


def _moved_on(moment: Moment) -> str | None:
    if moment.pull.head_sha == moment.run.head_sha == moment.seen.head_sha:
        return None
    return f"the pull request has moved on to {code(moment.pull.head_sha[:10])}, and this is a run of an earlier commit"


def _other_event(moment: Moment) -> str | None:
    return None if moment.run.event in _EVENTS else "it was started neither by the pull request nor by a push"


def _running(moment: Moment) -> str | None:
    if moment.run.is_complete:
        return None
    if moment.run.attempt != moment.seen.attempt:
        return f"it is being run again already, attempt {moment.run.attempt}"
    return "it is still running"


def _changed(moment: Moment) -> str | None:
    return None if moment.run.attempt == moment.seen.attempt else "it has been run again meanwhile"


def _newer(moment: Moment) -> str | None:
    """Object to what began after the comment: its writer has not seen it, and a second delivery acts no second time."""
    times = (moment.run.created_at, moment.run.started_at)
    if all(time is not None and time < moment.asked_at for time in times):
        return None
    return "it began after your comment"


def _never_ran(moment: Moment) -> str | None:
    """Object to a run that waits for approval, or was refused: a re-run must never start what nobody let run."""
    if any(not job.never_started for job in moment.jobs):
        return None
    return "no job of it ever ran, so that starting it is not a re-run"


def _too_old(moment: Moment) -> str | None:
    created = moment.run.created_at
    if created is not None and moment.now - created <= OLDEST:
        return None
    return f"it is older than {OLDEST.days} days, and GitHub runs nothing older again; push a commit instead"


def _too_often(moment: Moment) -> str | None:
    if moment.run.attempt <= MOST_RERUNS:
        return None
    return f"it was run again {MOST_RERUNS} times, which is all that GitHub allows; push a commit instead"


OBJECTIONS: Final[tuple[Callable[[Moment], str | None], ...]] = (
    _closed,
    _moved_on,
    _other_event,
    _running,
    _changed,
    _newer,
    _never_ran,
    _too_old,
    _too_often,
)
