"""Which changed files a failing Python test imports: its closure, read file by file at the commit that ran."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from triage.decide.belief import believable
from triage.decide.imports import (
    INIT,
    Closure,
    candidates,
    folders_above,
    holds,
    imports_of,
    joined,
    mentions,
    roots_for,
)
from triage.decide.reach import IMPORTERS
from triage.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from triage.decide.imports import Import, Imports
    from triage.history.lookback.budget import Budget
    from triage.model import Facts, Failure
    from triage.source.protocol import Reads

    Read = Callable[[str], str | None]


def look_at_imports(reads: Reads, facts: Facts, failures: Sequence[Failure], budget: Budget) -> Mapping[str, Closure]:
    """Follow the imports of each failing Python test; by file of the test, as its runner names it.

    Empty when the change has no readable Python file, or is a newer one than what ran.
    """
    changed = frozenset(
        path
        for file in facts.files or ()
        for path in (file.path, file.previous_path)
        if path is not None and path.endswith(".py")
    )
    pull = facts.pull
    if not changed or pull is None:
        return {}
    here = {run.id for run in facts.runs if run.head_sha == pull.head_sha}
    by_pytest: dict[str, bool] = {}
    for failure in map(believable, failures):
        if failure.fault in IMPORTERS and failure.job.run_id in here:
            for test in failure.tests.failures:
                if test.file and _is_plain(test.file) and test.file not in changed:
                    by_pytest[test.file] = by_pytest.get(test.file, False) or test.runner == "pytest"
    read = _reader(reads, pull.head_sha, budget)
    return {file: closure_of(file, changed, read, by_pytest=pytest) for file, pytest in by_pytest.items()}


def _is_plain(path: str) -> bool:
    """Whether a path that a log names can be a Python file of the repository: a log may name anything."""
    return path.endswith(".py") and not {"", ".", ".."} & set(path.split("/"))


def closure_of(test_file: str, changed: frozenset[str], read: Read, *, by_pytest: bool) -> Closure:
    """Follow the imports of one test file, breadth first, until a changed file is reached.

    Args:
        test_file: Repository-relative path.
        changed: Paths of changed Python files, old names included.
        read: Gives the text of a file, None when there is no such file; raises `NotToldError` when that is not known.
        by_pytest: Whether pytest runs it, which imports the packages and every `conftest.py` above it, too.
    """
    walk = _Walk(test_file, changed, read)
    try:
        complete = walk.follow(by_pytest=by_pytest)
    except _ReachedError as reached:
        return Closure(files=tuple(walk.texts), reaches=(str(reached),))
    except NotToldError:
        complete = False
    return Closure(files=tuple(walk.texts), complete=complete)


class NotToldError(Exception):
    """Whether there is such a file is not known, or what is in it."""


class _ReachedError(Exception):
    """A changed file is imported: its path."""


def _reader(reads: Reads, ref: str, budget: Budget) -> Read:
    known: dict[str, str | None] = {}

    def read(path: str) -> str | None:
        if path not in known:
            if not budget.grant(1):
                raise NotToldError(path)
            try:
                known[path] = reads.file(path, ref)
            except ProviderError as error:
                raise NotToldError(path) from error
        return known[path]

    return read


class _Walk:
    """One walk along imports. `texts` holds the files that were found, in the order of their finding."""

    def __init__(self, test_file: str, changed: frozenset[str], read: Read) -> None:
        self.texts: dict[str, str] = {}
        self._test_file = test_file
        self._changed = changed
        self._read = read
        self._roots: dict[str, str | None] = {}
        self._imports: dict[str, Imports] = {}

    def follow(self, *, by_pytest: bool) -> bool:
        """Walk to the end; say whether every import could be told."""
        if not self._find(self._test_file):
            return False
        if by_pytest:
            for folder in folders_above(self._test_file):
                self._find(joined(folder, "conftest.py"))
                self._find(joined(folder, INIT))
        complete = True
        followed: set[str] = set()
        while waiting := [path for path in self.texts if path not in followed]:
            for path in waiting:
                followed.add(path)
                imports = self._imports_of(path)
                complete = complete and imports.computable
                for one in imports.found:
                    complete = self._resolve(one, path) and complete
        return complete

    def _imports_of(self, path: str) -> Imports:
        if path not in self._imports:
            self._imports[path] = imports_of(path, self.texts[path])
        return self._imports[path]

    def _find(self, path: str) -> bool:
        """Whether there is such a file; if so it belongs to the closure."""
        if path in self._changed:
            raise _ReachedError(path)
        if path not in self.texts:
            text = self._read(path)
            if text is None:
                return False
            self.texts[path] = text
        return True

    def _resolve(self, one: Import, importer: str) -> bool:
        """Find the files of an import; say whether they were found, or lie outside the repository for sure."""
        root = one.folder
        if root is None:
            root = self._root_of(one.parts[0], importer)
            if root is None:
                return True
        for length in range(1, len(one.parts)):
            self._find(joined(root, "/".join((*one.parts[:length], INIT))))
        module = self._module(root, one.parts)
        if module is not None and not module.endswith(f"/{INIT}") and module != INIT:
            return True
        return self._names(root, one, module)

    def _module(self, root: str, parts: tuple[str, ...]) -> str | None:
        """Return the path of a module; the name that known paths make likely is asked for first."""
        places = candidates(root, parts)
        for place in places:
            if place in self._changed:
                raise _ReachedError(place)
        folder = joined(root, "/".join(parts))
        if any(path.startswith(f"{folder}/") for path in self._known()):
            places = places[::-1]
        return next((place for place in places if self._find(place)), None)

    def _names(self, root: str, one: Import, package: str | None) -> bool:
        """Find the modules among the names that are imported from a package, or from a mere folder."""
        bound = self._imports_of(package).bound if package else frozenset()
        found = [self._module(root, (*one.parts, name)) for name in one.names if name not in bound]
        return package is not None or (bool(found) and None not in found)

    def _root_of(self, name: str, importer: str) -> str | None:
        """Return where a top-level module lies; None when it is not of this repository."""
        inside = importer.split("/")[:-1]
        if name in inside and holds(self._known(), root := "/".join(inside[: inside.index(name)]), name):
            return root
        if name not in self._roots:
            self._roots[name] = self._look_for(name)
        return self._roots[name]

    def _look_for(self, name: str) -> str | None:
        roots, known = roots_for(self._test_file), self._known()
        for root in roots:
            if holds(known, root, name):
                return root
        if any(mentions(path, name) for path in known):  # it may be that one, if someone sets a path
            raise NotToldError(name)
        if name in sys.stdlib_module_names:
            return None
        return next((root for root in roots if self._is_there(root) and self._lies_below(root, name)), None)

    def _lies_below(self, root: str, name: str) -> bool:
        module = joined(root, name)
        return self._is_there(module) or self._read(f"{module}.py") is not None

    def _is_there(self, folder: str) -> bool:
        """Whether there may be such a folder: asked for a folder, GitHub gives no file, but no 404 either."""
        if not folder or holds(self._known(), "", folder):
            return True
        try:
            return self._read(folder) is not None
        except NotToldError:
            return True

    def _known(self) -> frozenset[str]:
        return self._changed.union(self.texts)
