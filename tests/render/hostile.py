"""Text as an attacker would write it, and reports that are full of it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from triage.model import Report

if TYPE_CHECKING:
    from collections.abc import Callable

MARKER = "<!-- triage:v1 key=default -->"
MENTIONS = (
    "@octocat",
    "@org/team",
    "cc @octocat, @hubot",
    "(@octocat)",
    "\\@octocat",
    "&commat;octocat",
    "&#64;octocat",
    "octocat@example.com",
    "#1",
    "fixes #1",
    "Closes: #1",
    "(#1)",
    "GH-1",
    "gh-1",
    "owner/repo#1",
    "octocat@5f0c1de2b7a94c33d0e8f6a1b2c3d4e5f6a7b8c9",
    "5f0c1de2b7a94c33d0e8f6a1b2c3d4e5f6a7b8c9",
    "https://github.com/owner/repo/issues/1",
    "http://evil.example",
    "www.evil.example",
)
FRAGMENTS = (
    *MENTIONS,
    MARKER,
    "<!-- triage",
    "`",
    "``",
    "```",
    "````\n",
    "~~~",
    "</details>",
    "</summary>",
    "<details><summary>x",
    "</sub>",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<a href='http://evil.example'>x</a>",
    "<!--",
    "-->",
    "[x](http://evil.example)",
    "![x](http://evil.example/x.png)",
    "[x]: http://evil.example",
    "[^1]",
    "<http://evil.example>",
    "<a@evil.example>",
    "mailto:a@evil.example",
    "xmpp:a@evil.example",
    "ftp://evil.example",
    "|",
    "\\|",
    "\\\\|",
    "\\",
    "| --- |",
    "**",
    "__",
    "*",
    "_",
    "~~",
    "#",
    "\n# title\n",
    "\n\n- item\n",
    "- [x] task",
    "1. item",
    "2) item",
    "+ item",
    "---",
    "===",
    "> quotation",
    "    code",
    "\t",
    "\r",
    "\n",
    "\r\n\r\n",
    "\u2028",
    "\x85",
    "$x$",
    "$$",
    ":smile:",
    "&lt;b&gt;",
    "&",
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil.example\x1b\\x\x1b]8;;\x1b\\",
    "\x1b",
    "\x9b31m",
    "\x07",
    "\x00",
    "\u202e",
    "\u2066",
    "\u200b",
    "\u2060",
    "\ufeff",
    "\ud800",
    "[bold]",
    "[/nope]",
    "[link=http://evil.example]x[/link]",
    "::error::x",
    "::set-output name=x::y",
    "##[error]x",
    "::stop-commands::x",
    "%0A::error::x",
    ",",
    ":",
    " ",
    ".",
    "a",
)


def hostile_text() -> st.SearchStrategy[str]:
    """Any text, and fragments that mean something to Markdown, to GitHub, to a terminal or to the runner."""
    pieces = st.sampled_from(FRAGMENTS) | st.text(max_size=8)
    return st.lists(pieces, min_size=1, max_size=6).map("".join)


# What is no text of others: addresses and ids of GitHub, and words that the code itself chooses between.
_OURS = frozenset(
    {"url", "status", "kind", "check", "version", "event", "owner", "docs", "place", "rules_sha", "head_sha"}
)


def foreign_strings(report: Report) -> tuple[str, ...]:
    """Return every distinct foreign text of a report, in order of appearance."""
    found: dict[str, None] = {}

    def note(text: str) -> str:
        found.setdefault(text)
        return text

    rewritten(report, note)
    return tuple(found)


def rewritten(report: Report, rewrite: Callable[[str], str]) -> Report:
    """Return the report with every foreign text in it rewritten; empty ones stay empty."""
    changed = _rewritten(report, rewrite)
    assert isinstance(changed, Report)
    return changed


def _rewritten(value: Any, rewrite: Callable[[str], str], name: str = "") -> Any:
    if isinstance(value, Enum) or name in _OURS:
        return value
    if isinstance(value, str):
        return rewrite(value) if value else value
    if isinstance(value, tuple):
        return tuple(_rewritten(item, rewrite) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: _rewritten(getattr(value, field.name), rewrite, field.name) for field in fields(value)}
        return replace(value, **named)
    return value
