"""Which history is used, and what when there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from triage.errors import HistoryUnavailable, UsageError
from triage.history import opening
from triage.history.opening import data_folder, open_store, place_of, require_store
from triage.history.store import Store
from triage.model import Gap

HOME = Path("/home/somebody")


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, HOME / ".local/share/triage"),
        ("linux", {"XDG_DATA_HOME": "/data"}, Path("/data/triage")),
        ("linux", {"XDG_DATA_HOME": "relative"}, HOME / ".local/share/triage"),
        ("linux", {"XDG_DATA_HOME": ""}, HOME / ".local/share/triage"),
        ("darwin", {}, HOME / "Library/Application Support/triage"),
        ("win32", {}, HOME / "AppData/Local/triage"),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local/triage")),
    ],
)
def test_each_platform_has_its_folder(platform: str, environment: dict[str, str], folder: Path) -> None:
    assert data_folder(environment, platform=platform, home=HOME) == folder


def test_a_path_or_a_url_may_be_given() -> None:
    assert place_of("kept/history.db", {}) == Path("kept/history.db")
    assert place_of("postgresql://host/ci", {}) == "postgresql://host/ci"
    assert place_of(None, {"HOME": "/home/somebody", "XDG_DATA_HOME": "/data"}) == Path("/data/triage/history.db")


def test_a_history_is_made_where_the_user_keeps_data(tmp_path: Path) -> None:
    with opened(None, tmp_path) as store:
        assert store.summary() == ()

    assert list(tmp_path.rglob("history.db"))


def test_no_history_is_a_choice_and_no_gap() -> None:
    assert open_store("none") is None


def test_a_history_that_cannot_be_opened_is_a_gap_and_no_end(tmp_path: Path) -> None:
    broken = tmp_path / "history.db"
    broken.write_text("not a database, but long enough to be looked at" * 50)

    gap = open_store(str(broken))

    assert isinstance(gap, Gap)
    assert gap.what == "history"
    assert "is no database" in gap.why
    with pytest.raises(HistoryUnavailable):
        require_store(str(broken))


def test_a_wrong_url_is_told_to_who_gave_it() -> None:
    with pytest.raises(UsageError, match="not in 'mysql'"):
        open_store("mysql://host/ci")


def test_a_command_about_the_history_needs_one() -> None:
    with pytest.raises(UsageError, match="not `none`"):
        require_store("none")


WITHOUT_SQLALCHEMY = """
import sys
sys.modules["sqlalchemy"] = None
from triage.errors import UsageError
from triage.history.opening import open_store
print(open_store(None, {"HOME": "/nowhere"}))
try:
    open_store("history.db")
except UsageError as error:
    print(error)
"""


def test_without_the_package_history_is_off_unless_it_was_asked_for() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", WITHOUT_SQLALCHEMY], capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert answer == [
        f"history: keeping a history needs a package that is not installed: {opening.INSTALL}",
        f"keeping a history needs a package that is not installed: {opening.INSTALL}",
    ]


def test_asking_where_the_history_is_imports_no_database() -> None:
    code = "import triage.history.opening, sys; print('sqlalchemy' in sys.modules, 'alembic' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert answer.split() == ["False", "False"]


def test_an_up_to_date_history_is_opened_without_alembic(tmp_path: Path) -> None:
    place = tmp_path / "history.db"
    Store.open(place).close()
    code = (
        f"import sys; from pathlib import Path; from triage.history.store import Store; "
        f"Store.open(Path({str(place)!r})).close(); print('alembic' in sys.modules)"
    )

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert answer.strip() == "False"


def opened(choice: str | None, folder: Path) -> Store:
    store = open_store(choice, {"HOME": str(folder)})
    assert isinstance(store, Store)
    return store
