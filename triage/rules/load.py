"""rules.yaml to a `RuleSet`: strict, each mistake with its place, all of them at once."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from triage import matching
from triage.model import Fault, Rerun, Rule, Where
from triage.rules.document import (
    FOREIGN_BYTES,
    ID,
    Problems,
    entries_of,
    items_of,
    read_document,
    text_of,
)
from triage.rules.fields import EXCUSES, MATCH_FIELDS, NO_MATCH_FIELDS, RULE_FIELDS, Field, Kind
from triage.rules.notation import Excerpt, NotationError, read_excerpt
from triage.rules.patterns import filled, joined, read_fragments
from triage.rules.ruleset import Example, RuleSet
from triage.rules.values import READERS, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from yaml import Node

VERSION = 1
FOREIGN_RULES = 500
BUILTIN_RULES = 2_000
DEFAULT_WITHIN = 30

_WAYS_TO_MATCH = ("line", "any", "lines")
_PATTERN_KINDS = (Kind.PATTERN, Kind.PATTERNS)


def load_rules(text: str, path: str, *, max_bytes: int = FOREIGN_BYTES, max_rules: int = FOREIGN_RULES) -> RuleSet:
    """Read and check a rules file.

    Args:
        text: The file.
        path: What to call it in messages and in `Rule.place`.
        max_bytes: Largest size of a file; what strangers write is held smaller than the built-in rules.
        max_rules: Most rules a file may hold.

    Raises:
        ConfigError: with every mistake found, in file order.
    """
    problems = Problems(path)
    root = read_document(text, path, limit=max_bytes, least="`version: 1` and `rules:`")
    top = entries_of(root, problems, known=("version", "fragments", "rules"), what="the file")
    _check_version(top.get("version"), root, problems)
    fragments = read_fragments(top["fragments"], problems) if "fragments" in top else {}
    nodes: tuple[Node, ...] = ()
    if "rules" in top:
        nodes = items_of(top["rules"], problems, what="`rules`")
    else:
        problems.add(root, "the file has no `rules`")
    if len(nodes) > max_rules:
        problems.add(nodes[max_rules], f"there are {len(nodes)} rules; at most {max_rules} are read")
    read = [_RuleReader(node, problems, fragments) for node in nodes[:max_rules]]
    _check_ids(read, problems)
    problems.raise_if_any()
    return RuleSet(
        rules=tuple(reader.rule() for reader in read),
        sha=sha256(text.encode()).hexdigest(),
        examples=tuple(example for reader in read for example in reader.examples),
        spots={spot: at for reader in read for spot, at in reader.spots()},
    )


def _check_version(node: Node | None, root: Node, problems: Problems) -> None:
    if node is None:
        problems.add(root, f"the file has no `version`; this is version {VERSION}")
    elif node.value != str(VERSION):
        problems.add(node, f"version must be {VERSION}; other versions are not known")


def _check_ids(read: Sequence[_RuleReader], problems: Problems) -> None:
    first: dict[str, int] = {}
    for reader in read:
        rule_id = reader.text("id")
        node = reader.entries.get("id", reader.node)
        if not rule_id:
            continue
        if not ID.fullmatch(rule_id):
            problems.add(node, f"id `{rule_id}` must be kebab-case: small letters, digits and single hyphens")
        if rule_id in first:
            problems.add(node, f"id `{rule_id}` is taken by the rule in line {first[rule_id]}")
        first.setdefault(rule_id, node.start_mark.line + 1)
    for reader in read:
        for node, winner in reader.wins:
            if winner not in first:
                problems.add(node, f"there is no rule `{winner}` in this file")


class _RuleReader:
    """Reads one rule. Everything wrong is noted; `rule` may be called only when nothing was."""

    def __init__(self, node: Node, problems: Problems, fragments: Mapping[str, str]) -> None:
        self.node = node
        self.entries = entries_of(node, problems, known=(field.name for field in RULE_FIELDS), what="a rule")
        self.values: dict[str, object] = {}
        self.examples: tuple[Example, ...] = ()
        self.wins: list[tuple[Node, str]] = []
        self._problems = problems
        self._fragments = fragments
        if not self.entries:
            return
        self._read_fields()
        self._check_ways_to_match()
        self._check_sense()
        if "examples" in self.entries:
            self.examples = self._read_examples(self.entries["examples"])

    def text(self, name: str, default: str = "") -> str:
        """Return a text of the rule, or the default where it has none."""
        return str(self.values.get(name) or default)

    def rule(self) -> Rule:
        """Build the rule."""
        fault = Fault(self.text("fault"))
        return Rule(
            id=self.text("id"),
            title=self.text("title"),
            fault=fault,
            lines=self._lines(),
            within=within if isinstance(within := self.values.get("within"), int) else DEFAULT_WITHIN,
            where=Where(self.text("where", _default_where(fault))),
            steps=self._texts("steps"),
            unless=self._texts("unless"),
            but_not=self._texts("but_not"),
            wrapper=bool(self.values.get("wrapper")),
            owner=self.text("owner"),
            advice=self.text("advice").strip(),
            rerun=Rerun(self.text("rerun", Rerun.UNKNOWN)),
            rerun_why=self.text("rerun_why"),
            docs=self.text("docs"),
            issue=self.text("issue"),
            expires=self.text("expires"),
            place=self._place(self.node),
        )

    def spots(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yield where each key's value stands."""
        for key, node in self.entries.items():
            mark = node.start_mark
            yield f"{self.text('id')} {key}", (mark.line + 1, mark.column + 1)

    def _read_fields(self) -> None:
        for field in RULE_FIELDS:
            node = self.entries.get(field.name)
            if node is not None and field.kind in _PATTERN_KINDS:
                self.values[field.name] = self._read_patterns(node, field)
            elif node is not None and field.kind is not Kind.EXAMPLES:
                self.values[field.name] = READERS[field.kind](node, field, self._problems)
            elif node is None and field.required:
                self._problems.add(self.node, f"the rule has no `{field.name}`: {field.about}")

    def _read_patterns(self, node: Node, field: Field) -> tuple[str, ...]:
        nodes = (node,) if field.kind is Kind.PATTERN else items_of(node, self._problems, what=f"`{field.name}`")
        return tuple(filter(None, (self._read_pattern(each, field) for each in nodes)))

    def _read_pattern(self, node: Node, field: Field) -> str | None:
        text = text_of(node, self._problems, what=f"a pattern of `{field.name}`")
        if text is None:
            return None
        pattern = filled(text, self._fragments, node, self._problems)
        if reason := matching.check_pattern(pattern):
            self._problems.add(node, reason)
            return None
        return pattern

    def _check_ways_to_match(self) -> None:
        given = [name for name in _WAYS_TO_MATCH if name in self.entries]
        if not given:
            self._problems.add(self.node, "the rule has no pattern: give `line`, or `any`, or `lines`")
        elif len(given) > 1:
            self._problems.add(self.entries[given[1]], f"`{given[0]}` and `{given[1]}` exclude each other")
        elif given == ["any"]:
            self._check_joined(self.entries["any"])
        if "within" in self.entries and given != ["lines"]:
            self._problems.add(self.entries["within"], "`within` has a meaning with `lines` only")

    def _check_joined(self, node: Node) -> None:
        wordings = self._texts("any")
        if wordings and (reason := matching.check_pattern(joined(wordings))):
            self._problems.add(node, f"the wordings cannot be joined with `|`: {reason}")

    def _check_sense(self) -> None:
        fault, where = self.text("fault"), self.text("where")
        excuses = fault in EXCUSES
        if excuses and where == Where.ANYWHERE:
            message = f"a rule of fault `{fault}` cannot hold anywhere: a failing test could print its own excuse"
            self._problems.add(self.entries["where"], f"{message}; use `outside-tests` or `test-error`")
        if self.values.get("wrapper") and fault != Fault.UNKNOWN:
            self._problems.add(self.entries["wrapper"], "a wrapper claims no fault; its fault is `unknown`")
        if self.text("rerun") in {Rerun.HELPS, Rerun.POINTLESS} and not self.text("rerun_why"):
            self._problems.add(self.entries["rerun"], f"`rerun: {self.text('rerun')}` needs a `rerun_why`")

    def _read_examples(self, node: Node) -> tuple[Example, ...]:
        entries = entries_of(node, self._problems, known=("match", "no_match"), what="`examples`")
        examples: list[Example] = []
        for name, fields in (("match", MATCH_FIELDS), ("no_match", NO_MATCH_FIELDS)):
            if name not in entries:
                self._problems.add(node, f"there is no `{name}` example; every rule has at least one of each kind")
                continue
            items = items_of(entries[name], self._problems, what=f"`{name}`")
            examples += filter(None, (self._read_example(item, fields) for item in items))
        return tuple(examples)

    def _read_example(self, node: Node, fields: Sequence[Field]) -> Example | None:
        is_match = fields is MATCH_FIELDS
        entries: Mapping[str, Node]
        if is_match and str(node.tag).endswith(":str"):
            entries = {"log": node}
        else:
            entries = entries_of(node, self._problems, known=[f.name for f in fields], what="an example")
        texts = {f.name: read_text(entries[f.name], f, self._problems) for f in fields if f.name in entries}
        for field in fields:
            if field.required and field.name not in entries:
                self._problems.add(node, f"the example has no `{field.name}`: {field.about}")
        if "wins" in entries:
            self.wins.append((entries["wins"], str(texts["wins"])))
        log = texts.get("log")
        excerpt = self._read_excerpt(entries["log"], log, is_match=is_match) if log else None
        if excerpt is None or (not is_match and not texts.get("why")):
            return None
        return Example(
            rule=self.text("id"),
            excerpt=excerpt,
            place=self._place(node),
            column=node.start_mark.column + 1,
            why=texts.get("why"),
            wins=texts.get("wins"),
        )

    def _read_excerpt(self, node: Node, marked: str, *, is_match: bool) -> Excerpt | None:
        try:
            excerpt = read_excerpt(marked)
        except NotationError as error:
            self._problems.add(node, str(error))
            return None
        if is_match and excerpt.decides is None:
            self._problems.add(node, "no line begins with `▶ `; mark the line that decides")
            return None
        if not is_match and (excerpt.decides or excerpt.captures):
            self._problems.add(node, "a `no_match` example has nothing to mark")
            return None
        return excerpt

    def _lines(self) -> tuple[str, ...]:
        if "any" in self.entries:
            return (joined(self._texts("any")),)
        return self._texts("line") or self._texts("lines")

    def _texts(self, name: str) -> tuple[str, ...]:
        value = self.values.get(name)
        return value if isinstance(value, tuple) else ()

    def _place(self, node: Node) -> str:
        return f"{self._problems.path}:{node.start_mark.line + 1}"


def _default_where(fault: Fault) -> Where:
    return Where.OUTSIDE_TESTS if fault in EXCUSES else Where.ANYWHERE
