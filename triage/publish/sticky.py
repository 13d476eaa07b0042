"""Which of the comments on a pull request is ours, and what must be done so that it is one, and the newest. Pure.

The oldest of ours is the one that stays: every writer that sees the same comments picks the same. The newest generation
is what it says, wherever among ours that stands. Others of ours are deleted, but only once the one that stays is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TYPE_CHECKING

from triage.model import Verdict
from triage.publish.marker import Generation, Marker, read_marker

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from triage.source.writes import Comment


@unique
class OnWorse(StrEnum):
    """What to do when the answer gets worse; GitHub tells nobody of an edit."""

    EDIT = "edit"
    MENTION = "mention"  # edit, and name the author, whom GitHub then tells
    NEW_COMMENT = "new-comment"  # delete the old comment and write a new one: everybody subscribed is told


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is to be said.

    Attributes:
        head_sha: The commit it is about.
        body: The comment, marker first.
        alarm: The same with a mention; None where nobody is mentioned.
        is_wanted: Whether to comment where we have not: not just to say that all is green.
    """

    number: int
    head_sha: str
    marker: Marker
    body: str
    alarm: str | None = None
    is_wanted: bool = True
    on_worse: OnWorse = OnWorse.EDIT

    @property
    def generation(self) -> Generation:
        """How new it is."""
        return self.marker.generation or OLDEST

    @property
    def bodies(self) -> tuple[str, ...]:
        """Every form of it."""
        return (self.body,) if self.alarm is None else (self.body, self.alarm)


OLDEST = Generation(-1, 0, 0, 0)
# A longer way down is worse; what is not finished says nothing yet.
_BADNESS = {Verdict.NO_FAILURES: 0, Verdict.NOT_CAUSED_BY_PR: 1, Verdict.NEEDS_ATTENTION: 2, Verdict.CAUSED_BY_PR: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mine:
    """A comment of ours with what its marker says; `generation` is the oldest where it is about another commit."""

    comment: Comment
    marker: Marker
    generation: Generation


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What to do next: write `text`, then delete `surplus`. Neither: all is well.

    Attributes:
        stays: The comment that stays and, when there is a text, takes it; None: a new one takes it.
        beaten_by: What is newer than the draft, and stands or will stand in the comment that stays.
        at_once: The surplus is to go first: a new comment takes the place of the old.
    """

    stays: Comment | None = None
    text: str | None = None
    surplus: tuple[int, ...] = ()
    beaten_by: Generation | None = None
    at_once: bool = False

    @property
    def is_nothing(self) -> bool:
        """Whether nothing is to be written or deleted."""
        return self.text is None and not self.surplus


def candidates(comments: Iterable[Comment], key: str) -> tuple[tuple[Comment, Marker], ...]:
    """Return the comments that begin with the marker of this key, oldest first; whoever wrote them."""
    read = ((comment, read_marker(comment.body, written_at=comment.updated_at)) for comment in comments)
    found = [(comment, marker) for comment, marker in read if marker is not None and marker.key == key]
    return tuple(sorted(found, key=lambda pair: pair[0].id))


def mine_of(found: Iterable[tuple[Comment, Marker]], ids: Collection[int], head_sha: str) -> tuple[Mine, ...]:
    """Keep what our own accounts wrote."""
    return tuple(
        Mine(
            comment=comment,
            marker=marker,
            generation=(marker.generation or OLDEST) if marker.is_about(head_sha) else OLDEST,
        )
        for comment, marker in found
        if comment.author_id in ids
    )


def next_step(mine: Sequence[Mine], draft: Draft, *, is_second_look: bool = False) -> Step:
    """Decide what to do.

    Args:
        mine: Our comments, oldest first.
        draft: What we have to say.
        is_second_look: Whether we have written already: of two equally new reports the one that stands then stays,
            else two writers would correct each other for ever.
    """
    if not mine:
        return Step(text=draft.body if draft.is_wanted else None)
    stays, surplus = mine[0], tuple(one.comment.id for one in mine[1:])
    newest = max(mine, key=lambda one: one.generation)
    if newest.generation > draft.generation or (is_second_look and newest.generation == draft.generation):
        text = newest.comment.body
        beaten_by = newest.generation if newest.generation > draft.generation else None
        changed = None if same_text(stays.comment.body, text) else text
        return Step(stays=stays.comment, text=changed, surplus=surplus, beaten_by=beaten_by)
    if any(same_text(stays.comment.body, body) for body in draft.bodies):
        return Step(stays=stays.comment, surplus=surplus)
    return _rewrite(stays, surplus, draft, is_worse=not is_second_look and _is_worse(stays.marker, draft.marker))


def _rewrite(stays: Mine, surplus: tuple[int, ...], draft: Draft, *, is_worse: bool) -> Step:
    if is_worse and draft.on_worse is OnWorse.NEW_COMMENT:
        return Step(text=draft.body, surplus=(stays.comment.id, *surplus), at_once=True)
    mentions = is_worse and draft.on_worse is OnWorse.MENTION and draft.alarm is not None
    return Step(stays=stays.comment, text=draft.alarm if mentions else draft.body, surplus=surplus)


def _is_worse(before: Marker, now: Marker) -> bool:
    if before.verdict is None or now.verdict is None or now.verdict not in _BADNESS:
        return False
    return _BADNESS[now.verdict] > _BADNESS.get(before.verdict, 0)


def same_text(stored: str, text: str) -> bool:
    """Whether GitHub would store the one as the other: it keeps neither kind of line break nor blanks at the end."""
    return _as_stored(stored) == _as_stored(text)


def _as_stored(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip()
