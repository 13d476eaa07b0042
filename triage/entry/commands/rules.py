"""`triage rules`: check, list and explain what is known to break."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.entry.commands import rules_bench, rules_check, rules_explain, rules_suggest
from triage.entry.commands.command import Command
from triage.entry.output import show

if TYPE_CHECKING:
    import argparse


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    rules_check.add_arguments(commands.add_parser("check", help="prove every rule, alone and in the whole set"))
    listing = commands.add_parser("list", help="list the rules, in order of precedence")
    listing.add_argument("--format", choices=("text", "json"), default="text")
    listing.set_defaults(rules_run=_list)
    rules_explain.add_arguments(
        commands.add_parser("explain", help="tell what a rule says, or why each rule that shows in a log won or lost")
    )
    rules_suggest.add_arguments(
        commands.add_parser("suggest", help="group what no rule explains in the history, and draft rules for it")
    )
    rules_bench.add_arguments(commands.add_parser("bench", help="name the rules that cost most on a log"))


def _run(arguments: argparse.Namespace) -> int:
    return int(arguments.rules_run(arguments))


def _list(arguments: argparse.Namespace) -> int:
    from triage.rules import builtin_rules

    rules = builtin_rules().rules
    if arguments.format == "json":
        rows = [
            {"id": rule.id, "title": rule.title, "fault": rule.fault.value, "where": rule.where.value} for rule in rules
        ]
        import json

        show(json.dumps(rows, indent=2) + "\n", is_json=True)
        return 0
    width = max(len(rule.id) for rule in rules)
    fault_width = max(len(rule.fault.value) for rule in rules)
    show("".join(f"{rule.id:<{width}}  {rule.fault.value:<{fault_width}}  {rule.title}\n" for rule in rules))
    return 0


COMMANDS = (
    Command(name="rules", summary="Check, list and explain the rules.", add_arguments=_add_arguments, run=_run),
)
