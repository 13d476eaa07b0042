"""Looking for pieces of patterns in lines that still have their colours: taking those off costs as much as looking.

A colour may stand between any two letters. What else a terminal is told is rare: lines with that are looked at anyway.
"""

from __future__ import annotations

import re

from triage.matching.patterns import TOKEN

_PLAIN_ESCAPE = r"\x1b(?:\[[0-9;]*[A-Za-z]|\(B)"
"""Colours and what tools print with them: the end of a line wiped, the usual letters again."""

OTHER_ESCAPES = r"\x1b(?:[^\[(]|\[[0-9;]*(?:[^0-9;A-Za-z]|$)|\((?:[^B]|$)|$)"
"""An escape that pieces do not look through."""

_ANY = f"(?:{_PLAIN_ESCAPE})*"

# Plain digits, for a colour may stand between these, too.
_STAMP = r"\d\d\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\d\d\d\d\dZ"

_LAYOUT = re.compile(r"\(.*|[|)^$]|\{\d.*\}")
"""What holds the letters together, which have their colours themselves."""

_BOUNDARIES = frozenset({r"\b", r"\B"})


def through_colours(piece: str) -> str:
    """Write a piece, without an opening `^`, such that it matches wherever it would if no colours stood there."""
    return "".join(_coloured(match.group()) for match in TOKEN.finditer(piece))


def _coloured(construct: str) -> str:
    if _LAYOUT.fullmatch(construct):
        return construct
    if construct in _BOUNDARIES:
        return f"(?:{construct}|{_PLAIN_ESCAPE})"  # what ends a colour is a letter as well
    if construct == "." or (construct[0] in "\\[" and len(construct) > 1):
        return construct + _ANY
    return "".join(re.escape(letter) + _ANY for letter in construct)


LINE_START = rf"^{_ANY}(?:\x{{FEFF}}{_ANY})?(?:{through_colours(_STAMP)} ?{_ANY})?"
"""Where the text of a line starts: behind its timestamp, and behind colours."""
