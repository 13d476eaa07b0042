"""What the Actions runner obeys in what a step prints: both streams, line by line, as it reads them."""

from __future__ import annotations

import re

# The runner ends a line at either character, or both.
_LINE = re.compile(r"\r\n|\r|\n")
_OLD = re.compile(r"##\[[^\]]*\]")


def obeyed(printed: str) -> list[str]:
    """Return the lines that the runner obeys, without those by which we make it deaf for a while."""
    heard: list[str] = []
    token: str | None = None
    for line in _LINE.split(printed):
        text = line.strip()
        if token is not None:
            token = None if text == f"::{token}::" else token
        elif text.startswith("::stop-commands::"):
            token = text.removeprefix("::stop-commands::")
        elif text.startswith("::") or _OLD.search(text):
            heard.append(line)
    assert token is None, "commands stay stopped"
    return heard
