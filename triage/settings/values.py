"""The values of the settings: a class for each part, and what holds where a repository says nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TYPE_CHECKING, Final

from triage.settings import LOOK_BACK_REQUESTS

if TYPE_CHECKING:
    from collections.abc import Mapping


@unique
class When(StrEnum):
    """When to comment where there is no comment of ours; one that is there is always kept right, except with `off`."""

    ALWAYS = "always"
    ON_FAILURE = "on-failure"
    OFF = "off"


@unique
class Role(StrEnum):
    """What a person may do in the repository, least first; GitHub's own words for it."""

    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        """How far up it stands: 0 for the least."""
        return list(Role).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class WayOut:
    """How a label gets onto a pull request here: the comment command that adds it, and a word of advice."""

    label: str
    command: str | None = None
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """Files, and the jobs that test them: globs of paths, and globs of job names."""

    paths: tuple[str, ...]
    jobs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit:
    """Who may give a command: from this role on; with `author`, whoever opened the pull request, too."""

    role: Role = Role.WRITE
    author: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunCaps:
    """How many re-runs may be asked for by command in 24 hours: on one pull request, by one person, and in all."""

    pull: int = 5
    person: int = 10
    day: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCaps:
    """How many commands that cost a triage are answered in 24 hours: on one pull request, and of one person."""

    pull: int = 40
    person: int = 20


# Reading is for everybody who may comment; what costs machines or speaks for the project is not.
_PERMITS: Final[Mapping[str, Permit]] = {
    "refresh": Permit(role=Role.READ),
    "explain": Permit(role=Role.READ),
    "rerun": Permit(role=Role.WRITE, author=True),
    "ack": Permit(role=Role.TRIAGE),
    "wrong": Permit(role=Role.TRIAGE, author=True),
    "label": Permit(role=Role.TRIAGE),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings; each default is what holds in a repository that says nothing.

    Attributes:
        rule_files: More rules, asked before the built-in ones: paths on the default branch.
        disabled_rules: Ids of built-in rules that are not asked.
        aggregators: Globs of names of jobs that only report what became of others.
        gates: Globs of names of jobs that only decide whether others may run.
        labels: Ways out of a missing label.
        coverage: Which jobs test which files.
        window_days: How far back main and other pull requests are compared.
        look_back_requests: What that may cost at most; 0 compares with nothing.
        look_back_seconds: And how long it may take.
        history: Where to keep what was seen: a URL, a path, `none`.
        max_logs: How many logs of failed jobs are read at most.
        comment: When to comment.
        comment_key: Tells our comment from that of another configuration on the same pull request.
        on_worse: What to do when the answer gets worse: `edit`, `mention` or `new-comment`.
        names_commands: Whether the comment tells next steps as comment commands.
        verify_after: Seconds after which GitHub's lists show what was written; a second look is taken then.
        permits: Who may give which command.
        command_caps: How many commands that cost a triage are answered.
        rerun_caps: How often `/triage rerun` may be given.
        sha: The commit at which they were read; empty where none were.
    """

    rule_files: tuple[str, ...] = ()
    disabled_rules: tuple[str, ...] = ()
    aggregators: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    labels: tuple[WayOut, ...] = ()
    coverage: tuple[Covered, ...] = ()
    window_days: int = 7
    look_back_requests: int = LOOK_BACK_REQUESTS
    look_back_seconds: int = 60
    history: str = "none"
    max_logs: int = 256
    comment: When = When.ON_FAILURE
    comment_key: str = "default"
    on_worse: str = "edit"
    names_commands: bool = True
    verify_after: int = 3
    permits: Mapping[str, Permit] = field(default_factory=lambda: dict(_PERMITS))
    command_caps: CommandCaps = field(default_factory=CommandCaps)
    rerun_caps: RerunCaps = field(default_factory=RerunCaps)
    sha: str = ""

    def way_out(self, label: str | None) -> WayOut | None:
        """Return how this label gets onto a pull request here; None where the settings do not say."""
        return next((way for way in self.labels if way.label == label), None)


BUILT_IN: Final[Settings] = Settings()
"""What holds where a repository says nothing, or says it wrongly."""
