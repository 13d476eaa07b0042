"""What patterns cannot do without: worked out ahead and kept in a file, because that takes longer than a small log."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from triage.matching.pieces import pieces_of
from triage.matching.words import demands_of
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from triage.matching.words import Demands


class Outline(NamedTuple):
    """What stands on every line that a pattern matches.

    Attributes:
        demands: As plain words, to tell whether the pattern is worth compiling for a small text; see `demands_of`.
        pieces: As short patterns, for the sieve of a large log; None when there are none that are rare.
    """

    demands: Sequence[Sequence[Sequence[str]]]
    pieces: Sequence[str] | None


def outline_of(pattern: str) -> Outline:
    """Work out the outline of a pattern, in about half a millisecond."""
    return Outline(demands_of(pattern), pieces_of(pattern))


def write_outlines(patterns: Iterable[str]) -> str:
    """Write the outlines of patterns as JSON, one a line, by the pattern itself."""
    outlines = {pattern: (demands_of(pattern), pieces_of(pattern)) for pattern in patterns}
    write = partial(json.dumps, ensure_ascii=False)
    lines = (
        f"{write(pattern)}: {write([_without_hosts(demands), pieces])}"
        for pattern, (demands, pieces) in sorted(outlines.items())
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


_TOP_DOMAIN = regex(r"[a-z]\.(com|io|net|org)\b")


def _without_hosts(demands: Demands) -> Demands:
    """End words before the top domain of a host: a file that is made lists no hosts, and what is left tells as much."""
    return tuple(tuple(tuple(dict.fromkeys(map(_up_to_host, clause))) for clause in demand) for demand in demands)


def _up_to_host(word: str) -> str:
    host = _TOP_DOMAIN.search(word)
    return word if host is None else word[: host.start(1)]


class Outlines:
    """Outlines that were written to files. A pattern that was changed since then has none."""

    def __init__(self, *written: bytes) -> None:
        self._outlines = {pattern: outline for text in written for pattern, outline in json.loads(text).items()}

    def of(self, patterns: Iterable[str]) -> Mapping[str, Outline]:
        """Return the outlines of those patterns that have one."""
        found = ((pattern, self._outlines.get(pattern)) for pattern in patterns)
        return {pattern: Outline(*outline) for pattern, outline in found if outline is not None}
