"""The report as it is read: its causes in reading order, each with its own jobs and what they left behind.

Nothing is decided here; the parts of the report are put beside each other, so that every format counts the same.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from triage.model import Category, Conclusion, EvidenceKind, LogState, Rerun

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from triage.model import Cause, Coverage, Evidence, JobId, JobVerdict, NotExercised, Report, Run, TestFailure

# What the author must look at stands first in every format, and unfolded; everything else is no work for the author.
_AUTHORS_FIRST: Final = {Category.REGRESSION: 0, Category.UNKNOWN: 1}
_OTHERS: Final = len(_AUTHORS_FIRST)

_LINES: Final = frozenset({EvidenceKind.LOG_LINE, EvidenceKind.ANNOTATION})
# On the default branch these mean the same failure; for the others a run on main may as well be one that passed.
_SEEN_ON_MAIN: Final = frozenset(
    {Category.INFRASTRUCTURE, Category.GPU_RESIDUE, Category.PRE_EXISTING, Category.STARVED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One cause with the jobs it broke.

    Attributes:
        roots: Jobs that show the cause themselves, in the order of the cause.
        followers: Jobs that failed only because of those.
        silent: Whether it is known that no root ran a single test.
        lines: The deciding lines of log or annotation, best first, each text once.
        facts: All other evidence, in the order of the cause.
    """

    cause: Cause
    roots: tuple[JobVerdict, ...]
    followers: tuple[JobVerdict, ...]
    silent: bool
    lines: tuple[Evidence, ...]
    facts: tuple[Evidence, ...]

    @property
    def size(self) -> int:
        """How many red jobs the cause explains."""
        return len(self.roots) + len(self.followers)

    @property
    def is_open(self) -> bool:
        """Whether the author must see it without unfolding anything."""
        return self.cause.category in _AUTHORS_FIRST

    @property
    def seen_on_main(self) -> bool:
        """Whether the same failure was seen on the default branch."""
        kinds = {fact.kind for fact in self.facts}
        return EvidenceKind.MAIN_RUN in kinds and self.cause.category in _SEEN_ON_MAIN

    @property
    def other_pulls(self) -> tuple[int, ...]:
        """Numbers of other pull requests with the same failure, each once."""
        numbers = (fact.number for fact in self.facts if fact.kind is EvidenceKind.OTHER_PULL)
        return tuple(dict.fromkeys(number for number in numbers if number is not None))

    @property
    def runners(self) -> tuple[str, ...]:
        """The machines it happened on, here and elsewhere, each once."""
        return tuple(dict.fromkeys((*self.own_runners, *_hosts(fact.runner for fact in self.facts))))

    @property
    def own_runners(self) -> tuple[str, ...]:
        """The machines it happened on here, each once."""
        return tuple(dict.fromkeys(_hosts(verdict.failure.job.runner for verdict in self.roots)))

    @property
    def failed_tests(self) -> tuple[TestFailure, ...]:
        """Failed tests of all roots, each once, in log order."""
        tests = (test for verdict in self.roots for test in verdict.failure.tests.failures)
        return tuple({(test.id, test.exception, test.message): test for test in tests}.values())

    @property
    def not_run(self) -> tuple[str, ...]:
        """What the roots' test runners left out, e.g. `24 of 30 files never ran`."""
        return tuple(dict.fromkeys(left for verdict in self.roots for left in verdict.failure.tests.not_run))


def _hosts(runners: Iterable[str | None]) -> tuple[str, ...]:
    from triage.decide.hosts import is_hosted  # the whole of `decide` comes with it, and `triage log` needs none of it

    return tuple(runner for runner in runners if runner and not is_hosted(runner))


def rows_of(report: Report) -> tuple[Row, ...]:
    """Return the causes in reading order: the author's first, otherwise as the report has them."""
    silent = frozenset(item.job for item in report.not_exercised)
    verdicts: dict[int, list[JobVerdict]] = {cause.id: [] for cause in report.causes}
    for verdict in report.jobs:
        verdicts[verdict.cause].append(verdict)
    rows = (_row(cause, verdicts[cause.id], silent) for cause in report.causes)
    return tuple(sorted(rows, key=lambda row: _AUTHORS_FIRST.get(row.cause.category, _OTHERS)))


