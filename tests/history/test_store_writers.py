"""Several processes, one history: nothing is lost, and the tables are made once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import REPOSITORY, a_job
from tests.history.stories import LONG_AGO, a_known_failure, add, everything, on_main
from triage.decide import signatures_of
from triage.errors import HistoryUnavailable
from triage.history.store import Store
from triage.model import RunId

ROOT = Path(__file__).parents[2]
WRITERS, EACH = 4, 6


def start_writer(place: str | Path, first: int, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.history.writer", str(place), str(first), str(count)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)


def test_processes_that_write_at_the_same_time_lose_nothing(place: str | Path) -> None:
    # The database does not exist yet: all of them come to make its tables.
    writers = [start_writer(place, 1_000 * number, EACH) for number in range(1, WRITERS + 1)]
    complaints = [writer.communicate()[1].decode() for writer in writers]

    assert [writer.returncode for writer in writers] == [0] * WRITERS, complaints
    with Store.open(place) as store:
        (signature,) = signatures_of(a_known_failure())
        seen = store.sightings(REPOSITORY, [signature], since=LONG_AGO)[signature].on_default
        rows = everything(store)
    runs = {RunId(1_000 * number + place) for number in range(1, WRITERS + 1) for place in range(EACH)}
    assert {one.run_id for one in seen} == runs
    assert len(rows["triage_signature"]) == len(rows["triage_repository"]) == 1


def test_processes_that_write_the_same_write_it_once(place: str | Path) -> None:
    writers = [start_writer(place, 1_000, EACH) for _ in range(WRITERS)]
    complaints = [writer.communicate()[1].decode() for writer in writers]

    assert [writer.returncode for writer in writers] == [0] * WRITERS, complaints
    with Store.open(place) as store:
        rows = everything(store)
    assert len(rows["triage_run"]) == len(rows["triage_sighting"]) == EACH


def test_threads_may_share_a_store(store: Store) -> None:
    def write(first: int) -> None:
        for run in range(first, first + EACH):
            add(store, on_main(replace(a_known_failure(), job=a_job(number=run)), run=run))

    threads = [threading.Thread(target=write, args=(1_000 * number,)) for number in range(1, WRITERS + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(everything(store)["triage_run"]) == WRITERS * EACH


def test_a_new_history_that_somebody_writes_is_opened_once_they_are_done(tmp_path: Path) -> None:
    """SQLite refuses to turn its log on at once, however long it was told to wait for others."""
    place = tmp_path / "history.db"
    other = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE seen (run)")
    other.execute("BEGIN IMMEDIATE")
    done = threading.Timer(0.1, other.execute, ["COMMIT"])
    done.start()

    with Store.open(place) as store:
        add(store, on_main(a_known_failure(), run=1))

        assert everything(store)
    done.join()
    other.close()


def test_a_new_history_that_somebody_keeps_reading_is_given_up_in_time(tmp_path: Path) -> None:
    place = tmp_path / "history.db"
    with closing(sqlite3.connect(place, isolation_level=None)) as reader:
        reader.execute("CREATE TABLE seen (run)")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM seen").fetchall()

        with pytest.raises(HistoryUnavailable, match="locked"):
            Store.open(place, wait=timedelta(seconds=0.1))
