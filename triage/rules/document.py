"""A YAML file as nodes that know their place. It may come from a stranger, so it is refused before it is walked.

Plain PyYAML keeps the last of two equal keys, reads `on` as true and `1:30` as 90, and follows aliases: nine levels of
them are 3 million nodes. None of that is allowed here, and every refusal says where and what would be right.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from triage.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from yaml import Node

FOREIGN_BYTES = 256 * 1024
BUILTIN_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 12

ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
"""Kebab-case, as ids and names of fragments are written."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d")

_KINDS = {
    "bool": "a boolean",
    "int": "a number",
    "float": "a number",
    "null": "empty",
    "timestamp": "a date",
    "merge": "a merge key",
    "value": "a default value",
}


_IF_TEXT = "; put it in quotes if text is meant"


class Problems:
    """The mistakes found in one file so far, so that a person hears of all of them at once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._found: list[Problem] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, at: Node, message: str) -> None:
        """Note a mistake at a node."""
        mark = at.start_mark
        self._found.append(Problem(self.path, mark.line + 1, mark.column + 1, message))

    def raise_if_any(self) -> None:
        """Raise all that was found.

        Raises:
            ConfigError: there was at least one mistake.
        """
        if self._found:
            raise ConfigError(*self._found)


def read_document(text: str, path: str, *, limit: int = FOREIGN_BYTES, least: str = "`version: 1`") -> Node:
    """Parse one YAML document without giving any node a meaning.

    Args:
        text: The file.
        path: What to call it in messages.
        limit: Largest size in bytes of UTF-8.
        least: What no such file is without, for messages.

    Raises:
        ConfigError: too large, not YAML, empty, more than one document, too deep, or with anchors, aliases or tags.
    """
    import yaml

    size = len(text.encode("utf-8", "surrogatepass"))
    if size > limit:
        raise ConfigError(Problem(path, 1, 1, f"the file has {size:,} bytes; at most {limit:,} are read"))
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        refused = tuple(_refused(yaml.parse(text, Loader=loader), path))
        if refused:
            raise ConfigError(*refused)
        node: Node | None = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise ConfigError(
            Problem(path, line, column, f"not YAML: {_in_words(error.problem or error.context)}")
        ) from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise ConfigError(Problem(path, 1, 1, "not YAML: it holds a character that YAML does not allow")) from error
    if node is None:
        raise ConfigError(Problem(path, 1, 1, f"the file is empty; it must say {least}"))
    return node


_YAML_SAYS = {
    "found character that cannot start any token": "a tab, or a text that begins with a mark of YAML's; indent with "
    "spaces, and put such a text in quotes",
    "mapping values are not allowed in this context": "a colon where none can stand; put a text with `: ` in it in "
    "quotes, and see how the line is indented",
}


def _in_words(problem: str | None) -> str:
    """Say what YAML's commonest complaints come from."""
    return _YAML_SAYS.get(problem or "", problem or "it cannot be parsed")


