"""The commands, in the order of the help. The module of a command is loaded when that command is wanted."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.entry.commands.command import Command

MODULES: Mapping[str, str] = {
    "run": "runs",
    "pr": "runs",
    "log": "log",
    "record": "record",
    "rules": "rules",
    "history": "history",
    "eval": "evaluate",
}
"""Word after `triage` -> the module here that has it in its `COMMANDS`."""


def load_command(name: str) -> Command:
    """Load one of the commands."""
    commands: tuple[Command, ...] = import_module(f"{__name__}.{MODULES[name]}").COMMANDS
    return next(command for command in commands if command.name == name)
