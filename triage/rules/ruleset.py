"""The rules of one file, in file order, with the patterns a log is scanned for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from triage.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from triage.model import Rule
    from triage.rules.notation import Excerpt


AGAIN = "__"
"""Stands before the number of a group whose name an earlier wording of the rule has too."""


class Example(NamedTuple):
    """An excerpt that proves a rule.

    Attributes:
        rule: Id of the rule it belongs to.
        excerpt: For `match`, with the deciding line and the captures; for `no_match`, without.
        place: Where it stands, `rules.yaml:41`.
        why: Why the rule must be silent; None for a `match`.
        wins: The rule that rightly wins in the whole set; None when it is this one.
        column: Where it stands in its line, from 1.
    """

    rule: str
    excerpt: Excerpt
    place: str
    why: str | None = None
    wins: str | None = None
    column: int = 1

    @property
    def is_match(self) -> bool:
        """Whether the rule must speak here, rather than be silent."""
        return self.why is None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Rules in file order.

    Attributes:
        sha: SHA-256 of the file they came from.
        examples: Of all rules, in file order; a snapshot carries none.
        spots: Line and column of each key of each rule, by `<id> <key>`, for messages; a snapshot carries none.
    """

    rules: tuple[Rule, ...]
    sha: str
    examples: tuple[Example, ...] = ()
    spots: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def patterns(self) -> Mapping[str, str]:
        """Return what to scan a log for: of each rule, as `rule:<id>`, the pattern of the line that decides.

        The rest of a rule is tried on the lines near those that were found.
        """
        return {key_of(rule): rule.lines[-1] for rule in self.rules}

    def on(self, day: date | None) -> RuleSet:
        """Return the rules that hold on a day: those that expired before it are left out; all when it is not known."""
        gone = self.expired(day) if day is not None else ()
        return self.without(tuple(rule.id for rule in gone)) if gone else self

    def expired(self, day: date) -> tuple[Rule, ...]:
        """Return the rules that held no longer on a day."""
        # Days are written so that they sort by their text.
        return tuple(rule for rule in self.rules if rule.expires and rule.expires < day.isoformat())

    def before(self, others: RuleSet) -> RuleSet:
        """Return both sets, these rules first. A rule of `others` with the id of one of these is left out."""
        from hashlib import sha256

        own = {rule.id for rule in self.rules}
        return RuleSet(
            rules=self.rules + tuple(rule for rule in others.rules if rule.id not in own),
            sha=sha256(f"{self.sha}{others.sha}".encode()).hexdigest(),
            examples=self.examples + tuple(example for example in others.examples if example.rule not in own),
            spots={**others.spots, **self.spots},
        )

    def without(self, ids: tuple[str, ...]) -> RuleSet:
        """Return the rules without some of them."""
        from hashlib import sha256

        return RuleSet(
            rules=tuple(rule for rule in self.rules if rule.id not in ids),
            sha=sha256(" ".join([self.sha, *sorted(ids)]).encode()).hexdigest(),
            examples=tuple(example for example in self.examples if example.rule not in ids),
            spots=self.spots,
        )


def problem_at(rules: RuleSet, rule: Rule, key: str, message: str) -> Problem:
    """Return a mistake of a rule at one of its keys; at the rule where the key is not given."""
    path, _, line = rule.place.rpartition(":")
    at = rules.spots.get(f"{rule.id} {key}") or rules.spots.get(f"{rule.id} id") or (int(line or 1), 1)
    return Problem(path, *at, f"rule `{rule.id}` {message}")


def key_of(rule: Rule) -> str:
    """Return the scan key of a rule."""
    return f"rule:{rule.id}"
