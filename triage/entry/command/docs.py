"""The part of `docs/commands.md` that is written from the parser: `python -m triage.entry.command.docs` prints it."""

from __future__ import annotations

from typing import Final

from triage.entry.command.help import help_text
from triage.entry.command.table import COMMANDS
from triage.settings import BUILT_IN

BEGIN: Final = "<!-- commands: begin -->\n\n"
END: Final = "\n<!-- commands: end -->"


def documented() -> str:
    """Return the help with the built-in settings."""
    return f"{help_text(COMMANDS, BUILT_IN)}\n"


if __name__ == "__main__":
    print(documented(), end="")
