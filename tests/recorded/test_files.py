"""Logs on disk: plain, gzipped, broken, too large, and those that came on a pipe."""

from __future__ import annotations

import gc
import gzip
import io
from typing import TYPE_CHECKING

import pytest

from triage.logs import read_log
from triage.matching import Scanner
from triage.recorded.files import FileSource, spool

if TYPE_CHECKING:
    from pathlib import Path

TEXT = b"one\ntwo\nthree\n"


def content(source: FileSource) -> bytes:
    with source.open() as file:
        return file.read()


def test_a_plain_file_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_bytes(TEXT)
    source = FileSource(tmp_path / "job.log")

    assert content(source) == content(source) == TEXT
    assert source.name == str(tmp_path / "job.log")
    assert not source.truncated


def test_a_gzipped_file_is_unpacked_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_bytes(gzip.compress(TEXT))
    source = FileSource(tmp_path / "job.log")

    assert content(source) == TEXT
    with source.open() as file:
        file.seek(4)
        assert file.read(3) == b"two"
    assert not source.truncated


def test_a_log_that_is_called_gzip_and_is_none_is_read_as_text(tmp_path: Path) -> None:
    (tmp_path / "job.log.gz").write_bytes(TEXT)

    assert content(FileSource(tmp_path / "job.log.gz")) == TEXT


def test_a_gzip_that_breaks_off_gives_what_it_holds_and_says_so(tmp_path: Path) -> None:
    text = b"".join(b"line %d\n" % number for number in range(100_000))
    (tmp_path / "job.log.gz").write_bytes(gzip.compress(text)[:-2000])

    log = read_log(FileSource(tmp_path / "job.log.gz"), Scanner({}))

    assert log.truncated
    assert log.lines[0].text == "line 0"
    assert 50_000 < log.total_lines < 100_000


def test_a_gzip_of_which_nothing_can_be_read_is_an_error_and_no_empty_log(tmp_path: Path) -> None:
    (tmp_path / "job.log.gz").write_bytes(gzip.compress(TEXT)[:12])

    with pytest.raises(OSError, match="nothing of it can be unpacked"):
        FileSource(tmp_path / "job.log.gz").open()


def test_a_gzip_bomb_is_stopped_where_the_limit_is(tmp_path: Path) -> None:
    (tmp_path / "job.log.gz").write_bytes(gzip.compress(b"0" * 10_000_000))
    source = FileSource(tmp_path / "job.log.gz", most=1_000_000)

    assert len(content(source)) == 1_000_000
    assert source.truncated


def test_a_file_that_a_download_left_incomplete_stays_truncated(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_bytes(TEXT)
    source = FileSource(tmp_path / "job.log", truncated=True)

    assert content(source) == TEXT
    assert source.truncated


def test_a_pipe_can_be_read_as_often_as_a_file() -> None:
    source = spool(io.BytesIO(TEXT), name="standard input")

    assert content(source) == content(source) == TEXT
    assert source.name == "standard input"
    assert not source.truncated


def test_a_pipe_of_gzip_is_unpacked() -> None:
    assert content(spool(io.BytesIO(gzip.compress(TEXT)), name="standard input")) == TEXT


@pytest.mark.parametrize(("most", "truncated"), [(len(TEXT), False), (len(TEXT) - 1, True)])
def test_a_pipe_is_read_up_to_a_limit(most: int, *, truncated: bool) -> None:
    source = spool(io.BytesIO(TEXT), name="standard input", most=most)

    assert content(source) == TEXT[:most]
    assert source.truncated is truncated


def test_temporary_files_go_when_nobody_needs_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = spool(io.BytesIO(gzip.compress(TEXT)), name="standard input")
    content(source)
    kept = len(list(tmp_path.iterdir()))

    del source
    gc.collect()

    assert kept == 2
    assert list(tmp_path.iterdir()) == []
