"""`triage rules check`: everything that can be proved of rules before they judge anybody."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from triage.entry.commands import rules_winners
from triage.entry.days import today
from triage.entry.options import read_text
from triage.entry.output import say, show
from triage.errors import ConfigError, UsageError
from triage.settings import PLACE, load_settings, with_settings

if TYPE_CHECKING:
    import argparse

    from triage.errors import Problem
    from triage.rules import RuleSet
    from triage.source import LogSource

DIFFERS: Final = 1
"""Exit code where the table of winners is not what it was."""


class Subject(NamedTuple):
    """What is checked: the rules of the caller, and all that are asked together with them."""

    own: RuleSet
    whole: RuleSet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `rules check` takes."""
    parser.add_argument(
        "file", nargs="?", type=Path, help=f"a rules file, or {PLACE} with those it names (default: the built-in rules)"
    )
    parser.add_argument(
        "--passing",
        metavar="LOG",
        nargs="+",
        default=[],
        type=Path,
        help="logs of jobs that passed, on which every rule must be silent, beside those that are shipped",
    )
    rules_winners.add_arguments(parser)
    parser.set_defaults(rules_run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prove the rules; every mistake is told at once, with its place.

    Raises:
        ConfigError: What is wrong, in file order.
        UsageError: A file cannot be read.
    """
    from triage.render.words import plural

    subject = _subject(arguments.file)
    logs = _passing(arguments.passing)
    problems = _problems(subject, arguments.passing)
    for warning in _warnings(subject.own):
        say(f"warning: {warning}")
    if problems:
        raise ConfigError(*problems)
    own = subject.own
    show(
        f"{plural(len(own.rules), 'rule')} with {len(own.examples)} examples: all hold; "
        f"silent on {logs} passing logs, and none is kept busy by hostile lines\n"
    )
    changed = rules_winners.compare(arguments, subject.whole)
    return DIFFERS if changed else 0


def _subject(path: Path | None) -> Subject:
    from triage.rules import builtin_rules, parse_builtin

    if path is None:
        return Subject(own=parse_builtin(), whole=parse_builtin())
    if path.name != Path(PLACE).name or path.resolve().parent.name != Path(PLACE).parent.name:
        own = _read(path)
        return Subject(own=own, whole=own.before(builtin_rules()))
    settings = load_settings(read_text(path, "settings file"), str(path))
    if not settings.rule_files:
        raise UsageError(f"{path} names no rules files, so there are no rules of its own to check")
    top = path.parent.parent
    files = [_read(top / name) for name in settings.rule_files]
    own = files[-1]
    for one in reversed(files[:-1]):
        own = one.before(own)
    return Subject(own=own, whole=with_settings(builtin_rules(), tuple(files), settings))


def _read(path: Path) -> RuleSet:
    from triage.rules import load_rules

    return load_rules(read_text(path, "rules file"), str(path))


def _problems(subject: Subject, passing: list[Path]) -> list[Problem]:
    from triage.classify.proof import check_passing, rule_that_wins
    from triage.logs import TextSource
    from triage.recorded.files import FileSource
    from triage.rules import check_examples, check_winners
    from triage.rules.bounds import check_bounds
    from triage.rules.hygiene import check_captures, check_reach
    from triage.rules.passing import passing_logs

    own = subject.own
    logs: list[LogSource] = [TextSource(name, text) for name, text in passing_logs()]
    logs += map(FileSource, passing)
    found = [
        *check_examples(own),
        *check_winners(own, rule_that_wins(subject.whole)),
        *check_reach(own),
        *check_captures(own),
        *check_passing(own, logs),
        *check_bounds(own, time.process_time),
    ]
    return sorted(found, key=lambda problem: (problem.path, problem.line, problem.column))


def _warnings(own: RuleSet) -> list[Problem]:
    from triage.rules.bounds import check_words
    from triage.rules.hygiene import check_days

    return [*check_days(own, today()), *check_words(own)]


def _passing(given: list[Path]) -> int:
    from triage.rules.passing import passing_logs

    for path in given:
        if not path.is_file():
            raise UsageError(f"cannot read the passing log {path}: there is no such file")
    return len(passing_logs()) + len(given)
