"""What is taken out of a run's archive, and what is left in it."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from triage.github.archive import BadArchiveError, extract, member_of, name_in_archive

if TYPE_CHECKING:
    from pathlib import Path


def an_archive(folder: Path, members: dict[str, bytes]) -> Path:
    path = folder / "logs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_a_job_is_found_by_the_name_that_github_makes_of_it() -> None:
    members = ["0_call-gate  pr-gate.txt", "1_test.txt", "test/1_Set up job.txt"]

    assert member_of(members, "call-gate / pr-gate", ["call-gate / pr-gate", "test"]) == "0_call-gate  pr-gate.txt"
    assert member_of(members, "test", ["call-gate / pr-gate", "test"]) == "1_test.txt"


def test_a_long_name_is_cut_as_github_cuts_it() -> None:
    assert name_in_archive("x" * 200) == "x" * 90
    assert name_in_archive("😀" * 60) == "😀" * 45
    assert name_in_archive("x" + "😀" * 60) == "x" + "😀" * 44


@pytest.mark.parametrize(
    ("members", "jobs"),
    [
        (["0_test.txt", "1_test.txt"], ["test"]),
        (["0_test.txt"], ["test", "test"]),
        (["0_test.txt"], ["te/st", "test"]),
        (["0_other.txt"], ["test"]),
        (["test/1_Set up job.txt"], ["test"]),
        (["0_test.txt"], []),
    ],
)
def test_a_name_that_might_mean_another_job_is_not_trusted(members: list[str], jobs: list[str]) -> None:
    assert member_of(members, "test", jobs) is None


def test_the_log_is_written_to_our_file_whatever_the_archive_calls_it(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, {"0_../../evil.txt": b"evil", "0_test.txt": b"one\ntwo\n"})
    into = tmp_path / "out" / "7.log"
    into.parent.mkdir()

    assert extract(archive, "test", ["test"], into, most=100)
    assert into.read_bytes() == b"one\ntwo\n"
    assert [path.name for path in tmp_path.rglob("*.log")] == ["7.log"]


def test_a_bomb_is_cut(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, {"0_test.txt": b"\0" * 50_000_000})
    into = tmp_path / "7.log"

    assert not extract(archive, "test", ["test"], into, most=1_000_000)
    assert into.stat().st_size == 1_000_000


def test_a_wrong_checksum_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("0_test.txt", b"the log")
    path.write_bytes(path.read_bytes().replace(b"the log", b"teh log", 1))

    with pytest.raises(BadArchiveError, match="damaged"):
        extract(path, "test", ["test"], tmp_path / "7.log", most=100)


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x05\x06", b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_archive_is_noticed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "logs.zip"
    path.write_bytes(content)

    with pytest.raises(BadArchiveError):
        extract(path, "test", ["test"], tmp_path / "7.log", most=100)


def test_an_archive_that_was_cut_is_noticed(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, {"0_test.txt": b"one\ntwo\n" * 1000})
    archive.write_bytes(archive.read_bytes()[:-30])

    with pytest.raises(BadArchiveError):
        extract(archive, "test", ["test"], tmp_path / "7.log", most=100_000)
