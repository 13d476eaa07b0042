"""What the runner itself writes between steps, and the time in front of every line."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from triage.matching import split_stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

ERROR = "mark:error"
RUN = "mark:run"
POST = "mark:post"
COMPLETE = "mark:complete"

MARKS: Mapping[str, str] = {
    ERROR: r"^##\[error\]",
    RUN: r"^##\[group\]Run ",
    POST: r"^Post job cleanup\.",
    COMPLETE: r"^Cleaning up orphan processes",
}
"""Key -> pattern. Whether the runner or a program wrote such a line, the line does not tell."""

STARTS = frozenset({RUN, POST, COMPLETE})
"""Marks with which a step may start."""

_GROUP = "##[group]"
_TITLE_CHARS = 300


class Mark(NamedTuple):
    """A line with which a step may start; `title` is what the step runs, where the mark says it."""

    line: int
    kind: str
    title: str
    at: datetime | None


def mark_of(kind: str, number: int, line: bytes) -> Mark:
    """Read a mark off a cleaned line that still has its stamp."""
    stamp, text = split_stamp(line)
    title = text.decode("utf-8", "replace").removeprefix(_GROUP)[:_TITLE_CHARS] if kind == RUN else ""
    return Mark(number, kind, title, time_of(stamp))


def time_of(stamp: bytes) -> datetime | None:
    """Read the platform's timestamp; None for an empty one and for one that is no date."""
    if not stamp:
        return None
    try:
        return datetime.fromisoformat(stamp[:26].decode() + "+00:00")
    except ValueError:
        return None
