"""The commands, in the order of the help. A new one is a file and a row here."""

from __future__ import annotations

from typing import Final

from triage.entry.command import explain, feedback, help, label, refresh, rerun  # noqa: A004  our command's name
from triage.entry.command.answers import Does
from triage.entry.command.parser import Argument, Command

_JOB: Final = Argument("JOB")

COMMANDS: Final[tuple[Command, ...]] = (
    Command(name="", permit="refresh", summary="Looks again and writes the report anew.", run=refresh.run),
    Command(name="help", summary="Shows this.", run=help.run, claims=None),
    Command(
        name="explain",
        arguments=(_JOB,),
        permit="explain",
        summary="Shows all that is known of one failure.",
        run=explain.run,
    ),
    Command(
        name="rerun",
        arguments=(Argument("failed|infra|JOB", optional=True),),
        permit="rerun",
        acts=True,
        claims=Does.RERUN,
        summary="Runs again what a re-run helps; with `failed`, whatever it is not pointless for; with `infra`, what "
        "machines did. Several causes may be named: `/triage rerun 3 4`.",
        run=rerun.run,
    ),
    Command(
        name="ack",
        arguments=(_JOB, Argument("REASON")),
        permit="ack",
        summary="Keeps that a failure is known, and why it may stay.",
        run=feedback.acknowledge,
    ),
    Command(
        name="wrong",
        arguments=(_JOB, Argument("CATEGORY", optional=True)),
        permit="wrong",
        summary="Keeps that a verdict is wrong, and what would be right.",
        run=feedback.object_to,
    ),
    Command(
        name="label",
        arguments=(Argument("NAME", optional=True),),
        permit="label",
        acts=True,
        summary="Adds the label that a gate asks for.",
        run=label.run,
    ),
)
