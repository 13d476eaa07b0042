"""Law 6: what the red jobs say nothing about, and which changed tests no job ran."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from triage.decide.paths import Sameness, is_test_file, sameness
from triage.decide.reach import failed_tests
from triage.model import Category, Conclusion, Coverage, Gap, LogState, NotExercised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from triage.decide.change import Change
    from triage.model import Facts, Failure, Job, JobId, JobVerdict

_WHY: Mapping[Category, str] = {
    Category.STARVED: "never got a runner",
    Category.CANCELLED: "stopped before it ran a test",
    Category.MISSING_LABEL: "the gate let nothing behind it run",
    Category.CASCADE: "skipped because of another job",
    Category.INFRASTRUCTURE: "broke before it ran a test",
    Category.GPU_RESIDUE: "the GPU was not free, no test ran",
}


def not_exercised(rows: Sequence[JobVerdict]) -> tuple[NotExercised, ...]:
    """Return the red jobs that ran no test, in the order of the ledger.

    Aggregators are left out: they run nothing of their own, so nothing was missed in them.
    """
    return tuple(
        NotExercised(job=row.failure.job.id, why=_why(row))
        for row in rows
        if ran_no_test(row.failure) and not row.failure.reports_only
    )


def ran_no_test(failure: Failure) -> bool:
    """Whether no test of the job gave a signal.

    A runner that says zero settles it; without a runner's word, any failed test or runner that showed itself counts as
    having run, except for a set-up that failed before the first test.
    """
    tests = failure.tests
    if tests.ran is not None:
        return tests.ran == 0
    return not failed_tests(failure) and not tests.runners and not tests.passed


def _why(row: JobVerdict) -> str:
    failure = row.failure
    if failure.job.never_started:
        return _WHY[Category.STARVED] if row.category is Category.STARVED else "never started"
    if row.category in _WHY:
        return _WHY[row.category]
    if failure.log_state not in {LogState.READ, LogState.TRUNCATED}:
        return "no log shows that a test ran"
    return "its log shows no test"


def coverage(facts: Facts, rows: Sequence[JobVerdict], change: Change) -> tuple[Coverage, ...]:
    """Return which jobs run the changed test files, where a workflow file or a log says so; nothing is guessed."""
    ran_nothing = {row.failure.job.id for row in rows if ran_no_test(row.failure)}
    found = (_coverage_of(path, facts, rows, change, ran_nothing) for path in changed_tests(change))
    return tuple(one for one in found if one is not None)


def changed_tests(change: Change) -> tuple[str, ...]:
    """Return the changed files that hold tests and are still there, in GitHub's order."""
    return tuple(file.path for file in change.files or () if file.status != "removed" and is_test_file(file.path))


def coverage_gap(change: Change, known: Iterable[Coverage]) -> Gap | None:
    """Say how many changed test files no job could be found for; None when there is nothing to say."""
    tests = changed_tests(change)
    missing = len(tests) - len({one.path for one in known})
    if not missing:
        return None
    what = f"{missing} of {len(tests)} changed test files" if len(tests) > 1 else f"changed test file `{tests[0]}`"
    return Gap(what, "no workflow file and no log says which jobs run it" if len(tests) == 1 else _NOBODY_SAYS)


_NOBODY_SAYS = "no workflow file and no log says which jobs run them"


def _coverage_of(
    path: str, facts: Facts, rows: Sequence[JobVerdict], change: Change, ran_nothing: set[JobId]
) -> Coverage | None:
    by_log = {row.failure.job.id for row in rows if _log_shows(row.failure, path)}
    by_file = {job.id for job in facts.jobs if job.id not in by_log and _is_named_by(job, path, change)}
    jobs = [job for job in facts.jobs if job.id in by_log | by_file]
    if not jobs:
        return None
    exercised = any(job.id in by_log or _has_run(job, ran_nothing) for job in jobs)
    sources = [name for name, ids in (("the log", by_log), ("the workflow file", by_file)) if ids]
    return Coverage(
        path=path, jobs=tuple(job.name for job in jobs), exercised=exercised, known_by=" and ".join(sources)
    )


def _log_shows(failure: Failure, path: str) -> bool:
    return any(sameness(test.file or "", path) is Sameness.YES for test in failure.tests.failures)


def _has_run(job: Job, ran_nothing: set[JobId]) -> bool:
    if job.conclusion is Conclusion.SUCCESS:
        return True
    return job.is_red and job.id not in ran_nothing


_ARGUMENT = re.compile(r"[\w./-]+")


def _is_named_by(job: Job, path: str, change: Change) -> bool:
    """Whether a step of the job names the test file, or a folder above it that is not the whole repository."""
    return any(_names(step.run, path) for entry in change.entries_of(job) for step in entry.steps)


def _names(command: str, path: str) -> bool:
    return any(word == path or path.startswith(f"{word}/") for word in _arguments(command))


def _arguments(command: str) -> Iterator[str]:
    for word in _ARGUMENT.findall(command):
        plain = word.removeprefix("./").rstrip("/")
        if "/" in plain or plain in {"test", "tests"}:
            yield plain
