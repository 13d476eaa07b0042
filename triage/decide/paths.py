r"""Paths as people and tools write them: globs over changed files, and whether two spellings mean one file.

A log names files by where they lay on the machine (`/srv/repo/python/pkg/x.py`, `D:\a\repo\repo\x.py`,
`site-packages/pkg/x.py`), a pull request by where they lie in the repository (`python/pkg/x.py`).
"""

from __future__ import annotations

import re
from enum import IntEnum, unique
from functools import lru_cache

_TELLING_PARTS = 2
"""So many parts at the end of two paths must agree before they may mean one file, unless the name alone is telling."""

_COMMON_NAMES = frozenset(
    {
        "__init__.py",
        "__main__.py",
        "base.py",
        "common.py",
        "config.py",
        "conftest.py",
        "index.js",
        "index.ts",
        "lib.rs",
        "main.go",
        "main.py",
        "main.rs",
        "mod.rs",
        "models.py",
        "setup.py",
        "types.py",
        "utils.py",
    }
)
"""File names that a repository holds many of: they tell nothing without their folder."""


@unique
class Sameness(IntEnum):
    """Whether two spellings mean one file; bigger is surer."""

    NO = 0
    PERHAPS = 1  # enough to withhold an excuse
    YES = 2  # enough to blame a change


def sameness(printed: str, path: str) -> Sameness:
    """Compare a path as a log prints it with a repository-relative path.

    `YES` when one of them is the whole end of the other; `PERHAPS` when only their ends agree, as for an installed copy
    of the file, or when there is only a file name to go by.
    """
    ours, theirs = _parts(path), _parts(printed)
    agreeing = _agreeing_parts(ours, theirs)
    if agreeing == 0:
        return Sameness.NO
    whole = agreeing == len(ours) or agreeing == len(theirs)
    if whole and (agreeing >= _TELLING_PARTS or len(ours) == len(theirs)):
        return Sameness.YES
    if whole or agreeing >= _TELLING_PARTS or ours[-1] not in _COMMON_NAMES:
        return Sameness.PERHAPS
    return Sameness.NO


def _parts(path: str) -> tuple[str, ...]:
    plain = path.strip().replace("\\", "/").removeprefix("file://")
    return tuple(part for part in plain.split("/") if part not in {"", ".", ".."})


def _agreeing_parts(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Count the parts that agree, from the file name upwards."""
    count = 0
    for ours, theirs in zip(reversed(one), reversed(other), strict=False):
        if ours != theirs:
            break
        count += 1
    return count


def matches_any(path: str, globs: tuple[str, ...]) -> bool:
    """Whether a repository-relative path fits one of the globs.

    `**` crosses folders, `*` and `?` do not. Case is ignored: `Dockerfile` and `dockerfile` drive the same step.
    """
    return bool(globs) and _compiled(globs).fullmatch(path) is not None


@lru_cache(maxsize=128)
def _compiled(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(_expression(glob) for glob in globs), re.IGNORECASE)


_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _expression(glob: str) -> str:
    return "".join(_WILD.get(piece, re.escape(piece)) for piece in re.split(r"(\*\*/|\*\*|\*|\?)", glob))


_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|testing|spec|specs|__tests__|testsuite|e2e)/", re.IGNORECASE)
_TEST_FILE = re.compile(
    r"(?:^|/)(?:test_[^/]*\.py|[^/]*_test\.(?:py|go|cc|cpp|cxx|c|rb|exs|dart)|[^/]*_spec\.rb|[^/]*[._](?:test|spec)\.[cm]?[jt]sx?"
    r"|[^/]*Tests?\.(?:java|kt|scala|cs|php|swift)|test[^/]*\.(?:sh|bats|cc|cpp|rs|c|t))$"
)
_HARNESS_FILE = re.compile(
    r"(?:^|/)(?:conftest\.py|[^/]*test_?(?:utils?|helpers?|base|case)[^/]*\.\w+)$", re.IGNORECASE
)


def is_test_file(path: str) -> bool:
    """Whether the file holds tests, by the names that test runners look for."""
    return bool(_TEST_FILE.search(path)) and not _HARNESS_FILE.search(path)


def is_harness(path: str) -> bool:
    """Whether the file holds what tests share: every traceback may lead through it, whatever is broken."""
    if _HARNESS_FILE.search(path):
        return True
    return bool(_TEST_FOLDER.search(path)) and not is_test_file(path) and not path.endswith((".md", ".rst"))
