"""Progress for people: one line on stderr, rewritten, and only on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CLEAR = "\r\x1b[2K"
_WIDEST = 78


@contextmanager
def make_progress() -> Iterator[Callable[[str], None]]:
    """Give a function that shows what is being done; it shows nothing unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return

    def show(text: str) -> None:
        sys.stderr.write(f"{_CLEAR}{text[:_WIDEST]}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()
