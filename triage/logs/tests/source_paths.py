"""Paths as tracebacks print them: made relative to the checkout, and told apart from installed code."""

from __future__ import annotations

from triage.model import Frame
from triage.regex import regex

# Where CI systems check out: the first group that matches is cut off. One or two free components, never a search.
_CHECKOUTS = tuple(
    regex(pattern)
    for pattern in (
        r"/home/runner/work/[^/]+/[^/]+/",
        r"/Users/runner/work/[^/]+/[^/]+/",
        r"/(?:[^/]+/){0,6}_work/[^/]+/[^/]+/",
        r"[A-Za-z]:/a/[^/]+/[^/]+/",
        r"/__w/[^/]+/[^/]+/",
        r"/github/workspace/",
        r"/home/travis/build/[^/]+/[^/]+/",
        r"/builds/[^/]+/[^/]+/",
        r"/(?:[^/]+/){0,4}jenkins(?:_home)?/workspace/[^/]+/",
        r"/workspaces?/(?=[^/]+/)",
    )
)

# A container that mounts the checkout at its root: `/engine/test/x.py`. Directories of the system are not that.
_MOUNTED = regex(
    r"/(?!(?:usr|opt|lib|lib64|bin|sbin|etc|var|home|root|tmp|proc|dev|mnt|nix|srv|System|Library|Users|private|snap"
    r"|run|Applications|sys|data|scratch|media|build|rustc|cargo|go|pyenv|venv|conda|miniconda3?|cache)/)"
    r"[^/]+/(?=[^/]+/)"
)

# Code that was installed, belongs to the interpreter, or has no file.
_INSTALLED = regex(
    r"site-packages/|dist-packages/|/lib(?:64)?/python\d|/python\d(?:\.\d+)?/lib/|[Hh]ostedtoolcache/|/pyenv/versions/"
    r"|/uv/python/|/Python\d+/Lib/|\.asdf/|/nix/store/|^<|^\s*$|^/usr/(?:lib|share|local/lib)/|(?:^|/)_pytest/|(?:^|/)pluggy/"
    r"|(?:/usr|/local|venv|/envs/[^/]{1,100}|^/opt/[^:]{1,200})/bin/[^/]+$"
)


def relative_path(path: str) -> str:
    """Return the path below the checkout, with forward slashes; as it was where the checkout could not be told."""
    straight = path.replace("\\", "/").removeprefix("./")
    if straight.startswith("../"):
        return _from_a_folder_beside(straight)
    if not straight.startswith("/") and straight[1:3] != ":/":
        return straight
    for checkout in (*_CHECKOUTS, _MOUNTED):
        found = checkout.match(straight)
        if found:
            return straight[found.end() :]
    return straight


def _from_a_folder_beside(path: str) -> str:
    """Read `../x`: pytest prints so what lies outside its root, up to `/`, and a program what lies beside its build."""
    rest = path
    while rest.startswith("../"):
        rest = rest[3:]
    found = next((found for checkout in _CHECKOUTS if (found := checkout.match(f"/{rest}"))), None)
    if found:
        return f"/{rest}"[found.end() :]
    return f"/{rest}" if is_installed(f"/{rest}") else rest


def is_installed(path: str) -> bool:
    """Whether the path is known to be no file of the repository: a package, the standard library, no file at all."""
    return _INSTALLED.search(path.replace("\\", "/")) is not None


def frame_of(path: str, line: str | None, function: str = "") -> Frame:
    """Build a frame from what a traceback printed of it."""
    # A line number of more digits than any file has lines is a number of something else.
    number = int(line) if line is not None and len(line) < 8 and line.isdecimal() else None
    return Frame(relative_path(path), number, function.strip(), in_repository=not is_installed(path))
