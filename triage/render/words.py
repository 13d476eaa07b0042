"""Running text whose parts know what they are: plain words, literal names, links.

Sentences are built once, from these, and every format writes them its own way; no format has to guess where a job name
begins or whether a backtick was meant. Whoever makes one has cleaned its text (`foreign_text`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from triage.regex import regex
from triage.render.foreign_text import NAME_LIMIT, PROSE_LIMIT, shown_line, shown_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Code:
    """Something literal: a name, a path, a command."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead somewhere, in formats that can link and where the address is allowed.

    `vetted`: a rule names the address, and rules are reviewed; it may be anywhere, and an issue, too.
    """

    label: str | Code
    url: str
    vetted: bool = False


Words: TypeAlias = "tuple[str | Code | Link, ...]"

# A commit named in prose, alone or in a path: GitHub would make a link of it, so the whole word is shown literally.
_COMMIT: Final = r"(?<![0-9A-Za-z])(?=[0-9a-fA-F]*[0-9])(?=[0-9]*[a-fA-F])[0-9a-fA-F]{7,40}(?![0-9A-Za-z])"
_WITH_COMMIT: Final = regex(rf"[^\s`(]*{_COMMIT}(?:[^\s`]*[^\s`.,;:!?)])?")
_WHOLE_COMMIT: Final = regex(r"[0-9a-f]{40}")
_LITERAL: Final = regex(r"`([^`]+)`")


def literal(name: str, *, limit: int = NAME_LIMIT) -> Code:
    """Make a name literal, cleaned."""
    return Code(shown_name(name, limit=limit))


def prose(text: str, *, limit: int = PROSE_LIMIT) -> Words:
    """Read a sentence of the report: what stands between backticks is literal, the rest is plain."""
    parts: list[str | Code | Link] = []
    for index, part in enumerate(_LITERAL.split(shown_line(text, limit=limit).strip())):
        parts += [Code(part)] if index % 2 else _with_commits(part)
    return tuple(part for part in parts if part != "")


def _with_commits(text: str) -> Iterable[str | Code]:
    position = 0
    for found in _WITH_COMMIT.finditer(text):
        yield text[position : found.start()]
        yield Code(found[0][:7] if _WHOLE_COMMIT.fullmatch(found[0]) else found[0])
        position = found.end()
    yield text[position:]


def sentence(words: Words) -> Words:
    """Make a sentence of the words: a capital letter in front, a full stop at the end."""
    return closed(capitalised(words))


def capitalised(words: Words) -> Words:
    """Begin with a capital letter, unless a name stands there."""
    if words and isinstance(words[0], str):
        return (words[0][:1].upper() + words[0][1:], *words[1:])
    return words


def closed(words: Words) -> Words:
    """Close the words with a full stop unless they end in a stop of their own."""
    last = words[-1] if words else "."
    return words if isinstance(last, str) and last.endswith((".", "!", "?", "…", ":")) else (*words, ".")


def clause(words: Words) -> Words:
    """Turn an imperative sentence into a part of another: no capital letter, no full stop."""
    first = words[0] if words else ""
    if isinstance(first, str) and first[1:2].islower():
        words = (first[:1].lower() + first[1:], *words[1:])
    return without_stop(words)


def merged(words: Words) -> Words:
    """Join plain words that stand side by side, so that what they form together is seen as one; part literals that do.

    Two code spans that touch would be read as one.
    """
    parts: list[str | Code | Link] = []
    for part in words:
        last = parts[-1] if parts else ""
        if isinstance(part, str) and isinstance(last, str) and parts:
            parts[-1] = last + part
            continue
        if not isinstance(part, str) and not isinstance(last, str):
            parts.append(" ")
        parts.append(part)
    return tuple(parts)


def without_stop(words: Words) -> Words:
    """Drop the full stop at the end, so that the words can stand inside another sentence."""
    if words and isinstance(words[-1], str):
        return (*words[:-1], words[-1].rstrip(". "))
    return words


def listed(items: Sequence[str | Code | Link], *, most: int) -> Words:
    """Enumerate: `a, b and c`; past `most` of them the rest is counted: `a, b and 4 more`."""
    shown: list[str | Code | Link] = list(items[:most])
    if len(items) > len(shown):
        shown.append(f"{len(items) - len(shown)} more")
    parts: list[str | Code | Link] = []
    for index, item in enumerate(shown):
        if index:
            parts.append(" and " if index == len(shown) - 1 else ", ")
        parts.append(item)
    return tuple(parts)


def plural(number: int, one: str, many: str = "") -> str:
    """Count things: `1 job`, `21 jobs`, `1,357 commits`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
