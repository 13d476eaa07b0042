"""The rules that ship with the product, read from a snapshot so that the command line starts at once.

Parsing rules.yaml takes longer than everything else the start may take. `python -m triage.rules.compile` writes what
was parsed as JSON beside this file, with size and checksum of the YAML; where these no longer fit, the YAML is read.
"""

from __future__ import annotations

import json
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from triage.model import Fault, Rerun, Rule, Where
from triage.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
SNAPSHOT = HERE / "builtin.json"
OUTLINES = HERE / "outlines.json"
"""What is known ahead of the rules' patterns, so that a scanner need not work it out."""

NAME = "rules.yaml"

_ENUMS = {"fault": Fault, "where": Where, "rerun": Rerun}


@cache
def builtin_rules() -> RuleSet:
    """Return the built-in rules, without examples when they came from the snapshot."""
    data = rules_file().read_bytes()
    if SNAPSHOT.is_file():
        snapshot = json.loads(SNAPSHOT.read_bytes())
        if snapshot["of"] == _mark(data):
            return RuleSet(rules=tuple(_rule_of(entry) for entry in snapshot["rules"]), sha=snapshot["sha"])
    return parse_builtin()


@cache
def parse_builtin() -> RuleSet:
    """Return the built-in rules with their examples, from the YAML itself."""
    from triage.rules.document import BUILTIN_BYTES
    from triage.rules.load import BUILTIN_RULES, load_rules

    text = rules_file().read_text(encoding="utf-8")
    return load_rules(text, NAME, max_bytes=BUILTIN_BYTES, max_rules=BUILTIN_RULES)


def rules_file() -> Path:
    """Return where rules.yaml is: inside an installed package, or at the top level of a checkout."""
    inside = HERE / NAME
    return inside if inside.is_file() else HERE.parent.parent / NAME


def snapshot_of(rules: RuleSet) -> str:
    """Write the rules as JSON that `builtin_rules` reads back. What stands at its default is left out."""
    entries = [_entry_of(rule) for rule in rules.rules]
    of = _mark(rules_file().read_bytes())
    return json.dumps({"of": of, "sha": rules.sha, "rules": entries}, ensure_ascii=False, indent=0) + "\n"


def _mark(data: bytes) -> list[int]:
    """Tell one state of a file from another: nobody forges a file of ours, and SHA-256 would load all of OpenSSL."""
    return [len(data), crc32(data)]


def _entry_of(rule: Rule) -> Mapping[str, Any]:
    return {
        field.name: getattr(rule, field.name) for field in fields(Rule) if getattr(rule, field.name) != field.default
    }


def _rule_of(entry: Mapping[str, Any]) -> Rule:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    for name, enum in _ENUMS.items():
        if name in values:
            values[name] = enum(values[name])
    return Rule(**values)
