"""One place that turns whatever goes wrong underneath into a sentence that says what happened and how to mend it.

No sentence holds a token or the query of an address: GitHub's own message and the kind of the error are all that is
taken over.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import requests
from github import GithubException

from triage.errors import ProviderError, RateLimited
from triage.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LONGEST_MESSAGE = 200
_WITHOUT = "no token was given: set GITHUB_TOKEN (or GH_TOKEN)"
_STATUS_PAGE = "see https://www.githubstatus.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is being asked, for the sentences.

    Attributes:
        what: A noun: `run 12`, `the jobs of run 12`.
        permission: What the token needs for it, as workflow files write it: `actions: read`.
        where: The API's host.
        has_token: Whether a token was given.
        verb: What the token would do with it.
    """

    what: str
    permission: str
    where: str
    has_token: bool
    verb: str = "read"


# JSON that breaks off or nests without end; and what PyGithub stumbles over when an error is not shaped like GitHub's.
_BROKEN = (ValueError, RecursionError, AttributeError, TypeError)


@contextmanager
def asking(question: Question) -> Iterator[None]:
    """Translate every error of the libraries underneath.

    Raises:
        RateLimited: The request limit is used up for longer than we may wait.
        ProviderError: Anything else.
    """
    try:
        yield
    except GithubException as error:
        raise refused(question, error.status, _message(error), dict(error.headers or {})) from error
    except requests.RequestException as error:
        raise _unreachable(question, error) from error
    except _BROKEN as error:
        raise ProviderError(f"GitHub's answer for {question.what} is broken: it is not what the API says") from error
    except (AssertionError, RuntimeError) as error:  # PyGithub's own checks of hosts
        raise ProviderError(
            f"GitHub at {question.where} pointed elsewhere when asked for {question.what}; is the API address right?"
        ) from error


def refused(question: Question, status: int, message: str, headers: dict[str, str]) -> ProviderError:
    """Say what an error status means, and who can mend it."""
    if status in (403, 429) and is_limit(message, headers):
        return rate_limited(status, _reset_in(headers))
    mend = _MEANINGS.get(status, _unexpected)
    said = f' ("{message}")' if message else ""
    return ProviderError(mend(question, said, status), status=status)


def _bad_token(question: Question, said: str, status: int) -> str:
    if not question.has_token:
        return f"GitHub wants to know who asks for {question.what} ({status}); {_WITHOUT}"
    return (
        f"GitHub at {question.where} does not accept the token ({status}){said}: it is wrong or has expired; "
        "set GITHUB_TOKEN (or GH_TOKEN) to a valid one"
    )


def _forbidden(question: Question, said: str, status: int) -> str:
    if not question.has_token:
        return f"GitHub does not show {question.what} to everybody ({status}){said}; {_WITHOUT}"
    return (
        f"GitHub does not let this token {question.verb} {question.what} ({status}){said}: "
        f"it needs the permission `{question.permission}`"
    )


def _not_found(question: Question, said: str, status: int) -> str:
    seen = "the token may not see it" if question.has_token else _WITHOUT
    return f"GitHub has not found {question.what} ({status}){said}: there is none, or {seen}"


def _gone(question: Question, said: str, status: int) -> str:
    return f"GitHub has deleted {question.what} ({status}){said}"


def _unexpected(question: Question, said: str, status: int) -> str:
    if status >= 500:
        return f"GitHub failed to give {question.what} ({status}){said}; try again later, {_STATUS_PAGE}"
    return f"GitHub answered {status} when asked for {question.what}{said}"


_MEANINGS = {401: _bad_token, 403: _forbidden, 404: _not_found, 410: _gone, 451: _gone}


def _reset_in(headers: dict[str, str]) -> datetime | None:
    reset = {name.lower(): value for name, value in headers.items()}.get("x-ratelimit-reset", "")
    return datetime.fromtimestamp(int(reset), UTC) if reset.isdecimal() and len(reset) < 12 else None


def rate_limited(status: int, resets_at: datetime | None) -> RateLimited:
    """Say when GitHub will answer again, if it told us."""
    until = f" until {resets_at:%Y-%m-%d %H:%M:%S} UTC" if resets_at else ""
    return RateLimited(
        f"GitHub's request limit is used up{until}; try again then, "
        "or set GITHUB_TOKEN (or GH_TOKEN) to a token with a higher limit",
        resets_at=resets_at,
        status=status,
    )


def is_limit(message: str, headers: Mapping[str, str]) -> bool:
    """Whether a refusal means that we ask too much, not that we may not ask."""
    names = {name.lower(): value for name, value in headers.items()}
    return (
        "rate limit" in message.lower()
        or "retry-after" in names
        or ("x-ratelimit-remaining" in names and names["x-ratelimit-remaining"] == "0")
    )


def _message(error: GithubException) -> str:
    data = error.data
    return clean_message(data.get("message") if isinstance(data, dict) else None)


def clean_message(text: object) -> str:
    """Return GitHub's own words on one line, short, without secrets and control characters."""
    if not isinstance(text, str):
        return ""
    words = " ".join("".join(char if char.isprintable() else " " for char in redact(text)).split())
    return words if len(words) <= LONGEST_MESSAGE else words[: LONGEST_MESSAGE - 1] + "…"


def _unreachable(question: Question, error: requests.RequestException) -> ProviderError:
    # The text of these errors holds whole addresses; only what kind it is may be said.
    for kind, sentence in _KINDS:
        if isinstance(error, kind):
            status = _last_status(error) if isinstance(error, requests.exceptions.RetryError) else None
            shown = f" ({status})" if status else ""
            return ProviderError(sentence.format(what=question.what, where=question.where) + shown, status=status)
    return ProviderError(f"GitHub at {question.where} could not be asked for {question.what} ({type(error).__name__})")


def _last_status(error: requests.RequestException) -> int | None:
    found = re.search(r"too many (\d{3}) error responses", str(error))
    return int(found[1]) if found else None


_KINDS: tuple[tuple[type[requests.RequestException], str], ...] = (
    (requests.exceptions.RetryError, "GitHub kept failing to give {what}; try again later, " + _STATUS_PAGE),
    (
        requests.exceptions.SSLError,
        "the certificate of {where} could not be verified; for one of your own, set REQUESTS_CA_BUNDLE",
    ),
    (requests.exceptions.ProxyError, "the proxy does not lead to {where}; see HTTPS_PROXY and NO_PROXY"),
    (requests.exceptions.Timeout, "GitHub at {where} did not answer in time when asked for {what}"),
    (requests.exceptions.ChunkedEncodingError, "GitHub's answer for {what} broke off"),
    (requests.exceptions.ConnectionError, "GitHub at {where} could not be reached; is the network up?"),
)
