"""The day on which rules are to hold: where a clock is read, and where it need not be."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triage.model import Log


def today() -> date:
    """Return the day it is, UTC."""
    return datetime.now(UTC).date()


def day_of(log: Log) -> date:
    """Return the day on which a log was written; today where its lines do not say."""
    newest = max((line.at for line in log.lines if line.at is not None), default=None)
    return newest.date() if newest is not None else today()
