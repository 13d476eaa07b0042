"""What of a cleaned line is kept for people: no control characters, nothing invisible, no more than fits a page."""

from __future__ import annotations

from triage.regex import regex

MAX_LINE_CHARS = 2000

# C0 but the tab, DEL and C1; soft hyphen; marks that turn the direction of text; what takes no room at all.
_INVISIBLE = regex(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_COMMAND = "##["


def shown(line: bytes) -> str:
    """Decode a cleaned line that has lost its stamp, at most `MAX_LINE_CHARS` characters of it.

    Taking invisible characters away never makes a mark of the runner out of something that was none: such a line
    keeps a replacement character in front.
    """
    text = line.decode("utf-8", "replace")
    if text.isascii() and text.isprintable():
        return text[:MAX_LINE_CHARS]
    visible = _INVISIBLE.sub("", text)
    if visible.startswith(_COMMAND) and not text.startswith(_COMMAND):
        visible = "\ufffd" + visible
    return visible[:MAX_LINE_CHARS]
