"""`triage rules`: check, list and explain what is known to break."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from triage.entry.commands import rules_bench
from triage.entry.commands.command import Command
from triage.entry.options import output_width, read_text
from triage.entry.output import show
from triage.errors import ConfigError, UsageError

if TYPE_CHECKING:
    import argparse

    from triage.model import Rule
    from triage.rules import RuleSet


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    check = commands.add_parser("check", help="prove every rule by its examples, alone and in the whole set")
    check.add_argument("file", nargs="?", type=Path, help="a rules file (default: the built-in rules)")
    check.set_defaults(rules_run=_check)
    listing = commands.add_parser("list", help="list the rules, in order of precedence")
    listing.add_argument("--format", choices=("text", "json"), default="text")
    listing.set_defaults(rules_run=_list)
    explain = commands.add_parser("explain", help="tell what a rule says, or which rules show in a log and which won")
    explain.add_argument("what", metavar="ID|FILE", help="a rule's id, or a log")
    explain.set_defaults(rules_run=_explain)
    rules_bench.add_arguments(commands.add_parser("bench", help="name the rules that cost most on a log"))


def _run(arguments: argparse.Namespace) -> int:
    return int(arguments.rules_run(arguments))


def _check(arguments: argparse.Namespace) -> int:
    from triage.classify.proof import rule_that_wins
    from triage.rules import builtin_rules, check_examples, check_winners, load_rules, parse_builtin

    path: Path | None = arguments.file
    own = load_rules(read_text(path, "rules file"), str(path)) if path else parse_builtin()
    whole = own.before(builtin_rules()) if path else own
    problems = (*check_examples(own), *check_winners(own, rule_that_wins(whole)))
    if problems:
        raise ConfigError(*problems)
    show(f"{len(own.rules)} rules with {len(own.examples)} examples: all hold\n")
    return 0


def _list(arguments: argparse.Namespace) -> int:
    from triage.rules import builtin_rules

    rules = builtin_rules().rules
    if arguments.format == "json":
        rows = [
            {"id": rule.id, "title": rule.title, "fault": rule.fault.value, "where": rule.where.value} for rule in rules
        ]
        show(json.dumps(rows, indent=2) + "\n", is_json=True)
        return 0
    width = max(len(rule.id) for rule in rules)
    fault_width = max(len(rule.fault.value) for rule in rules)
    show("".join(f"{rule.id:<{width}}  {rule.fault.value:<{fault_width}}  {rule.title}\n" for rule in rules))
    return 0


def _explain(arguments: argparse.Namespace) -> int:
    from triage.rules import builtin_rules

    rules = builtin_rules()
    known = {rule.id: rule for rule in rules.rules}
    if arguments.what in known:
        show("\n".join(_describe(known[arguments.what])) + "\n")
        return 0
    path = Path(arguments.what)
    if not path.is_file():
        raise UsageError(f"{arguments.what!r} is neither a rule's id nor a log; `triage rules list` lists the ids")
    return _explain_log(path, rules)


def _describe(rule: Rule) -> list[str]:
    rows = (
        ("title", rule.title),
        ("fault", rule.fault.value),
        ("where", rule.where.value),
        ("lines", "\n           ".join(rule.lines)),
        ("unless", "\n           ".join(rule.unless)),
        ("owner", rule.owner),
        ("advice", rule.advice.strip()),
        ("re-run", f"{rule.rerun.value}{': ' if rule.rerun_why else ''}{rule.rerun_why}"),
        ("docs", rule.docs),
        ("from", rule.place),
    )
    return [rule.id, *(f"  {name:<8} {text}" for name, text in rows if text)]


def _explain_log(path: Path, rules: RuleSet) -> int:
    from triage.classify import classify_log, make_scanner
    from triage.logs import read_log, read_tests
    from triage.recorded.files import FileSource
    from triage.render.terminal import render_log_terminal
    from triage.rules import matches

    scanner = make_scanner(rules)
    source = FileSource(path)
    log = read_log(source, scanner)
    failure = classify_log(source.name, log, read_tests(log), rules, scanner)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    show(render_log_terminal(source.name, failure, width=output_width(), colour=colour).rstrip() + "\n\n")
    won = failure.rule.id if failure.rule else None
    shown = matches(rules, log)
    lines = ["Rules that show in this log, by line:" if shown else "No rule shows in this log."]
    for match in shown:
        mark = "won" if match.rule.id == won else "wrapper" if match.rule.wrapper else ""
        lines.append(f"  {match.line.number:>7}  {match.rule.id:<40} {mark}")
    show("\n".join(lines) + "\n")
    return 0


COMMANDS = (
    Command(name="rules", summary="Check, list and explain the rules.", add_arguments=_add_arguments, run=_run),
)
