"""Short pieces that patterns cannot do without, to be looked for first in every byte of a log.

Each pattern is relaxed to a few pieces without wide repetition, such that every line it matches holds a match of one of
them. A pattern that cannot be relaxed to something rare has no pieces.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from triage.matching.patterns import TOKEN
from triage.matching.rarity import ANCHORS, BLANKS, DIGITS, SIGN, is_escaped, rarity_of
from triage.regex import regex

if TYPE_CHECKING:
    import re

RARE_ENOUGH = 1.7
"""Least rarity of a piece, in letters: nearly every line holds an `e`, few hold `.kt`."""

RARE = 9.0
"""What is rarer than this is cut: that a line goes on is found out when it is tried."""

_FEW = 4

_END = ""
_ENDS = frozenset({_END, "|", ")"})
_ESCAPE = regex(r"\\(?:[dDsSwWtfva]|[pPx]\{[^}]*\}|[^\w])")
_FLAGS = regex(r"\(\?([isU-]*)([:)])")
_COUNT = regex(r"\{(\d+)(,?)(\d*)\}")
# Digits, blanks and single characters that are neither letters nor a range.
_NARROW_CLASS = regex(r"\[(?:0-9|\\[dst]|\\[^\w]|[^\w\\\]^-])+\]")
_REPEATED = regex(r"(?<!\\)\)\{(\d+),\d*\}$")
"""How a bit ends that repeats; see `_times_over`."""

_Bit = tuple[str, float]
"""A bit of a pattern that may not be cut, and its rarity."""


class _Pieces(NamedTuple):
    """Alternatives, each a row of bits, and the rarity of the least rare of them."""

    alternatives: tuple[tuple[_Bit, ...], ...]
    rarity: float

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple("".join(text for text, _ in bits) for bits in self.alternatives)

    @property
    def text(self) -> str:
        texts = self.texts
        return texts[0] if len(texts) == 1 else f"(?:{'|'.join(texts)})"

    def cut(self) -> _Pieces:
        return _Pieces(tuple(_cut(bits) for bits in self.alternatives), min(self.rarity, RARE))


class _UnknownError(Exception):
    """The pattern holds something that is not understood here; it is then tried everywhere."""


class _Part(NamedTuple):
    """A part of a pattern.

    Attributes:
        whole: What may stand in a piece in its place; None when it repeats something wide.
        inside: Else pieces, of which one stands in whatever it matches; None when there are none.
        repeats: Whether it may repeat within a piece, as digits and blanks may.
    """

    whole: _Pieces | None = None
    inside: _Pieces | None = None
    repeats: bool = False

    @property
    def best(self) -> _Pieces | None:
        return self.whole or self.inside


_ANYTHING = _Part()


def pieces_of(pattern: str) -> tuple[str, ...] | None:
    """Relax a pattern.

    Returns:
        Patterns without wide repetition, of which one matches in every line that `pattern` matches. None when all that
        could be found stands on too many lines.
    """
    tokens = tuple(match.group() for match in TOKEN.finditer(pattern))
    try:
        best = _read(tokens, folds_case=False).best
    except _UnknownError:
        return None
    return best.cut().texts if best is not None and best.rarity >= RARE_ENOUGH else None


@cache  # rules share long parts
def _read(tokens: tuple[str, ...], *, folds_case: bool) -> _Part:
    return _Reader(tokens, folds_case=folds_case).read()


class _Reader:
    """Reads the constructs of a pattern or of a group in it, from left to right."""

    def __init__(self, tokens: tuple[str, ...], *, folds_case: bool) -> None:
        self._tokens = (*tokens, _END)
        self._folds_case = folds_case
        self._at = 0

    def read(self) -> _Part:
        branches = [self._sequence()]
        while self._take() == "|":
            branches.append(self._sequence())
        if self._at < len(self._tokens):
            raise _UnknownError
        return branches[0] if len(branches) == 1 else _either(branches)

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _sequence(self) -> _Part:
        parts = []
        while self._tokens[self._at] not in _ENDS:
            token = self._take()
            part = self._group(token) if token.startswith("(") else _single(token, folds_case=self._folds_case)
            if part is not None:
                parts.append(self._repeated(part))
        return _joined(parts)

    def _repeated(self, part: _Part) -> _Part:
        times = _times(self._tokens[self._at])
        if times is None:
            return part
        self._take()
        if self._tokens[self._at] == "?":  # lazy: the same texts match
            self._take()
        return _times_over(part, *times)

    def _group(self, token: str) -> _Part | None:
        """Read a whole group; None for `(?i)`, which only says how to read what follows."""
        folds_case = self._folds_case
        if flags := _FLAGS.fullmatch(token):
            on, _, off = flags[1].partition("-")
            folds_case = "i" in on or (folds_case and "i" not in off)
            if flags[2] == ")":
                self._folds_case = folds_case
                return None
        elif not token.endswith(("(", ">")):
            raise _UnknownError
        start = self._at
        self._at = self._end_of_group(start) + 1
        return _read(self._tokens[start : self._at - 1], folds_case=folds_case)

    def _end_of_group(self, at: int) -> int:
        depth = 1
        for end in range(at, len(self._tokens)):
            construct = self._tokens[end]
            if construct == ")":
                depth -= 1
            elif construct.startswith("(") and not construct.endswith(")"):
                depth += 1
            if not depth:
                return end
        raise _UnknownError


@cache
def _single(token: str, *, folds_case: bool) -> _Part:
    if token in ANCHORS:
        return _Part(whole=_one(token, ANCHORS[token]))
    if token in {"*", "+", "?"} or (token[0] == "\\" and not _ESCAPE.fullmatch(token)):
        raise _UnknownError
    written = f"\\{token}" if token in {"{", "}"} else token
    written = f"(?i:{written})" if folds_case else written
    return _Part(whole=_one(written, rarity_of(token)), repeats=_is_narrow(token))


def _one(text: str, rarity: float) -> _Pieces:
    return _Pieces((((text, rarity),),), rarity)


def _is_narrow(construct: str) -> bool:
    if construct in DIGITS or construct in BLANKS or is_escaped(construct):
        return True
    return (len(construct) == 1 and construct != ".") or _NARROW_CLASS.fullmatch(construct) is not None


def _times(construct: str) -> tuple[int, int | None] | None:
    """Read a repetition as least and most, None for no limit; None when the construct is no repetition."""
    if construct in {"*", "+", "?"}:
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[construct]
    count = _COUNT.fullmatch(construct)
    if count is None:
        return None
    least = int(count[1])
    if not count[2]:
        return least, least
    return least, int(count[3]) if count[3] else None


def _times_over(part: _Part, least: int, most: int | None) -> _Part:
    if part.whole is None or not (part.repeats or (most is not None and most <= _FEW)):
        return _Part(inside=part.best) if least else _ANYTHING
    # Seventy `=` in a row hold four: no need to count on.
    limit = most if most is not None and most <= _FEW else ""
    times = f"{{{min(least, _FEW)},{limit}}}"
    return _Part(whole=_one(f"(?:{part.whole.text}){times}", part.whole.rarity * min(least, _FEW)))


def _joined(parts: list[_Part]) -> _Part:
    if len(parts) == 1:
        return parts[0]
    run: list[_Pieces] = []
    found: list[_Pieces] = []
    for part in parts:
        if part.whole is not None:
            run.append(part.whole)
            continue
        found.append(_run(run))
        run = []
        if part.inside is not None:
            found.append(part.inside)
    if all(part.whole is not None for part in parts):
        return _Part(whole=_run(run))
    return _Part(inside=max([*found, _run(run)], key=lambda pieces: pieces.rarity))


def _run(parts: list[_Pieces]) -> _Pieces:
    bits: list[_Bit] = []
    for part in parts:
        bits += part.alternatives[0] if len(part.alternatives) == 1 else ((part.text, part.rarity),)
    return _Pieces((tuple(bits),), sum(part.rarity for part in parts))


def _either(branches: list[_Part]) -> _Part:
    wholes = [branch.whole for branch in branches if branch.whole is not None]
    if len(wholes) == len(branches):
        return _Part(whole=_all_of(wholes))
    best = [branch.best for branch in branches if branch.best is not None]
    return _Part(inside=_all_of(best)) if len(best) == len(branches) else _ANYTHING


def _all_of(pieces: list[_Pieces]) -> _Pieces:
    return _Pieces(tuple(bits for each in pieces for bits in each.alternatives), min(each.rarity for each in pieces))


def _cut(bits: tuple[_Bit, ...]) -> tuple[_Bit, ...]:
    """Keep the first bits that together are rare."""
    for start, (_, rarity) in enumerate(bits):
        if rarity < SIGN:  # a line is not found sooner by its blanks
            continue
        total = 0.0
        for end in range(start, len(bits)):
            total += bits[end][1]
            if total >= RARE:
                return _trimmed(bits[start : end + 1])
        break
    return _trimmed(bits)


def _trimmed(bits: tuple[_Bit, ...]) -> tuple[_Bit, ...]:
    """Take off the ends what may be missing there, and how often the rest may repeat: what is left tells as much."""
    first, last = 0, len(bits)
    while last - first > 1 and _least(bits[first]) == 0:
        first += 1
    while last - first > 1 and _least(bits[last - 1]) == 0:
        last -= 1
    kept = list(bits[first:last])
    for end in (0, -1):
        text, rarity = kept[end]
        kept[end] = _REPEATED.sub(_no_more, text), rarity
    return tuple(kept)


def _least(bit: _Bit) -> int | None:
    times = _REPEATED.search(bit[0])
    return int(times[1]) if times else None


def _no_more(times: re.Match[str]) -> str:
    return ")" if times[1] == "1" else f"){{{times[1]}}}"
