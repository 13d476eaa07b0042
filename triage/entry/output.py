"""What is printed. In Actions the runner reads every line of both streams as a possible command (T12).

Whatever is printed goes through here, for any of it may hold a name or a line that somebody else wrote.
"""

from __future__ import annotations

import os
import stat
import sys

from triage.render.runner_commands import harmless, harmless_json, without_commands


def show(text: str, *, is_json: bool = False) -> None:
    """Print to stdout; in Actions so that the runner obeys nothing in it.

    Args:
        text: Whole lines.
        is_json: It is for the program behind the pipe, and must stay JSON: what the runner could obey is escaped.
    """
    if is_json:
        text = harmless_json(text)
    elif in_actions() and not _goes_to_a_file():
        import secrets

        text = without_commands(text, token=secrets.token_hex(16))
    sys.stdout.write(text)


def say(*sentences: str) -> None:
    """Say something to the person, on stderr."""
    for sentence in sentences:
        sys.stderr.write(f"triage: {harmless(sentence)}\n")


def in_actions() -> bool:
    """Whether a workflow's step runs us."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _goes_to_a_file() -> bool:
    """Whether no runner reads it."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return False
