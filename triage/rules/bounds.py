"""What a rule's patterns can cost at most: the size of their program, and what a hostile line does to them.

RE2 never needs more steps than program times line, so a bound on the program is a bound on the work. What a pattern
costs on most lines is another matter: without a text that must stand there it is tried on each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import re2

from triage.matching.patterns import compile_pattern, for_block, options
from triage.rules.hygiene import pattern_key
from triage.rules.ruleset import problem_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from triage.errors import Problem
    from triage.model import Rule
    from triage.rules.ruleset import RuleSet

MOST_INSTRUCTIONS: Final = 8_000
"""Of one compiled pattern, forwards or backwards. Lists of dozens of wordings have 4,000."""

LONG: Final = 8_192
"""Bytes of a hostile line."""

MOST_SECONDS: Final = 1.0
"""For all hostile lines and one rule. Rules take a few thousandths; this is no measure of speed, but of stopping."""

HOSTILE: Final[tuple[bytes, ...]] = (
    *(bait * (LONG // len(bait)) for bait in (b"a", b" ", b"0:", b"/", b"error: ", b"at ", b"((", b"<a", b"\\x", b'"')),
    b"a" * (LONG - 1) + b"!",  # what `(a+)+$` dies of elsewhere
    b"a b" * (LONG // 3) + b"\x00",
    bytes(range(128, 256)) * (LONG // 128),  # no UTF-8
    "é\u202e𝄞".encode() * (LONG // 9),
)


def program_size(pattern: str) -> int:
    """Return the instructions of a compiled pattern, of the larger of its two directions."""
    compiled = compile_pattern(pattern)
    return int(max(compiled.programsize, compiled.reverseprogramsize))


def needs_a_word(pattern: str) -> bool:
    """Whether a text of some letters must stand where the pattern matches, which is looked for first."""
    looked_for = re2.Filter()
    looked_for.Add(for_block(pattern), options())
    looked_for.Add(b"never in the text", options())
    looked_for.Compile()
    return not looked_for.Match(b"zzzz 12 qqqq\n", potential=True)


def check_bounds(rules: RuleSet, clock: Callable[[], float]) -> tuple[Problem, ...]:
    """Find patterns whose program is too large, or that hostile lines keep busy.

    Args:
        rules: With examples: each rule is also tried on its own line, repeated.
        clock: Tells seconds; the core has none of its own.
    """
    own: dict[str, list[bytes]] = {}
    for example in rules.examples:
        if example.excerpt.decides:
            line = example.excerpt.text.split("\n")[example.excerpt.decides - 1].encode()
            own.setdefault(example.rule, []).append((line + b" ") * (LONG // (len(line) + 1)))
    return tuple(
        problem_at(rules, rule, pattern_key(rules, rule), message)
        for rule in rules.rules
        for message in _unbounded(rule, own.get(rule.id, ())[:1], clock)
    )


def check_words(rules: RuleSet) -> tuple[Problem, ...]:
    """Name the rules with a pattern that no text need stand for: they are right, and slow."""
    return tuple(
        problem_at(
            rules,
            rule,
            pattern_key(rules, rule),
            "has a pattern without a text of three letters that must stand there, so that it is tried on every line: "
            f"{shown(pattern)}",
        )
        for rule in rules.rules
        for pattern in rule.lines[-1:]
        if not needs_a_word(pattern)
    )


def shown(pattern: str) -> str:
    """Return a pattern for a message, cut to its beginning."""
    return f"`{pattern if len(pattern) <= 60 else pattern[:59] + '…'}`"


def _unbounded(rule: Rule, own: list[bytes] | tuple[bytes, ...], clock: Callable[[], float]) -> Iterator[str]:
    patterns = (*rule.lines, *rule.unless, *rule.but_not)
    for pattern in patterns:
        size = program_size(pattern)
        if size > MOST_INSTRUCTIONS:
            yield (
                f"has a pattern of {size:,} instructions, at most {MOST_INSTRUCTIONS:,} are allowed: {shown(pattern)}; "
                "counts such as `{0,200}` are written out, so write `*` or `+`"
            )
    lines = (*HOSTILE, *own)
    seconds = seconds_on(lines, patterns, clock)
    # A machine may be busy once; a pattern is slow each time.
    if seconds > MOST_SECONDS and (seconds := min(seconds, seconds_on(lines, patterns, clock))) > MOST_SECONDS:
        yield (
            f"takes {seconds:.1f} s for {len(lines)} hostile lines of {LONG // 1024} KB, "
            f"at most {MOST_SECONDS:.0f} s are allowed; join fewer wordings, and leave counts out"
        )


def seconds_on(blocks: Iterable[bytes], patterns: Iterable[str], clock: Callable[[], float]) -> float:
    """Return how long some patterns take on some blocks of lines, compiling left out."""
    compiled = [re2.compile(for_block(pattern), options()) for pattern in patterns]
    begun = clock()
    for block in blocks:
        for pattern in compiled:
            for _ in pattern.finditer(block):
                pass
    return clock() - begun
