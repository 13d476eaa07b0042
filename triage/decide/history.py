"""What is known beside the runs under triage: the same failures on main, on other pull requests, in other attempts.

Whoever looks back (`triage.history`) fills these; the checks only read them. What was not looked at is said, never left
out: an absence is evidence only where `Seen.complete` holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import Enum, unique
from typing import TYPE_CHECKING

from triage.decide.reach import failed_tests
from triage.model import Fault, Gap
from triage.signature import signature_of_test

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from triage.decide.imports import Closure
    from triage.model import Facts, Failure, Job, JobId, RunId, Sighting, Signature

WINDOW = timedelta(days=7)
"""How long a run of main counts: older ones say how main was, not how it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """One job of the default branch that really executed the failing test or step, and what came of it.

    A job that was cancelled, starved or killed by infrastructure before that point is no baseline.

    Attributes:
        signature: How it failed there; None when it passed.
        in_branch: Whether the branch under triage contains that commit; None when that was not looked up.
    """

    run_id: RunId
    job_id: JobId
    job_name: str
    head_sha: str
    at: datetime
    url: str
    signature: Signature | None = None
    runner: str | None = None
    in_branch: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commits:
    """Commits of the default branch, among which the one lies that mended or broke something.

    Attributes:
        count: How many there are; `named` may hold fewer.
        named: Sha and title of each, oldest first.
    """

    count: int
    named: tuple[tuple[str, str], ...] = ()
    url: str = ""


@unique
class Trend(Enum):
    """What main says of one signature, by the baselines that count."""

    FAILING = "fails now"
    MENDED = "failed, and passes since"
    ALTERNATING = "fails and passes in turn"
    PASSING = "passes, and never failed like this"
    UNTOLD = "not looked at, never executed, or fails in another way"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was found about one signature.

    Attributes:
        baselines: Jobs of the default branch that executed the same test or step, newest first, whatever came of it.
        pulls: The same signature on other pull requests, newest first, one a pull request. Never of the same stack, of
            a revert of this change, or of a change to the same files: those say nothing new.
        attempts: The same signature in other attempts of the runs under triage, newest first.
        complete: Whether every finished run of the default branch was looked at, from the oldest of `baselines` on.
        commits: What mended it there; where the default branch itself is under triage, what broke it.
    """

    baselines: tuple[Baseline, ...] = ()
    pulls: tuple[Sighting, ...] = ()
    attempts: tuple[Sighting, ...] = ()
    complete: bool = False
    commits: Commits | None = None

    def trend(self, signature: Signature) -> Trend:
        """Say what main says of this very signature; another failure of the same test is no pass and no match."""
        if not self.complete or not self.baselines:
            return Trend.UNTOLD
        alike = [place for place, one in enumerate(self.baselines) if one.signature == signature]
        passed = [place for place, one in enumerate(self.baselines) if one.signature is None]
        newest_passed, newest_alike = 0 in passed, 0 in alike
        if not alike:
            return Trend.PASSING if newest_passed else Trend.UNTOLD
        if any(alike[0] < place < alike[-1] for place in passed) or self._gave_both(alike, passed):
            return Trend.ALTERNATING
        if newest_alike:
            return Trend.FAILING
        return Trend.MENDED if newest_passed else Trend.UNTOLD

    def _gave_both(self, alike: list[int], passed: list[int]) -> bool:
        """Whether one commit failed and passed: then no commit mended it."""
        failed = {self.baselines[place].head_sha for place in alike}
        return not failed.isdisjoint(self.baselines[place].head_sha for place in passed)

    def failures(self, signature: Signature) -> tuple[Baseline, ...]:
        """Return the baselines that failed the same way, newest first."""
        return tuple(one for one in self.baselines if one.signature == signature)

    def streak(self, signature: Signature) -> tuple[Baseline, ...]:
        """Return the unbroken row of the same failure that ends with the newest baseline of it, newest first."""
        row: list[Baseline] = []
        for one in self.baselines:
            if one.signature == signature:
                row.append(one)
            elif row:
                break
        return tuple(row)

    def mended_by(self, signature: Signature) -> Baseline | None:
        """Return the first pass after the last failure of this signature; None when there is none."""
        before: Baseline | None = None
        for one in self.baselines:
            if one.signature == signature:
                return before
            before = one if one.signature is None else before
        return None


NOT_SEEN = Seen()


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Everything that is known beside the runs under triage.

    Attributes:
        seen: What was found, by signature. A signature that is absent was not looked for.
        earlier: For each red job, the same job in earlier attempts of its run, newest first.
        own_commits: Commits by which this very change was on the default branch before, e.g. landed and reverted: what
            failed from there on proves nothing about others.
        closures: What each failing Python test imports, by the file that its runner names.
        gaps: What was not looked at.
    """

    seen: Mapping[Signature, Seen] = field(default_factory=dict)
    earlier: Mapping[JobId, tuple[Job, ...]] = field(default_factory=dict)
    own_commits: tuple[str, ...] = ()
    closures: Mapping[str, Closure] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()

    def of(self, failure: Failure) -> tuple[tuple[Signature, Seen], ...]:
        """Return what was seen of every signature of a failure; empty when a part of it cannot be compared."""
        return tuple((signature, self.seen.get(signature, NOT_SEEN)) for signature in signatures_of(failure))

    def independent_of(self, facts: Facts, *, until: datetime | None, window: timedelta = WINDOW) -> History:
        """Keep what can say something about others (law 4), and add the earlier attempts of the red jobs.

        Left out: the runs under triage themselves, this pull request and others of its author, commits of this very
        change, and what lies before the window. Without `until`, the newest time of the facts, nothing on main is dated
        and none of it counts.
        """
        keeper = _Keeper(facts, self.own_commits, until - window if until else None)
        return replace(
            self,
            seen={signature: keeper.kept(seen) for signature, seen in self.seen.items()},
            earlier=_earlier_attempts(facts),
        )


