"""What goes wrong on purpose: the fault plan of a fake, and each way to fail.

    fake.fail("GET */actions/jobs/*/logs", nth=2, fault=Cut(at=1_000))

fails the second request that the pattern names, once. `times=None` fails it and all later ones.
"""

from __future__ import annotations

import struct
import time
import zlib
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, reduce
from typing import TYPE_CHECKING, Protocol

from tests.fakegithub.answers import Answer, Request, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Compute = Callable[[Request], Answer]

DRIPS = 40


class Wire(Protocol):
    """One connection, on which an answer can be given in any way."""

    asked: Request

    def send(self, answer: Answer, *, length: int | None = None) -> None:
        """Send an answer; with another `Content-Length` than it has, if one is given."""
        ...

    def send_slowly(self, answer: Answer, parts: Iterator[bytes]) -> None:
        """Send an answer's head, and its body in parts."""
        ...

    def drop(self) -> None:
        """Close the connection without a word."""
        ...

    def encode(self, answer: Answer) -> bytes:
        """Return the body as it would be sent."""
        ...


class Fault(Protocol):
    """A way to fail: gives one answer, or none."""

    def respond(self, wire: Wire, compute: Compute) -> None:
        """Answer what was asked on the wire; `compute` gives the right answer, and does what was asked."""
        ...


@dataclass(slots=True, kw_only=True)
class Planned:
    """A fault with its place in the plan. `seen` counts the requests it names."""

    pattern: str
    fault: Fault
    nth: int = 1
    times: int | None = 1
    seen: int = 0

    def takes(self, method: str, path: str) -> bool:
        """Count a request, and say whether this is one to fail."""
        if not fnmatchcase(f"{method} {path}", self.pattern):
            return False
        self.seen += 1
        return self.seen >= self.nth and (self.times is None or self.seen < self.nth + self.times)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """An error of the server: 500, 502, 503, 504. With `stored`, what was asked is done all the same."""

    status: int
    stored: bool = False

    def respond(self, wire: Wire, compute: Compute) -> None:
        if self.stored:
            compute(wire.asked)
        message = {500: "Server Error", 502: "Server Error", 503: "Service Unavailable"}.get(self.status, "Error")
        wire.send(refusal(self.status, message))


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimaryLimit:
    """403: the hour's requests are used up."""

    resets_in: int = 1_800

    def respond(self, wire: Wire, compute: Compute) -> None:
        reset = str(int(time.time()) + self.resets_in)
        headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}
        wire.send(refusal(403, "API rate limit exceeded for installation ID 1.", headers=headers))


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondaryLimit:
    """403: too many requests at a time. GitHub says how long to wait, or does not."""

    retry_after: int | None = None

    def respond(self, wire: Wire, compute: Compute) -> None:
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
        wire.send(refusal(403, message, headers=headers))


@dataclass(frozen=True, slots=True, kw_only=True)
class TooMany:
    """429, with or without `Retry-After`."""

    retry_after: int | None = None

    def respond(self, wire: Wire, compute: Compute) -> None:
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        wire.send(refusal(429, "Too many requests", headers=headers))


@dataclass(frozen=True, slots=True)
class Forbidden:
    """403: the token lacks a permission."""

    def respond(self, wire: Wire, compute: Compute) -> None:
        wire.send(refusal(403, "Resource not accessible by integration"))


@dataclass(frozen=True, slots=True)
class Unauthorized:
    """401: the token is not good any more."""

    def respond(self, wire: Wire, compute: Compute) -> None:
        wire.send(refusal(401, "Bad credentials"))


@dataclass(frozen=True, slots=True)
class Gone:
    """404, whatever is there: something that was deleted meanwhile."""

    def respond(self, wire: Wire, compute: Compute) -> None:
        wire.send(refusal(404, "Not Found"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """The connection closes without an answer; with `stored`, after what was asked was done."""

    stored: bool = False

    def respond(self, wire: Wire, compute: Compute) -> None:
        if self.stored:
            compute(wire.asked)
        wire.drop()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drip:
    """The body comes in small parts, with a pause before each; it takes about so many seconds."""

    seconds: float

    def respond(self, wire: Wire, compute: Compute) -> None:
        answer = compute(wire.asked)
        body = wire.encode(answer)
        size = max(len(body) // DRIPS, 1)

        def parts() -> Iterator[bytes]:
            for at in range(0, len(body), size):
                time.sleep(self.seconds / DRIPS)
                yield body[at : at + size]

        wire.send_slowly(answer, parts())


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The connection closes after so many bytes of the body; the head promised all of them."""

    at: int

    def respond(self, wire: Wire, compute: Compute) -> None:
        answer = compute(wire.asked)
        body = wire.encode(answer)
        wire.send(replace(answer, body=body[: self.at]), length=len(body))


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongLength:
    """`Content-Length` is wrong by so many bytes; below zero, the body is longer than the head says."""

    by: int

    def respond(self, wire: Wire, compute: Compute) -> None:
        answer = compute(wire.asked)
        wire.send(answer, length=len(wire.encode(answer)) + self.by)


@dataclass(frozen=True, slots=True)
class Html:
    """200 with a page for people, as a proxy or a sign-in page gives."""

    def respond(self, wire: Wire, compute: Compute) -> None:
        page = b"<!DOCTYPE html><html><body><h1>Sign in to continue</h1></body></html>"
        wire.send(Answer(body=page, headers={"Content-Type": "text/html; charset=utf-8"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A redirect to an address of the test's choice."""

    location: str
    status: int = 302

    def respond(self, wire: Wire, compute: Compute) -> None:
        wire.send(Answer(status=self.status, headers={"Location": self.location}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """A list as it was so many writes ago: reads lag behind writes."""

    writes: int = 1

    def respond(self, wire: Wire, compute: Compute) -> None:
        wire.send(compute(replace(wire.asked, lag=self.writes)))


@dataclass(frozen=True, slots=True, kw_only=True)
class GzipBomb:
    """A body of zeros that is small on the wire and so many megabytes when unpacked."""

    megabytes: int

    def respond(self, wire: Wire, compute: Compute) -> None:
        packed = _zeros(self.megabytes)
        wire.send(Answer(body=packed, headers={"Content-Encoding": "gzip", "Content-Type": "text/plain"}))


@cache
def _zeros(megabytes: int) -> bytes:
    """Pack zeros; one megabyte is packed, and stands there many times, so that nobody waits for it."""
    packer = zlib.compressobj(level=9, wbits=-zlib.MAX_WBITS)
    megabyte = bytes(1_000_000)
    block = packer.compress(megabyte) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = reduce(lambda so_far, _: zlib.crc32(megabyte, so_far), range(megabytes), 0)
    head = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    return head + block * megabytes + packer.flush() + struct.pack("<LL", checksum, megabytes * len(megabyte) % 2**32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The right answer with another body: JSON that has changed, or bytes."""

    change: Callable[[Answer], Answer]

    def respond(self, wire: Wire, compute: Compute) -> None:
        wire.send(self.change(compute(wire.asked)))
