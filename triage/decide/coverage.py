"""Which jobs run the tests that the change touches, and whether they did. Nothing is guessed.

The repository's settings may say which jobs test a file. Else three things say that a job runs a test file: its log, a
step that names the file or its folder, and a suite that the changed part of the file puts itself into and that a step
runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.decide.exercised import ran_no_test
from triage.decide.paths import Sameness, is_test_file, sameness
from triage.model import Conclusion, Coverage, Gap
from triage.settings import PLACE
from triage.settings.globs import fits_name, fits_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from triage.decide.change import Change
    from triage.model import Facts, Failure, Job, JobId, JobVerdict
    from triage.settings import Covered


def coverage(
    facts: Facts, rows: Sequence[JobVerdict], change: Change, mapped: Sequence[Covered] = ()
) -> tuple[Coverage, ...]:
    """Return, for each changed file of which it is known, the jobs that test it and whether any of them ran.

    Args:
        facts: The jobs.
        rows: What became of the red ones.
        change: The files.
        mapped: What the repository's settings say tests what. Where they say it of a file, they alone are believed.
    """
    ran_nothing = {row.failure.job.id for row in rows if ran_no_test(row.failure)}
    asked = (_mapped(file.path, facts, mapped, ran_nothing) for file in change.files or ())
    told = {one.path: one for one in asked if one is not None}
    tests = [path for path in changed_tests(change) if path not in told]
    found = (_coverage_of(path, facts, rows, change, ran_nothing) for path in tests)
    return (*told.values(), *(one for one in found if one is not None))


def changed_tests(change: Change) -> tuple[str, ...]:
    """Return the changed files that hold tests and are still there, in GitHub's order."""
    return tuple(file.path for file in change.files or () if file.status != "removed" and is_test_file(file.path))


def coverage_gap(change: Change, known: Iterable[Coverage]) -> Gap | None:
    """Say for how many changed test files no job could be found; None when there is none."""
    tests = changed_tests(change)
    missing = set(tests) - {one.path for one in known}
    if not missing:
        return None
    if len(tests) == 1:
        return Gap(f"changed test file `{tests[0]}`", "no workflow file and no log says which jobs run it")
    what = f"{len(missing)} of {len(tests)} changed test files"
    return Gap(what, "no workflow file and no log says which jobs run them")


def _coverage_of(
    path: str, facts: Facts, rows: Sequence[JobVerdict], change: Change, ran_nothing: set[JobId]
) -> Coverage | None:
    by_log = {row.failure.job.id for row in rows if _log_shows(row.failure, path)}
    by_step = {job.id for job in facts.jobs if _is_named_by(job, path, change)}
    by_suite = {job.id for job in facts.jobs if _runs_a_suite_of(job, path, change)}
    jobs = [job for job in facts.jobs if job.id in by_log | by_step | by_suite]
    if not jobs:
        return None
    ways = (("its log", by_log), ("the workflow file", by_step), ("the suite that the test file names", by_suite))
    return Coverage(
        path=path,
        jobs=tuple(dict.fromkeys(job.name for job in jobs)),
        exercised=any(job.id in by_log or _has_run(job, ran_nothing) for job in jobs),
        known_by=", ".join(way for way, ids in ways if ids),
    )


def _mapped(path: str, facts: Facts, mapped: Sequence[Covered], ran_nothing: set[JobId]) -> Coverage | None:
    """Return what the settings say of a file; a job that they name and that is in no run never ran."""
    globs = [glob for one in mapped if fits_path(one.paths, path) for glob in one.jobs]
    if not globs:
        return None
    jobs = [job for job in facts.jobs if fits_name(globs, job.name)]
    absent = [glob for glob in globs if not any(fits_name((glob,), job.name) for job in jobs)]
    return Coverage(
        path=path,
        jobs=tuple(dict.fromkeys([*(job.name for job in jobs), *absent])),
        exercised=any(_has_run(job, ran_nothing) for job in jobs),
        known_by=PLACE,
    )


def _has_run(job: Job, ran_nothing: set[JobId]) -> bool:
    return job.conclusion is Conclusion.SUCCESS or (job.is_red and job.id not in ran_nothing)


def _log_shows(failure: Failure, path: str) -> bool:
    return any(sameness(test.file or "", path) is Sameness.YES for test in failure.tests.failures)


_ARGUMENT = re.compile(r"[\w./-]+")
_CHANGES_FOLDER = re.compile(r"\b(?:cd|pushd) +\S+")
_TEST_FOLDERS = frozenset({"test", "tests"})


def _is_named_by(job: Job, path: str, change: Change) -> bool:
    """Whether a step of the job names the test file, or a folder above it that is not the whole repository."""
    words = (word.removeprefix("./").rstrip("/") for command in _commands(job, change) for word in _words(command))
    folders = (word for word in words if "/" in word or word in _TEST_FOLDERS)
    return any(word == path or path.startswith(f"{word}/") for word in folders)


_TEXT = re.compile(r"[\"']([\w./-]{6,100})[\"']")


def _runs_a_suite_of(job: Job, path: str, change: Change) -> bool:
    """Whether the job runs a suite that the changed part of the test file names in full.

    `register(suite="stage-a-gpu")` in the test, `run_suite.py --suite stage-a-gpu` in the job.
    """
    file = change.file(path)
    lines = _new_side(file.patch if file else None)
    suites = {text for line in lines for text in _TEXT.findall(line) if "-" in text}
    return bool(suites) and any(not suites.isdisjoint(_words(command)) for command in _commands(job, change))


def _commands(job: Job, change: Change) -> Iterator[str]:
    return (_CHANGES_FOLDER.sub("", step.run) for entry in change.entries_of(job) for step in entry.steps)


def _words(command: str) -> list[str]:
    return _ARGUMENT.findall(command)


def _new_side(patch: str | None) -> Iterator[str]:
    """Yield the lines of a patch that the new file has."""
    return (line[1:] for line in (patch or "").split("\n") if line[:1] in {"+", " "})
