"""The imports of failing tests: followed over the repository's own files, and never claimed where one is not told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.builders import HEAD, a_file, a_pull, a_test, failing_tests, the_facts
from tests.fakegithub import build
from triage.errors import ProviderError
from triage.history.lookback.budget import Budget, Limits
from triage.history.lookback.closures import look_at_imports
from triage.recorded import Recorded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.decide.imports import Closure

TEST_FILE = "test/unit/test_pool.py"
OTHER = "python/engine/other/changed.py"


class Tree(Recorded):
    """A repository that holds these files and no others; of folders GitHub says that they are no files."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__(build.RUNS / "case-a")
        self.texts = files
        self.silent_about: frozenset[str] = frozenset()
        self.asked: list[str] = []

    def file(self, path: str, ref: str) -> str | None:
        assert ref == HEAD
        self.asked.append(path)
        if path in self.silent_about or any(one.startswith(f"{path}/") for one in self.texts):
            raise ProviderError(f"{path} is no file that GitHub gives as text")
        return self.texts.get(path)

    def requests_left(self) -> int | None:
        return None


def closure_in(
    files: Mapping[str, str] | Tree, *, changed: str = OTHER, runner_asks: int = 60, head_sha: str = HEAD
) -> Closure | None:
    """Follow the imports of the one failing test."""
    tree = files if isinstance(files, Tree) else Tree(files)
    failure = failing_tests(a_test(file=TEST_FILE))
    facts = the_facts([failure], files=(a_file(changed),), pull=a_pull(head_sha=head_sha))
    budget = Budget(Limits(requests=runner_asks), tree.requests_left)
    return look_at_imports(tree, facts, (failure,), budget).get(TEST_FILE)


ENGINE = {
    TEST_FILE: "import os\nfrom engine.pool import Pool\n",
    "python/engine/__init__.py": "",
    "python/engine/pool.py": "from .pages import Page\nfrom engine.deep import tool\n",
    "python/engine/pages.py": "import typing\n",
    "python/engine/deep/__init__.py": "from engine.deep.made import tool\n",
    "python/engine/deep/made.py": "def tool(): ...\n",
}


def test_all_that_is_imported_directly_and_through_others_is_read() -> None:
    closure = closure_in(ENGINE)

    assert closure is not None
    assert set(closure.files) == set(ENGINE)
    assert closure.complete
    assert closure.reaches == ()


@pytest.mark.parametrize(
    "changed",
    [
        "python/engine/pool.py",
        "python/engine/pages.py",
        "python/engine/__init__.py",
        "python/engine/deep/made.py",
        "test/conftest.py",
        "conftest.py",
        "test/unit/__init__.py",
    ],
)
def test_a_changed_file_that_is_imported_is_reached(changed: str) -> None:
    closure = closure_in(ENGINE, changed=changed)

    assert closure is not None
    assert closure.reaches == (changed,)


def test_an_import_of_what_the_change_removed_is_reached() -> None:
    files = {**ENGINE, "python/engine/pages.py": "from engine import gone\n"}

    closure = closure_in(files, changed="python/engine/gone.py")

    assert closure is not None
    assert closure.reaches == ("python/engine/gone.py",)


def test_the_walk_ends_at_the_first_changed_file() -> None:
    tree = Tree(ENGINE)

    closure_in(tree, changed="python/engine/pool.py")

    assert "python/engine/pages.py" not in tree.asked


def test_what_lies_nowhere_in_the_repository_is_of_others() -> None:
    closure = closure_in({**ENGINE, TEST_FILE: "import thirdparty.sub\nfrom engine.pool import Pool\n"})

    assert closure is not None
    assert closure.complete


@pytest.mark.parametrize(
    "files",
    [
        {**ENGINE, "python/engine/pages.py": "import importlib\nimportlib.import_module(name)\n"},
        {**ENGINE, "python/engine/pages.py": "def broken(:\n"},
        {**ENGINE, "python/engine/pages.py": "from engine import compiled_or_generated\nimport engine._C\n"},
        {**ENGINE, TEST_FILE: "import loose\n", "loose/part.py": ""},
        {**ENGINE, TEST_FILE: "import changed\n"},
        {path: text for path, text in ENGINE.items() if path != TEST_FILE},
    ],
    ids=["dynamic", "unreadable", "no source", "only a folder", "a changed file off the roots", "no test file"],
)
def test_a_closure_that_cannot_be_told_whole_is_not_complete(files: Mapping[str, str]) -> None:
    closure = closure_in(files)

    assert closure is not None
    assert not closure.complete


def test_a_changed_file_beside_what_cannot_be_told_is_still_reached() -> None:
    files = {**ENGINE, TEST_FILE: "exec(text)\nfrom engine.pool import Pool\n"}

    closure = closure_in(files, changed="python/engine/pages.py")

    assert closure is not None
    assert closure.reaches == ("python/engine/pages.py",)


@pytest.mark.parametrize("silent", [*ENGINE, "conftest.py", "test/unit/__init__.py"])
def test_one_file_that_github_does_not_give_leaves_the_closure_incomplete(silent: str) -> None:
    tree = Tree(ENGINE)
    tree.silent_about = frozenset({silent})

    closure = closure_in(tree)

    assert closure is not None
    assert not closure.complete


@pytest.mark.parametrize("requests", range(12))
def test_a_budget_that_ends_leaves_the_closure_incomplete_and_is_kept(requests: int) -> None:
    tree = Tree(ENGINE)

    closure = closure_in(tree, runner_asks=requests)

    assert closure is not None
    assert not closure.complete
    assert len(tree.asked) <= requests


def test_nothing_is_asked_when_no_python_file_changed_or_another_commit_ran() -> None:
    tree = Tree(ENGINE)

    assert closure_in(tree, changed="docs/guide.md") is None
    assert closure_in(tree, changed=TEST_FILE) is None
    assert closure_in(tree, head_sha="f" * 40) is None
    assert tree.asked == []


@pytest.mark.parametrize("path", ["/etc/test_pool.py", "../test_pool.py", "test//x.py", "test/pool.sh"])
def test_a_path_that_lies_in_no_repository_is_not_asked_for(path: str) -> None:
    tree = Tree(ENGINE)
    failure = failing_tests(a_test(file=path))
    facts = the_facts([failure], files=(a_file(OTHER),))

    assert look_at_imports(tree, facts, (failure,), Budget(Limits(), tree.requests_left)) == {}
    assert tree.asked == []
