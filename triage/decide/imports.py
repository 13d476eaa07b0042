"""What a Python file imports, read from its text and never executed, and where in a repository that may lie.

Used to say that a failing test imports none of the changed files. So whatever the text alone cannot tell makes the
answer "not computable", never "nothing".
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

INIT = "__init__.py"

MOST_IMPORTS = 1000
"""Imports that are read of one file: the text is its author's, and must not keep us busy."""

_BY_NAME = frozenset({"import_module", "__import__", "importorskip", "patch"})
"""Calls that import the module which their first argument names, or a module that holds it."""

_OF_TEXT = frozenset({"exec", "eval"})

_BY_MACHINERY = frozenset({"imp", "runpy", "pkgutil", "importlib.util", "importlib.machinery"})
"""Modules that find and load others: what they load is in no import statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One import of a module, perhaps with names out of it, each of which may be a module too.

    Attributes:
        folder: Where the module is looked for, of a relative import; None for an absolute one.
        parts: The dotted name; empty for `from . import x`.
    """

    parts: tuple[str, ...]
    names: tuple[str, ...] = ()
    folder: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Imports:
    """All imports of one file, wherever they stand in it.

    Attributes:
        bound: Names that the file itself gives a meaning at its top level: they are no modules beside it.
        computable: Whether the text tells all of them.
    """

    found: tuple[Import, ...] = ()
    bound: frozenset[str] = frozenset()
    computable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """What one test file imports, directly and through what it imports.

    Attributes:
        files: Paths of the repository's files that were read for it, the test file first.
        complete: Whether that is all of it; otherwise nothing may be said to be missing.
        reaches: The changed file that it leads to, as far as was looked: the walk ends at the first.
    """

    files: tuple[str, ...] = ()
    complete: bool = False
    reaches: tuple[str, ...] = ()


def imports_of(path: str, source: str) -> Imports:
    """Read what a file imports: also in functions, conditions, `try`, and for type checkers only.

    Args:
        path: Repository-relative path of the file, for relative imports.
        source: Its text.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of somebody's invalid escapes
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Imports(computable=False)
    found: list[Import | None] = []
    for node in ast.walk(tree):
        found += _of_node(node, path)
    known = tuple(dict.fromkeys(one for one in found if one is not None))
    return Imports(
        found=known[:MOST_IMPORTS],
        bound=frozenset(_bound(tree)),
        computable=None not in found and len(known) <= MOST_IMPORTS,
    )


def _of_node(node: ast.AST, path: str) -> Iterator[Import | None]:
    """Yield what a node imports; None where only running it would tell."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield _absolute(alias.name)
    elif isinstance(node, ast.ImportFrom):
        yield _of_from(node, path)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.Name) and node.id == "pytest_plugins":
        yield None


def _absolute(name: str, names: tuple[str, ...] = ()) -> Import | None:
    return None if name in _BY_MACHINERY else Import(parts=tuple(name.split(".")), names=names)


def _of_from(node: ast.ImportFrom, path: str) -> Import | None:
    names = tuple(alias.name for alias in node.names if alias.name != "*")
    module = node.module or ""
    if any(alias.name in _BY_NAME and alias.asname for alias in node.names):
        return None  # its calls would not be known by their name
    if not node.level:
        machinery = any(f"{module}.{name}" in _BY_MACHINERY for name in names)
        return None if machinery else _absolute(module, names)
    folders = path.split("/")[:-1]
    if node.level - 1 > len(folders):
        return None
    folder = "/".join(folders[: len(folders) - (node.level - 1)])
    return Import(parts=tuple(module.split(".")) if module else (), names=names, folder=folder)


def _of_call(call: ast.Call) -> Iterator[Import | None]:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in _OF_TEXT and isinstance(function, ast.Name):
        yield None
    elif name in _BY_NAME:
        yield _named(call, is_target=name == "patch")


def _named(call: ast.Call, *, is_target: bool) -> Import | None:
    first = call.args[0] if call.args else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return None
    parts = first.value.split(".")
    # The target of a patch may be an attribute of a class: where its module ends is not in the text.
    if not all(part.isidentifier() for part in parts) or (is_target and any(part[:1].isupper() for part in parts[:-1])):
        return None
    return Import(parts=tuple(parts[:-1]), names=(parts[-1],)) if is_target and parts[1:] else _absolute(first.value)


def _bound(tree: ast.Module) -> Iterator[str]:
    """Yield names that top-level statements bind for sure."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


def joined(folder: str, name: str) -> str:
    """Join two parts of a repository path; the repository's root is ""."""
    return f"{folder}/{name}" if folder else name


def candidates(folder: str, parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the two paths that a module may have below a root: a file, or a package."""
    stem = joined(folder, "/".join(parts))
    return (f"{stem}.py", joined(stem, INIT)) if parts else (joined(folder, INIT),)


def folders_above(path: str) -> tuple[str, ...]:
    """Return the folders that a file lies in, the nearest first, the repository's root last."""
    parts = path.split("/")[:-1]
    return tuple("/".join(parts[:length]) for length in range(len(parts), -1, -1))


def roots_for(path: str) -> tuple[str, ...]:
    """Return the folders that modules imported for a test may be looked for in: as tests are usually run."""
    return tuple(dict.fromkeys(("", "src", "python", *folders_above(path))))


def holds(paths: frozenset[str], root: str, name: str) -> bool:
    """Whether known paths show that a top-level module or package lies below a root."""
    module = joined(root, name)
    return any(path == f"{module}.py" or path.startswith(f"{module}/") for path in paths)


def mentions(path: str, name: str) -> bool:
    """Whether a path has a folder or a Python file of that name anywhere."""
    return f"/{name}/" in f"/{path}" or f"/{path}".endswith(f"/{name}.py")
