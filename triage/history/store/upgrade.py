"""Brings the tables to the version of this program, once, however many processes begin at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from triage.errors import HistoryUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from sqlalchemy.engine import Connection, Engine

VERSION = "2"
"""The newest migration; a test holds it to what lies in `triage.history.migrations`."""

VERSION_TABLE = "triage_version"
_LOCK = 0x7472_6961_6765  # "triage": the number PostgreSQL knows our lock by


def upgrade(engine: Engine, writer: Callable[[], AbstractContextManager[Connection]]) -> None:
    """Run the migrations that are missing; ask for nothing more when there is none.

    Raises:
        HistoryUnavailable: A newer program has changed the tables.
    """
    with engine.connect() as connection:
        if _version(connection) == VERSION:
            return
    with writer() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        found = _version(connection)
        if found == VERSION:
            return  # another process was first
        _migrate(connection, found)


def _version(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608  our own name


def _migrate(connection: Connection, found: str | None) -> None:
    # Only now: it takes longer to import than all else takes to run.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    settings = Config(attributes={"connection": connection})
    settings.set_main_option("script_location", "triage.history:migrations")
    known = {script.revision for script in ScriptDirectory.from_config(settings).walk_revisions()}
    if found is not None and found not in known:
        raise HistoryUnavailable(
            f"the history has tables of version {found}, made by a newer triage; this one knows version {VERSION}: "
            "upgrade triage, or give another --history"
        )
    command.upgrade(settings, VERSION)
