"""Text that others wrote, made harmless before it is shown: log lines, names, titles, messages.

Everything that reaches a reader goes through here once: escape sequences, control, bidirectional and invisible
characters are removed, secrets are masked, and what is left is one line of bounded length. How such a line is then
kept from being read as markup is each format's own business (`markdown_text`, `terminal`, `annotations`).
"""

from __future__ import annotations

import re
from typing import Final

from triage.redact import redact
from triage.regex import regex

LINE_LIMIT: Final = 500
NAME_LIMIT: Final = 120
PROSE_LIMIT: Final = 400
ADDRESS_LIMIT: Final = 500
NAMELESS: Final = "(no name)"

# Nothing that long is ever shown; cutting first keeps the work on one string bounded, and the cut is far behind every
# limit above, so that no secret is cut in half before it is masked.
_READ_LIMIT: Final = 16_384

# A title or hyperlink sequence is dropped with its text only when it is closed: an open one must not hide the rest.
_ESCAPE_SEQUENCE: Final = regex(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]"
)
_LINE_BREAK: Final = regex("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Written out instead of asked from `unicodedata`: the same report must give the same bytes on every Python.
UNSEEN: Final = regex(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"  # C0 and C1, separators, halves of characters
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero width, bidirectional
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"  # blanks, variation selectors, byte order mark
    "\ufdd0-\ufdef\ufffe\uffff"  # not characters
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # musical control, tags
    "]"
)
# No parentheses, quotes or spaces: they would end a Markdown link. No user names in front of the host.
_ADDRESS: Final = regex(r"https?://[A-Za-z0-9.:-]+/[\w./~%:#+@=-]*", re.ASCII)
_QUERY: Final = regex(r"\?[^#]*")
_SURROGATE: Final = regex("[\ud800-\udfff]")


def shown_line(text: str, *, limit: int = LINE_LIMIT) -> str:
    """Return the text as one line that is safe to print, secrets masked, at most `limit` characters long.

    Leading spaces stay: indentation is part of a log line. Line breaks become single spaces.
    """
    seen = _ESCAPE_SEQUENCE.sub("", text[:_READ_LIMIT])
    seen = _LINE_BREAK.sub(" ", seen).replace("\t", "    ")
    seen = UNSEEN.sub("", _SURROGATE.sub("\ufffd", seen))
    return shortened(redact(seen).rstrip(), limit=limit)


def shown_name(text: str, *, limit: int = NAME_LIMIT) -> str:
    """Return the name of a job, step, label, host, branch or file; `NAMELESS` when nothing visible is left of it."""
    return " ".join(shown_line(text, limit=limit).split()) or NAMELESS


def shown_address(url: str) -> str:
    """Return an address that is safe to print, without its query: signed addresses carry their signature there.

    Empty when it is no plain web address.
    """
    bare = without_query(url)
    return bare if len(bare) <= ADDRESS_LIMIT and _ADDRESS.fullmatch(bare) else ""


def without_query(url: str) -> str:
    """Return the address without what stands between `?` and `#`."""
    return _QUERY.sub("", url, count=1)


def shortened(text: str, *, limit: int) -> str:
    """Cut the text to `limit` characters, the last of them an ellipsis when anything was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
