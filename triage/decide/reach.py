"""How a failure lies to the diff: which changed files its tests, tracebacks and errors lead to.

Two strengths, because two questions are asked of it. Blaming a change needs a sure relation: the test's own file, the
line that raised, the file a compiler names. Withholding an excuse needs only a possible one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.decide.change import changed_lines
from triage.decide.paths import Sameness, is_harness
from triage.decide.sentences import count, quoted
from triage.model import Evidence, EvidenceKind, Fault, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from triage.decide.change import Change
    from triage.decide.imports import Closure
    from triage.model import ChangedFile, Failure, Frame, TestFailure

IMPORTERS = frozenset({Fault.CODE, Fault.FLAKY, Fault.UNKNOWN})
"""Failures that what their tests import may explain; a machine breaks whatever is imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """One relation to a changed file, `how` as a sentence.

    Attributes:
        sure: Whether it can blame the change; else it only withholds an excuse.
        on_changed_line: Whether the log names a line that the change adds or touches, not just its file.
        by_import: Whether the test only imports the file: it may never have used it.
    """

    path: str
    how: str
    sure: bool
    on_changed_line: bool = False
    by_import: bool = False

    def as_evidence(self, change: Change) -> Evidence:
        """Make a fact of it, with the pull request's own diff as the place to check."""
        url = f"{change.pull.url}/files" if change.pull and change.pull.url else ""
        return Evidence(kind=EvidenceKind.DIFF, text=self.how, url=url)


def failed_tests(failure: Failure) -> tuple[TestFailure, ...]:
    """Return the tests that failed and were not mended by a retry in the same run."""
    return tuple(test for test in failure.tests.failures if test.outcome is not Outcome.FLAKY)


def touches(failure: Failure, change: Change) -> tuple[Touch, ...]:
    """Return how the failure leads to the diff, each changed file once, the strongest relation first.

    Tests that passed in a retry count too. Empty when nothing leads to the diff, and also when the change is unread:
    ask `change.is_unread`.
    """
    return _strongest_first(_all(failure.tests.failures, failure, change))


def sure_touches(failure: Failure, change: Change) -> tuple[Touch, ...]:
    """Return the relations that can blame the change; a test that passed in a retry blames nobody."""
    return _strongest_first(touch for touch in _all(failed_tests(failure), failure, change) if touch.sure)


def _all(tests: tuple[TestFailure, ...], failure: Failure, change: Change) -> Iterator[Touch]:
    for test in tests:
        yield from _of_test(test, change)
    among_tests = bool(failed_tests(failure))
    for place in failure.places:
        yield from _of_place(place, change, among_tests=among_tests)
    if failure.fault in IMPORTERS:
        yield from _of_imports(tests, change)


def _strongest_first(found: Iterable[Touch]) -> tuple[Touch, ...]:
    once: dict[str, Touch] = {}
    for touch in sorted(found, key=lambda touch: (not touch.sure, not touch.on_changed_line, touch.by_import)):
        once.setdefault(touch.path, touch)
    return tuple(once.values())


def lies_outside(failure: Failure, change: Change) -> bool:
    """Whether it is known that nothing leads from the failed tests to the diff.

    Not known when the change is unread, or when a failed test tells neither its file nor its traceback. A test whose
    set-up failed before it ran may be placeless: what then counts is the harness, see `triage.decide.drivers`.
    """
    if not change.exists:
        return True
    placed = all(test.file or test.frames or test.outcome is Outcome.ERROR for test in failure.tests.failures)
    return not change.is_unread and placed and not touches(failure, change)


def import_facts(failure: Failure, change: Change) -> tuple[Evidence, ...]:
    """Say which changed file each failed test imports, or that it imports none, where all that it imports was read."""
    if failure.fault not in IMPORTERS:
        return ()
    found = [touch.as_evidence(change) for touch in _of_imports(failure.tests.failures, change)]
    number = sum(file.path.endswith(".py") for file in change.files or ())
    none = (
        f"imports none of the {number} changed Python files"
        if number > 1
        else "does not import the changed Python file"
    )
    url = f"{change.pull.url}/files" if change.pull and change.pull.url else ""
    for path, closure in _closures(failure.tests.failures, change):
        if closure.complete and not closure.reaches:
            text = f"{_file_name(path)} {none} ({count(len(closure.files), 'file')} read)"
            found.append(Evidence(kind=EvidenceKind.DIFF, text=text, url=url))
    return tuple(found)


