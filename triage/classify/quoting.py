"""Turns lines of a log and words of the platform into evidence a reader can check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.model import Evidence, EvidenceKind
from triage.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from triage.classify.view import LogView
    from triage.model import Annotation, Job, LogLine

LONGEST_QUOTE = 600
"""Characters of a line that are quoted; the link leads to the rest."""


def quote(line: LogLine, job: Job, view: LogView) -> Evidence:
    """Quote a line as printed, secrets masked, with a link to it in its step's log."""
    span = view.span_of(line.number)
    return Evidence(
        kind=EvidenceKind.LOG_LINE,
        text=_shorten(redact(line.text)),
        url=_line_url(job, line, view),
        line=line.number,
        step=span.name if span else None,
        run_id=job.run_id,
        job_id=job.id,
        when=line.at,
        runner=job.runner,
    )


def quote_all(lines: Iterable[LogLine], job: Job, view: LogView, *, most: int) -> tuple[Evidence, ...]:
    """Quote lines in the given order, each line and each text once, `most` of them at the most."""
    return tuple(_quotes(lines, job, view, most))


def _quotes(lines: Iterable[LogLine], job: Job, view: LogView, most: int) -> Iterator[Evidence]:
    seen: set[str] = set()
    for line in lines:
        if len(seen) >= most:
            return
        if line.text.strip() and line.text not in seen:
            seen.add(line.text)
            yield quote(line, job, view)


def quote_with_annotation(
    annotation: Annotation, lines: Sequence[LogLine], job: Job, view: LogView | None
) -> tuple[Evidence, ...]:
    """Quote the platform's words on a job, then lines of its log; one that holds the same words leads to its place."""
    if view is None:
        return (quote_annotation(annotation, job),)
    same = [line for line in lines if _holds(line, annotation)]
    others = [line for line in lines if line not in same]
    return (
        *(quote(line, job, view) for line in same),
        quote_annotation(annotation, job),
        *(quote(line, job, view) for line in others),
    )


def _holds(line: LogLine, annotation: Annotation) -> bool:
    """Whether a line holds the annotation's message, or as much of it as one line does."""
    said, message = line.text.removeprefix(_MARK), annotation.message
    return line.text.startswith(_MARK) and (said.startswith(message) or message.startswith(said))


_MARK = "##[error]"


def quote_annotation(annotation: Annotation, job: Job) -> Evidence:
    """Quote the platform's own words on a job."""
    return Evidence(
        kind=EvidenceKind.ANNOTATION,
        text=_shorten(redact(annotation.message)),
        url=job.url,
        run_id=job.run_id,
        job_id=job.id,
        runner=job.runner,
    )


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"


def _line_url(job: Job, line: LogLine, view: LogView) -> str:
    """GitHub counts lines from the start of their step: `#step:7:42`."""
    span = view.span_of(line.number)
    if not job.url or span is None:
        return job.url
    return f"{job.url}#step:{span.number}:{line.number - span.first_line + 1}"
