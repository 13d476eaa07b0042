"""What a story builds, and the times it is told in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.fakegithub.objects import JSON

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(at: datetime) -> str:
    """Write a time as GitHub does."""
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def moment(text: object, day: datetime = EPOCH) -> datetime:
    """Read `HH:MM:SS` of a day, or a whole time (YAML reads those itself)."""
    if isinstance(text, datetime):
        return text.replace(tzinfo=UTC)
    words = str(text)
    if "T" in words:
        return datetime.fromisoformat(words)
    hour, minute, second = (int(part) for part in words.split(":"))
    midnight = day.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(hours=hour, minutes=minute, seconds=second)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltJob:
    """A job with the log it left: a text, or None where none was kept. `is_cut`: the text ends before the log did."""

    json: JSON
    log: str | None = None
    is_cut: bool = False
    missing: Mapping[str, Any] | None = None
    annotations: tuple[JSON, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltRun:
    """A run with the jobs of all its attempts."""

    json: JSON
    jobs: tuple[BuiltJob, ...]
