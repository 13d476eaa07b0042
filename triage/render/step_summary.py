"""The report for the summary page of a workflow run: the comment with room to spare, and every red job by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.render import wording
from triage.render.markdown import markup_of, render_markdown
from triage.render.words import Link, literal

if TYPE_CHECKING:
    from triage.model import JobVerdict, Report
    from triage.render.markdown_text import Markup

# GitHub refuses a summary over 1 MiB and marks the step for it; half of that is more than anybody reads.
SUMMARY_LIMIT: Final = 512 * 1024
_REPORT_SHARE: Final = SUMMARY_LIMIT // 2


def render_step_summary(report: Report) -> str:
    """Write the report with the whole ledger below it, in fewer than `SUMMARY_LIMIT` UTF-8 bytes."""
    text = render_markdown(report, limit=_REPORT_SHARE, commands=False)
    if not report.jobs:
        return text
    lines = ["", "<details><summary>Every red job</summary>", "", "| job | ended | category | cause | step | machine |"]
    lines.append("| :-- | :-- | :-- | --: | :-- | :-- |")
    used = len(text.encode()) + sum(len(line.encode()) + 1 for line in lines)
    markup = markup_of(report)
    closing = ["", "</details>", ""]
    room = SUMMARY_LIMIT - used - 200
    for place, verdict in enumerate(report.jobs):
        line = _job(verdict, markup)
        room -= len(line.encode()) + 1
        if room < 0:
            lines.append(f"| and {len(report.jobs) - place:,} more | | | | | |")
            break
        lines.append(line)
    return text + "\n".join([*lines, *closing])


def _job(verdict: JobVerdict, markup: Markup) -> str:
    job = verdict.failure.job
    step = verdict.failure.failed_step or job.failed_step
    cells = (
        markup.cell((Link(literal(job.name), job.url),)),
        wording.ended(job.conclusion),
        wording.CATEGORY[verdict.category],
        str(verdict.cause),
        markup.cell((literal(step.name),)) if step else "",
        markup.cell((literal(job.runner),)) if job.runner else "",
    )
    return f"| {' | '.join(cells)} |"
