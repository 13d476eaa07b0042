"""HTTP: one connection to the fake, and every way to answer on it that `faults` needs."""

from __future__ import annotations

import json
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.fakegithub import objects
from tests.fakegithub.answers import Answer, Logged, Request, Streamed, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.fakegithub.server import FakeGitHub


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, fake: FakeGitHub, host: str) -> None:
        self.fake = fake
        self.host = host
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that goes away in the middle is what some tests want."""


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    timeout = 30
    disable_nagle_algorithm = True  # head and body are two writes: the second would wait 40 ms for an acknowledgement

    def log_message(self, format: str, *words: object) -> None:  # noqa: A002 - the base class's name
        """Keep test output clean: requests are in `FakeGitHub.requests`."""

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Handle every method alike: the base class looks for `do_GET`, `do_POST` and so on."""
        if name.startswith("do_"):
            return self._handle
        raise AttributeError(name)

    def _handle(self) -> None:
        fake = self.server.fake
        self.asked = self._read()
        path = unquote(self.asked.path)
        self.place = fake.log(
            Logged(
                host=self.server.host,
                method=self.asked.method,
                path=path,
                query=self.asked.query,
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.asked.body,
            )
        )
        fault = fake.planned("BLOB" if self.server.host == "blob" else self.asked.method, path)
        with suppress(ConnectionError):
            if fault is None:
                self.send(self._compute(self.asked))
            else:
                fault.respond(self, self._compute)

    def _read(self) -> Request:
        fake = self.server.fake
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body: Any = {}
        if length:
            with suppress(ValueError):
                body = json.loads(self.rfile.read(length))
        path = parts.path.removeprefix(fake.prefix) if self.server.host == "api" else parts.path
        number = f"/repositories/{fake.state.repository['id']}"
        if path == number or path.startswith(f"{number}/"):
            path = f"/repos/{fake.state.name}{path.removeprefix(number)}"
        return Request(
            method=self.command,
            path=path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            body=body if isinstance(body, dict) else {},
            base=fake.api_url,
        )

    def _compute(self, request: Request) -> Answer:
        fake = self.server.fake
        if self.server.host == "blob":
            return fake.answer_blob(request, self.headers.get("Authorization"))
        if not self.headers.get("User-Agent"):
            return refusal(403, "Request forbidden by administrative rules. Please make sure you send a User-Agent.")
        return fake.answer(request, self.headers.get("Authorization"), self.headers.get("If-None-Match"))

    # ---------------------------------------------------------------------------------------------------------------
    # `faults.Wire`

    def encode(self, answer: Answer) -> bytes:
        """Write a body: bytes as they are, JSON with the fake's own addresses in place of GitHub's."""
        if answer.body is None:
            return b""
        if isinstance(answer.body, bytes):
            return answer.body
        text = json.dumps(answer.body, ensure_ascii=False)
        return text.replace(objects.API, self.server.fake.api_url).encode()

    def send(self, answer: Answer, *, length: int | None = None) -> None:
        """Send an answer; if its length is told wrongly, the connection ends with it."""
        if isinstance(answer.body, Streamed):
            self.send_slowly(answer, iter(answer.body))
            return
        body = self.encode(answer)
        told = len(body) + answer.missing if length is None else length
        self._send_head(answer, told)
        self.wfile.write(body)
        if told != len(body):
            self.drop()

    def send_slowly(self, answer: Answer, parts: Iterator[bytes]) -> None:
        """Send an answer in parts."""
        self._send_head(answer, len(answer.body if isinstance(answer.body, Streamed) else self.encode(answer)))
        for part in parts:
            self.wfile.write(part)
            self.wfile.flush()

    def _send_head(self, answer: Answer, length: int) -> None:
        self.server.fake.log_status(self.place, answer.status)
        self.send_response(answer.status)
        kind = (
            "application/octet-stream"
            if isinstance(answer.body, bytes | Streamed)
            else "application/json; charset=utf-8"
        )
        for name, value in {"Content-Type": kind, **answer.headers}.items():
            self.send_header(name, value)
        if answer.status not in {204, 304}:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def drop(self) -> None:
        """Close the connection."""
        self.close_connection = True
        with suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(2)
