"""Raw logs that lie on disk: plain or gzipped files, and what came in on a pipe."""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from typing import BinaryIO, Protocol

MOST_BYTES = 1 << 30
"""Where unpacking and spooling stop: 200 kB of gzip can hold 200 MB of zeros, and a pipe need not end."""

_COPY_BYTES = 1 << 16
_GZIP = b"\x1f\x8b"


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class FileSource:
    """A raw log in a file; one that is gzipped, whatever its name, is unpacked to a temporary file when first opened.

    `truncated` may become true by opening it: when the gzip breaks off or holds more than `most` bytes.
    """

    def __init__(self, path: Path, *, name: str | None = None, truncated: bool = False, most: int = MOST_BYTES) -> None:
        self.name = name if name is not None else str(path)
        self.truncated = truncated
        self._path = path
        self._most = most
        self._plain: Path | None = None

    def open(self) -> BinaryIO:
        """Open it at byte 0, unpacked; it can be sought.

        Raises:
            OSError: It cannot be read, or is no gzip beyond its first bytes.
        """
        if self._plain is None:
            self._plain = self._unpacked() if _is_gzip(self._path) else self._path
        return self._plain.open("rb")

    def _unpacked(self) -> Path:
        import gzip
        import zlib

        plain = _temporary_file()
        weakref.finalize(self, plain.unlink, missing_ok=True)
        with gzip.open(self._path) as packed:
            try:
                is_whole = _copy(packed, plain, self._most)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                if not plain.stat().st_size:
                    raise gzip.BadGzipFile(f"{self.name} is gzip, but nothing of it can be unpacked") from error
                is_whole = False
        self.truncated = self.truncated or not is_whole
        return plain


def spool(stream: _Readable, *, name: str, most: int = MOST_BYTES) -> FileSource:
    """Copy a stream that can be read only once, such as standard input, to a temporary file.

    Args:
        stream: Read to its end, or up to `most` bytes; may be gzipped.
        name: What to call it in messages.
        most: Bytes after which it counts as truncated.
    """
    path = _temporary_file()
    source = FileSource(path, name=name, most=most)
    weakref.finalize(source, path.unlink, missing_ok=True)
    source.truncated = not _copy(stream, path, most)
    return source


def _temporary_file() -> Path:
    import tempfile

    handle, name = tempfile.mkstemp(prefix="triage-", suffix=".log")
    os.close(handle)
    return Path(name)


def _copy(stream: _Readable, into: Path, most: int) -> bool:
    """Copy at most so many bytes; False when the stream holds more."""
    left = most
    with into.open("wb") as file:
        while chunk := stream.read(min(_COPY_BYTES, left + 1)):
            file.write(chunk[:left])
            if len(chunk) > left:
                return False
            left -= len(chunk)
    return True


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP
