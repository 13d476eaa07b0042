"""`python -m triage.rules.compile`: write what is made from rules.yaml and from the table of its keys.

The snapshot the command line starts from, the outlines of its patterns, the JSON Schema for editors, and the table in
the docs. `--check` writes nothing and says what is out of date.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from triage.errors import ConfigError
from triage.matching.outlines import write_outlines
from triage.model import Fault
from triage.rules.builtin import HERE, OUTLINES, SNAPSHOT, parse_builtin, rules_file, snapshot_of
from triage.rules.fields import FRAGMENTS, MATCH_FIELDS, NO_MATCH_FIELDS, RULE_FIELDS, Field, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from triage.model import Rule
    from triage.rules.ruleset import RuleSet

DATE_PATTERN = r"^\d{4}-\d\d-\d\d$"
ID_PATTERN = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"


def products() -> Mapping[Path, str]:
    """Return every file that is made, with what should stand in it.

    Raises:
        ConfigError: rules.yaml is wrong.
    """
    rules = parse_builtin()
    return {
        SNAPSHOT: snapshot_of(rules),
        OUTLINES: write_outlines(rules.patterns().values()),
        HERE / "schema.json": json.dumps(schema(), indent=2, ensure_ascii=False) + "\n",
        rules_file().parent / "docs" / "rules.md": table(rules),
    }


def schema() -> Mapping[str, Any]:
    """Write the JSON Schema of a rules file, for editors; what it cannot say is checked on loading."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules of triage",
        "type": "object",
        "required": ["version", "rules"],
        "additionalProperties": False,
        "properties": {
            "version": {"const": 1},
            "fragments": {
                "description": FRAGMENTS,
                "type": "object",
                "propertyNames": {"pattern": ID_PATTERN},
                "additionalProperties": {"type": "string", "minLength": 1},
            },
            "rules": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/rule"}},
        },
        "$defs": {"rule": _object(RULE_FIELDS) | {"oneOf": [{"required": [way]} for way in ("line", "any", "lines")]}},
    }


def _object(fields: Sequence[Field]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": [field.name for field in fields if field.required],
        "additionalProperties": False,
        "properties": {field.name: {"description": field.about, **_value(field)} for field in fields},
    }


def _value(field: Field) -> Mapping[str, Any]:
    if field.kind is Kind.EXAMPLES:
        return _examples()
    text: dict[str, Any] = {"type": "string", "minLength": 1}
    texts: dict[str, Any] = {"type": "array", "minItems": 1, "items": text}
    bounded = text | {"maxLength": field.longest}
    values: dict[Kind, Mapping[str, Any]] = {
        Kind.FLAG: {"type": "boolean"},
        Kind.NUMBER: {"type": "integer", "minimum": 1},
        Kind.CHOICE: {"enum": list(field.choices)},
        Kind.PATTERN: text,
        Kind.PATTERNS: texts,
        Kind.TEXTS: texts,
        Kind.DATE: text | {"pattern": DATE_PATTERN},
        Kind.ADDRESS: bounded | {"pattern": "^https://"},
        Kind.TEXT: bounded | ({"pattern": ID_PATTERN} if field.name == "id" else {}),
    }
    return values[field.kind]


def _examples() -> Mapping[str, Any]:
    excerpt = {"type": "string", "minLength": 1}
    return {
        "type": "object",
        "required": ["match", "no_match"],
        "additionalProperties": False,
        "properties": {
            "match": {"type": "array", "minItems": 1, "items": {"oneOf": [excerpt, _object(MATCH_FIELDS)]}},
            "no_match": {"type": "array", "minItems": 1, "items": _object(NO_MATCH_FIELDS)},
        },
    }


def table(rules: RuleSet) -> str:
    """Write the rules as a page of the docs: one table for each fault, rules in file order."""
    parts = [
        "# The rules\n",
        "Made from `rules.yaml` by `python -m triage.rules.compile`; [how to write one](writing-rules.md).\n",
        f"{len(rules.rules)} rules. Of two on one line, the one that stands first in `rules.yaml` is asked first.\n",
    ]
    for fault in Fault:
        of_fault = [rule for rule in rules.rules if rule.fault is fault and not rule.wrapper]
        parts += _section(fault.value, of_fault)
    parts += _section("wrappers: lines that only say that something failed", [r for r in rules.rules if r.wrapper])
    return "\n".join(parts)


def _section(title: str, rules: Sequence[Rule]) -> list[str]:
    if not rules:
        return []
    rows = [f"| `{rule.id}` | {rule.title} | {rule.where} | {_rerun(rule)} |" for rule in rules]
    return [f"## {title}\n", "| rule | what broke | where | re-run |", "| --- | --- | --- | --- |", *rows, ""]


def _rerun(rule: Rule) -> str:
    return f"{rule.rerun}: {rule.rerun_why}" if rule.rerun_why else "—"


def main(arguments: Sequence[str]) -> int:
    """Write the files, or with `--check` say which are out of date; 2 when rules.yaml is wrong, 1 when one is old."""
    try:
        wanted = products()
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    old = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if "--check" in arguments:
        for path in old:
            sys.stderr.write(f"{path.name} is out of date; run `python -m triage.rules.compile`\n")
        return 1 if old else 0
    for path in old:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
