"""Which addresses may be asked. GitHub names the address of a log; whoever can forge that must not send us anywhere.

Our token goes to the API host alone. A log's address is asked without it, over https, on hosts of the list only, and
never inside a private network, unless the API itself is there (GitHub Enterprise Server, tests).
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from triage.errors import ProviderError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

DOTCOM_API = "api.github.com"

# Where github.com and GitHub Enterprise Cloud keep logs and archives.
STORES = ("*.blob.core.windows.net", "*.githubusercontent.com")

_UNKNOWN_HOST = (
    "it is not among the hosts that keep logs; if it is one, name it in `--log-hosts`, TRIAGE_LOG_HOSTS or the input "
    "`log-hosts`"
)
_HOST = re.compile(r"[a-z0-9.*-]{1,253}")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def read_hosts(text: str) -> tuple[str, ...]:
    """Read names of hosts with commas or spaces between them, in lower case; `*` stands for any text in one.

    Raises:
        ValueError: One is no name of a host, or fits any.
    """
    names = tuple(text.lower().replace(",", " ").split())
    for name in names:
        if not _HOST.fullmatch(name):
            raise ValueError(
                f"{name[:60]!r} is no name of a host; expected one such as store.acme.example, without port or path"
            )
        if not name.replace("*", "").strip("."):
            raise ValueError(f"{name[:60]!r} fits every host; name those that keep logs")
    return names


@dataclass(frozen=True, slots=True)
class ApiAddress:
    """The base address of an API, checked: `https://api.github.com` or `https://HOST/api/v3`."""

    url: str

    def __post_init__(self) -> None:
        parts = _split(self.url)
        if parts is None or not parts.hostname or parts.scheme not in {"https", "http"}:
            raise UsageError("the API address must look like https://api.github.com or https://HOST/api/v3")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise UsageError("the API address must hold no user, password or query: the token is given apart")
        if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            raise UsageError(f"the API at {parts.hostname} must be asked over https: a token would be sent in the open")

    @property
    def host(self) -> str:
        """The host name, in lower case."""
        return urlsplit(self.url).hostname or ""

    @property
    def is_plain(self) -> bool:
        """Whether it is a server on this machine that speaks http."""
        return urlsplit(self.url).scheme == "http"


@dataclass(frozen=True, slots=True)
class BlobHosts:
    """Decides whether a log may be fetched from an address.

    Attributes:
        api: Where GitHub was asked; its own host may always serve logs.
        extra: More host names in lower case, `*` standing for any text; one without `*` may lie in a private network.
        resolve: Gives the addresses of a host name; none when it has none here, and a proxy may know better.
    """

    api: ApiAddress
    extra: tuple[str, ...] = ()
    resolve: Callable[[str], tuple[str, ...]] = field(default_factory=lambda: _resolve)

    def check(self, url: str) -> None:
        """Let the address pass, or not.

        Raises:
            ProviderError: It may not be asked, and why. The address is named without its query, which is a secret.
        """
        parts = _split(url)
        host = (parts.hostname or "").lower() if parts else ""
        reason = "it is not an address" if parts is None or not host else self._objection(parts, host)
        if reason:
            raise ProviderError(f"GitHub pointed to a log at {host or 'no host'}, which is not asked: {reason}")

    def _objection(self, parts: SplitResult, host: str) -> str | None:
        if parts.username is not None or parts.password is not None:
            return "the address holds a user name"
        if parts.scheme != "https" and not (parts.scheme == "http" and self.api.is_plain and host in _LOOPBACK):
            return f"logs come over https, not {parts.scheme or 'an unknown scheme'}"
        if host == self.api.host or host.endswith(f".{self.api.host}"):
            return None  # as private as the API is
        named = {name.lower() for name in self.extra}
        if not any(fnmatchcase(host, pattern) for pattern in (*self._stores, *named)):
            return _UNKNOWN_HOST
        if host not in named and self._is_inside(host):
            return "it lies in a private network"
        return None

    @property
    def _stores(self) -> tuple[str, ...]:
        return STORES if self.api.host == DOTCOM_API or self.api.host.endswith(".ghe.com") else ()

    def _is_inside(self, host: str) -> bool:
        """Whether a host lies in a private, link-local or otherwise special network, by number or by name."""
        addresses = (host,) if _is_number(host) else self.resolve(host)
        return any(not ipaddress.ip_address(address).is_global for address in addresses)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises when it is no number
    except ValueError:
        return None
    return parts


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _resolve(host: str) -> tuple[str, ...]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return tuple(str(entry[4][0]).partition("%")[0] for entry in found)
