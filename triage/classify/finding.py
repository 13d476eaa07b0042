"""What is found of a job by what the platform says of it, and what is missing of its log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.model import Basis, Failure, Gap, MissingLog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.classify.context import JobContext
    from triage.model import Fault


def finding(context: JobContext, fault: Fault, title: str, **more: object) -> Failure:
    """Build a structural finding; `more` are fields of `Failure`."""
    from dataclasses import replace

    base = Failure(
        job=context.job,
        fault=fault,
        basis=Basis.PLATFORM,
        title=title,
        log_state=context.log_state,
        failed_step=context.job.failed_step,
        tests=context.facts.tests,
        gaps=tuple(log_gap(context)),
    )
    return replace(base, **more)  # type: ignore[arg-type]  # each caller names fields of Failure


def log_gap(context: JobContext) -> Iterator[Gap]:
    """Yield why the log is missing or cut, where that is so and a runner ever had the job."""
    log = context.facts.log
    if isinstance(log, MissingLog):
        if not context.job.never_started:
            yield Gap(f"log of `{context.job.name}`", log.why)
    elif log.truncated:
        yield Gap(
            f"log of `{context.job.name}`",
            "the end is missing: the download broke off, or a limit of size or time was met",
        )
