"""Asks GitHub's API for JSON: PyGithub underneath, one of its clients to each thread at a time, one budget for all.

PyGithub does signing in, pacing, retries and its own checks of hosts. Its objects are not used: a recording keeps what
GitHub said, and `triage.source.shapes` turns that into our words whether it is live or recorded.
"""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import requests
from github import Auth, Github, GithubException

from triage.errors import ProviderError, RateLimited
from triage.github.retry import REPEATABLE, BoundedRetry, wait_for_limit
from triage.github.translate import Question, asking, clean_message, refused
from triage.source.protocol import JSON, Page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from github.Requester import Requester

    from triage.github.budget import Budget, Limits
    from triage.github.hosts import ApiAddress

API_VERSION = "2022-11-28"
USER_AGENT = "ci-triage"
PER_PAGE = 100
# 10,000 items: more than GitHub gives of any list.
MOST_PAGES = 100
_ATTEMPTS = 2
_GONE = frozenset({404, 410})
_REDIRECTED = 302
# An answer that broke off is asked for once more; urllib3 retries only until the head of an answer is there.
_BROKEN = (ValueError, requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Client:
    """The API of one GitHub, with one token.

    Attributes:
        token: None to ask as nobody.
        repeatable: Methods that are tried again by themselves when GitHub fails.
    """

    api: ApiAddress
    token: str | None = field(repr=False)
    budget: Budget
    limits: Limits
    repeatable: frozenset[str] = REPEATABLE
    _idle: list[Github] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        # Both write whole addresses and headers when a program logs at DEBUG; the address of a log lets anyone read it.
        # At WARNING urllib3 tells of each retry, on stderr, in the middle of our progress.
        for name in ("urllib3", "github"):
            logging.getLogger(name).setLevel(logging.ERROR)

    def get(self, path: str, *, what: str, permission: str, parameters: Mapping[str, object] | None = None) -> JSON:
        """Ask for one object.

        Raises:
            RateLimited: GitHub's request limit is used up for longer than we may wait.
            ProviderError: Anything else; `status` is GitHub's.
        """
        _, answer = self._ask(path, self.question(what, permission), parameters)
        return _expect_object(answer, what, self.api.host)

    def pages(
        self,
        path: str,
        *,
        what: str,
        permission: str,
        key: str | None = None,
        parameters: Mapping[str, object] | None = None,
        limit: int | None = None,
    ) -> Page:
        """Ask for a list, page by page.

        Args:
            path: Below the API's address.
            what: For the sentences.
            permission: For the sentences.
            key: Where the items stand in an answer with a `total_count`; None when the answer is the list itself.
            parameters: Of the query, beside the page.
            limit: Stop asking once there are so many.

        Returns:
            The items in GitHub's order, an item that moved over a page's edge given once. `total_count` is GitHub's,
            or the number of items where GitHub does not count.
        """
        items: dict[object, JSON] = {}
        total = 0
        for number in range(1, MOST_PAGES + 1):
            wanted = {**(parameters or {}), "per_page": min(PER_PAGE, limit or PER_PAGE), "page": number}
            headers, answer = self._ask(path, self.question(what, permission), wanted)
            found, counted = _items(answer, key, what, self.api.host)
            total = max(total, counted or 0)
            for item in found:
                items.setdefault(item.get("id", len(items)), item)
            # We never follow the address that `Link` gives, only take from it that there is a next page.
            if not found or not _has_next(headers) or (limit is not None and len(items) >= limit):
                break
        kept = tuple(items.values())[:limit]
        return Page(items=kept, total_count=max(total, len(items)))

    def redirect(self, path: str, *, what: str, permission: str) -> str | int:
        """Ask where something lies, and do not go there.

        Returns:
            The address, which is a secret while it lives; or the status 404 or 410 when there is no such thing.

        Raises:
            ProviderError: As for `get`, and when the answer is no address.
        """
        question = self.question(what, permission)
        self.budget.spend()
        with asking(question), self.requester() as requester:
            status, headers, body = requester.requestJson("GET", path, headers=_headers())
        location = headers.get("location")
        if isinstance(location, str) and location:
            return location
        if status in _GONE:
            return status
        if status < requests.codes.bad_request:
            raise ProviderError(f"GitHub answered {status} instead of saying where {what} is kept", status=status)
        raise refused(question, status, clean_message(_message_in(body)), headers)

    def send(self, method: str, path: str, body: JSON | None, *, what: str, permission: str) -> JSON:
        """Ask GitHub to change something, once; again only where it says that it did nothing because of a limit.

        Args:
            method: `POST`, `PATCH` or `DELETE`.
            path: Below the API's address.
            body: What to send; None for nothing.
            what: For the sentences.
            permission: For the sentences.

        Returns:
            What it is now; empty where GitHub has nothing to say.

        Raises:
            RateLimited: GitHub did nothing, because of a limit that lasts longer than we may wait.
            ProviderError: Anything else; without a status, or with one of 500 or more, it may be done all the same.
        """
        question = self.question(what, permission, verb="write")
        with asking(question), self.requester() as requester:
            for _ in range(_ATTEMPTS):
                self.budget.spend()
                try:
                    headers, answer = requester.requestJsonAndCheck(method, path, input=body, headers=_headers())
                except GithubException as error:
                    wait = wait_for_limit(error.status, error.headers or {}, error.data)
                    if wait is None or wait > min(self.budget.left, self.limits.longest_pause):
                        raise
                    self.budget.wait(wait, "GitHub limits our requests")
                    continue
                if answer is None and headers.get("location"):
                    # PyGithub takes a redirect that it does not follow for an answer without words.
                    raise ProviderError(f"GitHub pointed elsewhere instead of writing {what}", status=_REDIRECTED)
                return {} if answer is None else _expect_object(answer, what, self.api.host)
        raise RateLimited(f"GitHub limits our requests, and would not write {what}")

    def create(self, path: str, body: JSON, *, what: str, permission: str) -> tuple[bool, JSON]:
        """Ask GitHub once to make something, and whether it was there before: only one who asks is told that it is new.

        Raises:
            ProviderError: As for `send`; a limit is not waited for.
        """
        question = self.question(what, permission, verb="write")
        self.budget.spend()
        with asking(question), self.requester() as requester:
            status, headers, text = requester.requestJson("POST", path, input=body, headers=_headers())
        if status not in {requests.codes.ok, requests.codes.created}:
            raise refused(question, status, clean_message(_message_in(text)), headers)
        is_new = status == requests.codes.created
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            answer = None
        if not is_new and not isinstance(answer, dict | list):
            # A page for people has status 200 as well; what we asked for may not be there.
            raise _not_json(what, self.api.host)
        return is_new, answer if isinstance(answer, dict) else {}

    def viewer(self) -> JSON:
        """Ask, by GraphQL, whose token this is: the one question that an App's token may ask about itself.

        Raises:
            ProviderError: GitHub does not tell.
        """
        question = self.question("whose token this is", "metadata: read")
        with asking(question), self.requester() as requester:
            self.budget.spend()
            _, answer = requester.graphql_query("query { viewer { login databaseId } }", {})
        data = answer.get("data")
        return data["viewer"] if isinstance(data, dict) and isinstance(data.get("viewer"), dict) else {}

    def question(self, what: str, permission: str, *, verb: str = "read") -> Question:
        """Describe a request for the sentences about it."""
        return Question(
            what=what, permission=permission, where=self.api.host, has_token=self.token is not None, verb=verb
        )

    @contextmanager
    def requester(self) -> Iterator[Requester]:
        """Lend a PyGithub that no other thread has meanwhile; its safety across threads is promised nowhere."""
        try:
            client = self._idle.pop()
        except IndexError:
            client = self._make_client()
        try:
            yield client.requester
        finally:
            self._idle.append(client)

    def _make_client(self) -> Github:
        return Github(
            auth=Auth.Token(self.token) if self.token is not None else None,
            base_url=self.api.url,
            timeout=round(self.limits.read_timeout),
            user_agent=USER_AGENT,
            per_page=PER_PAGE,
            retry=BoundedRetry(budget=self.budget, limits=self.limits, allowed_methods=self.repeatable),
            seconds_between_requests=None,  # reads cost one of 900 points a minute; writes keep their second
            seconds_between_writes=self.limits.between_writes,
        )

    def close(self) -> None:
        """Close every connection that nobody uses."""
        while self._idle:
            self._idle.pop().close()

    def _ask(
        self, path: str, question: Question, parameters: Mapping[str, object] | None
    ) -> tuple[dict[str, Any], object]:
        with asking(question), self.requester() as requester:
            for attempt in range(1, _ATTEMPTS + 1):
                self.budget.spend()
                try:
                    headers, answer = requester.requestJsonAndCheck(
                        "GET", path, parameters=dict(parameters or {}), headers=_headers()
                    )
                except _BROKEN:
                    if attempt == _ATTEMPTS:
                        raise
                    continue
                self.budget.hear(headers)
                return headers, answer
        raise AssertionError("the loop above returns or raises")


def _headers() -> dict[str, str]:
    return {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": API_VERSION}


def _message_in(body: str) -> object:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return answer.get("message") if isinstance(answer, dict) else None


def _has_next(headers: Mapping[str, object]) -> bool:
    return 'rel="next"' in str(headers.get("link", ""))


def _items(answer: object, key: str | None, what: str, host: str) -> tuple[list[JSON], int | None]:
    if key is None:
        found, counted = answer, None
    else:
        page = _expect_object(answer, what, host)
        found, counted = page.get(key), page.get("total_count")
    if not isinstance(found, list):
        raise _not_json(what, host)
    return [item for item in found if isinstance(item, dict)], counted if isinstance(counted, int) else None


def _expect_object(answer: object, what: str, host: str) -> JSON:
    # PyGithub hands a text that is no JSON, such as a page of HTML, on as {"data": text}.
    if not isinstance(answer, dict) or ("data" in answer and set(answer) <= {"data", "url"}):
        raise _not_json(what, host)
    return answer


def _not_json(what: str, host: str) -> ProviderError:
    return ProviderError(
        f"{host} answered something else than GitHub's API does when asked for {what}; "
        "is the API address right? That of GitHub Enterprise Server is https://HOST/api/v3"
    )