def _refused(events: Iterable[object], path: str) -> Iterator[Problem]:
    """Yield what no file may hold. Events are a flat stream: an alias here has not been followed yet.

    Stops at the first thing that is too deep, because composing goes as deep as the file does.
    """
    from yaml import events as ev

    depth = documents = 0
    for event in events:
        if not isinstance(event, ev.Event):
            continue
        mark = event.start_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if isinstance(event, ev.DocumentStartEvent):
            documents += 1
            if documents > 1:
                yield Problem(path, line, column, "a second document begins here; a file is one document")
                return
        if isinstance(event, ev.CollectionStartEvent):
            depth += 1
        elif isinstance(event, ev.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            yield Problem(path, line, column, f"nested more than {MAX_DEPTH} levels deep")
            return
        yield from _refused_event(event, Problem(path, line, column, ""))


def _refused_event(event: object, at: Problem) -> Iterator[Problem]:
    from yaml import events as ev

    anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
    if isinstance(event, ev.AliasEvent):
        yield Problem(
            at.path,
            at.line,
            at.column,
            f"`*{anchor}` is an alias; write the value out, in quotes if the text itself begins with `*`",
        )
        return
    if anchor is not None:
        yield Problem(at.path, at.line, at.column, f"`&{anchor}` is an anchor; write the value out where it is needed")
    if tag is not None:
        yield Problem(at.path, at.line, at.column, f"`{tag}` is a tag; values are plain text here")


def entries_of(
    node: Node,
    problems: Problems,
    *,
    known: Iterable[str],
    what: str,
    elsewhere: Mapping[str, str] | None = None,
) -> Mapping[str, Node]:
    """Read a mapping with text keys, each known and each once.

    Args:
        node: Where the mapping should stand.
        problems: Takes unknown, doubled and non-text keys.
        known: Keys that may stand here.
        what: What the mapping is, for messages: "a rule".
        elsewhere: Of keys that stand somewhere else, where.

    Returns:
        The known keys in file order; empty when the node is no mapping.
    """
    from yaml import MappingNode

    if not isinstance(node, MappingNode):
        problems.add(node, f"{what} must be a mapping of keys to values, and this is {describe(node)}")
        return {}
    allowed = tuple(known)
    entries: dict[str, Node] = {}
    for key_node, value in node.value:
        key = text_of(key_node, problems, what="a key")
        if key is None:
            continue
        if key in entries:
            problems.add(key_node, f"`{key}` stands here twice; YAML would silently keep the last")
        elif key not in allowed:
            problems.add(key_node, f"{what} has no key `{key}`{_hint(key, allowed, elsewhere or {})}")
        else:
            entries[key] = value
    return entries


def _hint(key: str, allowed: tuple[str, ...], elsewhere: Mapping[str, str]) -> str:
    """Say what was meant, where that can be guessed, and what there is."""
    from difflib import get_close_matches

    near = get_close_matches(key, allowed, n=1)
    if key in elsewhere and not near:
        return f"; it stands under {elsewhere[key]}"
    meant = f"; perhaps `{near[0]}` is meant" if near else ""
    return f"{meant}; it may have: {', '.join(allowed)}"


def items_of(node: Node, problems: Problems, *, what: str) -> tuple[Node, ...]:
    """Read a list; an empty tuple, and a problem, when it is none or empty."""
    from yaml import SequenceNode

    if not isinstance(node, SequenceNode):
        problems.add(node, f"{what} must be a list, and this is {describe(node)}")
        return ()
    if not node.value:
        problems.add(node, f"{what} is an empty list; leave the key out")
    return tuple(node.value)


def text_of(node: Node, problems: Problems, *, what: str) -> str | None:
    """Read a text that is not blank; None, and a problem, for anything that YAML takes for something else."""
    if _kind(node) != "str":
        problems.add(node, f"{what} must be text, and this is {describe(node)}")
        return None
    if not node.value.strip():
        problems.add(node, f"{what} is blank")
        return None
    return str(node.value)


def flag_of(node: Node, problems: Problems, *, what: str) -> bool:
    """Read `true` or `false`; False, and a problem, for anything else (`yes` and `on` too: they are other words)."""
    if _kind(node) == "bool" and node.value.lower() in {"true", "false"}:
        return bool(node.value.lower() == "true")
    problems.add(node, f"{what} must be `true` or `false`, and this is {describe_value(node)}")
    return False


def number_of(node: Node, problems: Problems, *, what: str) -> int | None:
    """Read a whole number above zero; None, and a problem, for anything else."""
    if _kind(node) == "int" and node.value.isdecimal() and int(node.value) > 0:
        return int(node.value)
    problems.add(node, f"{what} must be a whole number above 0, and this is {describe_value(node)}")
    return None


def date_of(node: Node, problems: Problems, *, what: str) -> str | None:
    """Read a day, with quotes or without; None, and a problem, for anything else."""
    text = str(node.value)
    try:
        is_day = _DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        is_day = False
    if _kind(node) in {"str", "timestamp"} and is_day:
        return text
    problems.add(node, f"{what} must be a day such as `2027-01-31`, and this is {_shown(node.value)}")
    return None


def is_mapping(node: Node) -> bool:
    """Whether keys and values stand there."""
    return _kind(node) == "map"


def is_whole_number(node: Node) -> bool:
    """Whether YAML takes it for a whole number."""
    return _kind(node) == "int"


def describe(node: Node) -> str:
    """Say what a node is, in words for the person who wrote it."""
    kind = _kind(node)
    if kind in {"map", "seq"}:
        return "a mapping" if kind == "map" else "a list"
    if kind == "str":
        return f"the text {_shown(node.value)}"
    if kind == "null":
        return "empty"
    return f"{_shown(node.value)}, which YAML reads as {_KINDS.get(kind, kind)}{_IF_TEXT}"


def describe_value(node: Node) -> str:
    """Say what a node is where no text is wanted."""
    return describe(node).removesuffix(_IF_TEXT)


def _kind(node: Node) -> str:
    return str(node.tag).rpartition(":")[2]


def _shown(value: object) -> str:
    text = str(value)
    return f"`{text if len(text) <= 40 else text[:39] + '…'}`"
