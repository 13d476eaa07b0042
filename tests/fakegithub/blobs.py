"""The blob host: gives what a signed address names, to anybody who has the address, for as long as it lives."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.fakegithub import actions
from tests.fakegithub.answers import Answer, Streamed

if TYPE_CHECKING:
    from tests.fakegithub.answers import Request
    from tests.fakegithub.server import FakeGitHub

CUT_BY = 4_096


def answer_blob(fake: FakeGitHub, request: Request, authorization: str | None) -> Answer:
    """Answer a request to the blob host, as Azure's store does: a token of GitHub's is an error there."""
    if authorization is not None:
        return _error(
            401, "InvalidAuthenticationInfo", "Authentication information is not given in the correct format."
        )
    key = request.path.strip("/")
    known, until = fake.links.get(request.query.get("sig", ""), ("", 0.0))
    if known != key or time.monotonic() > until:
        return _error(403, "AuthenticationFailed", "Server failed to authenticate the request.")
    kind, _, name = key.partition("/")
    return _log(fake, int(name)) if kind == "logs" else _archive(fake, name)


def _log(fake: FakeGitHub, job_id: int) -> Answer:
    log = fake.state.logs.get(job_id)
    if log is None or log.status != 200:
        return _not_there()
    cut = CUT_BY if log.cut else 0
    body = Streamed(log.pieces) if log.pieces else log.read()
    return Answer(body=body, headers={"Content-Type": "text/plain; charset=utf-8"}, missing=cut)


def _archive(fake: FakeGitHub, name: str) -> Answer:
    run_id, attempt = (int(part) for part in name.split("-"))
    packed = actions.archive(fake.state, run_id, attempt)
    return Answer(body=packed, headers={"Content-Type": "application/zip"}) if packed else _not_there()


def _not_there() -> Answer:
    return _error(404, "BlobNotFound", "The specified blob does not exist.")


def _error(status: int, code: str, message: str) -> Answer:
    text = f'\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code><Message>{message}</Message></Error>'
    headers = {"Content-Type": "application/xml", "x-ms-error-code": code}
    return Answer(status=status, body=text.encode(), headers=headers)
