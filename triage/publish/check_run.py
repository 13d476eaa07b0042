"""The report as a check run: for those who read checks, and for programs, which find the JSON there.

It is neutral whatever the report says. A check of ours must never be what lets a change in, nor what keeps it out.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from triage.errors import ProviderError, RateLimited
from triage.model import Category
from triage.publish.marker import DEFAULT_KEY, head_of
from triage.publish.outcome import Failed, NotAllowed, Published, Unknown
from triage.render import wording
from triage.render.foreign_text import shown_line, shown_name
from triage.render.json_report import render_json
from triage.render.markdown import COMMENT_LIMIT, render_markdown
from triage.render.markdown_text import fence
from triage.render.words import Code, Link
from triage.source.writes import is_unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.model import JobVerdict, Report
    from triage.publish.outcome import Outcome
    from triage.render.words import Words
    from triage.source.protocol import JSON
    from triage.source.writes import Writes

NAME: Final = "CI triage"
MOST_CHARACTERS: Final = 65_535
MOST_ANNOTATIONS: Final = 50
_TITLE_LIMIT: Final = 200
_MESSAGE_LIMIT: Final = 1_000
_LEVEL: Final = {Category.REGRESSION: "failure", Category.UNKNOWN: "warning"}
_NOT_ALLOWED: Final = frozenset({401, 403, 404})
TOO_LONG: Final = "The report as JSON is longer than a check run may be; the step's output `report-path` has it."


def publish_check_run(report: Report, writes: Writes, *, key: str = DEFAULT_KEY) -> Outcome:
    """Make the check run of this key at the report's commit say what the report says.

    Returns:
        What came of it; nothing that GitHub does raises.
    """
    check = check_run_of(report, key=key)
    is_sent = False
    try:
        there = writes.check_runs(check["head_sha"], check["name"])
        same = [one.id for one in there if one.external_id == check["external_id"]]
        is_sent = True
        made = writes.update_check_run(max(same), _update(check)) if same else writes.create_check_run(check)
    except ProviderError as error:
        return _not_done(error, is_sent=is_sent)
    return Published(made.url, created=not same)


def _update(check: JSON) -> JSON:
    """Leave out what cannot be changed, and the annotations: GitHub would add them to those that are there."""
    output = {key: value for key, value in check["output"].items() if key != "annotations"}
    return {**{key: value for key, value in check.items() if key != "head_sha"}, "output": output}


def _not_done(error: ProviderError, *, is_sent: bool) -> Outcome:
    if is_unknown(error):
        return Unknown(str(error)) if is_sent else Failed(str(error))
    if error.status in _NOT_ALLOWED and not isinstance(error, RateLimited):
        return NotAllowed("this token may not make a check run: that needs `checks: write`")
    return Failed(str(error))


def check_run_of(report: Report, *, key: str = DEFAULT_KEY) -> JSON:
    """Return what is sent to make a report's check run."""
    name = NAME if key == DEFAULT_KEY else f"{NAME} ({key})"
    annotations = list(_annotations(report))[:MOST_ANNOTATIONS]
    # Other annotations are another check run, of which GitHub shows the newest.
    digest = hashlib.sha256(json.dumps(annotations).encode()).hexdigest()[:12]
    return {
        "name": name,
        "head_sha": head_of(report),
        "external_id": f"ci-triage:{key}:{digest}",
        "status": "completed",
        "conclusion": "neutral",
        "output": {
            "title": shown_line(_plain(wording.headline(report)), limit=_TITLE_LIMIT) or name,
            "summary": render_markdown(report, limit=COMMENT_LIMIT, commands=False),
            "text": json_text(report),
            "annotations": annotations,
        },
    }


def json_text(report: Report) -> str:
    """Return the report as JSON in a fence, whole, or a sentence instead: half a JSON document is of no use."""
    # ASCII: whatever kind of character the limit counts, these are as many. Without `<` the fence leaves it as it is.
    compact = json.dumps(json.loads(render_json(report)), separators=(",", ":")).replace("<", "\\u003c")
    text = fence([compact])
    return text if len(text) <= MOST_CHARACTERS else TOO_LONG


def _plain(words: Words) -> str:
    parts = (part.label if isinstance(part, Link) else part for part in words)
    return "".join(part.text if isinstance(part, Code) else part for part in parts).strip()


def _annotations(report: Report) -> Iterator[JSON]:
    """Yield a note at each place of the change's repository that a failure names and that asks the author to look."""
    for verdict in report.jobs:
        level = _LEVEL.get(verdict.category)
        for path, line, message in _places(verdict) if level else ():
            yield {
                "path": path,
                "start_line": line,
                "end_line": line,
                "annotation_level": level,
                "title": shown_line(verdict.failure.title, limit=_TITLE_LIMIT),
                "message": shown_line(message, limit=_MESSAGE_LIMIT) or "failed here",
            }


def _places(verdict: JobVerdict) -> Iterator[tuple[str, int, str]]:
    for test in verdict.failure.tests.failures:
        frame = next((one for one in reversed(test.frames) if one.in_repository and one.line), None)
        path, line = (frame.path, frame.line) if frame else (test.file, None)
        if path and _is_inside(path):
            error = ": ".join(part for part in (test.exception, test.message) if part)
            yield path, line or 1, f"{shown_name(test.id)}: {error}"
    for place in verdict.failure.places:
        if place.in_repository and _is_inside(place.path):
            yield place.path, place.line or 1, verdict.because


def _is_inside(path: str) -> bool:
    """Whether it is a plain path below the top of the repository."""
    return not path.startswith(("/", "~")) and ".." not in path.split("/") and shown_line(path) == path
