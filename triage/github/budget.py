"""What one triage may spend on GitHub: requests, and time, over all its threads together."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.errors import ProviderError, RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How patient and how large a connection may be; seconds and bytes.

    `log_bytes` bounds one log twice: as it comes over the wire, and after decoding.
    """

    connect_timeout: float = 10
    read_timeout: float = 30
    retries: int = 4
    first_pause: float = 0.5
    longest_pause: float = 120
    # GitHub asks for this second between writes.
    between_writes: float = 1.0
    log_bytes: int = 512 * 1024 * 1024
    archive_bytes: int = 256 * 1024 * 1024
    # Past this many broken jobs in one run, its archive is one request instead of many (gh draws the line there too).
    archive_from: int = 25


class Budget:
    """Counts requests and watches the deadline. One for a connection, shared by its threads."""

    def __init__(self, seconds: float, *, progress: Callable[[str], None] | None = None) -> None:
        self._ends_at = time.monotonic() + seconds
        self._seconds = seconds
        self._progress = progress
        self._lock = threading.Lock()
        self._refusal: RateLimited | None = None
        self.requests_made = 0
        self.requests_left: int | None = None

    def hear(self, headers: Mapping[str, object]) -> None:
        """Take from an answer how many requests GitHub allows until its limit is full again."""
        left = str(headers.get("x-ratelimit-remaining", ""))
        if left.isascii() and left.isdigit():
            self.requests_left = int(left)

    @property
    def left(self) -> float:
        """Seconds until the deadline; negative when it is over."""
        return self._ends_at - time.monotonic()

    def spend(self) -> None:
        """Count one request that is about to be made.

        Raises:
            ProviderError: The deadline is over, or GitHub has already told us to stay away for longer than that.
        """
        with self._lock:
            if self._refusal is not None:
                raise RateLimited(str(self._refusal), resets_at=self._refusal.resets_at, status=self._refusal.status)
            if self.left <= 0:
                raise ProviderError(f"GitHub took too long: the {self._seconds:.0f} s given to this triage are over")
            self.requests_made += 1

    def refuse(self, refusal: RateLimited) -> RateLimited:
        """Let every later request fail with this at once, instead of asking GitHub what it has already said."""
        with self._lock:
            self._refusal = refusal
        return refusal

    def wait(self, seconds: float, why: str) -> None:
        """Sleep before a request is tried again, and say so."""
        if seconds <= 0:
            return
        if self._progress is not None and seconds >= 1:
            self._progress(f"{why}: waiting {seconds:.0f} s")
        time.sleep(seconds)
