"""When the process, the disk or the database ends before the work does."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from tests.fakegithub import Drip, FakeGitHub
from tests.fakegithub.build import RUNS
from tests.publish.test_runner import read_outputs
from tests.reliability.test_faults import (
    IMPATIENT,
    assert_nothing_is_excused_by_the_fault,
    few_rules,
    later,
    ours,
    post,
    pull_number,
    without_fault,
)
from triage.app import triage
from triage.github import connect
from triage.history.lookback import Limits
from triage.history.store import Store
from triage.publish import RunnerFiles
from triage.recorded import Recorded
from triage.source.request import PullRequestRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent.parent
SOON = timedelta(milliseconds=50)


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub.from_recording(RUNS / "regression") as running:
        yield running


def command(*words: str, fake: FakeGitHub, **more: str) -> subprocess.Popen[str]:
    """Start the command line on its own, as a runner does."""
    environment = {
        **os.environ,
        "GITHUB_TOKEN": fake.token,
        "GITHUB_API_URL": fake.api_url,
        "GITHUB_REPOSITORY": fake.repository,
        **more,
    }
    return subprocess.Popen(
        [sys.executable, "-m", "triage", *words],
        env=environment,
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for(condition: Any, seconds: float = 60) -> None:
    ends_at = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends_at, "it never came to that"
        time.sleep(0.02)


# ---------------------------------------------------------------------------------------------------------------------
# The process


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_process_that_is_stopped_in_the_middle_ends_and_leaves_nothing_half_said(
    fake: FakeGitHub, number: signal.Signals
) -> None:
    fake.fail("BLOB *", Drip(seconds=5), times=None)
    process = command("pr", str(pull_number()), "--post", "--history", "none", fake=fake)
    wait_for(lambda: fake.asked(host="blob"))

    process.send_signal(number)
    out, _ = process.communicate(timeout=60)

    assert process.returncode != 0
    assert out == ""
    assert ours(fake) == []
    post(fake, without_fault())
    assert len(ours(fake)) == 1


KILLED_AFTER_POSTING = """
    import os, sys
    from dataclasses import dataclass
    from tests.reliability.test_faults import IMPATIENT, without_fault
    from triage.github import connect_writes
    from triage.publish import publish

    class KilledAfterPosting:
        def __init__(self, writes):
            self._writes = writes
        def __getattr__(self, name):
            return getattr(self._writes, name)
        def create_comment(self, number, body):
            self._writes.create_comment(number, body)
            os.kill(os.getpid(), 9)

    name, token, address = sys.argv[1:]
    with connect_writes(name, token=token, api_url=address, limits=IMPATIENT) as writes:
        publish(without_fault(), KilledAfterPosting(writes), sleep=lambda _: None)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_process_that_is_killed_between_posting_and_knowing_it_has_its_comment_adopted(fake: FakeGitHub) -> None:
    script = textwrap.dedent(KILLED_AFTER_POSTING)

    done = subprocess.run(
        [sys.executable, "-c", script, fake.repository, fake.token, fake.api_url], cwd=ROOT, check=False
    )
    left = list(fake.state.comments)
    post(fake, later(without_fault()))

    assert done.returncode == -signal.SIGKILL
    assert len(left) == 1
    assert list(fake.state.comments) == left
    assert len(ours(fake)) == 1


# ---------------------------------------------------------------------------------------------------------------------
# The disk


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_is_told_and_the_comment_is_written_all_the_same(fake: FakeGitHub) -> None:
    from tests.publish.conftest import Publisher

    files = RunnerFiles(summary=Path("/dev/full"), output=Path("/dev/full"))

    result = Publisher(fake=fake)(without_fault(), files=files)

    assert len(ours(fake)) == 1
    assert not result.has_summary
    assert len(result.troubles) == 2
    assert all("No space left on device" in trouble for trouble in result.troubles)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_logs_that_find_no_room_on_the_disk_are_a_gap_and_excuse_nothing(fake: FakeGitHub) -> None:
    with connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=IMPATIENT) as reads:
        for job in fake.state.jobs:
            (reads._logs.folder / f"{job}.log").symlink_to("/dev/full")
        report = triage(PullRequestRequest(pull_number()), reads, few_rules(), limits=Limits())

    assert_nothing_is_excused_by_the_fault(report)
    assert any("could not be kept on disk: No space left on device" in gap.why for gap in report.gaps)


def test_a_folder_that_cannot_be_written_does_not_end_the_step(fake: FakeGitHub, tmp_path: Path) -> None:
    from tests.publish.conftest import Publisher

    files = RunnerFiles(output=tmp_path / "output", temporary=tmp_path / "gone" / "for good")

    Publisher(fake=fake)(without_fault(), files=files)

    assert read_outputs((tmp_path / "output").read_text(encoding="utf-8"))["report-path"] == ""


# ---------------------------------------------------------------------------------------------------------------------
# The database


def triaged(store: Store) -> Any:
    return triage(
        PullRequestRequest(pull_number()), Recorded(RUNS / "regression"), few_rules(), limits=Limits(), store=store
    )


def test_a_locked_history_is_a_gap_and_every_answer_stays(tmp_path: Path) -> None:
    place = tmp_path / "history.db"
    with Store.open(place, wait=SOON) as store, closing(sqlite3.connect(place, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        report = triaged(store)
        other.execute("ROLLBACK")

    assert report.jobs == without_fault().jobs
    assert any("locked" in gap.why for gap in report.gaps)


def test_a_history_that_is_full_is_a_gap_and_every_answer_stays(tmp_path: Path) -> None:
    with Store.open(tmp_path / "history.db") as store:
        sa.event.listen(store._database._engine, "begin", _no_more_pages)
        report = triaged(store)

    assert report.jobs == without_fault().jobs
    assert any("the disk is full" in gap.why for gap in report.gaps)


def _no_more_pages(connection: Any) -> None:
    """Let the file grow no more: SQLite says the same of its own limit as of a disk that is full."""
    connection.exec_driver_sql("PRAGMA max_page_count = 1")
