"""`/triage help`, written from the parser: what it says is what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.entry.command.answers import Answer
from triage.entry.command.people import needed
from triage.entry.command.turn import permit_of
from triage.settings import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.entry.command.parser import Command
    from triage.entry.command.turn import Turn
    from triage.settings import Permit, Settings

_CAPS: Final = (
    "Within 24 hours, {commands.pull} commands are answered on one pull request, and {commands.person} of one person. "
    "{reruns.pull} re-runs may be asked for on one pull request, {reruns.person} by one person, and {reruns.day} in "
    "all."
)


def run(turn: Turn) -> Answer:
    """Say what there is."""
    from triage.entry.command.table import COMMANDS

    return Answer(text=help_text(COMMANDS, turn.house.settings, is_broken=turn.house.own.is_broken))


def help_text(commands: Sequence[Command], settings: Settings, *, is_broken: bool = False) -> str:
    """Write the help as Markdown."""
    head = ("| on the first line of a comment | what it does | who may |", "| :-- | :-- | :-- |")
    rows = (
        f"| {_cell(command.usage)} | {command.summary} | {_who(permit_of(command, settings, is_broken=is_broken))} |"
        for command in commands
    )
    return "\n".join(
        (
            *head,
            *rows,
            "",
            "`JOB` is the name of a failed job, in quotes or not, its number, or the number of a cause.",
            _CAPS.format(commands=settings.command_caps, reruns=settings.rerun_caps),
        )
    )


def _cell(usage: str) -> str:
    # GitHub cuts a row at every bar, even inside of code, unless a backslash stands before it.
    return f"`{usage}`".replace("|", "\\|")


def _who(permit: Permit | None) -> str:
    if permit is None or permit.role is Role.READ:
        return "whoever may read" if permit else "everybody"
    return needed(permit)
