"""Splits a unified diff, as `git diff` prints it, into the patches that GitHub gives one by one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_STATUS = {"new file mode": "added", "deleted file mode": "removed", "rename from": "renamed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """One file of a diff; `patch` begins at its first `@@`, and is None when the file has no hunks."""

    path: str
    status: str
    patch: str | None
    previous: str | None


def split_diff(text: str) -> Iterator[FilePatch]:
    """Yield the files of a diff in its order."""
    for part in re.split(r"(?m)^(?=diff --git )", text):
        if part.startswith("diff --git "):
            yield _one(part)


def _one(part: str) -> FilePatch:
    head, mark, hunks = part.partition("\n@@ ")
    old, new = head.splitlines()[0].removeprefix("diff --git a/").split(" b/")
    status = next((word for start, word in _STATUS.items() if f"\n{start}" in head), "modified")
    return FilePatch(
        path=new,
        status=status,
        patch=f"@@ {hunks}".rstrip("\n") if mark else None,
        previous=old if status == "renamed" else None,
    )
