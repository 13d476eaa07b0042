"""The addresses the fake knows: one row each, with what it needs and which description its answers follow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tests.fakegithub.answers import Answer, Request, not_found, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.fakegithub.state import State

    Handler = Callable[[State, Request], Answer]


@dataclass(frozen=True, kw_only=True)
class Route:
    """One address.

    Attributes:
        pattern: `/repos/{owner}/{repo}/...`; `{+path}` takes slashes too.
        area, access: What the token must be allowed; None where signing in is enough.
        model: GitHub's description of a good answer; `[Job]` for a list.
        signed_in: Whether strangers are refused even where the repository is public.
    """

    method: str
    pattern: str
    handler: Handler
    model: str | None = None
    area: str | None = None
    access: str = "read"
    signed_in: bool = False

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern as an expression over whole paths."""
        parts = re.split(r"(\{[^}]+\})", self.pattern)
        return re.compile("".join(map(_expression, parts)))

    def refuse(self, state: State, request: Request) -> Answer | None:
        """Return why the request is not allowed, or None."""
        token = request.token
        if token is None:
            if state.is_private or self.method != "GET":
                return not_found()
            return refusal(403, "Must have admin rights to Repository.") if self.signed_in else None
        if self.area is not None and not token.may(self.area, self.access):
            if state.is_private and not token.permissions:
                return not_found()
            kind = "integration" if token.is_app else "personal access token"
            return refusal(
                403,
                f"Resource not accessible by {kind}",
                headers={"X-Accepted-GitHub-Permissions": f"{self.area}={self.access}"},
            )
        return None


def _expression(part: str) -> str:
    if not part.startswith("{"):
        return re.escape(part)
    name = part.strip("{+}")
    return f"(?P<{name}>.+)" if part.startswith("{+") else f"(?P<{name}>[^/]+)"


def find(routes: Iterable[Route], method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    """Return the first route for an address, with the words in its places."""
    for route in routes:
        if route.method == method and (match := route.regex.fullmatch(path)):
            return route, match.groupdict()
    return None
