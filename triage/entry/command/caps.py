"""How often runs may be run again by command: counted from our own answers on GitHub, so that no state can be lost.

Whoever wants to run something again says so in a comment first, waits until every list must show it, and counts the
comments of that kind that have a lower number. Numbers rise in order of writing, so of any number of commands at once
all agree on who was first, and no more than the cap ever act. Why so: docs/decisions/0011-counting-reruns.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from triage.entry.command.answers import Does, Note, Refused, read_note
from triage.errors import ProviderError
from triage.source.writes import is_unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.entry.command.turn import Turn
    from triage.settings import RerunCaps
    from triage.source.writes import Comment

WINDOW: Final = timedelta(hours=24)
_LOOKS: Final = 3
_UNDER_WAY: Final = (
    "Looking whether this can be run again. If this text has not changed in ten minutes, something of ours broke: "
    "give the command again."
)


@dataclass(frozen=True, slots=True)
class Cap:
    """One cap: which earlier re-runs it counts, how many there may be, and what it is called."""

    counts: Callable[[Note, Note], bool]
    most: Callable[[RerunCaps], int]
    what: str


CAPS: Final = (
    Cap(lambda mine, other: other.pull == mine.pull, lambda caps: caps.pull, "on one pull request"),
    Cap(lambda mine, other: other.by == mine.by, lambda caps: caps.person, "by one person"),
    Cap(lambda mine, other: True, lambda caps: caps.day, "in the whole repository"),  # noqa: ARG005
)


def take_number(turn: Turn) -> None:
    """Say that something is about to be run again, and wait for the turn.

    Raises:
        Refused: A cap is reached, or it could not be counted.
        ProviderError: GitHub could not be asked.
    """
    turn.note = turn.note.saying(Does.RERUN)
    mine = turn.said = _say(turn)
    earlier = _earlier(turn, mine)
    for cap in CAPS:
        most = cap.most(turn.house.settings.rerun_caps)
        if sum(cap.counts(turn.note, note) for note in earlier) >= most:
            raise Refused("cap", f"in 24 hours at most {most} re-runs {cap.what} may be asked for by command.")


def _say(turn: Turn) -> Comment:
    """Write the comment, once; when the answer is lost, find it by its nonce."""
    house = turn.house
    try:
        return house.writes.create_comment(turn.asked.number, f"{turn.note}\n{_UNDER_WAY}\n")
    except ProviderError as error:
        if not is_unknown(error):
            raise
        return _found(turn, error)


def _found(turn: Turn, error: ProviderError) -> Comment:
    turn.house.sleep(turn.house.lag)
    for comment in turn.house.writes.comments(turn.asked.number):
        note = read_note(comment.body)
        if note is not None and note.nonce == turn.note.nonce:
            return comment
    raise error


def _earlier(turn: Turn, mine: Comment) -> tuple[Note, ...]:
    """Return the notes of re-runs that were asked for before ours.

    Raises:
        Refused: GitHub does not even list ours, so that others may be missing, too.
    """
    house = turn.house
    for _ in range(_LOOKS):
        house.sleep(house.lag)
        listed = house.acts.comments_since(house.now - WINDOW)
        if any(comment.id == mine.id for comment in listed):
            own = (one for one in listed if one.author_id == mine.author_id and one.id < mine.id)
            notes = (read_note(comment.body) for comment in own)
            return tuple(note for note in notes if note is not None and note.does is Does.RERUN)
    raise Refused("no-answer", "GitHub does not show how many re-runs were asked for, so nothing was run again.")
