"""Raw logs on disk."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from pathlib import Path


class FileSource:
    """A raw log in a file, plain or `.gz`."""

    def __init__(self, path: Path, *, truncated: bool = False) -> None:
        self.path = path
        self.name = str(path)
        self.truncated = truncated

    def open(self) -> BinaryIO:
        """Open it at byte 0, decompressed."""
        if self.path.suffix == ".gz":
            return cast("BinaryIO", gzip.open(self.path))
        return self.path.open("rb")
