"""The fake GitHub itself: an API and a blob host on 127.0.0.1.

    with FakeGitHub.from_recording(folder) as fake:
        connect(fake.repository, token=fake.token, api_url=fake.api_url)

What it answers is held to GitHub's own description (`schema`); an answer that does not fit fails the test that got it.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote

from tests.fakegithub import actions, checks, issues, pulls, repository, schema
from tests.fakegithub.answers import DOCS, Answer, Logged, Request, Token, not_found, refusal
from tests.fakegithub.blobs import answer_blob
from tests.fakegithub.faults import Planned
from tests.fakegithub.routes import Route, find
from tests.fakegithub.state import State, blank, load
from tests.fakegithub.wire import Server

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from tests.fakegithub.faults import Fault

ROUTES: tuple[Route, ...] = (
    *actions.ROUTES,
    *checks.ROUTES,
    *issues.ROUTES,
    *pulls.ROUTES,
    *repository.ROUTES,
)
AREAS = ("actions", "checks", "contents", "issues", "pull_requests", "metadata")
BOT = "github-actions[bot]"


class FakeGitHub:
    """A repository on a GitHub of its own.

    Attributes:
        state: What it knows; tests may change it at any time.
        token: A token that may do everything, of `github-actions[bot]`.
        requests: Every request so far, in order of arrival.
        link_seconds: How long the address of a log lives.
        rate_limit: Requests an hour and token.
    """

    def __init__(self, state: State | None = None, *, prefix: str = "") -> None:
        self.state = state or blank()
        self.prefix = prefix
        self.requests: list[Logged] = []
        self.link_seconds = 60.0
        self.rate_limit = 5_000
        self.used: dict[str, int] = {}
        self.tokens: dict[str, Token] = {}
        self.token = self.add_token(BOT)
        self.links: dict[str, tuple[str, float]] = {}
        self._plan: list[Planned] = []
        self._drift: list[str] = []
        self._lock = threading.RLock()
        self._servers = [Server(self, "api"), Server(self, "blob")]
        self._threads = [threading.Thread(target=server.serve_forever, args=(0.01,)) for server in self._servers]

    @classmethod
    def from_recording(cls, folder: Path, *, prefix: str = "") -> Self:
        """Make a GitHub that knows what was recorded. `prefix` is `/api/v3` for a GitHub Enterprise Server."""
        return cls(load(folder), prefix=prefix)

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join()
        if self._drift and error is None:
            raise schema.Drift("\n".join(self._drift))

    @property
    def api_url(self) -> str:
        """The API's address."""
        return f"http://127.0.0.1:{self._servers[0].server_port}{self.prefix}"

    @property
    def blob_url(self) -> str:
        """The blob host's address."""
        return f"http://127.0.0.1:{self._servers[1].server_port}"

    @property
    def repository(self) -> str:
        """The repository's full name."""
        return self.state.name

    def add_token(self, login: str, *, is_app: bool = True, **permissions: str) -> str:
        """Make a token that may do everything, or only what is named: `fake.add_token("x", actions="read")`."""
        token = f"ghs_{secrets.token_hex(18)}"
        allowed = permissions or dict.fromkeys(AREAS, "write")
        self.tokens[token] = Token(login=login, permissions=allowed, is_app=is_app)
        return token

    def fail(self, pattern: str, fault: Fault, *, nth: int = 1, times: int | None = 1) -> None:
        """Plan a fault: `GET */jobs/*/logs` of the API, `BLOB /logs/*` of the blob host, `*` in place of anything."""
        self._plan.append(Planned(pattern=pattern, fault=fault, nth=nth, times=times))

    def asked(self, pattern: str = "*", *, host: str = "api") -> list[Logged]:
        """Return the requests to a host whose `METHOD PATH` fits a pattern."""
        with self._lock:
            return [
                one for one in self.requests if one.host == host and fnmatchcase(f"{one.method} {one.path}", pattern)
            ]

    def comment(self, number: int, *, author: str, body: str) -> int:
        """Let somebody comment on a pull request; return the comment's id."""
        with self._lock:
            return int(issues.add_comment(self.state, number, author=author, body=body)["id"])

    # ---------------------------------------------------------------------------------------------------------------
    # What the servers call

    def planned(self, method: str, path: str) -> Fault | None:
        """Count a request against the plan; return the first fault that takes it."""
        with self._lock:
            return next((one.fault for one in [*self._plan] if one.takes(method, path)), None)

    def log(self, logged: Logged) -> int:
        """Keep a request; return its place among all."""
        with self._lock:
            self.requests.append(logged)
            return len(self.requests) - 1

    def log_status(self, place: int, status: int) -> None:
        """Keep what a request was answered; before the answer is sent, so that whoever got it finds it here."""
        with self._lock:
            self.requests[place] = replace(self.requests[place], status=status)

    def answer_blob(self, request: Request, authorization: str | None) -> Answer:
        """Answer a request to the blob host."""
        with self._lock:
            return answer_blob(self, request, authorization)

    def answer(self, request: Request, authorization: str | None, conditions: str | None) -> Answer:
        """Answer a request to the API, counted, checked and with its headers."""
        with self._lock:
            answer = self._limited(request, authorization)
            try:
                route = find(ROUTES, request.method, request.path)
                schema.check(answer, route[0].model if route else "RateLimitOverview")
            except schema.Drift as drift:
                self._drift.append(f"{request.method} {request.path}: {drift}")
                answer = refusal(500, "the fake gave an answer that GitHub would not give")
            return self._with_headers(answer, request, authorization, conditions)

    def _limited(self, request: Request, authorization: str | None) -> Answer:
        name = (authorization or "").removeprefix("token ").removeprefix("Bearer ")
        if authorization and name not in self.tokens:
            return refusal(401, "Bad credentials")
        request = replace(request, token=self.tokens.get(name))
        if request.path == "/rate_limit":
            return Answer(body=self._rate_overview(request.login))
        if self.used.get(request.login, 0) >= self.rate_limit:
            return refusal(403, f"API rate limit exceeded for {request.login or '127.0.0.1'}.")
        self.used[request.login] = self.used.get(request.login, 0) + 1
        return self._routed(request)

    def _routed(self, request: Request) -> Answer:
        found = find(ROUTES, request.method, request.path)
        if found is None:
            return not_found()
        route, words = found
        words = {name: unquote(word) for name, word in words.items()}
        name = f"{words.get('owner')}/{words.get('repo')}"
        if "owner" in words and name.lower() != self.state.name.lower():
            return self._moved(request, name) if name in self.state.old_names else not_found()
        request = replace(request, words=words)
        return route.refuse(self.state, request) or route.handler(self.state, request)

    def _moved(self, request: Request, old: str) -> Answer:
        place = f"{self.api_url}/repositories/{self.state.repository['id']}{request.path.removeprefix(f'/repos/{old}')}"
        body = {"message": "Moved Permanently", "url": place, "documentation_url": DOCS}
        return Answer(status=301, body=body, headers={"Location": place})

    def _rate_overview(self, login: str) -> dict[str, Any]:
        rate = self._rate(login)
        return {"resources": {"core": rate, "search": {**rate, "limit": 30}}, "rate": rate}

    def _rate(self, login: str) -> dict[str, int]:
        used = self.used.get(login, 0)
        return {
            "limit": self.rate_limit,
            "remaining": max(self.rate_limit - used, 0),
            "used": used,
            "reset": int(time.time()) + 1_800,
        }

    def _with_headers(
        self, answer: Answer, request: Request, authorization: str | None, conditions: str | None
    ) -> Answer:
        login = self.tokens[name].login if (name := (authorization or "").split(" ")[-1]) in self.tokens else ""
        if answer.status == 200 and request.method == "GET":
            tag = f'W/"{hashlib.sha256(json.dumps(answer.body, sort_keys=True).encode()).hexdigest()}"'
            if conditions == tag:
                self.used[login] -= 1  # an answer that has not changed is free
                answer = Answer(status=304)
            answer = replace(answer, headers={**answer.headers, "ETag": tag})
        rate = {f"X-RateLimit-{key.title()}": str(value) for key, value in self._rate(login).items()}
        headers = {
            **rate,
            "X-RateLimit-Resource": "core",
            "X-GitHub-Request-Id": secrets.token_hex(8),
            **answer.headers,
        }
        if "Link" in headers:  # GitHub leads on by the repository's number
            number = f"/repositories/{self.state.repository['id']}/"
            headers["Link"] = headers["Link"].replace(f"/repos/{self.state.name}/", number)
        if headers.get("Location", "").startswith("blob:"):
            headers["Location"] = self._signed(headers["Location"].removeprefix("blob:"))
        return replace(answer, headers=headers)

    def _signed(self, key: str) -> str:
        signature = secrets.token_urlsafe(24)
        self.links[signature] = (key, time.monotonic() + self.link_seconds)
        return f"{self.blob_url}/{key}?sv=2025-11-05&sp=r&sig={signature}"
