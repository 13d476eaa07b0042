"""Node ids: from the titles of failure blocks, which lack the file, and from the lines that name tests in full."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.logs.tests.source_paths import is_installed, relative_path
from triage.model import Outcome
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from triage.model import Frame

# What stands before the name in a title, and how such a test ended.
_PREFIXES: tuple[tuple[str, Outcome], ...] = (
    ("ERROR collecting ", Outcome.NOT_COLLECTED),
    ("ERROR at setup of ", Outcome.ERROR),
    ("ERROR at teardown of ", Outcome.ERROR),
    ("[doctest] ", Outcome.FAILED),
)
_ADDRESS = regex(r"0x[0-9a-f]{6,16}")
# What xdist makes of a number on its way from the worker.
_QUOTED_NUMBER = regex(r"='(-?\d{1,20})'")
_EGG = regex(r"^[^/]+\.egg/")
_SUBTEST = regex(r"(\S+?(?:\[[^ ]{0,200}\])?)( (?:\[.{0,300}\]|\(.{0,300}\)).{0,300})$")


@dataclass(frozen=True, slots=True)
class Title:
    """The title of a failure block: the test's name in its file, how it ended, and which of its subtests it was."""

    name: str
    outcome: Outcome
    subtest: str = ""


def read_title(text: str) -> Title:
    """Part a title into what it says."""
    name, outcome = text, Outcome.FAILED
    for prefix, meaning in _PREFIXES:
        if name.startswith(prefix):
            return Title(stable(name.removeprefix(prefix)), meaning)
    found = _SUBTEST.match(name) if " " in name else None
    # A parameter may hold a space as well; then the bracket is not closed before it.
    if found and found[1].count("[") == found[1].count("]"):
        return Title(stable(found[1]), outcome, _QUOTED_NUMBER.sub(r"=\1", found[2]))
    return Title(stable(name), outcome)


def stable(node: str) -> str:
    """Return the id without what changes from run to run: addresses of objects in parameters."""
    return _ADDRESS.sub("0x…", node.replace("\\", "/") if node[1:3] == ":\\" else node).strip()


def path_of(node: str) -> str:
    """Return the file of a node id, as it stands there."""
    return node.split("::", 1)[0]


def name_in_file(node: str) -> str:
    """Return how a title calls the test of this node id: `tests/x.py::TestA::test_b[1]` is `TestA.test_b[1]`."""
    _, _, rest = node.partition("::")
    head, bracket, parameters = rest.partition("[")
    return head.replace("::", ".") + bracket + parameters


class Names:
    """All node ids that a session named, by the name that a title would give them."""

    def __init__(self, nodes: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        self._taken: set[str] = set()
        for node in dict.fromkeys(stable(node) for node in nodes):
            self._by_name.setdefault(name_in_file(node) or node, []).append(node)

    def node_of(self, title: Title, frames: Sequence[Frame]) -> str:
        """Return the node id that a title means; made up from the file of the first frame where none was named."""
        if title.outcome is Outcome.NOT_COLLECTED:
            return title.name
        nodes = self._by_name.get(title.name, [])
        files = {frame.path for frame in frames if frame.in_repository}
        in_file = [node for node in nodes if path_of(node) in files or relative_path(path_of(node)) in files]
        left = [node for node in (in_file or nodes) if node not in self._taken]
        if left or nodes:
            node = (left or in_file or nodes)[0]
            if not title.subtest:
                self._taken.add(node)
            return node
        return self._guess(title, frames)

    def _guess(self, title: Title, frames: Sequence[Frame]) -> str:
        head, bracket, parameters = title.name.partition("[")
        test_file = _test_file(frames)
        if not test_file or test_file.endswith("conftest.py") or title.outcome is Outcome.ERROR or " " in head:
            return title.name
        return f"{test_file}::{head.replace('.', '::')}{bracket}{parameters}"


def _test_file(frames: Sequence[Frame]) -> str:
    """Return the file of the test function: the outermost of the repository, else a test of the installed package."""
    ours = next((frame.path for frame in frames if frame.in_repository), "")
    if ours:
        return ours
    paths = (frame.path.rpartition("site-packages/")[2] for frame in frames)
    tests = (_EGG.sub("", path) for path in paths if path.rpartition("/")[2].startswith("test"))
    return next(tests, "")


def file_of(node: str, rootdir: str) -> str | None:
    """Return the repository-relative file of a node id; ids count from pytest's own root directory."""
    path = path_of(node).replace("\\", "/")
    if not re.search(r"\.\w{1,6}$", path) or " " in path:
        return None
    root = relative_path(rootdir.rstrip("/\\") + "/x")[:-1]
    if rootdir and not root.startswith("/") and root[1:2] != ":" and not path.startswith(("/", "..")):
        return root + path
    return None if is_installed(path) else relative_path(path)
