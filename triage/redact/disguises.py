"""Secrets that do not look like any: encoded, split by escape sequences, or wrapped over lines.

Each disguise is taken off, and what comes out is looked at as plain text is. A part of a text is masked only if that
shows a secret: most of what is encoded is none.
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING
from urllib.parse import unquote

from triage.redact.shapes import MASK, looks_made_up, mask_shapes
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

_ESCAPE = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_FOR_ADDRESSES = regex(r"[A-Za-z0-9_.~+-]*%[0-9A-Fa-f]{2}[A-Za-z0-9_.~+%-]*")
_BASE64 = regex(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_HEX = regex(r"[0-9a-fA-F-]+")
_ENDS_IN_HEX = regex(r"[0-9a-fA-F]{16}\Z")
_OF_A_LANGUAGE = regex(r"[A-Z]?[a-z]+(?:[_.:/-]+[A-Za-z]?[a-z]*)*|[A-Z_]+|\W+|[\d.]+")

# The end of a line that may go on below, and what a line begins with that goes on with the one above.
# What stands below the head of a private key is masked as such.
_LAST = regex(r"(?:[A-Za-z0-9+/=_.~%:@]|(?:^|[^-])-{1,4})\r?\Z")
_NEXT = regex(r"(?:\d{4}-\d\d-\d\dT[\d:.]{8,20}Z )?[ \t|>]{0,40}([A-Za-z0-9+/=_.~%:@-]{4,})([^\n]*)")
_CLOSING = regex(r"[\"\',;})\]]*\r?")
# Wrapped by width: shorter lines end where somebody ended them.
_LEAST_WIDTH = 60
_MOST_LINES = 8
_MOST_BEFORE = 400
_LONGEST = 8_000


def mask_disguised(text: str) -> str:
    """Mask what shows a secret once its disguise is off; the number of lines stays."""
    if "\x1b" in text:
        text = "\n".join(_uncoloured(line) for line in text.split("\n"))
    if "%" in text:
        text = _FOR_ADDRESSES.sub(_decoded_address, text)
    text = _BASE64.sub(_decoded_base64, text)
    return _unwrapped(text) if "\n" in text else text


def _is_secret(plain: str) -> bool:
    return mask_shapes(plain) != plain


def _uncoloured(line: str) -> str:
    """Return a line without its escape sequences if a secret shows then; else as it is."""
    if "\x1b" not in line:
        return line
    plain = _ESCAPE.sub("", line)
    return mask_shapes(plain) if _is_secret(plain) else line


def _decoded_address(found: re.Match[str]) -> str:
    word = found[0]
    return MASK if len(word) <= _LONGEST and _is_secret(unquote(unquote(word))) else word


def _decoded_base64(found: re.Match[str]) -> str:
    word = found[0]
    # The rest of a longer one says no more than its beginning does.
    letters = word[:_LONGEST].rstrip("=").replace("-", "+").replace("_", "/")
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    try:
        plain = binascii.a2b_base64(letters + "=" * (-len(letters) % 4)).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return word
    return MASK if _is_secret(plain) else word


# ---------------------------------------------------------------------------------------------------------------------
# Wrapped over lines


def _unwrapped(text: str) -> str:
    """Mask the parts of a secret on all the lines over which it is wrapped."""
    lines = text.split("\n")
    at = 0
    while at < len(lines) - 1:
        at = _unwrap(lines, at) if _LAST.search(lines[at]) else at + 1
    return "\n".join(lines)


def _unwrap(lines: list[str], first: int) -> int:
    """Mask a secret that begins on the first line and goes on below; return the line to look at next."""
    begin = lines[first].rstrip("\r")[-_MOST_BEFORE:]
    whole, last = begin, first
    for number in range(first + 1, min(first + 1 + _MOST_LINES, len(lines))):
        found = _NEXT.match(lines[number])
        if found is None or not _goes_on(whole, found, is_wide=len(lines[number - 1]) >= _LEAST_WIDTH):
            break
        whole += found[1]
        lines[number] = f"{lines[number][: found.start(1)]}{MASK}{found[2]}"
        last = number
        if not _CLOSING.fullmatch(found[2]) or found[2]:
            break
    if last == first:
        return first + 1
    kept = _common(whole, mask_shapes(whole))
    if kept < len(begin):
        end = "\r" if lines[first].endswith("\r") else ""
        lines[first] = f"{lines[first].rstrip(chr(13))[: -len(begin)]}{begin[:kept]}{MASK}{end}"
    return last + 1


def _goes_on(whole: str, found: re.Match[str], *, is_wide: bool) -> bool:
    """Whether the first word of a line is the rest of a secret on the line before."""
    word, rest = found[1], found[2]
    is_alone = _CLOSING.fullmatch(rest) is not None
    if not (is_alone or is_wide) or mask_shapes(whole + word).endswith(word):
        return False
    # A secret that is one without the word may be whole: what follows must then look like a part of one.
    return not _is_secret(whole) or (is_wide and _is_a_part(word, whole, is_alone=is_alone))


def _is_a_part(word: str, whole: str, *, is_alone: bool) -> bool:
    if _HEX.fullmatch(word):  # else it is a commit, a digest or a uuid
        return is_alone and _ENDS_IN_HEX.search(whole) is not None
    return looks_made_up(word) or (is_alone and not _OF_A_LANGUAGE.fullmatch(word))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many letters are the same from the beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
