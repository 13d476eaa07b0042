"""Who follows whom: from a job that failed only because of others to the jobs that really broke.

A log or a `needs` may name another aggregator, a job that was skipped, or one that is green by now: none is a root.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from triage.classify.context import entries_of
from triage.model import Conclusion, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from triage.model import Facts, Failure, Job, JobId, WorkflowJob

SLACK = timedelta(minutes=1)
"""GitHub's times have whole seconds and jobs report late: so much may a root seem to end after what follows it."""


class Chains:
    """The roots of every following job, among the red jobs that do not themselves follow others."""

    def __init__(self, facts: Facts, failures: tuple[Failure, ...]) -> None:
        """Take the facts, and the failures as they may be believed, one for each red job."""
        self._jobs = facts.jobs
        self._failures: Mapping[JobId, Failure] = {failure.job.id: failure for failure in failures}
        self._entries = {job.id: _entries(facts, job) for job in facts.jobs}
        self._names = {job.id: _names_of(job, self._entries[job.id]) for job in facts.jobs}
        self._roots: dict[JobId, tuple[Job, ...]] = {}

    def rooted(self, failure: Failure) -> Failure:
        """Return a cascade with the names of its true roots in place of those it was given; others as they are."""
        if failure.fault is not Fault.CASCADE:
            return failure
        return replace(failure, roots=tuple(root.name for root in self.roots_of(failure.job)))

    def roots_of(self, job: Job) -> tuple[Job, ...]:
        """Return the jobs that really broke, in GitHub's order; empty when none of those pointed at is red."""
        if job.id not in self._roots:
            found = {root.id for root in self._walk(job, {job.id}) if _ended_before(root, job)}
            self._roots[job.id] = tuple(one for one in self._jobs if one.id in found)
        return self._roots[job.id]

    def _walk(self, job: Job, seen: set[JobId]) -> Iterator[Job]:
        for other in self._pointed_at(job):
            if other.id in seen:
                continue
            seen.add(other.id)
            failure = self._failures.get(other.id)
            if failure is not None and failure.fault is not Fault.CASCADE:
                yield other
            elif failure is not None or other.conclusion is Conclusion.SKIPPED:
                yield from self._walk(other, seen)

    def _pointed_at(self, job: Job) -> tuple[Job, ...]:
        """Return the jobs that a job names, else red ones that its deciding lines mention, else those it waits for."""
        failure = self._failures.get(job.id)
        named = [other for name in (failure.roots if failure else ()) for other in self._named(name, job)]
        return tuple(dict.fromkeys(named)) or tuple(self._mentioned(job)) or tuple(self._needed(job))

    def _mentioned(self, job: Job) -> Iterator[Job]:
        """Yield red jobs of the same run whose whole name stands in a deciding line: `stage-a jobs failed: gpu (0)`."""
        failure = self._failures.get(job.id)
        text = "\n".join(fact.text for fact in failure.evidence) if failure else ""
        for other in self._jobs if text else ():
            if other.is_red and other.run_id == job.run_id and other.id != job.id and _stands_in(other.name, text):
                yield other

    def _named(self, name: str, asking: Job) -> tuple[Job, ...]:
        """Find jobs by a name as a log gives it: of the same run first, else of the others at the same commit."""
        here = [job for job in self._jobs if job.run_id == asking.run_id and job.id != asking.id]
        there = [job for job in self._jobs if job.run_id != asking.run_id]
        return self._best(name, here) or self._best(name, there)

    def _best(self, name: str, jobs: list[Job]) -> tuple[Job, ...]:
        exact = tuple(job for job in jobs if job.name == name)
        return exact or tuple(job for job in jobs if name in self._names[job.id])

    def blocking(self, job: Job) -> tuple[Job, ...]:
        """Return the red jobs because of which a skipped job never ran, by what the workflow file makes it wait for."""
        found: list[Job] = []
        queue, seen = [job], {job.id}
        while queue:
            for other in self._needed(queue.pop()):
                if other.id in seen:
                    continue
                seen.add(other.id)
                if other.is_red:
                    found.append(other)
                elif other.conclusion is Conclusion.SKIPPED:
                    queue.append(other)
        return tuple(one for one in self._jobs if one in found)

    def _needed(self, job: Job) -> Iterator[Job]:
        """Yield the jobs that the workflow file makes a job wait for."""
        needs = {key for entry in self._entries[job.id] for key in entry.needs}
        for other in self._jobs if needs else ():
            if other.run_id == job.run_id and not needs.isdisjoint(entry.key for entry in self._entries[other.id]):
                yield other


def _entries(facts: Facts, job: Job) -> tuple[WorkflowJob, ...]:
    workflow = facts.workflows.get(job.run_id)
    return entries_of(workflow, job.name) if workflow else ()


def _names_of(job: Job, entries: tuple[WorkflowJob, ...]) -> frozenset[str]:
    """Return every name a job goes by: without its matrix values, its part of `call / job`, its key in the file."""
    parts = {job.name, *job.name.split(" / ")}
    names = parts | {part.split(" (")[0] for part in parts}
    return frozenset(names | {entry.key for entry in entries})


def _stands_in(name: str, text: str) -> bool:
    """Whether a text names a job in full: not as part of a longer name, nor of another leg of its matrix."""
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])(?! \()", text))


def _ended_before(root: Job, follower: Job) -> bool:
    if root.completed_at is None or follower.completed_at is None:
        return True
    return root.completed_at <= follower.completed_at + SLACK
