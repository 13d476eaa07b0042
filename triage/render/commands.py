"""Next steps as comments that are answered on the pull request, where commands are installed (`docs/commands.md`)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from triage.model import Action, Cause, Report

_RERUN: Final = "/triage rerun "


def with_commands(report: Report) -> Report:
    """Return the report with `/triage rerun N` wherever a re-run is a next step; N is the cause's number."""
    return replace(report, causes=tuple(_with_command(cause) for cause in report.causes))


def _with_command(cause: Cause) -> Cause:
    return replace(cause, actions=tuple(_as_command(step, cause.id) for step in cause.actions))


def _as_command(step: Action, cause: int) -> Action:
    return replace(step, command=f"{_RERUN}{cause}") if step.kind == "rerun" else step


def joined(commands: Iterable[str]) -> str:
    """Return one command that does what several do; empty when there is no such."""
    ordered = tuple(dict.fromkeys(commands))
    if len(ordered) > 1 and all(command.startswith(_RERUN) for command in ordered):
        return _RERUN + " ".join(command.removeprefix(_RERUN) for command in ordered)
    return ordered[0] if len(ordered) == 1 else ""
