"""A cause's number means what it meant in the report that the person had before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.entry.command.answers import Refused
from triage.publish.numbers import mark_of, read_numbers
from triage.publish.sticky import candidates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from triage.entry.command.turn import Turn
    from triage.render.ledger import Row
    from triage.source.writes import Comment


def check_numbers(turn: Turn, rows: Iterable[Row]) -> None:
    """Make sure that causes which were named by their numbers are those that the person saw under them.

    Without a report of ours on the pull request there is nothing to compare with; the answer names what was done.

    Raises:
        Refused: They may be others.
        ProviderError: GitHub could not be asked.
    """
    wanted = tuple(rows)
    seen = _report_comment(turn) if wanted else None
    if seen is None:
        return
    if seen.updated_at is not None and seen.updated_at > turn.asked.at:
        raise Refused("renumbered", "the report was written anew after your comment. Please look at its numbers again.")
    marks = read_numbers(seen.body)
    for row in wanted:
        if marks.get(row.cause.id) != mark_of(row):
            raise Refused(
                "renumbered",
                f"the failures have changed since the report was written, and {row.cause.id} may be another cause now. "
                "`/triage` writes it anew; or name the job.",
            )


def _report_comment(turn: Turn) -> Comment | None:
    comments = turn.house.writes.comments(turn.asked.number)
    found = candidates(comments, turn.house.settings.comment_key)
    return next((comment for comment, _ in found if comment.author_id == turn.own_id), None)
