"""What we say to a command: a comment with a hidden first line, by which it is found again.

    <!-- ci-triage answer to=3000000007 pull=530 by=1024 does=rerun why=- nonce=5f0c1de4b7a90c3e -->

It counts only at byte 0 of a comment that our own account wrote. Nothing that a person wrote stands in an answer
outside of code, and no answer begins with a command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import Final

from triage.render.foreign_text import PROSE_LIMIT, shown_name
from triage.render.markdown_text import Markup, code_span
from triage.render.words import prose

_MARKER: Final = re.compile(
    r"<!-- ci-triage answer to=(?P<to>\d{1,19}) pull=(?P<pull>\d{1,10}) by=(?P<by>\d{1,19}) "
    r"does=(?P<does>[a-z]{1,20}) why=(?P<why>[a-z-]{1,30}) nonce=(?P<nonce>[0-9a-f]{16}) -->\n",
    re.ASCII,
)


@unique
class Does(StrEnum):
    """What became of a command, as the caps and the next command must know it."""

    RERUN = "rerun"  # runs are being run again, or were: it counts as both
    LOOKED = "looked"  # a triage was made for it: it counts as a command
    REFUSED = "refused"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The hidden line.

    Attributes:
        to: The comment that is answered.
        by: The account of the person who wrote it.
        why: Of a refusal, in a word; `-` otherwise.
        nonce: Tells this comment from every other, where no answer tells us its number.
    """

    to: int
    pull: int
    by: int
    does: Does
    nonce: str
    why: str = "-"

    def __str__(self) -> str:
        return (
            f"<!-- ci-triage answer to={self.to} pull={self.pull} by={self.by} "
            f"does={self.does.value} why={self.why} nonce={self.nonce} -->"
        )

    def saying(self, does: Does, why: str = "-") -> Note:
        """Return the note of the same answer with another end."""
        return replace(self, does=does, why=why)


def read_note(body: str) -> Note | None:
    """Read the hidden line of a comment; None when it does not begin with one."""
    found = _MARKER.match(body)
    does = next((one for one in Does if found and one.value == found["does"]), None)
    if found is None or does is None:
        return None
    return Note(
        to=int(found["to"]),
        pull=int(found["pull"]),
        by=int(found["by"]),
        does=does,
        why=found["why"],
        nonce=found["nonce"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is said when a command was done, as Markdown; empty where nothing need be said.

    Attributes:
        has_helped: Whether anything of what was asked came about; without it the comment gets 😕.
        reran: Whether it counts towards the caps of re-runs.
    """

    text: str = ""
    has_helped: bool = True
    reran: bool = False


class Refused(Exception):
    """A command is not done; the text is Markdown, and `why` the reason in a word."""

    def __init__(self, why: str, text: str) -> None:
        self.why = why
        super().__init__(text)


def code(name: str) -> str:
    """Show something that others wrote."""
    return code_span(shown_name(name))


def quoted(text: str) -> str:
    """Show a whole sentence that others wrote."""
    return code_span(shown_name(text, limit=PROSE_LIMIT))


def said(sentence: str) -> str:
    """Show a sentence of the report; what stands between backticks there is a name, and stays literal."""
    return Markup("").words(prose(sentence))


def bullets(lines: tuple[str, ...], *, most: int = 20) -> str:
    """Write a list; what exceeds `most` is counted."""
    shown = [f"- {line}" for line in lines[:most]]
    if len(lines) > most:
        shown.append(f"- and {len(lines) - most} more")
    return "\n".join(shown)
