"""How often commands are answered and runs run again: counted from our own answers on GitHub, so that no state is lost.

Whoever is about to do something says so in a comment first, waits until every list must show it, and counts the
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
    from collections.abc import Callable, Collection

    from triage.entry.command.turn import Turn
    from triage.settings import Settings
    from triage.source.writes import Comment

CAP: Final = "cap"
"""The word for a refusal because of one."""
WINDOW: Final = timedelta(hours=24)
_LOOKS: Final = 3
_UNDER_WAY: Final = (
    "Looking at it; the answer will stand here. If this text has not changed in ten minutes, something of ours broke: "
    "give the command again."
)


@dataclass(frozen=True, slots=True)
class Cap:
    """One cap: which earlier answers it counts, how many there may be, and what it is called."""

    of: Collection[Does]
    counts: Callable[[Note, Note], bool]
    most: Callable[[Settings], int]
    what: str


_COMMANDS: Final = frozenset({Does.LOOKED, Does.RERUN})
_RERUNS: Final = frozenset({Does.RERUN})


def _same_pull(mine: Note, other: Note) -> bool:
    return other.pull == mine.pull


def _same_person(mine: Note, other: Note) -> bool:
    return other.by == mine.by


def _any(mine: Note, other: Note) -> bool:  # noqa: ARG001  one form for all
    return True


CAPS: Final = (
    Cap(_COMMANDS, _same_pull, lambda here: here.command_caps.pull, "commands are answered on one pull request"),
    Cap(_COMMANDS, _same_person, lambda here: here.command_caps.person, "commands of one person are answered"),
    Cap(_RERUNS, _same_pull, lambda here: here.rerun_caps.pull, "re-runs may be asked for on one pull request"),
    Cap(_RERUNS, _same_person, lambda here: here.rerun_caps.person, "re-runs may be asked for by one person"),
    Cap(_RERUNS, _any, lambda here: here.rerun_caps.day, "re-runs may be asked for in the whole repository"),
)
"""Those of commands bound what all of them cost (T29), those of re-runs what machines are given (T10)."""


def take_number(turn: Turn, claims: Does) -> None:
    """Say that a command is about to be done, and wait for the turn.

    Raises:
        Refused: A cap is reached, or it could not be counted.
        ProviderError: GitHub could not be asked.
    """
    turn.note = turn.note.saying(claims)
    mine = turn.said = _say(turn)
    earlier = _earlier(turn, mine)
    for cap in CAPS:
        if claims not in cap.of:
            continue
        most = cap.most(turn.house.settings)
        if sum(note.does in cap.of and cap.counts(turn.note, note) for note in earlier) >= most:
            raise Refused(CAP, f"within 24 hours at most {most} {cap.what}.")


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
    """Return the notes of all commands that were given before ours.

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
            return tuple(note for note in notes if note is not None)
    raise Refused("no-answer", "GitHub does not show how many commands were given, so nothing was done.")
