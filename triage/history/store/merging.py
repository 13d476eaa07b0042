"""Rows in, once: what is there is kept or replaced, what is not is added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy import Column, ColumnElement, Table
    from sqlalchemy.engine import Connection

    from triage.history.store.rows import Row

Item = TypeVar("Item")
Key = tuple[Any, ...]

AT_ONCE = 500
"""How many values one question may hold: every SQLite takes that many."""


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Cut into lists that fit one question."""
    rest = list(items)
    for start in range(0, len(rest), AT_ONCE):
        yield rest[start : start + AT_ONCE]


def rows_where(
    connection: Connection,
    table: Table,
    column: Column[Any],
    values: Iterable[object],
    *conditions: ColumnElement[bool],
) -> Iterator[dict[str, Any]]:
    """Yield the rows whose column holds one of the values."""
    for some in batches(dict.fromkeys(values)):
        found = connection.execute(sa.select(table).where(column.in_(some), *conditions))
        yield from (dict(row) for row in found.mappings())


def merge(
    connection: Connection,
    table: Table,
    key: tuple[str, ...],
    rows: Sequence[Row],
    *,
    within: int,
    newer: Callable[[Mapping[str, Any], Row], Row] | None = None,
) -> dict[Key, int]:
    """Add the rows of one repository that are not there yet, and replace those that changed.

    Only one writer a repository is at work at a time (see `Writer`), so that reading first is safe.

    Args:
        connection: In a transaction that writes.
        table: Has `id` and `repository_key`.
        key: Columns that tell rows apart; the first is the one to search by.
        rows: By key, each once; without the repository.
        within: The repository's id.
        newer: Told the row that is there and the new one, returns what is to be there; without it the old one stays.

    Returns:
        The id of every row, by the values of its key.
    """
    there = _existing(connection, table, key, rows, within)
    missing = [row | {"repository_key": within} for row in rows if _key(row, key) not in there]
    if missing:
        connection.execute(sa.insert(table), missing)
    if newer is not None:
        for row in rows:
            old = there.get(_key(row, key))
            if old is not None:
                _replace(connection, table, old, newer(old, row))
    ids = there if not missing else _existing(connection, table, key, rows, within)
    return {found: row["id"] for found, row in ids.items()}


def _existing(
    connection: Connection, table: Table, key: tuple[str, ...], rows: Iterable[Row], within: int
) -> dict[Key, dict[str, Any]]:
    found = rows_where(
        connection, table, table.c[key[0]], (row[key[0]] for row in rows), table.c.repository_key == within
    )
    return {_key(row, key): row for row in found}


def _key(row: Mapping[str, Any], key: tuple[str, ...]) -> Key:
    return tuple(row[name] for name in key)


def _replace(connection: Connection, table: Table, old: Mapping[str, Any], new: Row) -> None:
    changed = {name: value for name, value in new.items() if old[name] != value}
    if changed:
        connection.execute(sa.update(table).where(table.c.id == old["id"]).values(**changed))
