"""A report as annotations: what GitHub shows at the head of a workflow run's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.model import Category
from triage.render import cause_wording, ledger, wording
from triage.render.failure_wording import gap_words, in_log_order
from triage.render.foreign_text import shortened, shown_line
from triage.render.runner_commands import workflow_command
from triage.render.words import Code, Link

if TYPE_CHECKING:
    from triage.model import Gap, Report
    from triage.render.ledger import Row
    from triage.render.words import Words

# GitHub shows ten of each level a step, and drops the rest without a word.
MOST: Final = 10
_MESSAGE_LIMIT: Final = 1_000
_LEVEL: Final = {Category.REGRESSION: "error", Category.UNKNOWN: "warning", Category.MISSING_LABEL: "warning"}
_OTHERS_LEVEL: Final = "notice"


def render_annotations(report: Report, *, most: int = MOST) -> str:
    """Write one annotation for each cause, the author's first, as workflow commands.

    Before them stands what is so grave that triage itself may be at fault.

    Args:
        report: What to say.
        most: How many annotations at most, at least 1; the last of them counts the causes that are left out.

    Returns:
        One command a line, each ending in a line break; empty when nothing failed.
    """
    rows = ledger.rows_of(report)
    lines = [_alarm(gap) for gap in report.gaps if gap.is_loud][: most - 1]
    room = most - len(lines)
    shown = rows if len(rows) <= room else rows[: room - 1]
    lines += [_annotation(row) for row in shown]
    if rest := rows[len(shown) :]:
        jobs = sum(row.size for row in rest)
        left_out = f"{len(rest)} more causes with {jobs} jobs are in the step summary."
        lines.append(workflow_command(_OTHERS_LEVEL, left_out, title="CI triage"))
    return "".join(f"{line}\n" for line in lines)


def _alarm(gap: Gap) -> str:
    message = shortened(_unmarked(gap_words(gap)), limit=_MESSAGE_LIMIT)
    return workflow_command("warning", message, title="CI triage")


def _annotation(row: Row) -> str:
    category = row.cause.category
    words: Words = (*cause_wording.where_it_died(row, most=3), " ", *cause_wording.because_of(row))
    quoted = [shown_line(line.text) for line in in_log_order(row.lines[:2])]
    title = f"{wording.CATEGORY[category]}: {_unmarked(cause_wording.title_of(row))}"
    message = shortened("\n".join([_unmarked(words).strip(), *quoted]), limit=_MESSAGE_LIMIT)
    return workflow_command(_LEVEL.get(category, _OTHERS_LEVEL), message, title=title)


def _unmarked(words: Words) -> str:
    """Write words where no markup is read."""
    bare = (part.label if isinstance(part, Link) else part for part in words)
    return "".join(f"'{part.text}'" if isinstance(part, Code) else part for part in bare)
