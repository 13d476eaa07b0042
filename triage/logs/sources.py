"""Logs that are already in memory: excerpts, annotations, tests. Files are `triage.recorded.files`."""

from __future__ import annotations

import io
from typing import BinaryIO, NamedTuple


class BytesSource(NamedTuple):
    """A raw log in memory."""

    name: str
    raw: bytes
    truncated: bool = False

    def open(self) -> BinaryIO:
        """Open it at byte 0."""
        return io.BytesIO(self.raw)


class TextSource(NamedTuple):
    """A text in memory, read as if it were a raw log."""

    name: str
    text: str
    truncated: bool = False

    def open(self) -> BinaryIO:
        """Open it at byte 0, as UTF-8."""
        return io.BytesIO(self.text.encode("utf-8", "replace"))
