r"""`triage rules bench`: which rules cost most on a log of your own.

A few patterns usually take most of the time: those that open with `.*` or `\S*`, or hold a word that is everywhere.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from triage.entry.options import add_rules, load_rules
from triage.entry.output import say, show
from triage.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from triage.model import Rule

MOST_BYTES = 16 * 1024 * 1024
"""Bytes of the log that are timed: enough to tell fast from slow, and done in a minute."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `rules bench` takes."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a log, plain or .gz")
    parser.add_argument("--top", type=int, default=15, help="how many rules to name (default: 15)")
    add_rules(parser)
    parser.set_defaults(rules_run=run)


def run(arguments: argparse.Namespace) -> int:
    """Time what each rule looks for in every log, print the slowest first, then those that are slow on any log."""
    from triage.recorded.files import FileSource
    from triage.rules.bounds import check_words, seconds_on

    if not arguments.file.is_file():
        raise UsageError(f"cannot read the log {arguments.file}: there is no such file")
    with FileSource(arguments.file).open() as file:
        block = file.read(MOST_BYTES)
    if not block:
        raise UsageError(f"the log {arguments.file} is empty; give one with lines to time the rules on")
    rules = load_rules(arguments)
    timed = sorted(
        ((seconds_on((block,), rule.lines[-1:], perf_counter), rule) for rule in rules.rules),
        key=lambda entry: -entry[0],
    )
    whole = sum(cost for cost, _ in timed)
    show("\n".join(table(timed[: arguments.top], whole, len(block))) + "\n")
    for warning in check_words(rules):
        say(f"warning: {warning}")
    return 0


def table(timed: Iterable[tuple[float, Rule]], whole: float, size: int) -> list[str]:
    """Write a row a rule: seconds, share of all rules' time, speed, id."""
    rows = [
        f"{cost:8.3f} s {cost / whole:6.1%} {size / cost / 1e6:8.0f} MB/s  {rule.id}"
        for cost, rule in timed
        if cost > 0
    ]
    return [f"{size / 1e6:.1f} MB, every rule alone: {whole:.2f} s", *rows]
