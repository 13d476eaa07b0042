"""By which settings and rules a command judges: the repository's own, as its default branch has them, or local files.

Local files are for trying: what is wrong in one ends the command. What is wrong on the default branch does not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from triage.entry.options import load_own_rules, read_text
from triage.entry.output import say
from triage.errors import UsageError
from triage.settings import PLACE, load_settings, with_settings

if TYPE_CHECKING:
    import argparse

    from triage.entry.own_rules import OwnRules
    from triage.gather.scope import Scope
    from triage.rules import RuleSet
    from triage.source import Reads
    from triage.source.request import Request


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add `--settings` and `--no-settings`."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--settings",
        metavar="FILE",
        type=Path,
        help=f"a local settings file in place of the default branch's {PLACE}; the rules files it names are local, too",
    )
    which.add_argument(
        "--no-settings",
        action="store_true",
        help="the built-in settings and rules only, whatever the default branch says; asks one or two requests less",
    )


class Judging:
    """What the command line says of settings and rules; local files are read and checked at once.

    Raises:
        UsageError: A local file cannot be read.
        ConfigError: What is in one is wrong; every mistake is told.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._is_recorded = arguments.recorded is not None
        self._given = load_own_rules(arguments)
        self._settled = _settled(arguments)

    def by(self, request: Request, reads: Reads) -> OwnRules:
        """Return what holds for a triage; mistakes on the default branch are told on stderr, and are gaps.

        Raises:
            TriageError: The run or the pull request itself cannot be read.
        """
        from triage.gather.scope import scope_of

        return self._with_given(self._settled or self._asked(scope_of(reads, request), reads))

    def of_repository(self, reads: Reads) -> OwnRules:
        """Return what holds in a repository, whatever is triaged.

        Raises:
            TriageError: The repository cannot be read.
        """
        from triage.gather.scope import Scope
        from triage.source.shapes import repository_of

        if self._settled is not None:
            return self._with_given(self._settled)
        scope = Scope(repository=repository_of(reads.repository()), runs=(), head_sha="")
        return self._with_given(self._asked(scope, reads))

    def _asked(self, scope: Scope, reads: Reads) -> OwnRules:
        from triage.entry.own_rules import newest_own_rules, recorded_own_rules

        own = recorded_own_rules(reads, scope) if self._is_recorded else newest_own_rules(reads, scope)
        for problem in own.problems:
            say(str(problem))
        return own

    def _with_given(self, own: OwnRules) -> OwnRules:
        """Put the caller's own rules before all others."""
        from dataclasses import replace

        return own if self._given is None else replace(own, rules=self._given.before(own.rules))


def _settled(arguments: argparse.Namespace) -> OwnRules | None:
    """Return what local files say; None where the repository is to be asked."""
    from triage.entry.own_rules import OwnRules
    from triage.rules import builtin_rules

    if arguments.no_settings:
        return OwnRules(rules=builtin_rules())
    path: Path | None = arguments.settings
    if path is None:
        return None
    settings = load_settings(read_text(path, "settings file"), str(path))
    own = tuple(_local_rules(path, name) for name in settings.rule_files)
    return OwnRules(settings=settings, rules=with_settings(builtin_rules(), own, settings))


def _local_rules(settings: Path, name: str) -> RuleSet:
    """Read a rules file that local settings name, from the top of the checkout that they lie in."""
    from triage.rules import load_rules

    folder = settings.resolve().parent
    path = (folder.parent if folder.name == Path(PLACE).parent.name else folder) / name
    try:
        return load_rules(read_text(path, "rules file"), str(path))
    except UsageError as error:
        raise UsageError(f"{error}; {settings} names it") from error