def _row(cause: Cause, verdicts: Sequence[JobVerdict], silent: frozenset[JobId]) -> Row:
    order = {job: place for place, job in enumerate(cause.jobs)}
    mine = sorted(verdicts, key=lambda verdict: order[verdict.failure.job.id])
    # A follower is a cascade in somebody else's cause; a cascade without a known root is a cause of its own.
    roots = tuple(verdict for verdict in mine if verdict.category is cause.category)
    followers = tuple(verdict for verdict in mine if verdict.category is not cause.category)
    evidence = cause.evidence or (roots[0].evidence or roots[0].failure.evidence if roots else ())
    return Row(
        cause=cause,
        roots=roots,
        followers=followers,
        silent=bool(roots) and all(_ran_no_test(verdict, silent) for verdict in roots),
        lines=_distinct(fact for fact in evidence if fact.kind in _LINES and fact.text.strip()),
        facts=tuple(fact for fact in evidence if fact.kind not in _LINES),
    )


def _distinct(lines: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Keep the first of lines that say the same: several roots of one cause mostly do."""
    first: dict[str, Evidence] = {}
    for line in lines:
        first.setdefault(line.text, line)
    return tuple(first.values())


def _ran_no_test(verdict: JobVerdict, silent: frozenset[JobId]) -> bool:
    """Whether it is known that the job ran no test; without a whole log it is not."""
    failure = verdict.failure
    if failure.tests.ran is not None:
        return failure.tests.ran == 0
    return failure.job.id in silent and (failure.log_state is LogState.READ or failure.job.never_started)


def conclusions(report: Report) -> dict[Conclusion, int]:
    """Count the red jobs by how they ended, most frequent first."""
    counted = Counter(verdict.failure.job.conclusion or Conclusion.UNKNOWN for verdict in report.jobs)
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def running(report: Report) -> tuple[Run, ...]:
    """Return the runs that are not complete."""
    return tuple(run for run in report.runs if not run.is_complete)


def silent_jobs(report: Report) -> tuple[int, bool]:
    """Count the red jobs that prove nothing about the change, and tell whether all are known to have run no test.

    A job that broke of the change, or may have, says something without a test: a build that fails, for one.
    """
    silent = frozenset(item.job for item in report.not_exercised)
    red = [verdict for verdict in report.jobs if verdict.failure.job.id in silent]
    mute = [verdict for verdict in red if verdict.category not in _AUTHORS_FIRST]
    return len(mute), all(_ran_no_test(verdict, silent) for verdict in mute)


def ran_none(report: Report) -> bool:
    """Tell whether all red jobs that gave no signal are known to have run no test."""
    silent = frozenset(item.job for item in report.not_exercised)
    return all(_ran_no_test(verdict, silent) for verdict in report.jobs if verdict.failure.job.id in silent)


def reruns(rows: tuple[Row, ...]) -> dict[Rerun, tuple[int, ...]]:
    """Return the numbers of the causes by whether a re-run can help."""
    return {rerun: tuple(sorted(row.cause.id for row in rows if row.cause.rerun is rerun)) for rerun in Rerun}


def job_names(report: Report) -> dict[JobId, str]:
    """Return the names of the red jobs."""
    return {verdict.failure.job.id: verdict.failure.job.name for verdict in report.jobs}


def silent_by_reason(report: Report) -> dict[str, tuple[NotExercised, ...]]:
    """Group the jobs that gave no signal by why, in the order of the report."""
    grouped: dict[str, tuple[NotExercised, ...]] = {}
    for item in report.not_exercised:
        grouped[item.why] = (*grouped.get(item.why, ()), item)
    return grouped


def uncovered(report: Report) -> tuple[Coverage, ...]:
    """Return the changed files that some job covers, and none of these jobs ran a test."""
    return tuple(item for item in report.coverage if item.jobs and not item.exercised)
