"""Frozen values, those of `triage.model` above all, as JSON and back: what was read once need not be read again.

Fields that hold their default are left out; a value whose class has changed meanwhile is refused, never half read. Text
is masked on the way in: a secret that slipped into a log must not stay in a database.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from triage import model
from triage.redact import redact

Value = TypeVar("Value")
Plain: TypeAlias = Any
"""What JSON can hold."""
Kind: TypeAlias = Any
"""A class, or an annotation such as `tuple[int, ...]`."""

# Names that annotations use without their module importing them at run time.
_ANNOTATIONS = {word: getattr(model, word) for word in model.__all__} | {
    "Mapping": Mapping,
    "datetime": datetime,
    "timedelta": timedelta,
}
_CLASS = "*"
_MOST_BYTES = 64_000_000


class Unreadable(ValueError):
    """What is stored does not fit the class any more."""


def pack(value: object) -> bytes:
    """Write a frozen dataclass, or a tuple, set or mapping of what JSON can hold, as compressed JSON."""
    return zlib.compress(json.dumps(plain(value), separators=(",", ":")).encode(), level=6)


def unpack(body: bytes, kind: type[Value]) -> Value:
    """Read what `pack` wrote.

    Raises:
        Unreadable: It is no such value.
    """
    try:
        inflate = zlib.decompressobj()
        text = inflate.decompress(body, _MOST_BYTES)
        value: Value = read(json.loads(text), kind)
    except (zlib.error, ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unreadable(f"not a stored {kind.__name__}") from error
    return value


def plain(value: object) -> Plain:
    """Turn a value of the model into what JSON can hold."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(map(plain, value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if is_dataclass(value):
        return _object(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be stored")


def _object(value: object) -> dict[str, Plain]:
    kept: dict[str, Plain] = {_CLASS: type(value).__name__}
    for each in fields(value):  # type: ignore[arg-type]  # the caller knows that it is a dataclass
        content = getattr(value, each.name)
        if each.default is MISSING or content != each.default:
            kept[each.name] = plain(content)
    return kept


def read(value: Plain, kind: Kind) -> Plain:
    """Turn what `plain` made into the value of that type again; anything that does not fit raises."""
    kind = getattr(kind, "__supertype__", kind)
    origin: object = get_origin(kind)
    if origin in (Union, UnionType):
        return _one_of(value, get_args(kind))
    if origin is tuple:
        return _tuple(value, get_args(kind))
    if origin is frozenset:
        return frozenset(_tuple(value, (*get_args(kind), Ellipsis)))
    if origin is Mapping:
        _, item = get_args(kind)
        return {key: read(held, item) for key, held in value.items()}
    if is_dataclass(kind):
        return _dataclass(value, kind)
    if issubclass(kind, Enum):
        return kind(value)
    if kind is datetime:
        return datetime.fromisoformat(value)
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise TypeError(f"expected {kind}")
    return value


def _one_of(value: Plain, kinds: tuple[Kind, ...]) -> Plain:
    if value is None:
        if type(None) not in kinds:
            raise TypeError("expected a value")
        return None
    choices = [kind for kind in kinds if kind is not type(None)]
    if isinstance(value, dict) and len(choices) > 1:
        choices = [kind for kind in choices if kind.__name__ == value[_CLASS]]
    (kind,) = choices
    return read(value, kind)


def _tuple(value: Plain, kinds: tuple[Kind, ...]) -> tuple[Plain, ...]:
    if not isinstance(value, list):
        raise TypeError("expected a list")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(read(item, kinds[0]) for item in value)
    return tuple(read(item, kind) for item, kind in zip(value, kinds, strict=True))


def _dataclass(value: Plain, kind: Kind) -> Plain:
    if value[_CLASS] != kind.__name__:
        raise TypeError(f"expected {kind.__name__}")
    hints = _hints(kind)
    return kind(**{name: read(held, hints[name]) for name, held in value.items() if name != _CLASS})


@cache
def _hints(kind: type) -> dict[str, Kind]:
    return get_type_hints(kind, localns=_ANNOTATIONS)
