"""The report for machines: `triage/1`, and what `triage log` says about one file.

Names and lines keep their text, secrets masked; characters that a terminal or an editor would act on are written as
JSON escapes, so that printing the report does no more than reading it: not in a workflow's log, either.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

from triage.redact import redact
from triage.render.foreign_text import UNSEEN, without_query
from triage.render.runner_commands import harmless_json
from triage.report import log_json, report_json

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence

    from triage.model import Failure, Report

    JSON: TypeAlias = "Mapping[str, JSON] | Sequence[JSON] | str | int | float | None"


def render_json(report: Report) -> str:
    """Write the report as JSON, in the order of its schema, indented; it ends in a line break."""
    return _written(report_json(report), indent=2) + "\n"


def render_log_json(name: str, failure: Failure) -> str:
    """Write what one log file shows as JSON on one line, without a line break."""
    return _written(log_json(name, failure))


def _written(value: JSON, *, indent: int | None = None) -> str:
    return harmless_json(UNSEEN.sub(_escape, json.dumps(_masked(value), ensure_ascii=False, indent=indent)))


def _escape(unseen: re.Match[str]) -> str:
    return json.dumps(unseen[0])[1:-1]


def _masked(value: JSON) -> JSON:
    """Mask secrets in every text, and drop the queries of addresses: signed ones carry their signature there."""
    match value:
        case str():
            return redact(value)
        case dict():
            return {key: _without_query(item) if key == "url" else _masked(item) for key, item in value.items()}
        case list() | tuple():
            return [_masked(item) for item in value]
        case _:
            return value


def _without_query(url: JSON) -> JSON:
    return without_query(url) if isinstance(url, str) else url
