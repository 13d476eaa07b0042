"""What may stand behind a key of a rule, other than patterns and examples: one reader for each kind of value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.rules.document import Problems, date_of, flag_of, items_of, number_of, text_of
from triage.rules.fields import Field, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from yaml import Node

_BOUNDED = (Kind.TEXT, Kind.ADDRESS)
_ADDRESS = re.compile(r"https://[\w.:-]+(?:/[^\s<>\"'()`|\\]*)?", re.ASCII)


def read_text(node: Node, field: Field, problems: Problems) -> str | None:
    """Read a text that is not longer than its field allows; None, and a problem, where there is none."""
    text = text_of(node, problems, what=f"`{field.name}`")
    if text is not None and field.kind in _BOUNDED and field.name != "log" and len(text) > field.longest:
        problems.add(node, f"`{field.name}` has {len(text)} characters; at most {field.longest} fit the comment")
    return text


def _read_address(node: Node, field: Field, problems: Problems) -> str | None:
    text = read_text(node, field, problems)
    if text is not None and not _ADDRESS.fullmatch(text):
        problems.add(node, f"`{field.name}` must be an https address such as `https://example.com/issues/12`")
    return text


def _read_date(node: Node, field: Field, problems: Problems) -> str | None:
    return date_of(node, problems, what=f"`{field.name}`")


def _read_flag(node: Node, field: Field, problems: Problems) -> bool:
    return flag_of(node, problems, what=f"`{field.name}`")


def _read_choice(node: Node, field: Field, problems: Problems) -> str | None:
    text = text_of(node, problems, what=f"`{field.name}`")
    if text is not None and text not in field.choices:
        problems.add(node, f"there is no {field.name} `{text}`; known: {', '.join(field.choices)}")
        return None
    return text


def _read_number(node: Node, field: Field, problems: Problems) -> int | None:
    return number_of(node, problems, what=f"`{field.name}`")


def _read_texts(node: Node, field: Field, problems: Problems) -> tuple[str, ...]:
    items = items_of(node, problems, what=f"`{field.name}`")
    return tuple(filter(None, (read_text(item, field, problems) for item in items)))


READERS: Mapping[Kind, Callable[[Node, Field, Problems], object]] = {
    Kind.TEXT: read_text,
    Kind.FLAG: _read_flag,
    Kind.CHOICE: _read_choice,
    Kind.NUMBER: _read_number,
    Kind.TEXTS: _read_texts,
    Kind.DATE: _read_date,
    Kind.ADDRESS: _read_address,
}
"""The reader of each kind; what is wrong becomes a problem, and None or nothing."""
