"""What the GitHub Actions runner obeys: every line of a step's output is a possible command to it.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

# The percent sign first: the other replacements bring new ones.
_IN_MESSAGE: Final = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTY: Final = (*_IN_MESSAGE, (":", "%3A"), (",", "%2C"))
# The runner looks for `::` at the beginning of a line, blanks aside, and for `##[` anywhere in it.
_OBEYED: Final = regex(r"(?:^|[\r\n])\s*:(?=:)|#(?=#\[)")


def workflow_command(name: str, message: str, **properties: str) -> str:
    """Write one workflow command; nothing in the message or a property can end it, or begin another one."""
    given = ",".join(f"{key}={_escaped(value, _IN_PROPERTY)}" for key, value in properties.items())
    return f"::{name}{f' {given}' if given else ''}::{_escaped(message, _IN_MESSAGE)}"


def _escaped(text: str, replacements: Iterable[tuple[str, str]]) -> str:
    for raw, escaped in replacements:
        text = text.replace(raw, escaped)
    return text


def without_commands(text: str, *, token: str) -> str:
    """Wrap text that others had a hand in, so that the runner obeys nothing in it (`::error::`, `##[set-env]`, …).

    Args:
        text: What is to be printed, usually a whole report.
        token: Random, new for every call, and hard to guess: it is what ends the silence.

    Raises:
        ValueError: the token is empty or stands in the text, and so would end the silence early.
    """
    if not token or token in text:
        raise ValueError("the token that resumes workflow commands must be new and must not stand in the text")
    end = "" if text.endswith("\n") else "\n"
    return f"::stop-commands::{token}\n{text}{end}::{token}::\n"


def harmless(text: str) -> str:
    """Pull apart what the runner would obey in a text: for short ones, where everything before must be obeyed still."""
    return _OBEYED.sub(lambda found: f"{found[0]} ", text)


def harmless_json(text: str) -> str:
    """Write JSON so that the runner obeys nothing in it; it stays the same JSON.

    A line of JSON never begins with a colon, and `##[` stands only in its strings.
    """
    return text.replace("##[", r"\u0023#[")


def step_output(name: str, value: str, *, delimiter: str) -> str:
    """Write one entry for the file `GITHUB_OUTPUT`.

    Args:
        name: Of the output; ours, never foreign.
        value: May have several lines.
        delimiter: Random and new for every call: the line that ends the value.

    Raises:
        ValueError: the delimiter is empty or stands in the value, which could then set outputs of its own.
    """
    if not delimiter or delimiter in value:
        raise ValueError("the delimiter of a step output must be new and must not stand in the value")
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"
