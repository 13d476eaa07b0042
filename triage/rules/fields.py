"""The keys a rule may have, as a table: the loader, the JSON Schema for editors and the docs are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique

from triage.model import Fault, Rerun, Where


@unique
class Kind(StrEnum):
    """What stands behind a key."""

    TEXT = "text"
    FLAG = "flag"
    NUMBER = "number"
    CHOICE = "choice"
    PATTERN = "pattern"
    PATTERNS = "patterns"
    TEXTS = "texts"
    DATE = "date"
    ADDRESS = "address"
    EXAMPLES = "examples"


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a rule: what may stand behind it, and what it means."""

    name: str
    kind: Kind
    about: str
    required: bool = False
    choices: tuple[str, ...] = ()
    longest: int = 2_000


# `none` is what a passing log gets; a rule that says it would hide a failure.
RULE_FAULTS = tuple(fault.value for fault in Fault if fault is not Fault.NONE)

FRAGMENTS = "Pieces of patterns by name; `{{name}}` in a pattern stands for one."

EXCUSES = frozenset(Fault) - {Fault.CODE, Fault.UNKNOWN, Fault.NONE}
"""Faults that are not the author's. Text that a failing test printed must never be enough for one of them."""

RULE_FIELDS = (
    Field("id", Kind.TEXT, "Kebab-case, names the bad thing. Never reused, never renamed.", required=True, longest=60),
    Field("title", Kind.TEXT, "What broke, in a few words: the heading in the comment.", required=True, longest=80),
    Field("fault", Kind.CHOICE, "What broke. Never whose it is.", required=True, choices=RULE_FAULTS),
    Field(
        "where",
        Kind.CHOICE,
        "Where the lines may stand: `outside-tests` unless the fault is `code` or `unknown`, then `anywhere`.",
        choices=tuple(where.value for where in Where),
    ),
    Field("line", Kind.PATTERN, "One pattern. Exactly one of `line`, `any` and `lines` is given."),
    Field("any", Kind.PATTERNS, "Several wordings of the same thing; one of them must match."),
    Field("lines", Kind.PATTERNS, "Patterns that must all match, one below the other; the last one decides."),
    Field("within", Kind.NUMBER, "Most lines from one of `lines` to the next; 30 unless given."),
    Field("but_not", Kind.PATTERNS, "The deciding line must match none of these."),
    Field("unless", Kind.PATTERNS, "No line near the deciding one may match any of these."),
    Field("steps", Kind.TEXTS, "Globs on the name of the step; the rule holds in these steps only."),
    Field("wrapper", Kind.FLAG, "The line only says that something failed. It never explains a failure."),
    Field("owner", Kind.TEXT, "Who is told: a team or a role.", longest=80),
    Field("advice", Kind.TEXT, "What to do, as an imperative; two lines at most.", longest=400),
    Field("rerun", Kind.CHOICE, "Whether running the job again can help.", choices=tuple(r.value for r in Rerun)),
    Field("rerun_why", Kind.TEXT, "Why; needed with `rerun: helps` and `rerun: pointless`.", longest=200),
    Field("docs", Kind.ADDRESS, "An https address that explains it.", longest=300),
    Field("issue", Kind.ADDRESS, "The https address of the issue in which it is known.", longest=300),
    Field("expires", Kind.DATE, "The last day on which it holds, `2027-01-31`."),
    Field("examples", Kind.EXAMPLES, "Excerpts that prove the rule: `match` and `no_match`.", required=True),
)

MATCH_FIELDS = (
    Field(
        "log", Kind.TEXT, "The excerpt: `▶ ` begins the deciding line, `‹ ›` stand round each capture.", required=True
    ),
    Field("wins", Kind.TEXT, "The id of the rule that rightly wins over this one here.", longest=60),
)

NO_MATCH_FIELDS = (
    Field("why", Kind.TEXT, "Why the rule must be silent here.", required=True, longest=300),
    Field("log", Kind.TEXT, "The excerpt.", required=True),
)
