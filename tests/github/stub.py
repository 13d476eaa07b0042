"""Two HTTP servers on this machine that answer as told, fault by fault: an API and a store of logs."""

from __future__ import annotations

import json
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What to say. `promised` is the length that is announced, where it is not that of the body."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    promised: int | None = None
    seconds_a_byte: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came in."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]


def says(body: Any, status: int = 200, **headers: str) -> Answer:
    """Answer with JSON; `_` in header names stands for `-`."""
    return Answer(
        status=status,
        body=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            **{name.replace("_", "-"): text for name, text in headers.items()},
        },
    )


def points_to(address: str) -> Answer:
    """Answer with a redirect."""
    return Answer(status=302, headers={"Location": address})


class _QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client hangs up in the middle, which is what some tests are about."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Stub:
    """One server: each path has its answers, one after the other, the last one for ever."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._answers: dict[str, list[Answer]] = {}
        self._lock = threading.Lock()
        self._server = _QuietServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def on(self, path: str, *answers: Answer) -> None:
        self._answers[path] = list(answers)

    def asked_for(self, path: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.path == path]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.asked.append(asked)
            answers = self._answers.get(asked.path)
            if not answers:
                return says({"message": "Not Found"}, 404)
            return answers.pop(0) if len(answers) > 1 else answers[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # or the body waits 40 ms for the acknowledgement of the head

            def _serve(self) -> None:
                parts = urlsplit(self.path)
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                answer = stub._answer(
                    Asked(
                        method=self.command,
                        path=parts.path,
                        query=parse_qs(parts.query),
                        headers={name.lower(): text for name, text in self.headers.items()},
                    )
                )
                self.send_response(answer.status)
                for name, text in answer.headers.items():
                    self.send_header(name, text)
                length = len(answer.body) if answer.promised is None else answer.promised
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self._write(answer)
                if length != len(answer.body):
                    self.close_connection = True

            def _write(self, answer: Answer) -> None:
                try:
                    if not answer.seconds_a_byte:
                        self.wfile.write(answer.body)
                        return
                    for byte in answer.body:
                        self.wfile.write(bytes([byte]))
                        time.sleep(answer.seconds_a_byte)
                except OSError:
                    self.close_connection = True  # the reader had enough

            do_GET = do_POST = do_PATCH = _serve  # noqa: N815 - the names http.server looks for

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its own signature
                """Keep quiet."""

        return Handler
