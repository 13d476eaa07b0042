"""Plain words that patterns cannot do without, to tell cheaply which patterns are worth compiling for a small text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from triage.matching.patterns import TOKEN
from triage.matching.rarity import rarity_of_text
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

SHORTEST = 2
"""Fewest letters of a word: single letters stand in every text."""

MOST_CLAUSES = 3
"""Of one demand: whatever meets the most telling ones nearly always meets the rest."""

# What matches without eating a character, so that the text round it stays one word.
_ANCHORS = frozenset({"^", "$", r"\b", r"\B"})
_END = ""
_ENDS = frozenset({_END, "|", ")"})
_WIDE = frozenset({".", r"\d", r"\D", r"\s", r"\S", r"\w", r"\W", r"\t", r"\f", r"\v", r"\a"})
_GROUP = regex(r"\((?:\?(?:P?<\w+>|[isU]*(?:-[isU]+)?:))?")
_FLAGS = regex(r"\(\?[isU]*(?:-[isU]+)?\)")
_COUNT = regex(r"[*+?]|\{(\d+)(?:,\d*)?\}")
_EITHER_CASE = regex(r"\[([A-Za-z])([A-Za-z])\]")

Clause = tuple[str, ...]
"""Words of which one stands in whatever is matched."""

Demand = tuple[Clause, ...]
"""Clauses that all hold of whatever is matched, the most telling one first."""

Demands = tuple[Demand, ...]
"""Of these one is met by whatever is matched; none at all where nothing is known of it."""


class _Part(NamedTuple):
    """A part of a pattern: the one text it is, in small letters, or else what it demands."""

    text: str | None = None
    demands: Demands = ()

    @property
    def clauses(self) -> Demand:
        if self.text is not None:
            return ((self.text,),) if len(self.text) >= SHORTEST else ()
        return self.demands[0] if len(self.demands) == 1 else _any_of(self.demands)


_ANYTHING = _Part()


class _UnknownError(Exception):
    """The pattern holds something that is not understood here."""


def demands_of(pattern: str) -> Demands:
    """Return what stands, in letters of any size, on every line that a pattern matches.

    Returns:
        Words in small letters: one of the demands is met there, which is that of each of its clauses one word stands
        there. None at all when nothing could be found; the pattern must then be tried on every text.
    """
    tokens = tuple(match.group() for match in TOKEN.finditer(pattern))
    try:
        part = _Reader(tokens).read()
    except _UnknownError:
        return ()
    demands = part.demands if part.text is None else (part.clauses,)
    return tuple(demand for demand in demands if demand) if all(demands) else ()


class _Reader:
    """Reads the constructs of a pattern from left to right."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = (*tokens, _END)
        self._at = 0

    def read(self) -> _Part:
        part = self._alternatives()
        if self._at < len(self._tokens):
            raise _UnknownError
        return part

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _alternatives(self) -> _Part:
        """Read up to the end of the group or of the pattern, its end included."""
        branches = [self._sequence()]
        while self._take() == "|":
            branches.append(self._sequence())
        if len(branches) == 1:
            return branches[0]
        demands = tuple(demand for branch in branches for demand in _demands(branch))
        return _Part(demands=demands) if all(demands) else _ANYTHING

    def _sequence(self) -> _Part:
        parts = []
        while self._tokens[self._at] not in _ENDS:
            part = self._one(self._take())
            times = _COUNT.fullmatch(self._tokens[self._at])
            if times is not None:
                self._take()
                if self._tokens[self._at] == "?":
                    self._take()
                part = _repeated(part, times)
            parts.append(part)
        return _joined(parts)

    def _one(self, token: str) -> _Part:
        if token in _ANCHORS or _FLAGS.fullmatch(token):
            return _Part(text="")
        if token.startswith("("):
            if not _GROUP.fullmatch(token):
                raise _UnknownError
            return self._group()
        if token.startswith("["):
            case = _EITHER_CASE.fullmatch(token)
            return _Part(text=case[1].lower()) if case and case[1].lower() == case[2].lower() else _ANYTHING
        if token in _WIDE or not _is_one_size(token):
            return _ANYTHING
        return _escaped(token) if token.startswith("\\") else _Part(text=token.lower())

    def _group(self) -> _Part:
        part = self._alternatives()
        if self._tokens[self._at - 1] != ")":
            raise _UnknownError
        return part


def _escaped(token: str) -> _Part:
    if len(token) != 2 or token[1].isalnum():
        raise _UnknownError
    return _Part(text=token[1])


def _is_one_size(text: str) -> bool:
    """Say whether letters that are not ASCII have no small form, which bytes would not be brought to."""
    return text.isascii() or all(letter.isascii() or letter.lower() == letter.upper() for letter in text)


def _repeated(part: _Part, times: re.Match[str]) -> _Part:
    least = {"*": 0, "+": 1, "?": 0}.get(times.group())
    if least is None:
        least = int(times[1])
    return _Part(demands=_demands(part)) if least else _ANYTHING


def _joined(parts: Sequence[_Part]) -> _Part:
    if len(parts) == 1:
        return parts[0]
    run = ""
    telling: list[_Part] = []
    for part in (*parts, _ANYTHING):
        if part.text is not None:
            run += part.text
            continue
        telling += [each for each in (_Part(text=run), part) if each.clauses]
        run = ""
    if all(part.text is not None for part in parts):
        return _Part(text="".join(part.text or "" for part in parts))
    if len(telling) == 1:
        return _Part(demands=_demands(telling[0]))
    clauses = [clause for part in telling for clause in part.clauses]
    return _Part(demands=(tuple(sorted(dict.fromkeys(clauses), key=_telling, reverse=True))[:MOST_CLAUSES],))


def _demands(part: _Part) -> Demands:
    return (part.clauses,) if part.text is not None else part.demands or ((),)


def _any_of(demands: Demands) -> Demand:
    """Ask for one word of the most telling clause of each."""
    best = [max(demand, key=_telling) for demand in demands if demand]
    return (tuple(dict.fromkeys(word for clause in best for word in clause)),) if len(best) == len(demands) > 0 else ()


def _telling(clause: Clause) -> tuple[float, int]:
    """Rate a clause by its least rare word, then by how few words it has."""
    return min(map(rarity_of_text, clause)), -len(clause)
