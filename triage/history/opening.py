"""Which history to use, and what when there is none: the way to a store that imports SQLAlchemy only for one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from triage.errors import HistoryUnavailable, UsageError
from triage.model import Gap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.history.store import Store

OFF = "none"
INSTALL = "pip install 'ci-triage[history]'"

_WHAT = "history"


def open_store(choice: str | None, environment: Mapping[str, str] = os.environ) -> Store | Gap | None:
    """Open the history that a triage uses.

    Args:
        choice: What the caller gave: a path, a URL, `none`; None when nothing was given.
        environment: Where the user's data folder is told.

    Returns:
        The store; None when the caller wants none; a gap when it cannot be had: a triage does not stop for it.

    Raises:
        UsageError: What was given is neither, or needs a package that is not installed.
    """
    if choice == OFF:
        return None
    try:
        return require_store(choice, environment)
    except HistoryUnavailable as error:
        return Gap(_WHAT, str(error))
    except UsageError as error:
        if choice is not None:
            raise
        return Gap(_WHAT, str(error))


def require_store(choice: str | None, environment: Mapping[str, str] = os.environ) -> Store:
    """Open the history for a command that is about nothing else.

    Raises:
        UsageError: There is to be none, or a package is missing.
        HistoryUnavailable: It cannot be opened.
    """
    if choice == OFF:
        raise UsageError("this command is about the history; give --history a path or a URL, not `none`")
    place = place_of(choice, environment)
    try:
        from triage.history.store import Store
    except ModuleNotFoundError as error:
        if error.name not in {"sqlalchemy", "alembic"}:
            raise
        raise UsageError(f"keeping a history needs a package that is not installed: {INSTALL}") from error
    return Store.open(place)


def place_of(choice: str | None, environment: Mapping[str, str] = os.environ) -> str | Path:
    """Return the URL given, else the path given, else that of the user's own file."""
    if choice is not None and "://" in choice:
        return choice
    return Path(choice).expanduser() if choice else data_folder(environment) / "history.db"


def data_folder(environment: Mapping[str, str], *, platform: str = sys.platform, home: Path | None = None) -> Path:
    """Return the folder in which a program keeps a user's data on this platform."""
    at_home = home if home is not None else Path(environment.get("HOME") or Path.home())
    if platform == "win32":
        return _folder(environment, "LOCALAPPDATA", at_home / "AppData" / "Local") / "triage"
    if platform == "darwin":
        return _folder(environment, "XDG_DATA_HOME", at_home / "Library" / "Application Support") / "triage"
    return _folder(environment, "XDG_DATA_HOME", at_home / ".local" / "share") / "triage"


def _folder(environment: Mapping[str, str], name: str, otherwise: Path) -> Path:
    # The standard says that a relative path here is a mistake and is to be ignored.
    told = Path(environment.get(name, ""))
    return told if told.is_absolute() else otherwise