NO_HISTORY = History(gaps=(Gap("default branch and other pull requests", "nothing on them was compared"),))
"""When nothing was looked back at."""


def signatures_of(failure: Failure) -> tuple[Signature, ...]:
    """Return all that must be found elsewhere before the whole failure may be called the same.

    One for each failed test, so that a new failure never hides behind a known one. Empty when one of them says too
    little to be compared: wrappers and bare exit codes have no signature.
    """
    tests = failed_tests(failure)
    if failure.fault is not Fault.CODE or not tests:
        return (failure.signature,) if failure.signature else ()
    found = tuple(signature_of_test(test) for test in tests)
    known = tuple(dict.fromkeys(signature for signature in found if signature is not None))
    return () if None in found else known


class _Keeper:
    """Keeps what is independent of the change."""

    def __init__(self, facts: Facts, own_commits: tuple[str, ...], oldest: datetime | None) -> None:
        self._runs = {run.id for run in facts.runs}
        self._heads = {run.head_sha for run in facts.runs if facts.pull is not None}
        self._own = set(own_commits)
        self._pull = facts.pull
        self._oldest = oldest

    def kept(self, seen: Seen) -> Seen:
        return replace(
            seen,
            baselines=tuple(one for one in seen.baselines if self._counts(one)),
            pulls=tuple(one for one in seen.pulls if self._is_of_another(one)),
        )

    def _counts(self, one: Baseline) -> bool:
        fresh = self._oldest is not None and one.at >= self._oldest
        return fresh and one.run_id not in self._runs and one.head_sha not in self._heads | self._own

    def _is_of_another(self, one: Sighting) -> bool:
        if one.run_id in self._runs or self._oldest is None or one.at < self._oldest:
            return False
        mine = self._pull is not None and (one.pull_number == self._pull.number or one.author == self._pull.author)
        return not mine


def _earlier_attempts(facts: Facts) -> Mapping[JobId, tuple[Job, ...]]:
    """Find the same job in earlier attempts; two jobs of one name in one attempt cannot be told apart."""
    found: dict[JobId, tuple[Job, ...]] = {}
    for red in facts.red:
        job = red.job
        same = [one for one in facts.earlier_jobs if (one.run_id, one.name) == (job.run_id, job.name)]
        older = [one for one in same if one.run_attempt < job.run_attempt]
        older.sort(key=lambda one: one.run_attempt, reverse=True)
        if len({one.run_attempt for one in older}) == len(older) and _is_alone(job, facts):
            found[job.id] = tuple(older)
    return found


def _is_alone(job: Job, facts: Facts) -> bool:
    return sum((one.run_id, one.name) == (job.run_id, job.name) for one in facts.jobs) == 1
