"""Failures that say nearly the same, put together: what one new rule could explain.

Texts are compared as signatures see them, so that times, hosts and temporary files tell nothing apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from triage.signature import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

ALIKE: Final = 85.0
"""From this likeness on, of 100, two texts are of one cluster."""

MOST_TEXTS: Final = 20_000
"""Different texts that are counted; of each, failures without end."""

MOST_COMPARED: Final = 2_000
"""Of these the most frequent are compared: who was seen once among so many makes no rule."""

SAMPLES: Final = 6
"""Wordings kept of one text, as they stood in the log."""

COMPARED: Final = 160
"""Characters of a text that are compared."""


class Sighted(Protocol):
    """A failure as the history knows it."""

    @property
    def excerpt(self) -> str: ...  # noqa: D102  its best line
    @property
    def at(self) -> datetime | None: ...  # noqa: D102
    @property
    def rule(self) -> str | None: ...  # noqa: D102
    @property
    def pull(self) -> tuple[str, int] | None: ...  # noqa: D102
    @property
    def author(self) -> str: ...  # noqa: D102
    @property
    def host(self) -> str | None: ...  # noqa: D102


@dataclass(slots=True)
class Cluster:
    """Failures that say nearly the same.

    Attributes:
        text: What the most frequent of them says, as signatures see it.
        size: How many failures.
        samples: Lines as they stood in the log, each different, those of the most frequent text first.
        rules: Rules that only know that something was raised, where such a one matched.
        texts: How many different texts, as signatures see them.
    """

    text: str
    size: int = 0
    texts: int = 1
    samples: list[str] = field(default_factory=list)
    pulls: set[tuple[str, int]] = field(default_factory=set)
    authors: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)
    newest: datetime | None = None

    def add(self, one: Sighted) -> None:
        """Count one more failure."""
        self.size += 1
        if one.excerpt not in self.samples and len(self.samples) < SAMPLES:
            self.samples.append(one.excerpt)
        self.pulls |= {one.pull} if one.pull else set()
        self.authors |= {one.author} if one.author else set()
        self.hosts |= {one.host} if one.host else set()
        self.rules |= {one.rule} if one.rule else set()
        self.newest = max(filter(None, (self.newest, one.at)), default=None)

    def join(self, other: Cluster) -> None:
        """Take in another one."""
        self.size += other.size
        self.texts += other.texts
        # Of each text one sample first: a pattern must hold for all of them.
        self.samples = list(dict.fromkeys([*self.samples, *other.samples[:1]]))
        self.pulls |= other.pulls
        self.authors |= other.authors
        self.hosts |= other.hosts
        self.rules |= other.rules
        self.newest = max(filter(None, (self.newest, other.newest)), default=None)


@dataclass(frozen=True, slots=True)
class Clustered:
    """All clusters, largest first; how many failures were looked at, and how many of these were left out."""

    clusters: tuple[Cluster, ...]
    failures: int
    left_out: int


def cluster(failures: Iterable[Sighted], *, most_compared: int = MOST_COMPARED) -> Clustered:
    """Put failures together that say nearly the same; memory is bounded by the number of different texts.

    Args:
        failures: In any order; read once.
        most_compared: How many of the different texts are compared, the most frequent ones.

    Raises:
        ModuleNotFoundError: rapidfuzz is not installed.
    """
    texts: dict[str, Cluster] = {}
    of_shape: dict[str, str] = {}
    seen = left_out = 0
    for one in failures:
        seen += 1
        shape = _DIGITS.sub("0", one.excerpt)
        # What signatures see takes a thousand times as long to tell as the shape does.
        text = of_shape.get(shape) or normalise(one.excerpt)
        if text not in texts and len(texts) >= MOST_TEXTS:
            left_out += 1
            continue
        of_shape.setdefault(shape, text)
        texts.setdefault(text, Cluster(text)).add(one)
    by_size = sorted(texts.values(), key=lambda one: (-one.size, one.text))
    left_out += sum(one.size for one in by_size[most_compared:])
    found = _joined(by_size[:most_compared])
    return Clustered(tuple(sorted(found, key=lambda one: (-one.size, one.text))), seen, left_out)


_DIGITS = re.compile(r"[0-9a-f]*\d[0-9a-f]*")


def nearest(cluster: Cluster, others: Sequence[Cluster]) -> list[Cluster]:
    """Return the other clusters, the most similar first: near misses, of which a rule must keep away."""
    from rapidfuzz import fuzz, process

    texts = [other.text[:COMPARED] for other in others]
    ranked = process.extract(cluster.text[:COMPARED], texts, scorer=fuzz.ratio, limit=len(texts))
    return [others[place] for _, _, place in ranked if others[place] is not cluster]


def _joined(texts: Sequence[Cluster]) -> list[Cluster]:
    """Let each text join the cluster whose most frequent text it is most like, else open one."""
    from rapidfuzz import fuzz, process

    leaders: list[Cluster] = []
    leading: list[str] = []
    for one in texts:
        text = one.text[:COMPARED]
        best = process.extractOne(text, leading, scorer=fuzz.ratio, score_cutoff=ALIKE) if leading else None
        if best is None:
            leaders.append(one)
            leading.append(text)
        else:
            leaders[best[2]].join(one)
    return leaders
