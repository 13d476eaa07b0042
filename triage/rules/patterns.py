"""Patterns as written to patterns as matched: named pieces filled in, several wordings joined to one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.rules.document import ID, Problems, entries_of, text_of
from triage.rules.ruleset import AGAIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from yaml import Node

_GROUP = re.compile(r"\(\?P<(\w+)>")
_FRAGMENT = re.compile(r"\{\{([^{}]*)\}\}")


def read_fragments(node: Node, problems: Problems) -> Mapping[str, str]:
    """Read the named pieces of patterns. A piece may use those above it, never itself or one below."""
    from yaml import MappingNode

    names = [key.value for key, _ in node.value] if isinstance(node, MappingNode) else []
    fragments: dict[str, str] = {}
    for name, value in entries_of(node, problems, known=names, what="`fragments`").items():
        if not ID.fullmatch(name):
            problems.add(value, f"the fragment `{name}` must have a name in kebab-case")
        pattern = text_of(value, problems, what="a fragment")
        fragments[name] = f"(?:{filled(pattern, fragments, value, problems)})" if pattern else ""
    return fragments


def filled(pattern: str, fragments: Mapping[str, str], node: Node, problems: Problems) -> str:
    """Put the fragments into a pattern."""

    def piece(found: re.Match[str]) -> str:
        if found[1] not in fragments:
            problems.add(node, f"there is no fragment `{found[1]}` above; known: {', '.join(fragments) or 'none'}")
        return fragments.get(found[1], "")

    return _FRAGMENT.sub(piece, pattern)


def joined(wordings: Sequence[str]) -> str:
    """Join wordings to one pattern. `^` may stand only at the very start, so where one has it, it is moved there."""
    if len(wordings) == 1:
        return wordings[0]
    if not any(wording.startswith("^") for wording in wordings):
        return _told_apart(f"(?:{'|'.join(wordings)})")
    placed = (wording[1:] if wording.startswith("^") else f".*?(?:{wording})" for wording in wordings)
    return _told_apart(f"^(?:{'|'.join(placed)})")


def _told_apart(pattern: str) -> str:
    """Number the groups of one name. RE2 lets two groups share a name, and then answers for the first one only."""
    seen: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        seen[found[1]] = seen.get(found[1], 0) + 1
        return found[0] if seen[found[1]] == 1 else f"(?P<{found[1]}{AGAIN}{seen[found[1]]}>"

    return _GROUP.sub(numbered, pattern)
