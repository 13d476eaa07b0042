"""`triage log`: what a lone log shows, from a file or from standard input."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from triage.entry.commands.command import Command
from triage.entry.days import day_of
from triage.entry.options import add_format, add_rules, load_rules, output_width, wants_colour
from triage.entry.output import show
from triage.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from triage.source import LogSource


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="a raw job log, plain or .gz; `-` is standard input")
    add_format(parser, ("text", "json"))
    add_rules(parser)


def _run(arguments: argparse.Namespace) -> int:
    from triage.classify import classify_log, make_scanner
    from triage.logs import read_log, read_tests

    sources = [_open(name) for name in arguments.files]
    rules = load_rules(arguments)
    scanner = make_scanner(rules)
    for source in sources:
        log = read_log(source, scanner)
        failure = classify_log(source.name, log, read_tests(log), rules.on(day_of(log)), scanner)
        if arguments.format == "json":
            from triage.render.json_report import render_log_json

            text = render_log_json(source.name, failure)
        else:
            from triage.render.failure_text import render_log_terminal

            text = render_log_terminal(source.name, failure, width=output_width(), colour=wants_colour(os.environ))
        show(text if text.endswith("\n") else text + "\n", is_json=arguments.format == "json")
    return 0


def _open(name: str) -> LogSource:
    from triage.recorded.files import FileSource, spool

    if name == "-":
        return spool(sys.stdin.buffer, name="standard input")
    path = Path(name)
    if not path.is_file():
        reason = "it is a folder" if path.is_dir() else "there is no such file"
        raise UsageError(f"cannot read the log {name}: {reason}")
    return FileSource(path)


COMMANDS = (
    Command(
        name="log",
        summary="Say what a lone job log shows.",
        add_arguments=_add_arguments,
        run=_run,
        libraries_log=False,
    ),
)
