"""Globs of job names and of paths. Only `*` and `?` mean something: names of jobs hold brackets."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def fits_name(globs: Iterable[str], name: str) -> bool:
    """Whether one of the globs fits the whole name."""
    return any(fnmatchcase(name, _literal(glob)) for glob in globs)


def fits_path(globs: Iterable[str], path: str) -> bool:
    """Whether one of the globs fits the whole path: `*` stays within a folder, `**` stands for any folders, or none."""
    parts = path.split("/")
    return any(_fits(glob.removeprefix("/").split("/"), parts) for glob in globs)


def _fits(globs: Sequence[str], parts: Sequence[str]) -> bool:
    """Walk the glob once, keeping every place of the path that its parts so far lead to; no backtracking."""
    places = {0}
    for glob in globs:
        if glob == "**":
            places = set(range(min(places), len(parts) + 1)) if places else places
        else:
            places = {at + 1 for at in places if at < len(parts) and fnmatchcase(parts[at], _literal(glob))}
    return len(parts) in places


def _literal(glob: str) -> str:
    return glob.replace("[", "[[]")
