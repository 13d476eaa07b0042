"""A rule drafted from failures that say nearly the same, for a person to name and to judge.

The pattern is what all their lines share, with a gap where they differ or where a signature sees something that varies.
Whose failure it is, no likeness of texts can tell: a draft claims nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from triage.matching import check_pattern, find
from triage.rules.bounds import needs_a_word
from triage.rules.notation import DECIDES
from triage.rules.passing import passing_logs
from triage.signature import normalise

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from triage.rules.clusters import Cluster

EXAMPLES: Final = 3
NEAR_MISSES: Final = 2
LONGEST: Final = 140
"""Characters of a pattern's plain text: more of a line makes a rule for that line alone."""

LEAST_LETTERS: Final = 10
"""Of a pattern, and a word of at least four."""

_GAP: Final = "\0"
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")
_WORD = re.compile(r"[A-Za-z]{3,}")
_IDLE = frozenset(("the", "and", "for", "with", "was", "has", "not", "but", "from", "that", "this", "are"))


@dataclass(frozen=True, slots=True)
class Draft:
    """A rule as YAML, ready to paste below `rules:`."""

    id: str
    yaml: str


def draft(cluster: Cluster, near: Sequence[Cluster], taken: Collection[str]) -> Draft | str:
    """Draft a rule for a cluster.

    Args:
        cluster: What the rule is to know.
        near: Other clusters, the most similar first, of which it must keep away.
        taken: Ids that are in use.

    Returns:
        The draft; else a sentence saying why none can be made.
    """
    samples = [sample for sample in map(_clean, cluster.samples) if not _is_marked(sample)]
    if not samples:
        return "its lines hold the marks that examples are written with"
    pattern = pattern_of(samples)
    if pattern is None:
        return "its lines share too little text"
    for name, text in passing_logs():
        if any(find(pattern, line) is not None for line in text.split("\n")):
            return f"what its lines share shows in a passing log (`{name}`), too"
    misses = _misses(pattern, near)
    rule_id = _id_of(pattern, taken)
    return Draft(rule_id, _yaml(rule_id, pattern, samples, misses, cluster))


def pattern_of(samples: Sequence[str]) -> str | None:
    """Return a pattern that matches every sample, made of what they share; None when that is too little."""
    shared = _steady(samples[0])
    for sample in samples[1:]:
        shared = _common(shared, _steady(sample))
    runs = ["".join(run) for run in _runs(shared)]
    runs = _bounded([run.strip() for run in runs if len(re.sub(r"[\W_]", "", run)) > 1])
    pattern = ".*".join(re.sub(r"\s+", r"\\s+" if _has_wide_blanks(samples) else " ", _plain(run)) for run in runs)
    words = _WORD.findall(" ".join(runs))
    if sum(map(len, words)) < LEAST_LETTERS or not any(len(word) > len("abc") for word in words):
        return None
    if check_pattern(pattern) or not needs_a_word(pattern):
        return None
    return pattern if all(find(pattern, sample) is not None for sample in samples) else None


def _steady(sample: str) -> list[str]:
    """Return the tokens that a signature keeps, with a gap for each stretch that it replaces."""
    tokens, kept = _TOKEN.findall(sample), _TOKEN.findall(normalise(sample))
    blocks = SequenceMatcher(None, [_blank(token) for token in tokens], kept, autojunk=False).get_matching_blocks()
    steady: list[str] = []
    at = 0
    for block in blocks:
        if block.a > at:
            steady.append(_GAP)
        steady += [_blank(token) for token in tokens[block.a : block.a + block.size]]
        at = block.a + block.size
    return steady


def _common(one: list[str], other: list[str]) -> list[str]:
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    common: list[str] = []
    ends = (0, 0)
    for block in blocks:
        if (block.a, block.b) != ends:
            common.append(_GAP)
        common += one[block.a : block.a + block.size]
        ends = (block.a + block.size, block.b + block.size)
    return common


def _runs(tokens: Sequence[str]) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for token in tokens:
        if token == _GAP:
            runs.append([])
        else:
            runs[-1].append(token)
    return runs


def _bounded(runs: Sequence[str]) -> list[str]:
    """Cut the runs to so much text, at a blank."""
    kept: list[str] = []
    left = LONGEST
    for run in runs:
        piece = run if len(run) <= left else run[:left].rpartition(" ")[0].strip()
        if piece:
            kept.append(piece)
        left -= len(run)
        if left <= 0:
            break
    return kept


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _blank(token: str) -> str:
    return " " if token.isspace() else token


def _has_wide_blanks(samples: Sequence[str]) -> bool:
    return any("  " in sample.strip() or "\t" in sample for sample in samples)


def _misses(pattern: str, near: Sequence[Cluster]) -> list[tuple[str, str]]:
    """Return reason and line of the nearest failures that the pattern leaves alone; of a passing log at least."""
    found: list[tuple[str, str]] = []
    for other in near:
        line = next((each for each in map(_clean, other.samples) if not _is_marked(each) and each.strip()), None)
        if line is not None and find(pattern, line) is None:
            found.append(("another failure, which only looks like it", line))
        if len(found) == NEAR_MISSES:
            return found
    name, text = passing_logs()[-1]
    return found or [(f"a job that passed ({name})", text.split("\n")[0])]


def _id_of(pattern: str, taken: Collection[str]) -> str:
    words = [word.lower() for word in _WORD.findall(pattern) if word.lower() not in _IDLE]
    name = "-".join(words[:4])[:50].strip("-") or "unnamed"
    number = 2
    unique = name
    while unique in taken:
        unique = f"{name}-{number}"
        number += 1
    return unique


def _yaml(
    rule_id: str, pattern: str, samples: Sequence[str], misses: Sequence[tuple[str, str]], cluster: Cluster
) -> str:
    title = " ".join(_WORD.findall(pattern))[:60].strip()
    lines = [
        *(f"# {line}" for line in about(cluster)),
        "# A person has to decide `fault`: what broke. Until then the rule claims nothing. `code` asks the author to",
        "# look; `infrastructure` tells every author that there is nothing to mend, so write it only when no change of",
        "# this repository could make a tool print this line, and say with `where:` where it may stand.",
        f"- id: {rule_id}",
        f"  title: {_quoted(f'To be named: {title}')}",
        "  fault: unknown  # a person decides",
        f"  line: {_quoted(pattern)}",
        "  examples:",
        "    match:",
        *(f"      - {_quoted(DECIDES + sample)}" for sample in samples[:EXAMPLES]),
        "    no_match:",
    ]
    for why, line in misses:
        lines += [f"      - why: {_quoted(why)}", f"        log: {_quoted(line)}"]
    return "\n".join(lines)


def about(cluster: Cluster) -> list[str]:
    """Say in a line how often a cluster was seen, where, and by whom."""
    counts = (
        (cluster.size, "failure"),
        (cluster.texts, "wording"),
        (len(cluster.pulls), "pull request"),
        (len(cluster.authors), "author"),
        (len(cluster.hosts), "host"),
    )
    told = ", ".join(f"{number:,} {what}{'' if number == 1 else 's'}" for number, what in counts)
    newest = f"; last on {cluster.newest:%Y-%m-%d}" if cluster.newest else ""
    general = f"; so far only {', '.join(sorted(cluster.rules))} knew it" if cluster.rules else ""
    return [f"{told}{newest}{general}"]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _clean(sample: str) -> str:
    """Return a line as YAML can hold it."""
    return "".join(char if char.isprintable() or char == "\t" else " " for char in sample).rstrip()


def _is_marked(sample: str) -> bool:
    return any(mark in sample for mark in ("‹", "›", DECIDES.strip()))
