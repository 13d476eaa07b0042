"""Lines that take back what their words say: told as no failure in the same breath, or mended by the line below."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.regex import regex

if TYPE_CHECKING:
    from triage.classify.view import LogView
    from triage.model import LogLine

_NO_FAILURE = regex(
    r"\((?:as )?expected\)|\((?:ignored|ok|will retry|retrying|known issue|harmless|simulated|injected)\b"
    r"|, (?:retried|retrying), (?:ok\b|2\d\d\b)|\b(?:handler|hook) (?:is )?(?:installed|registered|enabled)\b"
    r"|# doctest: |\bApplied patch cleanly\b|\((?:falling back|using) (?:to )?[^)]*\)\s*$",
    re.IGNORECASE,
)
_AS_EXPECTED = regex(r"\bas expected[.!]?\s*$", re.IGNORECASE)
_NEGATION = regex(r"\b(?:not|never|no|isn't|didn't|doesn't|wasn't|without|cannot|unable)\b", re.IGNORECASE)

_MENDED = regex(
    r"\bretr(?:y|ies|ied|ying)\b.{0,40}\b(?:ok|succeeded|successful(?:ly)?|success|done)\b"
    r"|\b(?:succeeded|ok|success|passed) (?:on|after|at|in) .{0,16}\b(?:attempts?|retry|retries|try|tries)\b",
    re.IGNORECASE,
)
_BELOW = 3
"""Lines below a broken-off attempt in which a tool says that the next one succeeded."""


def is_taken_back(text: str) -> bool:
    """Whether a line says itself that it is no failure: `(ignored)`, `refused as expected`, a handler installed."""
    if _AS_EXPECTED.search(text):
        return not _NEGATION.search(text)
    return bool(_NO_FAILURE.search(text))


def is_mended(line: LogLine, view: LogView) -> bool:
    """Whether the lines just below say that trying again succeeded."""
    below = view.between(line.number + 1, line.number + _BELOW)
    return any(_MENDED.search(other.text) and not _NEGATION.search(other.text) for other in below)
