"""The commands, in the order of the help."""

from triage.entry.commands import evaluate, history, log, record, rules, runs
from triage.entry.commands.command import Command

COMMANDS: tuple[Command, ...] = (
    *runs.COMMANDS,
    *log.COMMANDS,
    *record.COMMANDS,
    *rules.COMMANDS,
    *history.COMMANDS,
    *evaluate.COMMANDS,
)
