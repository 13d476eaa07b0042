"""`.github/triage.yml` to `Settings`: strict, each mistake with its place, all of them at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from triage.rules import builtin_rules
from triage.rules.document import (
    Problems,
    describe_value,
    entries_of,
    flag_of,
    is_mapping,
    is_whole_number,
    items_of,
    read_document,
    text_of,
)
from triage.settings import CommandCaps, Covered, Permit, RerunCaps, Role, Settings, WayOut, When
from triage.settings.fields import MOST_ITEMS, PERMIT_FIELDS, SECTIONS, VERSION, Field, Form, Kind, Section

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from yaml import Node

_NUMBER = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)
_KEY = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")
_PASSWORD = re.compile(r"://[^/@]*:[^/@]*@")
_SECTION_OF = {
    name: " or ".join(f"`{one.name}`" for one in SECTIONS if name in {field.name for field in one.fields})
    for name in {field.name for section in SECTIONS for field in section.fields}
}
# Where the key of the file is not the name of the setting, or the setting is no plain value.
_NAMES: Mapping[tuple[str, str], str] = {
    ("rules", "files"): "rule_files",
    ("rules", "disabled"): "disabled_rules",
    ("jobs", "aggregators"): "aggregators",
    ("jobs", "gates"): "gates",
    ("compare", "window_days"): "window_days",
    ("compare", "requests"): "look_back_requests",
    ("compare", "seconds"): "look_back_seconds",
    ("compare", "history"): "history",
    ("logs", "most"): "max_logs",
    ("comment", "key"): "comment_key",
    ("comment", "on_worse"): "on_worse",
    ("comment", "commands"): "names_commands",
    ("comment", "verify_after_seconds"): "verify_after",
}


def load_settings(text: str, path: str) -> Settings:
    """Read and check a settings file.

    Args:
        text: The file; at most 256 KB of it are allowed.
        path: What to call it in messages.

    Raises:
        ConfigError: with every mistake found, in file order.
    """
    problems = Problems(path)
    root = read_document(text, path)
    known = ("version", *(one.name for one in SECTIONS))
    top = entries_of(root, problems, known=known, what="the file", elsewhere=_SECTION_OF)
    version = top.get("version")
    if version is None:
        problems.add(root, f"the file has no `version`; this is version {VERSION}")
    elif version.value != str(VERSION) or not is_whole_number(version):
        problems.add(version, f"version must be the number {VERSION}; other versions are not known")
    read = {one.name: _read_section(top[one.name], one, problems) for one in SECTIONS if one.name in top}
    problems.raise_if_any()
    return _settings_of(read)


def _settings_of(read: Mapping[str, Any]) -> Settings:
    plain = {name: read[section][key] for (section, key), name in _NAMES.items() if key in read.get(section, {})}
    built_in = Settings()
    return Settings(
        **plain,
        comment=When(read.get("comment", {}).get("when", built_in.comment)),
        labels=tuple(WayOut(**entry) for entry in read.get("labels", ())),
        coverage=tuple(Covered(**entry) for entry in read.get("coverage", ())),
        permits={**built_in.permits, **read.get("commands", {})},
        command_caps=CommandCaps(**read.get("command_caps", {})),
        rerun_caps=RerunCaps(**read.get("rerun_caps", {})),
    )


def _read_section(node: Node, section: Section, problems: Problems) -> dict[str, Any] | list[dict[str, Any]]:
    if not section.repeats:
        return _read_fields(node, section.fields, problems, what=f"`{section.name}`")
    items = items_of(node, problems, what=f"`{section.name}`")
    if len(items) > MOST_ITEMS:
        problems.add(items[MOST_ITEMS], f"`{section.name}` has {len(items)} entries; at most {MOST_ITEMS} are read")
    what = f"an entry of `{section.name}`"
    return [_read_fields(item, section.fields, problems, what=what) for item in items[:MOST_ITEMS]]


def _read_fields(node: Node, fields: tuple[Field, ...], problems: Problems, *, what: str) -> dict[str, Any]:
    entries = entries_of(node, problems, known=(field.name for field in fields), what=what)
    for field in fields:
        if is_mapping(node) and field.required and field.name not in entries:
            problems.add(node, f"{what} has no `{field.name}`: {field.about}")
    return {
        field.name: _READERS[field.kind](entries[field.name], field, problems)
        for field in fields
        if field.name in entries
    }


def _read_text(node: Node, field: Field, problems: Problems) -> str:
    text = text_of(node, problems, what=f"`{field.name}`")
    if text is None:
        return ""
    if len(text) > field.longest or not text.isprintable():
        problems.add(node, f"`{field.name}` must be one line of at most {field.longest} characters")
    elif (objection := _FORMS[field.form](text)) is not None:
        problems.add(node, objection)
    return text


def _read_texts(node: Node, field: Field, problems: Problems) -> tuple[str, ...]:
    items = items_of(node, problems, what=f"`{field.name}`")
    if len(items) > MOST_ITEMS:
        problems.add(items[MOST_ITEMS], f"`{field.name}` has {len(items)} entries; at most {MOST_ITEMS} are read")
    return tuple(_read_text(item, field, problems) for item in items[:MOST_ITEMS])


def _read_number(node: Node, field: Field, problems: Problems) -> int:
    is_number = is_whole_number(node) and _NUMBER.fullmatch(str(node.value))
    number = int(node.value) if is_number else -1
    if not field.least <= number <= field.most:
        given = "" if is_whole_number(node) else f", and this is {describe_value(node)}"
        problems.add(node, f"`{field.name}` must be a whole number from {field.least} to {field.most:,}{given}")
    return number


def _read_choice(node: Node, field: Field, problems: Problems) -> str:
    # `off` is one of our words, and YAML's for false; what was written is what counts.
    is_word = str(node.tag).endswith((":str", ":bool"))
    text = str(node.value) if is_word else ""
    if text not in field.choices:
        problems.add(node, f"`{field.name}` must be one of: {', '.join(field.choices)}")
    return text


def _read_flag(node: Node, field: Field, problems: Problems) -> bool:
    return flag_of(node, problems, what=f"`{field.name}`")


def _read_permit(node: Node, field: Field, problems: Problems) -> Permit:
    given = _read_fields(node, PERMIT_FIELDS, problems, what=f"`{field.name}`")
    role = next((one for one in Role if one == given.get("role")), Role.ADMIN)
    return Permit(role=role, author=given.get("author", False))


_READERS: Mapping[Kind, Callable[[Node, Field, Problems], object]] = {
    Kind.TEXT: _read_text,
    Kind.TEXTS: _read_texts,
    Kind.NUMBER: _read_number,
    Kind.CHOICE: _read_choice,
    Kind.FLAG: _read_flag,
    Kind.PERMIT: _read_permit,
}


def _is_path(text: str) -> str | None:
    parts = text.split("/")
    if "" in parts or ".." in parts or "." in parts or "\\" in text:
        return f"`{text}` is no path of a file in the repository, such as `.github/triage-rules.yml`"
    return None


def _is_glob(text: str) -> str | None:
    if set(text) <= {"*", "?", "/"}:
        return f"`{text}` fits everything; say what is meant"
    return None


def _is_rule(text: str) -> str | None:
    if text not in {rule.id for rule in builtin_rules().rules}:
        return f"there is no built-in rule `{text}`; `triage rules list` lists them"
    return None


def _is_key(text: str) -> str | None:
    return None if _KEY.fullmatch(text) else f"`{text}` is no key: expected a to z, 0 to 9, dot, dash and underscore"


def _is_command(text: str) -> str | None:
    return None if text.startswith("/") else f"`{text}` is no comment command: they begin with `/`"


def _is_harmless(text: str) -> str | None:
    return "a password does not belong into a file; use the input `history`" if _PASSWORD.search(text) else None


_FORMS: Mapping[Form, Callable[[str], str | None]] = {
    Form.ANY: _is_harmless,
    Form.PATH: _is_path,
    Form.GLOB: _is_glob,
    Form.RULE: _is_rule,
    Form.KEY: _is_key,
    Form.COMMAND: _is_command,
}
"""What is wrong with a text of that form, as a sentence; None when nothing is."""
