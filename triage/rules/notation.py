"""Excerpts that hold their own expectation: `▶ ` begins the line that decides, `‹ ›` stand round each capture.

The reader's eye is on the line anyway, so the expectation stands there too, and a change of it shows in the diff.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DECIDES = "▶ "
_CAPTURE = re.compile("‹([^‹›]*)›")


class NotationError(ValueError):
    """The marks do not make sense; the text is a sentence for the author of the example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A piece of a log with what a rule must find in it.

    Attributes:
        text: The excerpt as a log holds it, without the marks.
        decides: 1-based number of the deciding line; None in an excerpt without expectation.
        captures: The captured texts in the order in which they stand.
    """

    text: str
    decides: int | None = None
    captures: tuple[str, ...] = ()


def read_excerpt(marked: str) -> Excerpt:
    """Take the marks out of an excerpt.

    Raises:
        NotationError: more than one line decides, or a capture is not closed on its line.
    """
    lines, captures, decides = [], [], None
    for number, line in enumerate(marked.splitlines(), start=1):
        if line.startswith(DECIDES):
            if decides is not None:
                raise NotationError(f"lines {decides} and {number} both begin with `{DECIDES}`; one line decides")
            decides = number
        captures += _CAPTURE.findall(line)
        bare = _CAPTURE.sub(r"\1", line.removeprefix(DECIDES))
        if "‹" in bare or "›" in bare:
            raise NotationError(f"line {number} has a `‹` or `›` without its partner")
        lines.append(bare)
    return Excerpt(text="\n".join(lines), decides=decides, captures=tuple(captures))
