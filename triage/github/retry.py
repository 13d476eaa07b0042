"""When a request is tried again: PyGithub's knowledge of GitHub's limits, with POST left alone and every wait bounded.

PyGithub retries POST after a server error, which stores a comment twice; it obeys any `Retry-After`, however long; and
it sleeps until a limit is reset, up to an hour. None of that may happen here.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from github import GithubRetry
from urllib3.exceptions import InvalidHeader, MaxRetryError, SSLError

from triage.errors import ProviderError
from triage.github.translate import is_limit, rate_limited

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from urllib3.connectionpool import ConnectionPool
    from urllib3.response import HTTPResponse

    from triage.github.budget import Budget, Limits

# Reading twice does no harm, and editing to the same text neither. Creating does.
REPEATABLE = frozenset({"GET", "HEAD", "PATCH"})
# 403 is added by PyGithub, and retried only when its text speaks of a limit.
PASSING = (429, 500, 502, 503, 504)
_LIMITING = (403, 429)
_A_YEAR = 365 * 86_400.0
# What GitHub asks for where it does not say how long.
_UNTOLD_WAIT = 60.0
_MOST_DIGITS = 12


class BoundedRetry(GithubRetry):
    """A retry that pays from the connection's budget and never waits beyond it."""

    def __init__(self, *, budget: Budget, limits: Limits, **kwargs: Any) -> None:  # noqa: ANN401 - urllib3's own
        self.budget = budget
        self.limits = limits
        self.pause = 0.0
        super().__init__(
            **{
                "total": limits.retries,
                "backoff_factor": limits.first_pause,
                "status_forcelist": list(PASSING),
                "allowed_methods": REPEATABLE,
                **kwargs,
            }
        )

    def new(self, **kw: Any) -> Self:  # noqa: ANN401 - urllib3's own
        """Return the retry for the next attempt."""
        # PyGithub adds 403 to the list again with every attempt.
        kw["status_forcelist"] = list(PASSING)
        return super().new(budget=self.budget, limits=self.limits, **kw)

    def increment(  # type: ignore[override]  # as PyGithub's own
        self,
        method: str | None = None,
        url: str | None = None,
        response: HTTPResponse | None = None,
        error: Exception | None = None,
        _pool: ConnectionPool | None = None,
        _stacktrace: TracebackType | None = None,
    ) -> BoundedRetry:
        """Decide whether to try again.

        Raises:
            RateLimited: GitHub asks for a longer wait than this triage can afford.
            ProviderError: The deadline would be over before the next attempt.
        """
        if isinstance(error, SSLError) and _pool is not None:
            raise MaxRetryError(_pool, url or "", error) from error  # a certificate does not become right by waiting
        retry = super().increment(method, url, response, error, _pool, _stacktrace)
        if not isinstance(retry, BoundedRetry):
            raise TypeError(f"urllib3 made a {type(retry).__name__} of a BoundedRetry")
        asked = _asked_wait(response)
        retry.pause = max(asked or 0.0, retry.get_backoff_time())
        if retry.pause > min(self.budget.left, self.limits.longest_pause):
            if response is not None:
                response.close()
            raise self._too_long(retry.pause, response)
        self.budget.spend()
        return retry

    def _too_long(self, pause: float, response: HTTPResponse | None) -> ProviderError:
        if response is None or (response.status not in _LIMITING and "Retry-After" not in response.headers):
            return ProviderError("GitHub took too long: the time given to this triage is over")
        # A hostile `Retry-After` may hold any number of digits; a year is as good as for ever.
        resets_at = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=round(min(pause, _A_YEAR)))
        return self.budget.refuse(rate_limited(response.status, resets_at))

    def sleep(self, response: object = None) -> None:
        """Wait as decided; what `response` asks for is already in it."""
        limited = getattr(response, "status", None) in _LIMITING
        self.budget.wait(self.pause, "GitHub limits our requests" if limited else "GitHub did not answer well")


def _asked_wait(response: HTTPResponse | None) -> float | None:
    """Return the seconds GitHub asks us to stay away; None when it does not."""
    if response is None:
        return None
    try:
        after = GithubRetry().get_retry_after(response)
    except (InvalidHeader, OverflowError, ValueError):
        after = None
    if after is not None:
        return after
    reset = response.headers.get("X-RateLimit-Reset", "")
    if response.headers.get("X-RateLimit-Remaining") == "0" and reset.isdecimal() and response.status in _LIMITING:
        # One second more: it is not told when within that second.
        return max(0.0, float(reset) - datetime.now(UTC).timestamp()) + 1
    return None


def wait_for_limit(status: int, headers: Mapping[str, str], data: object) -> float | None:
    """Return the seconds after which a refused request may be sent again; None when it was not refused for a limit.

    Whoever meets a limit has done nothing, so that this holds for requests that must not be repeated otherwise, too.
    """
    names = {name.lower(): value for name, value in headers.items()}
    message = data.get("message") if isinstance(data, dict) else None
    if status not in _LIMITING or not is_limit(str(message), names):
        return None
    if (after := names.get("retry-after", "")).isdecimal() and len(after) < _MOST_DIGITS:
        return float(after)
    reset = names.get("x-ratelimit-reset", "")
    if names.get("x-ratelimit-remaining") == "0" and reset.isdecimal() and len(reset) < _MOST_DIGITS:
        return max(0.0, float(reset) - datetime.now(UTC).timestamp()) + 1
    return _UNTOLD_WAIT
