"""The archive of all logs of a run: what to fall back on, read without ever trusting a name in it.

GitHub names the log of a job `N_<job>.txt`, takes `/` and `:` out of the job's name, cuts it to 90 UTF-16 units, and
counts on when two come out equal. So a name is trusted only when one job and one file of the archive can have it.
"""

from __future__ import annotations

import re
import struct
import zipfile
from typing import IO, TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

LONGEST_NAME = 90
# A run holds at most 256 jobs; their steps may have files of their own.
MOST_MEMBERS = 65_534
LARGEST_DIRECTORY = 16 * 1024 * 1024
CHUNK = 64 * 1024

_JOB_LOG = re.compile(r"^-?\d+_(?P<name>.+)\.txt$", re.DOTALL)
_END = b"PK\x05\x06"
_END_SIZE = 22
_LONGEST_COMMENT = 0xFFFF


class BadArchiveError(Exception):
    """The archive, or one file in it, cannot be used."""


def member_of(members: Sequence[str], job: str, jobs: Collection[str]) -> str | None:
    """Find the file of a job's log.

    Args:
        members: Names in the archive.
        job: The job's name.
        jobs: The names of all jobs of the run, this one once.

    Returns:
        None when there is none, or when another job or file might be meant as well.
    """
    wanted = name_in_archive(job)
    if sum(name_in_archive(name) == wanted for name in jobs) != 1:
        return None
    found = [member for member in members if (log := _JOB_LOG.match(member)) and log["name"] == wanted]
    return found[0] if len(found) == 1 else None


def name_in_archive(job: str) -> str:
    """Write a job's name as GitHub does in an archive."""
    units = job.replace("/", "").replace(":", "").encode("utf-16-le", errors="surrogatepass")
    return units[: 2 * LONGEST_NAME].decode("utf-16-le", errors="ignore").strip()


def extract(archive: Path, job: str, jobs: Collection[str], into: Path, *, most: int) -> bool:
    """Write a job's log from the archive into a file of ours; its checksum is verified.

    Args:
        archive: The downloaded file.
        job: The job's name.
        jobs: The names of all jobs of the run.
        into: The file to write.
        most: Bytes to take.

    Returns:
        Whether the whole log was written; False when it was cut at `most`.

    Raises:
        BadArchiveError: The archive is damaged or too large to look into, or holds no log that is surely this job's.
    """
    with archive.open("rb") as file:
        _check_directory(file)
        try:
            with zipfile.ZipFile(file) as opened:
                member = member_of(opened.namelist(), job, jobs)
                if member is None:
                    raise BadArchiveError("it holds no log that is surely this job's")
                with opened.open(member) as log, into.open("wb") as written:
                    return _copy(log, written, most)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
            raise BadArchiveError(f"it is damaged ({type(error).__name__})") from error


def _copy(log: IO[bytes], written: BinaryIO, most: int) -> bool:
    while part := log.read(CHUNK):
        room = most - written.tell()
        written.write(part[:room])
        if len(part) > room:
            return False
    return True


def _check_directory(file: BinaryIO) -> None:
    """Look at the sizes the archive claims before its directory is read into memory."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _END_SIZE - _LONGEST_COMMENT))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        raise BadArchiveError("it is not whole")
    members, directory_size = struct.unpack_from("<HL", tail, at + 10)
    if members > MOST_MEMBERS or directory_size > LARGEST_DIRECTORY:
        raise BadArchiveError("it holds too many files")
