from __future__ import annotations

import time

import pytest

from triage.settings.globs import fits_name, fits_path


@pytest.mark.parametrize(
    ("glob", "name", "fits"),
    [
        ("wait-for-*", "wait-for-base-b", True),
        ("wait-for-*", "await-for-base-b", False),
        ("unit [gpu]", "unit [gpu]", True),
        ("unit [gpu]", "unit g", False),
        ("test (?)", "test (4)", True),
        ("Finish", "finish", False),
    ],
)
def test_a_glob_of_names_fits_the_whole_name_and_takes_brackets_as_they_are(
    glob: str, name: str, *, fits: bool
) -> None:
    assert fits_name([glob], name) is fits


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**", "src/deep/er/a.py", True),
        ("src/**/a.py", "src/a.py", True),
        ("**/a.py", "a.py", True),
        ("**/test_*/**", "x/test_y/z/w.py", True),
        ("src/**", "lib/src/a.py", False),
        ("/src/a.py", "src/a.py", True),
    ],
)
def test_a_glob_of_paths_goes_through_folders_only_with_two_stars(glob: str, path: str, *, fits: bool) -> None:
    assert fits_path([glob], path) is fits


def test_a_glob_of_many_stars_takes_no_longer() -> None:
    began = time.monotonic()

    assert not fits_path(["/".join(["**", "a*"] * 40)], "/".join(["ab"] * 300) + "/x")
    assert time.monotonic() - began < 2
