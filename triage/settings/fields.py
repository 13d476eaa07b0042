"""The keys a settings file may have, as a table: the loader, the JSON Schema and the docs are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique

from triage.settings import BUILT_IN, MOST_FILES, Role, When

VERSION = 1
MOST_ITEMS = 200
LONGEST_TEXT = 200
LONGEST_ADVICE = 400


@unique
class Kind(StrEnum):
    """What stands behind a key."""

    TEXT = "text"
    TEXTS = "list of texts"
    NUMBER = "number"
    CHOICE = "choice"
    FLAG = "true or false"
    PERMIT = "who"


@unique
class Form(StrEnum):
    """What every text behind a key must look like, beyond being one."""

    ANY = "any"
    PATH = "path"  # of a file in the repository
    GLOB = "glob"
    RULE = "rule"  # the id of a built-in rule
    KEY = "key"  # of a comment
    COMMAND = "command"  # begins with a slash


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One key: what may stand behind it, what it means, and what holds without it (as text, for the docs).

    `least` and `most` bound a number; `longest` bounds a text, and each text of a list.
    """

    name: str
    kind: Kind
    about: str
    default: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    form: Form = Form.ANY
    least: int = 1
    most: int = 1_000_000
    longest: int = LONGEST_TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A top-level key: a mapping with these keys, or with `repeats` a list of such mappings."""

    name: str
    about: str
    fields: tuple[Field, ...]
    repeats: bool = False


def _permit(name: str, about: str) -> Field:
    permit = BUILT_IN.permits[name]
    who = f"`{permit.role}`{' and the author' if permit.author else ''}"
    return Field(name=name, kind=Kind.PERMIT, about=about, default=who)


PERMIT_FIELDS = (
    Field(
        name="role",
        kind=Kind.CHOICE,
        about="The least role in the repository that may give the command.",
        required=True,
        choices=tuple(role.value for role in Role),
    ),
    Field(
        name="author",
        kind=Kind.FLAG,
        about="Whether whoever opened the pull request may, whatever the role.",
        default="`false`",
    ),
)

SECTIONS = (
    Section(
        name="rules",
        about="What can break, beside the built-in rules.",
        fields=(
            Field(
                name="files",
                kind=Kind.TEXTS,
                about="Rules files of the default branch, asked before the built-in rules.",
                form=Form.PATH,
            ),
            Field(
                name="disabled",
                kind=Kind.TEXTS,
                about="Ids of built-in rules that are not asked.",
                form=Form.RULE,
            ),
        ),
    ),
    Section(
        name="jobs",
        about="What jobs are that the product cannot tell by their shape. Globs of job names.",
        fields=(
            Field(
                name="aggregators",
                kind=Kind.TEXTS,
                about="Jobs that only report what became of others. "
                "Believed only of a job that ran no test, says nothing of its own, and has a red job before it.",
                form=Form.GLOB,
            ),
            Field(
                name="gates",
                kind=Kind.TEXTS,
                about="Jobs that only decide whether others may run. "
                "Believed only of a job that failed, ran no test, and of whose log no rule knows better.",
                form=Form.GLOB,
            ),
        ),
    ),
    Section(
        name="labels",
        about="How a label that a gate asks for gets onto a pull request.",
        repeats=True,
        fields=(
            Field(name="label", kind=Kind.TEXT, about="The label, in full.", required=True, longest=50),
            Field(
                name="command",
                kind=Kind.TEXT,
                about="The comment that adds it.",
                form=Form.COMMAND,
                longest=100,
            ),
            Field(
                name="advice",
                kind=Kind.TEXT,
                about="What else to know, such as who may add it.",
                longest=LONGEST_ADVICE,
            ),
        ),
    ),
    Section(
        name="coverage",
        about="Which jobs test which files, so that the report can say that none of them ran.",
        repeats=True,
        fields=(
            Field(
                name="paths",
                kind=Kind.TEXTS,
                about="Globs of paths: `*` stays within a folder, `**` goes through folders.",
                required=True,
                form=Form.GLOB,
            ),
            Field(name="jobs", kind=Kind.TEXTS, about="Globs of job names.", required=True, form=Form.GLOB),
        ),
    ),
    Section(
        name="compare",
        about="With what failures are compared, and what that may cost.",
        fields=(
            Field(
                name="window_days",
                kind=Kind.NUMBER,
                about="How old a run on the default branch or of another pull request may be.",
                default=str(BUILT_IN.window_days),
                most=30,
            ),
            Field(
                name="requests",
                kind=Kind.NUMBER,
                about="Most requests for it; as many again, at most "
                f"{MOST_FILES}, for files that failing tests import. 0 compares with nothing.",
                default=str(BUILT_IN.look_back_requests),
                least=0,
                most=500,
            ),
            Field(
                name="seconds",
                kind=Kind.NUMBER,
                about="Most seconds for it.",
                default=str(BUILT_IN.look_back_seconds),
                most=600,
            ),
            Field(
                name="history",
                kind=Kind.TEXT,
                about="Where to keep what was seen, where the workflow does not say: a URL, a path or `none`. "
                "Never a URL with a password: use the input `history` with a secret.",
                default=f"`{BUILT_IN.history}`",
            ),
        ),
    ),
    Section(
        name="logs",
        about="What reading logs may cost.",
        fields=(
            Field(
                name="most",
                kind=Kind.NUMBER,
                about="Most logs of failed jobs that are read; the other jobs are `unknown`.",
                default=str(BUILT_IN.max_logs),
                most=2_000,
            ),
        ),
    ),
    Section(
        name="comment",
        about="The comment on the pull request.",
        fields=(
            Field(
                name="when",
                kind=Kind.CHOICE,
                about="When to comment first. A comment that is there is kept right, except with `off`.",
                choices=tuple(when.value for when in When),
                default=f"`{BUILT_IN.comment}`",
            ),
            Field(
                name="key",
                kind=Kind.TEXT,
                about="Tells this comment from that of another configuration on the same pull request.",
                default=f"`{BUILT_IN.comment_key}`",
                form=Form.KEY,
                longest=40,
            ),
            Field(
                name="on_worse",
                kind=Kind.CHOICE,
                about="What to do when the answer gets worse; GitHub tells nobody of an edit.",
                choices=("edit", "mention", "new-comment"),
                default=f"`{BUILT_IN.on_worse}`",
            ),
            Field(
                name="commands",
                kind=Kind.FLAG,
                about="Whether it tells next steps as comment commands, such as `/triage rerun 3`. `false` where "
                "`triage-command.yml` is not installed: then as `gh run rerun …`.",
                default="`true`",
            ),
            Field(
                name="verify_after_seconds",
                kind=Kind.NUMBER,
                about="How far GitHub's lists may be behind what was written; a second look is taken after that.",
                default=str(BUILT_IN.verify_after),
                most=30,
            ),
        ),
    ),
    Section(
        name="commands",
        about="Who may give which comment command.",
        fields=(
            _permit("refresh", "`/triage`"),
            _permit("explain", "`/triage explain JOB`"),
            _permit("rerun", "`/triage rerun`"),
            _permit("ack", "`/triage ack JOB REASON`"),
            _permit("wrong", "`/triage wrong JOB`"),
            _permit("label", "`/triage label`"),
        ),
    ),
    Section(
        name="command_caps",
        about="How many commands are answered in 24 hours: of those that cost a triage, so of all but `/triage help`.",
        fields=(
            Field(
                name="pull",
                kind=Kind.NUMBER,
                about="On one pull request.",
                default=str(BUILT_IN.command_caps.pull),
                least=0,
                most=10_000,
            ),
            Field(
                name="person",
                kind=Kind.NUMBER,
                about="Of one person.",
                default=str(BUILT_IN.command_caps.person),
                least=0,
                most=10_000,
            ),
        ),
    ),
    Section(
        name="rerun_caps",
        about="How many re-runs may be asked for by command in 24 hours.",
        fields=(
            Field(
                name="pull",
                kind=Kind.NUMBER,
                about="On one pull request.",
                default=str(BUILT_IN.rerun_caps.pull),
                least=0,
                most=1_000,
            ),
            Field(
                name="person",
                kind=Kind.NUMBER,
                about="By one person.",
                default=str(BUILT_IN.rerun_caps.person),
                least=0,
                most=1_000,
            ),
            Field(
                name="day",
                kind=Kind.NUMBER,
                about="In the repository.",
                default=str(BUILT_IN.rerun_caps.day),
                least=0,
                most=10_000,
            ),
        ),
    ),
)
