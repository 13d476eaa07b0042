"""`triage rules explain`: what a rule says, or why each rule that shows in a log was believed or not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from triage.entry.days import day_of
from triage.entry.options import add_rules, load_rules, output_width, wants_colour
from triage.entry.output import show
from triage.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from triage.classify.explaining import Reason
    from triage.model import Rule
    from triage.rules import RuleSet

MOST_LINES: Final = 6
"""Line numbers told of one rule for one reason."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `rules explain` takes."""
    parser.add_argument("what", metavar="ID|FILE", help="a rule's id, or a log, plain or .gz")
    add_rules(parser)
    parser.set_defaults(rules_run=run)


def run(arguments: argparse.Namespace) -> int:
    """Describe a rule, or tell of a log.

    Raises:
        UsageError: It is neither.
    """
    rules = load_rules(arguments)
    known = {rule.id: rule for rule in rules.rules}
    if arguments.what in known:
        show("\n".join(describe(known[arguments.what])) + "\n")
        return 0
    path = Path(arguments.what)
    if not path.is_file():
        raise UsageError(f"{arguments.what!r} is neither a rule's id nor a log; `triage rules list` lists the ids")
    return _explain_log(path, rules)


def describe(rule: Rule) -> list[str]:
    """Write what a rule says, a line a key."""
    below = "\n           "
    rows = (
        ("title", rule.title),
        ("fault", rule.fault.value),
        ("where", rule.where.value),
        ("lines", below.join(rule.lines)),
        ("unless", below.join(rule.unless)),
        ("but not", below.join(rule.but_not)),
        ("steps", ", ".join(rule.steps)),
        ("owner", rule.owner),
        ("advice", rule.advice.strip()),
        ("re-run", f"{rule.rerun.value}{': ' if rule.rerun_why else ''}{rule.rerun_why}"),
        ("docs", rule.docs),
        ("issue", rule.issue),
        ("expires", rule.expires),
        ("from", rule.place),
    )
    return [rule.id, *(f"  {name:<8} {text}" for name, text in rows if text)]


def _explain_log(path: Path, rules: RuleSet) -> int:
    from triage.classify import classify_log, make_scanner
    from triage.classify.context import JobContext
    from triage.classify.explaining import reasons
    from triage.logs import read_log, read_tests
    from triage.model import JobFacts
    from triage.recorded.files import FileSource
    from triage.render.failure_text import render_log_terminal

    scanner = make_scanner(rules)
    source = FileSource(path)
    log = read_log(source, scanner)
    day = day_of(log)
    tests, holding = read_tests(log), rules.on(day)
    failure = classify_log(source.name, log, tests, holding, scanner)
    show(
        render_log_terminal(source.name, failure, width=output_width(), colour=wants_colour(os.environ)).rstrip()
        + "\n\n"
    )
    facts = JobFacts(job=failure.job, log=log, tests=tests)
    told = reasons(JobContext(facts=facts, rules=holding, scanner=scanner), failure)
    show("\n".join(table(told)) + "\n")
    for rule in rules.expired(day):
        show(f"  not asked: {rule.id} expired after {rule.expires}\n")
    return 0


def table(told: Sequence[Reason]) -> Iterator[str]:
    """Write a line for each rule and reason, with the numbers of its lines: what won first, then by line."""
    if not told:
        yield "No rule shows in this log."
        return
    yield "Rules that show in this log:"
    groups: dict[tuple[str, str, str], list[int]] = {}
    for reason in told:
        groups.setdefault((reason.lot.value, reason.rule, reason.why), []).append(reason.line)
    for (lot, rule, why), lines in sorted(groups.items(), key=lambda entry: (entry[0][0] != "won", entry[1][0])):
        shown = ", ".join(map(str, lines[:MOST_LINES]))
        more = f" and {len(lines) - MOST_LINES} more" if len(lines) > MOST_LINES else ""
        yield f"  {lot:<6} {rule}, line{'s' if len(lines) > 1 else ''} {shown}{more}"
        yield f"         {why}"
