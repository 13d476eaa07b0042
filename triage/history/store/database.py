"""One database: how it is reached, brought to our tables, and asked without ever waiting for ever."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from triage.errors import HistoryUnavailable, UsageError
from triage.history.store.upgrade import upgrade

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import URL, Connection, Engine

WAIT = timedelta(seconds=15)
"""How long to wait for another writer, and for a server to answer at all."""

_WRITES = "triage_writes"
_DRIVERS = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg", "sqlite": "sqlite+pysqlite"}


class Database:
    """An engine with our tables in it; every failure of the database is one `HistoryUnavailable` with a sentence."""

    def __init__(self, place: str | Path, *, wait: timedelta = WAIT) -> None:
        """Open the database, make it where it is missing, and bring its tables up to date.

        Raises:
            UsageError: The URL is none, or names a database that is neither SQLite nor PostgreSQL.
            HistoryUnavailable: It cannot be reached, is broken, or was written by a newer triage.
        """
        parsed = _parsed(place)
        self.name = _shown(parsed)
        self._is_postgresql = parsed.get_backend_name() == "postgresql"
        with self._told():
            self._engine = _engine(parsed, wait)
        try:
            with self._told():
                upgrade(self._engine, self._writer)
        except BaseException:
            self._engine.dispose()
            raise

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the database until it is given back."""
        with self._told(), self._engine.connect() as plain:
            connection = plain.execution_options(isolation_level="REPEATABLE READ") if self._is_postgresql else plain
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection that writes all or nothing. In SQLite nobody else writes meanwhile."""
        with self._told(), self._writer() as connection:
            yield connection

    @contextmanager
    def _writer(self) -> Iterator[Connection]:
        with self._engine.connect() as plain:
            connection = plain.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    def give_back(self) -> int | None:
        """Give the space of removed rows back to the disk; writers wait meanwhile, and nothing of theirs is lost.

        Returns:
            By how many bytes the file is smaller; None where the server sees to that itself.

        Raises:
            HistoryUnavailable: Another process keeps it from that; nothing has changed then.
        """
        if self._is_postgresql:
            return None
        with self._told(), closing(self._engine.raw_connection()) as pooled:
            # By the driver itself: it must not stand in a transaction, and SQLAlchemy begins one.
            connection = cast("sqlite3.Connection", pooled.driver_connection)
            before = _size(connection)
            if _pragma(connection, "freelist_count"):
                connection.execute("VACUUM")
                # Until here it stands in the log beside the file; where somebody reads, their end moves it over.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return before - _size(connection)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise HistoryUnavailable(f"the history in {self.name} {_why(error)}") from error


def _parsed(place: str | Path) -> URL:
    if isinstance(place, Path):
        return sa.URL.create(_DRIVERS["sqlite"], database=str(place))
    try:
        parsed = make_url(place)
    except (ArgumentError, ValueError) as error:
        raise UsageError(
            f"{_masked(place)!r} is not the URL of a database; expected a path or postgresql://…"
        ) from error
    backend = parsed.get_backend_name()
    if backend not in _DRIVERS:
        raise UsageError(f"history is kept in SQLite or PostgreSQL, not in {backend!r}")
    return parsed.set(drivername=_DRIVERS[backend])


def _masked(url: str) -> str:
    """Show no more of what may hold a password than its scheme."""
    scheme, separator, _ = url.partition("://")
    return f"{scheme}://…" if separator else url


def _shown(url: URL) -> str:
    if url.get_backend_name() == "sqlite":
        return url.database or "memory"
    return f"{url.get_backend_name()}://{url.host or url.query.get('host') or 'localhost'}/{url.database or ''}"


def _engine(url: URL, wait: timedelta) -> Engine:
    try:
        if url.get_backend_name() == "postgresql":
            return _postgresql(url, wait)
        return _sqlite(url, wait)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise UsageError("PostgreSQL needs a driver: pip install 'ci-triage[postgres]'") from error


def _postgresql(url: URL, wait: timedelta) -> Engine:
    seconds = max(1, int(wait.total_seconds()))
    options = f"-c lock_timeout={seconds}s -c statement_timeout={2 * seconds}s -c timezone=UTC"
    return sa.create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": seconds, "options": options})


def _sqlite(url: URL, wait: timedelta) -> Engine:
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    engine = sa.create_engine(url, connect_args={"timeout": wait.total_seconds()})
    sa.event.listen(engine, "connect", lambda connection, _: _set_up_sqlite(connection, wait))
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: sqlite3.Connection, wait: timedelta) -> None:
    # Python's own way of beginning transactions leaves out DDL and begins too late to keep another writer away.
    connection.isolation_level = None
    _keep_a_log(connection, time.monotonic() + wait.total_seconds())
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _keep_a_log(connection: sqlite3.Connection, until: float) -> None:
    """Turn the write-ahead log on; while another process does so, too, SQLite refuses at once, whatever its timeout."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_AGAIN)
        else:
            return


_AGAIN = 0.02
"""Seconds between two tries to turn the write-ahead log on."""


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and then writes is refused when another wrote in between: writers say so at once.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _size(connection: sqlite3.Connection) -> int:
    return _pragma(connection, "page_count") * _pragma(connection, "page_size")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


_SQLITE_SAYS: dict[int, str] = {
    sqlite3.SQLITE_BUSY: "is locked: another process has been writing to it all the time",
    sqlite3.SQLITE_LOCKED: "is locked by another process",
    sqlite3.SQLITE_FULL: "cannot be written: the disk is full",
    sqlite3.SQLITE_READONLY: "cannot be written: the file is read-only",
    sqlite3.SQLITE_CORRUPT: "is damaged; remove the file, or restore it from a backup",
    sqlite3.SQLITE_NOTADB: "is no database; give another path",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: is it a file in a folder that may be written?",
}

_POSTGRESQL_SAYS: dict[str, str] = {
    "55P03": "is locked: another process has been writing to it all the time",
    "57014": "did not answer in time",
    "53100": "cannot be written: the disk is full",
    "25006": "cannot be written: it is read-only",
    "42501": "may not be used by this user: it needs the right to create and write tables",
}


def _why(error: Exception) -> str:
    """Say in a few words what is wrong; never the statement or its values, which may hold text of a log."""
    cause: Any = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    if isinstance(code, int) and (code & 0xFF) in _SQLITE_SAYS:
        return _SQLITE_SAYS[code & 0xFF]
    state = getattr(cause, "sqlstate", None)
    if state in _POSTGRESQL_SAYS:
        return _POSTGRESQL_SAYS[state]
    if isinstance(cause, OSError):
        return f"cannot be opened: {cause.strerror or cause}"
    return f"cannot be used ({type(cause).__name__}{f' {state}' if state else ''})"
