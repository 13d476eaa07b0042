"""Paths of a log and paths of a repository."""

from __future__ import annotations

import pytest

from triage.decide.change import changed_lines
from triage.decide.paths import Sameness, is_harness, is_test_file, matches_any, sameness
from triage.model import ChangedFile


@pytest.mark.parametrize(
    ("printed", "path", "same"),
    [
        ("python/engine/pool.py", "python/engine/pool.py", Sameness.YES),
        ("./python/engine/pool.py", "python/engine/pool.py", Sameness.YES),
        ("/home/runner/work/engine/engine/python/engine/pool.py", "python/engine/pool.py", Sameness.YES),
        (r"D:\a\engine\engine\python\engine\pool.py", "python/engine/pool.py", Sameness.YES),
        ("engine/pool.py", "python/engine/pool.py", Sameness.YES),
        ("setup.py", "setup.py", Sameness.YES),
        ("/srv/setup.py", "setup.py", Sameness.PERHAPS),
        ("pool.py", "python/engine/pool.py", Sameness.PERHAPS),
        ("site-packages/engine/pool.py", "python/engine/pool.py", Sameness.PERHAPS),
        ("other/pool.py", "python/engine/pool.py", Sameness.PERHAPS),
        ("other/utils.py", "python/engine/utils.py", Sameness.NO),
        ("python/engine/queue.py", "python/engine/pool.py", Sameness.NO),
        ("spool.py", "pool.py", Sameness.NO),
        ("", "pool.py", Sameness.NO),
    ],
)
def test_two_spellings_mean_one_file_as_far_as_their_ends_agree(printed: str, path: str, same: Sameness) -> None:
    assert sameness(printed, path) is same


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        ("Dockerfile", "**/*Dockerfile*"),
        ("docker/rocm.dockerfile", "**/*Dockerfile*"),
        ("a/docker/x/y.txt", "**/docker/**"),
        ("scripts/ci/x.sh", "**/*.sh"),
        ("tools/x", "tools/**"),
        ("requirements+dev.txt", "**/*requirements*.txt"),
    ],
)
def test_a_glob_with_two_stars_crosses_folders(path: str, glob: str) -> None:
    assert matches_any(path, (glob,))


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        ("a/dockerish/y.txt", "**/docker/**"),
        ("scripts/ci/x.sh.md", "**/*.sh"),
        ("my/tools/x", "tools/**"),
        (".github/scripts/x.sh", ".github/*.sh"),
    ],
)
def test_a_glob_takes_no_more_than_it_says(path: str, glob: str) -> None:
    assert not matches_any(path, (glob,))


@pytest.mark.parametrize(
    "path",
    ["test/unit/test_pool.py", "pkg/pool_test.go", "web/pool.spec.ts", "src/test/java/PoolTest.java", "x_spec.rb"],
)
def test_files_that_runners_collect_hold_tests(path: str) -> None:
    assert is_test_file(path)
    assert not is_harness(path)


@pytest.mark.parametrize(
    "path",
    [
        "conftest.py",
        "test/conftest.py",
        "python/engine/test/test_utils.py",
        "tests/fixtures/model.json",
        "spec/support.rb",
    ],
)
def test_what_tests_share_is_harness(path: str) -> None:
    assert is_harness(path)
    assert not is_test_file(path)


@pytest.mark.parametrize("path", ["src/pool.py", "tests/README.md", "docs/testing.md", "src/latest.py", "contest/x.py"])
def test_other_files_are_neither(path: str) -> None:
    assert not is_harness(path)
    assert not is_test_file(path)


def test_the_changed_lines_of_a_patch_are_those_of_the_new_file() -> None:
    patch = "@@ -1,4 +1,4 @@ def f():\n same\n-old\n+new\n same\n@@ -40,2 +40,3 @@\n same\n+more\n same\n\\ No newline"

    assert changed_lines(ChangedFile(path="a.py", patch=patch)) == {2, 41}
    assert changed_lines(ChangedFile(path="a.bin", patch=None)) == frozenset()
