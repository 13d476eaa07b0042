"""The command line `triage`.

Everything heavy is imported by the command that needs it: `triage --help` and `triage log` load no GitHub client.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

from triage import __version__
from triage.entry.boundary import guarded
from triage.entry.commands import MODULES, load_command
from triage.render.runner_commands import harmless

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Parser(argparse.ArgumentParser):
    """One whose complaints quote what was given so that a workflow's runner obeys nothing in it."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end."""
        super().error(harmless(message))


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Build the parser; the help of every command is written from it.

    Args:
        only: The one command that will be run: the others are then not even loaded. Without one there is nothing to
            run, and no command gets its arguments: `triage --help` does not show them.
    """
    parser = _Parser(
        prog="triage", description="Reads failed CI jobs, finds out what broke in each and whose failure it is."
    )
    parser.add_argument("--version", action="version", version=f"triage {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog=parser.prog, required=True)
    for command in map(load_command, MODULES if only is None else (only,)):
        own = commands.add_parser(command.name, help=command.summary, description=command.summary)
        if only is not None:
            own.add_argument("-v", "--verbose", action="store_true", help="say on stderr what is done")
            command.add_arguments(own)
            own.set_defaults(run=command.run, libraries_log=command.libraries_log)
    return parser


def main(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code; `argv` is without the program's name."""
    wanted = argv[0] if argv and argv[0] in MODULES else None
    arguments = make_parser(wanted).parse_args(argv)
    if arguments.libraries_log:
        import logging

        level = logging.INFO if arguments.verbose else logging.WARNING
        logging.basicConfig(level=level, stream=sys.stderr, format="triage: %(message)s")
    return guarded(lambda: int(arguments.run(arguments)))
