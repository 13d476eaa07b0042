"""What looking back may cost. An answer that comes too late, or starves the next triage, helps nobody."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.decide.history import WINDOW
from triage.settings import MOST_FILES

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far to look back.

    Attributes:
        requests: At most so many requests for comparing; 0 asks nothing at all.
        files: At most so many more for what failing tests import, and never more than `requests`.
        seconds: Nothing new is begun after that.
        reserve: Requests that are left to others, out of what GitHub allows in an hour.
        window: How old a run may be.
        workers: How many things are read at once.
    """

    requests: int = 40
    files: int = MOST_FILES
    seconds: float = 60.0
    reserve: int = 100
    window: timedelta = WINDOW
    workers: int = 8


class Budget:
    """Grants requests in whole batches, before they are made, so that what is looked at never hangs on threads."""

    def __init__(self, limits: Limits, requests_left: Callable[[], int | None]) -> None:
        self._limits = limits
        self._requests_left = requests_left
        self._ends_at = time.monotonic() + limits.seconds
        self.spent = 0
        self.refused = 0
        self.why = ""

    def grant(self, wanted: int) -> int:
        """Say how many of so many requests may be made, and count them as made."""
        granted = min(wanted, self._allowed())
        self.spent += granted
        self.refused += wanted - granted
        return granted

    def charge(self, more: int) -> None:
        """Count requests that an answer took beyond the one that was granted: further pages."""
        self.spent += more

    def _allowed(self) -> int:
        limits, left = self._limits, self._requests_left()
        allowed, why = limits.requests - self.spent, f"the {limits.requests} requests for it were used up"
        if left is not None and left - limits.reserve < allowed:
            allowed, why = left - limits.reserve, f"GitHub allows only {left} more requests in this hour"
        if time.monotonic() >= self._ends_at:
            allowed, why = 0, f"the {limits.seconds:.0f} s for it were over"
        self.why = why
        return max(0, allowed)
