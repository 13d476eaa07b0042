"""A repository's own settings and rules, as its default branch has them at one commit; never as a change does (T2)."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from triage.errors import ConfigError, Problem, ProviderError, TriageError, UsageError
from triage.model import Gap
from triage.rules import builtin_rules, load_rules
from triage.settings import BUILT_IN, PLACE, load_settings, with_settings
from triage.source.shapes import pull_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.gather.scope import Scope
    from triage.rules import RuleSet
    from triage.settings import Settings
    from triage.source import Reads

_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_NOT_RECORDED: Final = 404


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRules:
    """The settings and rules that hold.

    Attributes:
        settings: Built-in ones where the repository has none, or wrong ones.
        rules: The repository's own first, then the built-in ones.
        problems: Every mistake in its files; what is in a wrong file does not hold.
        gaps: The same for the report, in short, and what could not be read.
        is_broken: Whether the settings are the built-in ones although the repository may have others.
    """

    settings: Settings = BUILT_IN
    rules: RuleSet
    problems: tuple[Problem, ...] = ()
    gaps: tuple[Gap, ...] = ()
    is_broken: bool = False


def default_commit(event: Mapping[str, Any], environment: Mapping[str, str], reads: Reads) -> str:
    """Return the commit of the default branch at which settings and rules are read.

    The runner tells it for events that run on the default branch, so that it need not be asked for.

    Raises:
        ProviderError: It had to be asked for, and GitHub did not say.
    """
    repository = event.get("repository")
    branch = repository.get("default_branch") if isinstance(repository, dict) else None
    if not isinstance(branch, str) or not branch:
        branch = str(reads.repository().get("default_branch") or "")
    sha = environment.get("GITHUB_SHA", "")
    if environment.get("GITHUB_REF") == f"refs/heads/{branch}" and _COMMIT.fullmatch(sha):
        return sha
    return commit_of(branch, reads)


def commit_of(ref: str, reads: Reads) -> str:
    """Return the commit that a branch or tag is at now.

    Raises:
        ProviderError: GitHub did not say.
        UsageError: It is the commit of a pull request, or none.
    """
    if ref.startswith(("refs/pull/", "pull/")):
        raise UsageError(f"{ref!r} is what a pull request says; rules come from a branch of the repository itself")
    if _COMMIT.fullmatch(ref):
        return ref
    newest = next(iter(reads.commits(ref)), None)
    sha = str(newest.get("sha", "")) if newest else ""
    if not _COMMIT.fullmatch(sha):
        raise UsageError(f"there is no commit {ref!r} to read rules at")
    return sha


def newest_own_rules(reads: Reads, scope: Scope) -> OwnRules:
    """Read settings and rules as the default branch has them now. Never raises for what is in them, or unreadable.

    Args:
        reads: Asked for one or two things beyond those of a triage.
        scope: What is triaged.
    """
    try:
        return read_own_rules(reads, _tip(reads, scope))
    except (ProviderError, UsageError) as error:
        return unread(error)


def recorded_own_rules(reads: Reads, scope: Scope) -> OwnRules:
    """Read settings and rules as they were recorded; one that holds none was made without, and is read so."""
    try:
        commit = _tip(reads, scope)
        reads.file(PLACE, commit)
    except ProviderError as error:
        return OwnRules(rules=builtin_rules()) if error.status == _NOT_RECORDED else unread(error)
    except UsageError as error:
        return unread(error)
    return read_own_rules(reads, commit)


def unread(error: TriageError) -> OwnRules:
    """Return what holds where not even the commit is known."""
    gap = Gap(PLACE, f"{error}; the built-in settings and rules hold")
    return OwnRules(rules=builtin_rules(), gaps=(gap,), is_broken=True)


def _tip(reads: Reads, scope: Scope) -> str:
    """Return the commit that the default branch is at.

    A triage of an open pull request asks how it compares with its base, and that names the base's newest commit: where
    this is the default branch, no other request is needed.
    """
    branch = scope.repository.default_branch
    pull = pull_of(scope.pull) if scope.pull is not None else None
    if pull is not None and pull.state == "open" and pull.base_ref == branch:
        with suppress(ProviderError):
            tip = reads.compare(branch, scope.head_sha).get("base_commit")
            sha = tip.get("sha") if isinstance(tip, dict) else None
            if isinstance(sha, str) and _COMMIT.fullmatch(sha):
                return sha
    return commit_of(branch, reads)


def read_own_rules(reads: Reads, commit: str, *, rules_path: str | None = None) -> OwnRules:
    """Read settings and rules at a commit. Never raises for what is in them: what is wrong is told, and does not hold.

    Args:
        reads: The repository.
        commit: Of the default branch.
        rules_path: The one rules file, whatever the settings say.
    """
    reader = _Reader(reads, commit)
    settings = reader.settings()
    paths = (rules_path,) if rules_path is not None else settings.rule_files
    own = tuple(rules for rules in map(reader.rules, paths) if rules is not None)
    return OwnRules(
        settings=replace(settings, sha=commit) if reader.found else settings,
        rules=with_settings(builtin_rules(), own, settings),
        problems=tuple(reader.problems),
        gaps=tuple(reader.gaps),
        is_broken=reader.is_broken,
    )


class _Reader:
    """Reads files at one commit, and collects what is wrong with them."""

    def __init__(self, reads: Reads, commit: str) -> None:
        self._reads = reads
        self._commit = commit
        self.problems: list[Problem] = []
        self.gaps: list[Gap] = []
        self.found = False
        self.is_broken = False

    def settings(self) -> Settings:
        """Return the repository's settings, else the built-in ones."""
        held = "the built-in settings hold"
        before = len(self.gaps)
        text = self._text(PLACE, held)
        if text is None:
            self.is_broken = len(self.gaps) > before
            return BUILT_IN
        try:
            return load_settings(text, PLACE)
        except ConfigError as error:
            self._note(error, held)
            self.is_broken = True
            return BUILT_IN

    def rules(self, path: str) -> RuleSet | None:
        """Return the rules of a file that is named, or None and a gap."""
        held = "its rules are not used"
        before = len(self.gaps)
        text = self._text(path, held)
        if text is None:
            if len(self.gaps) == before:
                self._note(ConfigError(Problem(path, 1, 1, f"there is no such file at {self._commit[:10]}")), held)
            return None
        try:
            return load_rules(text, path)
        except ConfigError as error:
            self._note(error, held)
            return None

    def _text(self, path: str, held: str) -> str | None:
        try:
            text = self._reads.file(path, self._commit)
        except ProviderError as error:
            self.gaps.append(Gap(f"`{path}`", f"{error}; {held}"))
            return None
        self.found = self.found or text is not None
        return text

    def _note(self, error: ConfigError, held: str) -> None:
        self.problems += error.problems
        first, *rest = error.problems
        more = f", and {len(rest)} more {'mistake' if len(rest) == 1 else 'mistakes'}" if rest else ""
        place = f"`{first.path}:{first.line}:{first.column}`"
        self.gaps.append(Gap(place, f"{first.message}{more}; {held}"))
