"""`python -m triage.settings.compile`: write what is made from the table of keys.

The JSON Schema for editors, and the table in the docs. `--check` writes nothing and says what is out of date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from triage.settings.fields import MOST_ITEMS, PERMIT_FIELDS, SECTIONS, VERSION, Field, Form, Kind, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

HERE = Path(__file__).parent
DOCS = HERE.parent.parent / "docs" / "settings.md"
BEGIN, END = "<!-- keys: made by `python -m triage.settings.compile` -->", "<!-- end of keys -->"

# One line, and not blank. What more is no text to print, only the loader knows.
_TEXT = (r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$", r"\S")
_WITH_LOGIN = "://[^/@]*:[^/@]*@"
_PATTERNS: Mapping[Form, str] = {
    Form.PATH: r"^(?!/)(?!.*(^|/)\.{0,2}(/|$))[^\\]+$",
    Form.GLOB: "[^*?/]",
    Form.RULE: "^[a-z][a-z0-9]*(-[a-z0-9]+)*$",
    Form.KEY: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$",
    Form.COMMAND: "^/",
}


def products() -> Mapping[Path, str]:
    """Return every file that is made, with what should stand in it."""
    return {
        HERE / "schema.json": json.dumps(schema(), indent=2, ensure_ascii=False) + "\n",
        DOCS: _with_table(DOCS.read_text(encoding="utf-8") if DOCS.is_file() else f"{BEGIN}\n{END}\n"),
    }


def schema() -> Mapping[str, Any]:
    """Write the JSON Schema of a settings file, for editors; what it cannot say is checked on loading."""
    sections = {section.name: _section(section) for section in SECTIONS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of triage",
        "type": "object",
        "required": ["version"],
        "additionalProperties": False,
        "properties": {"version": {"const": VERSION}, **sections},
    }


def _section(section: Section) -> dict[str, Any]:
    if not section.repeats:
        return {"description": section.about, **_object(section.fields)}
    return {
        "description": section.about,
        "type": "array",
        "minItems": 1,
        "maxItems": MOST_ITEMS,
        "items": _object(section.fields),
    }


def _object(fields: Sequence[Field]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": [field.name for field in fields if field.required],
        "additionalProperties": False,
        "properties": {field.name: {"description": field.about, **_value(field)} for field in fields},
    }


def _value(field: Field) -> Mapping[str, Any]:
    text = _text(field)
    values: dict[Kind, Mapping[str, Any]] = {
        Kind.TEXT: text,
        Kind.TEXTS: {"type": "array", "minItems": 1, "maxItems": MOST_ITEMS, "items": text},
        Kind.NUMBER: {"type": "integer", "minimum": field.least, "maximum": field.most},
        Kind.CHOICE: {"enum": list(field.choices)},
        Kind.FLAG: {"type": "boolean"},
    }
    return _object(PERMIT_FIELDS) if field.kind is Kind.PERMIT else values[field.kind]


def _text(field: Field) -> Mapping[str, Any]:
    patterns = (*_TEXT, *((_PATTERNS[field.form],) if field.form in _PATTERNS else ()))
    text = {
        "type": "string",
        "minLength": 1,
        "maxLength": field.longest,
        "allOf": [{"pattern": pattern} for pattern in patterns],
    }
    return text | {"not": {"pattern": _WITH_LOGIN}} if field.form is Form.ANY else text


def table() -> str:
    """Write the keys as a table for the docs."""
    return "\n".join(line for section in SECTIONS for line in _rows(section))


def _rows(section: Section) -> Iterable[str]:
    yield f"### `{section.name}`\n"
    yield f"{section.about}{' A list of entries.' if section.repeats else ''}\n"
    yield "| key | what stands there | without it | means |"
    yield "| :-- | :-- | :-- | :-- |"
    for field in section.fields:
        without = field.default or ("must be given" if field.required else "—")
        yield f"| `{field.name}` | {_wanted(field)} | {without} | {field.about} |"
    yield ""


def _wanted(field: Field) -> str:
    if field.kind is Kind.CHOICE:
        return ", ".join(f"`{choice}`" for choice in field.choices)
    if field.kind is Kind.NUMBER:
        return f"{field.least} to {field.most:,}"
    if field.kind is Kind.PERMIT:
        return "`{role: …, author: …}`"
    return field.kind.value


def _with_table(page: str) -> str:
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n{END}{rest.partition(END)[2]}"


def main(arguments: Sequence[str]) -> int:
    """Write the files, or with `--check` say which are out of date and return 1."""
    old = {path: text for path, text in products().items() if not path.is_file() or path.read_text("utf-8") != text}
    if "--check" in arguments:
        for path in old:
            sys.stderr.write(f"{path.name} is out of date; run `python -m triage.settings.compile`\n")
        return 1 if old else 0
    for path, text in old.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
