"""`/triage ack` and `/triage wrong`: what people say of a failure. It is kept, and changes no verdict by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.entry.command.answers import Answer, Refused, code, quoted
from triage.entry.command.numbers import check_numbers
from triage.entry.command.targets import find_target
from triage.errors import HistoryUnavailable
from triage.history.feedback import Feedback, Says
from triage.model import Category, Gap

if TYPE_CHECKING:
    from triage.entry.command.parser import Word
    from triage.entry.command.targets import Target
    from triage.entry.command.turn import Turn
    from triage.model import JobVerdict

LONGEST_REASON: Final = 300
_CATEGORIES: Final = {category.value: category for category in Category}


def acknowledge(turn: Turn) -> Answer:
    """Keep that somebody knows of a failure, and why it may stay."""
    target, rest = _target(turn)
    reason = " ".join(word.text for word in rest)
    if not reason:
        raise Refused("usage", f"say why, too: `{turn.command.usage}`.")
    if len(reason) > LONGEST_REASON:
        raise Refused("usage", f"a reason has at most {LONGEST_REASON} characters.")
    job = _job(target)
    kept = _keep(turn, _feedback(turn, job, Says.ACKNOWLEDGED, reason=reason))
    return Answer(text=f"Acknowledged {_named(job)}: {quoted(reason)}. The verdict stays as it is. {kept}")


def object_to(turn: Turn) -> Answer:
    """Keep that a verdict is wrong, and what would be right."""
    target, rest = _target(turn)
    right = _category(rest)
    job = _job(target)
    kept = _keep(turn, _feedback(turn, job, Says.WRONG, right=right))
    instead = f", and that `{right.value}` is right" if right is not None else ""
    record = f"triage record --pr {turn.asked.number} --to DIR"
    return Answer(
        text=f"Noted that this is wrong for {_named(job)}{instead}. {kept}\n\nThis makes a test of it, which keeps the "
        f"mistake from coming back: `{record}`, then write the right category into its `expect.yaml`."
    )


def _target(turn: Turn) -> tuple[Target, tuple[Word, ...]]:
    target, rest = find_target(turn.words, turn.report)
    check_numbers(turn, [target.row] if target.by_number else [])
    return target, rest


def _category(words: tuple[Word, ...]) -> Category | None:
    if not words:
        return None
    found = _CATEGORIES.get(words[0].text)
    if found is None or len(words) > 1:
        raise Refused("usage", f"after the job stands one of {', '.join(f'`{name}`' for name in _CATEGORIES)}.")
    return found


def _job(target: Target) -> JobVerdict:
    return target.job if target.job is not None else target.row.roots[0]


def _named(job: JobVerdict) -> str:
    return f"{code(job.failure.job.name)} (cause {job.cause}, `{job.category.value}`)"


def _feedback(turn: Turn, job: JobVerdict, says: Says, *, right: Category | None = None, reason: str = "") -> Feedback:
    asked, report = turn.asked, turn.report
    return Feedback(
        comment_id=asked.comment_id,
        at=asked.at,
        by=asked.person.login,
        says=says,
        pull_number=asked.number,
        head_sha=report.pull.head_sha if report.pull is not None else "",
        run_id=job.failure.job.run_id,
        job_id=job.failure.job.id,
        job_name=job.failure.job.name,
        category=job.category,
        right=right,
        reason=reason,
    )


def _keep(turn: Turn, feedback: Feedback) -> str:
    """Put it into the history, and say whether that was possible."""
    store = turn.house.store
    if store is None:
        return "No history is kept here, so that this comment is the only record."
    if isinstance(store, Gap):
        return "The history could not be opened, so that this comment is the only record."
    try:
        store.add_feedback(turn.report.repository, feedback)
    except HistoryUnavailable:
        return "The history could not be written, so that this comment is the only record."
    return "It is kept in the history."
