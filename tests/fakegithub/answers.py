"""What is asked of the fake, and what it answers: values, before they become bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

JSON = dict[str, Any]

DOCS = "https://docs.github.com/rest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token, whose it is and what it may do.

    Attributes:
        permissions: Of GitHub's names (`actions`, `checks`, `contents`, `pull_requests`, ...) to `read` or `write`.
        is_app: Whether it is an installation's, as `GITHUB_TOKEN` is; those cannot ask who they are.
    """

    login: str
    permissions: Mapping[str, str]
    is_app: bool = True

    def may(self, area: str, access: str) -> bool:
        """Whether the token has that access to that area; `write` includes `read`."""
        return self.permissions.get(area) in {access, "write"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to the API.

    Attributes:
        path: Below the API's address, unquoted.
        words: What stands in the places of the route, such as `{"run_id": "7"}`.
        body: The JSON that came with it; empty where there was none.
        token: None when nobody signed in.
        base: The API's own address.
        lag: How many of the latest writes this read does not see yet.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: JSON = field(default_factory=dict)
    token: Token | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    base: str = ""
    lag: int = 0

    @property
    def login(self) -> str:
        """Who asks."""
        return self.token.login if self.token else ""

    def number(self, name: str) -> int:
        """Return a word of the route as a number; GitHub takes any text for one that does not exist."""
        word = self.words[name]
        return int(word) if word.isdigit() else -1


@dataclass(frozen=True, slots=True)
class Streamed:
    """A body that is made while it is sent and lies nowhere: pieces, each so many times."""

    pieces: tuple[tuple[bytes, int], ...]

    def __len__(self) -> int:
        return sum(len(piece) * times for piece, times in self.pieces)

    def __iter__(self) -> Iterator[bytes]:
        return (piece for piece, times in self.pieces for _ in range(times))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer.

    Attributes:
        body: JSON, bytes that are sent as they are, or what is made while it is sent.
        missing: Bytes that the head promises beyond the body, before the connection breaks off.
        undocumented: Names the observed behaviour when GitHub's description does not know the answer.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    missing: int = 0
    undocumented: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One request as it came in. `host` is `api` or `blob`; `status` is None when no answer was given."""

    host: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Mapping[str, Any] = field(default_factory=dict)
    status: int | None = None

    @property
    def authorization(self) -> str | None:
        """What the request said of who sends it."""
        return self.headers.get("authorization")


def refusal(status: int, message: str, *, undocumented: str = "", headers: Mapping[str, str] | None = None) -> Answer:
    """An error as GitHub writes it."""
    body = {"message": message, "documentation_url": DOCS, "status": str(status)}
    return Answer(status=status, body=body, undocumented=undocumented, headers=headers or {})


def not_found() -> Answer:
    """It does not exist, or the token may not know that it does."""
    return refusal(404, "Not Found")


def unprocessable(message: str, *, field_name: str = "data", resource: str = "") -> Answer:
    """What was sent cannot be taken."""
    error = {"resource": resource, "code": "unprocessable", "field": field_name, "message": message}
    return Answer(
        status=422,
        body={"message": "Validation Failed", "errors": [error], "documentation_url": DOCS, "status": "422"},
    )


def page_of(request: Request, items: Sequence[JSON], *, key: str | None = None) -> Answer:
    """Cut one page out of a list, with the `Link` header that leads to the others.

    Args:
        key: Where the items stand beside `total_count`; None when the answer is the list itself.
    """
    size = min(max(_number(request.query.get("per_page"), 30), 1), 100)
    page = max(_number(request.query.get("page"), 1), 1)
    last = max((len(items) + size - 1) // size, 1)
    part = list(items[(page - 1) * size : page * size])
    links = {"prev": page - 1 if page > 1 else None, "next": page + 1 if page < last else None}
    if page < last:
        links["last"] = last
    if page > 1:
        links["first"] = 1
    link = ", ".join(f'<{_address(request, to)}>; rel="{name}"' for name, to in links.items() if to is not None)
    body = {"total_count": len(items), key: part} if key else part
    return Answer(body=body, headers={"Link": link} if link else {})


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isdigit() else default


def _address(request: Request, page: int) -> str:
    return f"{request.base}{request.path}?{urlencode({**request.query, 'page': page})}"
