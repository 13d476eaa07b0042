"""Fetches what GitHub keeps elsewhere (logs, archives) to disk: without our token, checked at each hop, bounded."""

from __future__ import annotations

import threading
import zlib
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urljoin

import requests
import urllib3

from triage.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from triage.github.budget import Budget, Limits
    from triage.github.client import Client
    from triage.github.hosts import BlobHosts

MOST_HOPS = 3
CHUNK = 64 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Asked for once more with a new address: one lives for a minute, and a store fails now and then.
_TRIES = 2
_GONE = frozenset({404, 410})
# What the store says of a log that was never sent; asking again never helps.
_NO_BLOB = "BlobNotFound"


class End(Enum):
    """How a download ended; but for `WHOLE`, what came before the end is kept."""

    WHOLE = auto()
    TOO_LARGE = auto()
    BROKE_OFF = auto()


@dataclass(frozen=True, slots=True)
class Gone:
    """It is not there: 404 or 410, from the API or from the store it pointed to.

    `surely` is False when the address may only have been too old.
    """

    status: int
    surely: bool = True


_FINAL = frozenset({End.WHOLE, End.TOO_LARGE, Gone(404), Gone(410)})


class _StoreFailed(ProviderError):
    """The store did not give what it keeps; a new address may help."""


class _BrokeOff(Exception):
    """The connection ended before the body did."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blobs:
    """Downloads for one connection."""

    client: Client
    hosts: BlobHosts
    budget: Budget
    limits: Limits
    _threads: threading.local = field(default_factory=threading.local, repr=False)

    def fetch(self, path: str, into: Path, *, what: str, most: int) -> End | Gone:
        """Ask the API where something lies, and download it from there; once more if the store fails.

        Args:
            path: Of the API, below its address; it answers with a redirect.
            into: The file to write; decoded where the store compressed the transfer.
            what: For the sentences.
            most: Bytes to take, on the wire and on disk; what lies beyond is cut off.

        Raises:
            ProviderError: The API or the store refused, or could not be reached.
        """
        outcome: End | Gone | _StoreFailed = Gone(requests.codes.not_found)
        for _ in range(_TRIES):
            answer = self.client.redirect(path, what=what, permission="actions: read")
            if isinstance(answer, int):
                return Gone(answer)
            outcome = self._download(answer, into, what, most)
            if outcome in _FINAL or self.budget.left <= 0:
                break
        if isinstance(outcome, _StoreFailed):
            raise outcome
        return outcome

    def _download(self, address: str, into: Path, what: str, most: int) -> End | Gone | _StoreFailed:
        try:
            response = self._follow(address, what)
        except _StoreFailed as failure:
            return failure
        try:
            if response.status_code in _GONE:
                return Gone(response.status_code, surely=response.headers.get("x-ms-error-code") == _NO_BLOB)
            if response.status_code != requests.codes.ok:
                return _StoreFailed(f"the store that keeps {what} answered {response.status_code}")
            if response.headers.get("Content-Type", "").startswith("text/html"):
                return _StoreFailed(f"the store that keeps {what} answered with a web page")
            with into.open("wb") as file:
                return self._copy(response, file, most)
        except OSError as error:
            raise ProviderError(f"{what} could not be kept on disk: {error.strerror or error}") from error
        finally:
            response.close()

    def _follow(self, address: str, what: str) -> requests.Response:
        """Return the first answer that is no redirect; every address is checked before it is asked."""
        for _ in range(MOST_HOPS):
            self.hosts.check(address)
            response = self._get(address, what)
            onward = response.headers.get("Location")
            if response.status_code not in _REDIRECTS or not onward:
                return response
            response.close()
            address = urljoin(address, onward)
        raise ProviderError(f"{what} lies behind more than {MOST_HOPS} redirects")

    def _get(self, address: str, what: str) -> requests.Response:
        try:
            return self._session().get(
                address,
                stream=True,
                allow_redirects=False,
                timeout=(self.limits.connect_timeout, self.limits.read_timeout),
                headers={"Accept-Encoding": "identity", "User-Agent": "ci-triage"},
            )
        except requests.RequestException as error:
            kind = type(error).__name__
        # Without `from`: the error's text holds the address, whose query opens the log to anybody.
        raise _StoreFailed(f"the store that keeps {what} could not be reached ({kind})")

    def _session(self) -> requests.Session:
        """This thread's session, which has never seen our token; `auth` keeps requests from asking ~/.netrc."""
        session: requests.Session | None = getattr(self._threads, "session", None)
        if session is None:
            session = self._threads.session = requests.Session()
            session.auth = lambda request: request
        return session

    def _copy(self, response: requests.Response, file: BinaryIO, most: int) -> End:
        try:
            for part in self._decoded(response, most):
                room = most - file.tell()
                file.write(part[:room])
                if len(part) > room:
                    return End.TOO_LARGE
        except (_BrokeOff, zlib.error, urllib3.exceptions.HTTPError):
            return End.BROKE_OFF
        return End.WHOLE

    def _decoded(self, response: requests.Response, most: int) -> Iterator[bytes]:
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding in {"identity", ""}:
            yield from self._received(response, most)
            return
        if encoding not in {"gzip", "x-gzip", "deflate"}:
            raise ProviderError(f"the store sent a log in an encoding we did not ask for ({encoding[:20]!r})")
        # Ours, not requests': a few bytes may stand for gigabytes, so each step out is bounded like each step in.
        decoder = zlib.decompressobj(wbits=47)
        for part in self._received(response, most):
            waiting = part
            while waiting:
                yield decoder.decompress(waiting, CHUNK)
                waiting = decoder.unconsumed_tail
        if not decoder.eof:
            raise _BrokeOff

    def _received(self, response: requests.Response, most: int) -> Iterator[bytes]:
        """Yield the body as it comes, while there is time.

        `read1` gives what one packet brought: `read` would wait for a whole chunk, for hours if a server drips.
        """
        length = response.headers.get("Content-Length", "")
        received = 0
        while part := response.raw.read1(CHUNK, decode_content=False):
            received += len(part)
            yield part
            if self.budget.left <= 0:
                raise _BrokeOff
            if received > most:
                return
        if length.isdigit() and received < int(length):
            raise _BrokeOff
