"""Comment, step summary, outputs, check run: what others see of a report.

The order matters. What needs no network is written first, so that it is there whatever becomes of the rest.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from triage.errors import UsageError
from triage.publish.check_run import publish_check_run
from triage.publish.comment import Pace, publish_comment
from triage.publish.draft import CommentSettings, draft_of
from triage.publish.outcome import NotNeeded, Outcome, url_of
from triage.publish.runner import RunnerFiles, outputs_of
from triage.publish.sticky import OnWorse

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.model import Report
    from triage.source.writes import Writes

__all__ = ["CommentSettings", "OnWorse", "Pace", "PublishSettings", "RunnerFiles", "publish", "url_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishSettings:
    """What is published, and how patiently.

    Attributes:
        comment: How the comment is written.
        pace: How long to wait for GitHub.
        check_run: Whether to make a neutral check run with the report as JSON.
    """

    comment: CommentSettings = field(default_factory=CommentSettings)
    pace: Pace = field(default_factory=Pace)
    check_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishResult:
    """What came of publishing.

    Attributes:
        comment: Of the comment.
        check_run: Of the check run; None when none was wanted.
        has_summary: Whether the report is in the step summary.
        troubles: What the runner's files could not take, as sentences.
    """

    comment: Outcome
    check_run: Outcome | None = None
    has_summary: bool = False
    troubles: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything worth telling the person who asked."""
        elsewhere = "; the step summary has the report" if self.has_summary and not url_of(self.comment) else ""
        check = (f"check run: {self.check_run}",) if self.check_run is not None else ()
        return (*self.troubles, f"{self.comment}{elsewhere}", *check)


def publish(
    report: Report,
    writes: Writes,
    *,
    settings: PublishSettings | None = None,
    files: RunnerFiles | None = None,
    sleep: Callable[[float], None] = time.sleep,
    dry_run: bool = False,
) -> PublishResult:
    """Publish a report.

    Args:
        report: What to say.
        writes: The repository of the report.
        settings: What to publish.
        files: Where the Actions runner reads from.
        sleep: Waits so many seconds.
        dry_run: Write nothing; say what would be written.

    Raises:
        UsageError: `writes` is another repository: a report is told only where its runs are.
    """
    wanted = settings or PublishSettings()
    if writes.repository.lower() != report.repository.full_name.lower():
        raise UsageError(
            f"a report about {report.repository.full_name} is not published in {writes.repository}: "
            "what is in its logs may not be for everybody there"
        )
    runner = files if files is not None and not dry_run else RunnerFiles()
    no_summary = runner.write_summary(report)
    report_path = runner.write_report(report)
    comment = _comment(report, writes, wanted, sleep, dry_run=dry_run)
    check = None
    if wanted.check_run and not dry_run:
        check = publish_check_run(report, writes, key=wanted.comment.key)
    outputs = outputs_of(report, comment_url=url_of(comment), report_path=report_path)
    no_outputs = runner.write_outputs(outputs)
    return PublishResult(
        comment=comment,
        check_run=check,
        has_summary=runner.summary is not None and not no_summary,
        troubles=tuple(trouble for trouble in (no_summary, no_outputs) if trouble),
    )


def _comment(
    report: Report, writes: Writes, settings: PublishSettings, sleep: Callable[[float], None], *, dry_run: bool
) -> Outcome:
    draft = draft_of(report, settings.comment)
    if draft is None:
        return NotNeeded("the run belongs to no pull request")
    return publish_comment(draft, writes, pace=settings.pace, sleep=sleep, dry_run=dry_run)
