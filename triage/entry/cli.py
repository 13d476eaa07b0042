"""The command line `triage`.

Everything heavy is imported by the command that needs it: `triage --help` and `triage log` load no GitHub client.
"""

from __future__ import annotations

import argparse
import logging
import sys
from typing import TYPE_CHECKING

from triage import __version__
from triage.entry.boundary import guarded
from triage.entry.commands import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Sequence


def make_parser() -> argparse.ArgumentParser:
    """Build the parser; the help of every command is written from it."""
    parser = argparse.ArgumentParser(
        prog="triage", description="Reads failed CI jobs, finds out what broke in each and whose failure it is."
    )
    parser.add_argument("--version", action="version", version=f"triage {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        own = commands.add_parser(command.name, help=command.summary, description=command.summary)
        own.add_argument("-v", "--verbose", action="store_true", help="say on stderr what is done")
        command.add_arguments(own)
        own.set_defaults(run=command.run)
    return parser


def main(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code; `argv` is without the program's name."""
    arguments = make_parser().parse_args(argv)
    level = logging.INFO if arguments.verbose else logging.WARNING
    logging.basicConfig(level=level, stream=sys.stderr, format="triage: %(message)s")
    return guarded(lambda: int(arguments.run(arguments)))
