"""What a test imports: read from its text, and what that does to the answer, which is never more of an excuse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import a_file, a_test, failing_tests, history_of, on_main, on_pull, the_facts
from triage.decide import NO_HISTORY, History, Seen, decide, signatures_of
from triage.decide.change import Change
from triage.decide.imports import MOST_IMPORTS, Closure, Import, candidates, imports_of, roots_for
from triage.decide.reach import import_facts, touches
from triage.model import Category, EvidenceKind, Fault, JobVerdict

TEST_FILE = "test/unit/test_pool.py"
CHANGED = "engine/pool.py"
FAILURE = failing_tests(a_test())
SIGNATURE = signatures_of(FAILURE)[0]

APART = Closure(files=(TEST_FILE, "engine/other.py"), complete=True)
CUT_SHORT = replace(APART, complete=False)
LEADS_THERE = Closure(files=(TEST_FILE, "engine/other.py"), reaches=(CHANGED,))

ON_TWO_OTHERS = history_of(FAILURE, Seen(pulls=(on_pull(11), on_pull(12)), complete=True))
FAILS_ON_MAIN = history_of(FAILURE, on_main(SIGNATURE, SIGNATURE))
ALTERNATES = history_of(FAILURE, on_main(SIGNATURE, None, SIGNATURE))
PASSES_ON_MAIN = history_of(FAILURE, on_main(None, None))


def row_with(closure: Closure | None, history: History = NO_HISTORY) -> JobVerdict:
    known = replace(history, closures={TEST_FILE: closure} if closure else {})
    return decide(the_facts([FAILURE], files=(a_file(CHANGED), a_file("docs/guide.md"))), (FAILURE,), known).jobs[0]


def of_the_diff(row: JobVerdict) -> list[str]:
    return [fact.text for fact in row.evidence if fact.kind is EvidenceKind.DIFF]


# --------------------------------------------------------------------------------------------------------------------
# Reading imports


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import a.b", Import(parts=("a", "b"))),
        ("import a.b as c", Import(parts=("a", "b"))),
        ("from a.b import c, d", Import(parts=("a", "b"), names=("c", "d"))),
        ("from a import *", Import(parts=("a",))),
        ("from . import x", Import(parts=(), names=("x",), folder="pkg/sub")),
        ("from .mod import x", Import(parts=("mod",), names=("x",), folder="pkg/sub")),
        ("from ..mod import x", Import(parts=("mod",), names=("x",), folder="pkg")),
        ("def f():\n    import late", Import(parts=("late",))),
        ("try:\n    import fast\nexcept ImportError:\n    fast = None", Import(parts=("fast",))),
        ("if TYPE_CHECKING:\n    import typed", Import(parts=("typed",))),
        ("m = pytest.importorskip('maybe.there')", Import(parts=("maybe", "there"))),
        ("m = importlib.import_module('named.here')", Import(parts=("named", "here"))),
        ("@patch('a.b.function')\ndef test(): ...", Import(parts=("a", "b"), names=("function",))),
    ],
)
def test_an_import_is_read_wherever_it_stands(source: str, found: Import) -> None:
    imports = imports_of("pkg/sub/file.py", source)

    assert imports.found == (found,)
    assert imports.computable


@pytest.mark.parametrize(
    "source",
    [
        "def broken(:",
        "nul\0byte",
        "import_module(name)",
        "import_module(f'a.{b}')",
        "import_module('.b', package='a')",
        "__import__(name)",
        "from importlib import import_module as load",
        "import runpy",
        "from importlib import util",
        "exec(text)",
        "patch(target)",
        "patch('a.Class.method')",
        "pytest_plugins = ['a.plugin']",
        "from .... import beyond",
    ],
)
def test_what_the_text_cannot_tell_is_not_computed(source: str) -> None:
    assert not imports_of("pkg/sub/file.py", source).computable


def test_a_file_with_too_many_imports_is_not_computed() -> None:
    imports = imports_of("x.py", "\n".join(f"import m{number}" for number in range(MOST_IMPORTS + 1)))

    assert len(imports.found) == MOST_IMPORTS
    assert not imports.computable


def test_names_that_a_package_binds_itself_are_no_modules() -> None:
    source = "from .impl import Pool\nVERSION = 1\ndef make(): ...\nif x:\n    maybe = 1\n"

    assert imports_of("pkg/__init__.py", source).bound == {"Pool", "VERSION", "make"}


def test_a_module_is_a_file_or_a_package() -> None:
    assert candidates("src", ("a", "b")) == ("src/a/b.py", "src/a/b/__init__.py")
    assert candidates("", ("a",)) == ("a.py", "a/__init__.py")
    assert candidates("pkg", ()) == ("pkg/__init__.py",)


def test_modules_are_looked_for_at_the_usual_roots_and_beside_the_test() -> None:
    assert roots_for("lib/tests/test_x.py") == ("", "src", "python", "lib/tests", "lib")


# --------------------------------------------------------------------------------------------------------------------
# What follows from them


@pytest.mark.parametrize(
    ("history", "category"),
    [
        (NO_HISTORY, Category.UNKNOWN),
        (ON_TWO_OTHERS, Category.FLAKY),
        (ALTERNATES, Category.FLAKY),
        (FAILS_ON_MAIN, Category.PRE_EXISTING),
    ],
)
def test_that_a_test_imports_nothing_changed_is_said_and_changes_no_category(
    history: History, category: Category
) -> None:
    row = row_with(APART, history)

    assert row.category is category
    assert row_with(None, history).category is category
    assert of_the_diff(row) == ["`test_pool.py` does not import the changed Python file (2 files read)"]


@pytest.mark.parametrize("history", [NO_HISTORY, ON_TWO_OTHERS, FAILS_ON_MAIN])
def test_nothing_is_said_of_imports_that_were_not_all_read(history: History) -> None:
    assert row_with(CUT_SHORT, history) == row_with(None, history)


@pytest.mark.parametrize("history", [NO_HISTORY, ON_TWO_OTHERS, ALTERNATES])
def test_a_test_that_imports_a_changed_file_is_never_called_flaky(history: History) -> None:
    row = row_with(LEADS_THERE, history)

    assert row.category is Category.UNKNOWN
    assert of_the_diff(row) == ["`test_pool.py` imports the changed file `engine/pool.py`, itself or through others"]
    assert "imports the changed file" in row.because


def test_what_fails_on_main_stays_so_and_the_import_is_said() -> None:
    row = row_with(LEADS_THERE, FAILS_ON_MAIN)

    assert row.category is Category.PRE_EXISTING
    assert of_the_diff(row) == ["`test_pool.py` imports the changed file `engine/pool.py`, itself or through others"]


def test_an_import_alone_blames_nobody() -> None:
    assert row_with(LEADS_THERE, PASSES_ON_MAIN).category is Category.UNKNOWN


def test_a_broken_machine_is_not_judged_by_imports() -> None:
    change = Change(exists=True, files=(a_file(CHANGED),), closures={TEST_FILE: LEADS_THERE})

    assert touches(FAILURE, change)
    assert not touches(replace(FAILURE, fault=Fault.GPU_RESIDUE), change)
    assert not import_facts(replace(FAILURE, fault=Fault.GPU_RESIDUE), change)
