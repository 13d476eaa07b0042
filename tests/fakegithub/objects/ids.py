"""Ids that are always the same for the same words, and where GitHub is."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

JSON = dict[str, Any]

API = "https://api.github.com"

WEB = "https://github.com"


def number_for(*words: object) -> int:
    """Return an id that is always the same for the same words: nine digits."""
    digest = hashlib.sha256("\0".join(map(str, words)).encode()).digest()
    return 100_000_000 + int.from_bytes(digest[:6], "big") % 900_000_000


def sha_for(*words: object) -> str:
    """Return a commit or blob id that is always the same for the same words: 40 hex digits."""
    return hashlib.sha1("\0".join(map(str, words)).encode(), usedforsecurity=False).hexdigest()


def node_id(kind: str, number: int) -> str:
    """Return an opaque id as the GraphQL API would give it."""
    return f"{kind}_{base64.urlsafe_b64encode(number.to_bytes(8, 'big')).decode().rstrip('=')}"
