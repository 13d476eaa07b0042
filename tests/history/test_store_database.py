"""A database that cannot be used is told in a sentence, and is never an empty history."""

from __future__ import annotations

import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from tests.builders import NOW, REPOSITORY
from tests.history.stories import LONG_AGO, a_known_failure, add, everything, on_main
from triage.errors import HistoryUnavailable, UsageError
from triage.history.store import Store
from triage.history.store.schema import metadata
from triage.history.store.upgrade import VERSION, VERSION_TABLE
from triage.history.store.writing import Writer

if TYPE_CHECKING:
    from pathlib import Path

HANG_UP = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND datname = current_database()
"""
SOON = timedelta(milliseconds=50)


def engine_of(store: Store) -> sa.Engine:
    return store._database._engine


# Tables


def test_the_migrations_make_the_tables_that_the_program_knows(store: Store) -> None:
    with engine_of(store).connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        differences = compare_metadata(context, metadata)

    assert differences == []


def test_the_newest_migration_is_the_one_the_program_asks_for() -> None:
    settings = Config()
    settings.set_main_option("script_location", "triage.history:migrations")

    assert ScriptDirectory.from_config(settings).get_heads() == [VERSION]


def test_a_database_of_a_newer_triage_is_left_alone(place: str | Path, store: Store) -> None:
    add(store, on_main(a_known_failure()))
    before = everything(store)
    with engine_of(store).begin() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '99'"))

    with pytest.raises(HistoryUnavailable, match=r"version 99, made by a newer triage.*upgrade triage"):
        Store.open(place)

    assert everything(store) == before


def test_other_tables_in_the_same_database_are_left_alone(place: str | Path) -> None:
    engine = sa.create_engine(f"sqlite:///{place}" if "://" not in str(place) else _with_driver(str(place)))
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE job (id INTEGER)"))
    with Store.open(place) as store:
        add(store, on_main(a_known_failure()))

    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM job")).scalar() == 0
    engine.dispose()


def _with_driver(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://")


# What can be wrong with a file


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    place = tmp_path / "history.db"
    place.write_text("this is a note, not a database\n" * 40)

    with pytest.raises(HistoryUnavailable, match=r"history\.db is no database"):
        Store.open(place)

    assert place.read_text().startswith("this is a note")


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    place = tmp_path / "history.db"
    with Store.open(place) as store:
        add(store, on_main(a_known_failure()))
    raw = bytearray(place.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    place.write_bytes(raw)

    with pytest.raises(HistoryUnavailable, match=r"is damaged|cannot be used"), Store.open(place) as store:
        store.baseline(REPOSITORY, since=LONG_AGO)


def test_a_locked_file_is_told_after_a_while(tmp_path: Path) -> None:
    place = tmp_path / "history.db"
    with Store.open(place, wait=SOON) as store:
        other = sqlite3.connect(place, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(HistoryUnavailable, match="is locked: another process"):
            add(store, on_main(a_known_failure()))
        assert store.baseline(REPOSITORY, since=LONG_AGO) == ()  # who only reads need not wait

        other.execute("ROLLBACK")
        other.close()
        add(store, on_main(a_known_failure()))
        assert len(store.baseline(REPOSITORY, since=LONG_AGO)) == 1


def test_a_full_disk_is_told_and_leaves_what_was_there(tmp_path: Path) -> None:
    with Store.open(tmp_path / "history.db") as store:
        add(store, on_main(a_known_failure(), run=501))
        sa.event.listen(engine_of(store), "begin", _no_more_pages)

        with pytest.raises(HistoryUnavailable, match="the disk is full"):
            fill(store)

        assert store.known_runs(REPOSITORY, [on_main(run=501)[0].runs[0].id])


def fill(store: Store) -> None:
    for run in range(502, 999):
        add(store, on_main(a_known_failure(), run=run, workflow="x" * 1_900))


def _no_more_pages(connection: Any) -> None:
    connection.exec_driver_sql("PRAGMA max_page_count = 1")


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(HistoryUnavailable, match="cannot be opened"):
        Store.open(tmp_path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(HistoryUnavailable, match="cannot be opened"):
        Store.open(tmp_path / "file" / "history.db")


def test_the_folder_of_the_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    with Store.open(tmp_path / "new" / "history.db"):
        pass

    assert (tmp_path / "new").stat().st_mode & 0o077 == 0


def test_a_path_may_hold_what_means_something_in_a_url(tmp_path: Path) -> None:
    place = tmp_path / "50% of it?mode=memory#x.db"

    with Store.open(place) as store:
        add(store, on_main(a_known_failure()))

    assert place.stat().st_size > 0


# What can be wrong with a server


def test_a_server_that_is_not_there_is_told_without_its_password() -> None:
    with pytest.raises(HistoryUnavailable, match=r"postgresql://127\.0\.0\.1/ci cannot be used") as caught:
        Store.open("postgresql://triage:s3cret@127.0.0.1:1/ci", wait=SOON)

    assert "s3cret" not in str(caught.value)


def test_a_locked_server_is_told_after_a_while(postgresql_url: str) -> None:
    with Store.open(postgresql_url, wait=timedelta(seconds=1)) as store, Store.open(postgresql_url) as other:
        add(store, on_main(a_known_failure(), run=501))

        with other._database.writing() as connection:
            connection.execute(sa.text("UPDATE triage_repository SET private = true"))

            with pytest.raises(HistoryUnavailable, match="is locked: another process"):
                add(store, on_main(a_known_failure(), run=502))

        add(store, on_main(a_known_failure(), run=503))


def test_a_user_that_may_not_make_tables_is_told(postgresql_url: str) -> None:
    engine = sa.create_engine(_with_driver(postgresql_url))
    with engine.begin() as connection:
        connection.execute(sa.text("DROP ROLE IF EXISTS reader"))
        connection.execute(sa.text("CREATE ROLE reader LOGIN"))
    engine.dispose()

    with pytest.raises(HistoryUnavailable, match="may not be used by this user"):
        Store.open(postgresql_url.replace("postgres:@", "reader:@"))


def test_a_connection_that_was_lost_is_made_anew(postgresql_url: str) -> None:
    with Store.open(postgresql_url) as store:
        add(store, on_main(a_known_failure()))
        engine = sa.create_engine(_with_driver(postgresql_url), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(sa.text(HANG_UP))
        engine.dispose()

        assert len(store.baseline(REPOSITORY, since=LONG_AGO)) == 1


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://localhost/ci", "not in 'mysql'"),
        ("://x", "is not the URL of a database"),
        ("postgresql://host:port/ci", "is not the URL of a database"),
    ],
)
def test_a_url_of_another_kind_is_a_mistake_of_the_caller(url: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Store.open(url)


# Space


def filled(place: Path) -> Store:
    """A history with a megabyte that is old by now."""
    with Store.open(place, clock=lambda: LONG_AGO) as store:
        store.keep(
            REPOSITORY, "blob", {f"{number}": random.Random(number).randbytes(10_000).hex() for number in range(50)}
        )
    return Store.open(place, wait=SOON)


def test_pruning_gives_the_space_back(tmp_path: Path) -> None:
    place = tmp_path / "history.db"
    with filled(place) as store:
        before = place.stat().st_size
        store.prune(NOW)
        freed = store.give_back()

        assert freed is not None
        assert before - place.stat().st_size == freed > 200_000
        assert store.give_back() == 0


def test_a_server_sees_to_its_space_itself(postgresql_url: str) -> None:
    with Store.open(postgresql_url) as store:
        assert store.give_back() is None


def test_while_another_writes_the_space_stays_and_nothing_is_lost(tmp_path: Path) -> None:
    place = tmp_path / "history.db"
    with filled(place) as store, Store.open(place) as other:
        store.prune(NOW)
        with other._database.writing() as connection:
            Writer(connection, REPOSITORY)
            with pytest.raises(HistoryUnavailable, match="is locked"):
                store.give_back()
        add(other, on_main(a_known_failure()))

        assert store.give_back()
        assert [one.repository for one in store.summary()] == [REPOSITORY.full_name]


def test_writers_that_come_meanwhile_wait(tmp_path: Path) -> None:
    place = tmp_path / "history.db"

    def write(number: int) -> None:
        with Store.open(place) as store:
            add(store, on_main(a_known_failure(), run=500 + number))

    with filled(place) as store, ThreadPoolExecutor(4) as threads:
        store.prune(NOW)
        written = [threads.submit(write, number) for number in range(8)]
        with suppress(HistoryUnavailable):
            store.give_back()
        assert [one.result() for one in written] == [None] * 8
        (summary,) = store.summary()

    assert summary.branches[0].runs == 8
