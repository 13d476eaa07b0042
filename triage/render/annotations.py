"""What is printed for the GitHub Actions runner, which reads every line of a step's output as a possible command.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.model import Category
from triage.render import cause_wording, ledger, wording
from triage.render.foreign_text import shortened, shown_line
from triage.render.words import Code, Link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from triage.model import Report
    from triage.render.ledger import Row
    from triage.render.words import Words

# GitHub shows ten of each level a step, and drops the rest without a word.
MOST: Final = 10
_MESSAGE_LIMIT: Final = 1_000
_LEVEL: Final = {Category.REGRESSION: "error", Category.UNKNOWN: "warning", Category.MISSING_LABEL: "warning"}
_OTHERS_LEVEL: Final = "notice"
# The percent sign first: the other replacements bring new ones.
_IN_MESSAGE: Final = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTY: Final = (*_IN_MESSAGE, (":", "%3A"), (",", "%2C"))


def render_annotations(report: Report, *, most: int = MOST) -> str:
    """Write one annotation for each cause, the author's first, as workflow commands.

    Args:
        report: What to say.
        most: How many annotations at most, at least 1; the last of them counts the causes that are left out.

    Returns:
        One command a line, each ending in a line break; empty when nothing failed.
    """
    rows = ledger.rows_of(report)
    shown = rows if len(rows) <= most else rows[: most - 1]
    lines = [_annotation(row) for row in shown]
    if rest := rows[len(shown) :]:
        jobs = sum(row.size for row in rest)
        left_out = f"{len(rest)} more causes with {jobs} jobs are in the step summary."
        lines.append(workflow_command(_OTHERS_LEVEL, left_out, title="CI triage"))
    return "".join(f"{line}\n" for line in lines)


def _annotation(row: Row) -> str:
    category = row.cause.category
    words: Words = (*cause_wording.where_it_died(row, most=3), " ", *cause_wording.because_of(row))
    quoted = [shown_line(line.text) for line in ledger.in_log_order(row.lines[:2])]
    title = f"{wording.CATEGORY[category]}: {_unmarked(cause_wording.title_of(row))}"
    message = shortened("\n".join([_unmarked(words).strip(), *quoted]), limit=_MESSAGE_LIMIT)
    return workflow_command(_LEVEL.get(category, _OTHERS_LEVEL), message, title=title)


def _unmarked(words: Words) -> str:
    """Write words where no markup is read."""
    bare = (part.label if isinstance(part, Link) else part for part in words)
    return "".join(f"'{part.text}'" if isinstance(part, Code) else part for part in bare)


def workflow_command(name: str, message: str, **properties: str) -> str:
    """Write one workflow command; nothing in the message or a property can end it, or begin another one."""
    given = ",".join(f"{key}={_escaped(value, _IN_PROPERTY)}" for key, value in properties.items())
    return f"::{name}{f' {given}' if given else ''}::{_escaped(message, _IN_MESSAGE)}"


def _escaped(text: str, replacements: Iterable[tuple[str, str]]) -> str:
    for raw, escaped in replacements:
        text = text.replace(raw, escaped)
    return text


def without_commands(text: str, *, token: str) -> str:
    """Wrap text that others had a hand in, so that the runner obeys nothing in it (`::error::`, `##[set-env]`, …).

    Args:
        text: What is to be printed, usually a whole report.
        token: Random, new for every call, and hard to guess: it is what ends the silence.

    Raises:
        ValueError: the token is empty or stands in the text, and so would end the silence early.
    """
    if not token or token in text:
        raise ValueError("the token that resumes workflow commands must be new and must not stand in the text")
    end = "" if text.endswith("\n") else "\n"
    return f"::stop-commands::{token}\n{text}{end}::{token}::\n"


def step_output(name: str, value: str, *, delimiter: str) -> str:
    """Write one entry for the file `GITHUB_OUTPUT`.

    Args:
        name: Of the output; ours, never foreign.
        value: May have several lines.
        delimiter: Random and new for every call: the line that ends the value.

    Raises:
        ValueError: the delimiter is empty or stands in the value, which could then set outputs of its own.
    """
    if not delimiter or delimiter in value:
        raise ValueError("the delimiter of a step output must be new and must not stand in the value")
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"