def _of_imports(tests: tuple[TestFailure, ...], change: Change) -> Iterator[Touch]:
    """Yield the changed files that tests import, themselves or through what they import."""
    for path, closure in _closures(tests, change):
        for reached in closure.reaches:
            how = f"{_file_name(path)} imports the changed file {quoted(reached)}"
            direct = len(closure.files) == 1
            yield Touch(
                path=reached, how=how if direct else f"{how}, itself or through others", sure=False, by_import=True
            )


def _closures(tests: tuple[TestFailure, ...], change: Change) -> Iterator[tuple[str, Closure]]:
    for path in dict.fromkeys(test.file for test in tests if test.file):
        if path in change.closures:
            yield path, change.closures[path]


def _file_name(path: str) -> str:
    return quoted(path.rsplit("/", 1)[-1])


def _of_test(test: TestFailure, change: Change) -> Iterator[Touch]:
    """Yield how one failed test leads to changed files."""
    yield from _of_file(test, change)
    yield from _of_removed_module(test, change)
    ours = tuple(frame for frame in test.frames if frame.in_repository)
    for frame in test.frames:
        raised = bool(ours) and frame is ours[-1]
        for file, same in change.files_meant_by(frame.path):
            yield _of_frame(frame, file, sure=same is Sameness.YES and frame.in_repository, raised=raised)


def _of_file(test: TestFailure, change: Change) -> Iterator[Touch]:
    for file, same in change.files_meant_by(test.file or ""):
        done = "adds" if file.status == "added" else "touches"
        how = f"the failing test {quoted(test.id)} is in {quoted(file.path)}, which the change {done}"
        yield Touch(path=file.path, how=how, sure=same is Sameness.YES)


def _of_frame(frame: Frame, file: ChangedFile, *, sure: bool, raised: bool) -> Touch:
    """One frame in a changed file: how sure it is depends on where in the traceback it stands."""
    on_change = frame.line is not None and frame.line in changed_lines(file)
    where = quoted(f"{file.path}:{frame.line}" if frame.line else file.path)
    if on_change:
        how = f"the traceback leads through {where}, a line that the change adds or touches"
        return Touch(path=file.path, how=how, sure=sure, on_changed_line=True)
    if raised:
        return Touch(path=file.path, how=f"the error is raised at {where}, a file that the change touches", sure=sure)
    # Every traceback of a suite leads through what its tests share, whatever is broken.
    shared = is_harness(file.path)
    how = f"the traceback leads through {where}, a file that the change touches"
    return Touch(path=file.path, how=how, sure=sure and not shared)


def _of_place(place: Frame, change: Change, *, among_tests: bool) -> Iterator[Touch]:
    """Yield how a named place leads to changed files; beside failed tests, what tests share blames only by its line."""
    for file, same in change.files_meant_by(place.path):
        on_change = place.line is not None and place.line in changed_lines(file)
        where = quoted(f"{file.path}:{place.line}" if place.line else file.path)
        what = "a line that the change adds or touches" if on_change else "a file that the change touches"
        yield Touch(
            path=file.path,
            how=f"the error names {where}, {what}",
            sure=same is Sameness.YES and (on_change or not (among_tests and is_harness(file.path))),
            on_changed_line=on_change,
        )


_NO_MODULE = re.compile(r"No module named '([\w.]+)'|from '([\w.]+)'|[Cc]annot find module '([\w./@-]+)'")


_SUFFIX = re.compile(r"(?:/__init__|/index)?\.\w+$")


def _of_removed_module(test: TestFailure, change: Change) -> Iterator[Touch]:
    """An import of what the change takes away."""
    found = _NO_MODULE.search(test.message)
    if found is None:
        return
    name = next(group for group in found.groups() if group)
    module = name.strip("./").replace(".", "/")
    for file in change.files or ():
        gone = file.path if file.status == "removed" else file.previous_path
        if gone and f"/{re.sub(_SUFFIX, '', gone)}".endswith(f"/{module}"):
            how = f"the test cannot import {quoted(name)}, and the change removes or renames {quoted(gone)}"
            yield Touch(path=gone, how=how, sure=True)
