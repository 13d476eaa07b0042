"""Other pull requests and other attempts: the same failure where the change under triage is not, or is again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.decide import Trend
from triage.decide.change import PULL_REQUEST_EVENTS
from triage.history.lookback.past import in_turn
from triage.history.lookback.questions import FailedRuns, FilesOf, JobsOf, LogOf, RecentPulls
from triage.history.lookback.runs import is_of_the_same_branch, is_under_triage
from triage.history.lookback.slots import Reach, reach
from triage.history.lookback.stack import independent
from triage.history.lookback.wanted import by_workflow
from triage.model import Sighting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from triage.decide import Seen
    from triage.history.lookback.past import Past
    from triage.history.lookback.wanted import Wanted
    from triage.model import Facts, Job, PullRequest, Run, Signature

MOST_PULLS = 5
"""Pull requests of one workflow whose jobs are read: enough to show that it is not this change alone."""

MOST_LOGS = 2
"""Logs of one of their runs, first one of each kind of failure."""

ENOUGH_AUTHORS = 2

NONE: tuple[PullRequest, ...] = ()

_MAIN_ANSWERS = frozenset({Trend.FAILING, Trend.MENDED, Trend.ALTERNATING})


def look_at_pulls(
    past: Past, wanted: Sequence[Wanted], facts: Facts, since: datetime, seen: Mapping[Signature, Seen]
) -> dict[Signature, tuple[Sighting, ...]]:
    """Look for every failure on other pull requests, newest first, one sighting a pull request.

    Args:
        past: Asked for two lists, then for jobs and logs of runs that may show it.
        wanted: What to look for.
        facts: What the change under triage is.
        since: How far back.
        seen: What main shows: where that settles it, files of other changes need not be read.
    """
    groups = by_workflow(wanted)
    lists = {name: FailedRuns(name, _event(group), since) for name, group in groups.items()}
    pulls = RecentPulls()
    past.ask([pulls, *lists.values()])
    listed = past.get(pulls) or NONE
    witnesses = _by_branch(independent(listed, facts))
    chosen = {name: _choose(past.get(question), witnesses, facts) for name, question in lists.items()}
    past.ask(in_turn([[JobsOf(run) for run, _ in choice] for choice in chosen.values()]))
    logs = {name: [_logs(past, run, groups[name]) for run, _ in choice] for name, choice in chosen.items()}
    past.ask(in_turn([[row[0] for row in rows if row] for rows in logs.values()]))
    past.ask(log for rows in logs.values() for row in rows for log in row[1:])
    found = {
        signature: tuple(_sightings(past, signature, chosen[name], logs[name]))
        for name, group in groups.items()
        for signature in dict.fromkeys(signature for one in group for signature in one.signatures)
    }
    code = {signature for one in wanted if one.is_code for signature in one.signatures}
    asked = {s for s in code if s in seen and seen[s].trend(s) not in _MAIN_ANSWERS}
    return _of_other_files(past, found, asked, _by_number(listed), facts)


def _event(group: Sequence[Wanted]) -> str:
    """Return the event that starts the workflow for pull requests, also where the default branch is under triage."""
    return next((one.run.event for one in group if one.run.event in PULL_REQUEST_EVENTS), "pull_request")


def _by_branch(pulls: Sequence[PullRequest]) -> dict[tuple[str, str], PullRequest]:
    return {(one.head_repository, one.head_ref): one for one in reversed(pulls)}


def _by_number(pulls: Sequence[PullRequest]) -> dict[int, PullRequest]:
    return {one.number: one for one in pulls}


def _choose(
    runs: Sequence[Run] | None, witnesses: Mapping[tuple[str, str], PullRequest], facts: Facts
) -> tuple[tuple[Run, PullRequest], ...]:
    """Choose the newest run of each pull request, the first of each author before any second."""
    newest: dict[int, tuple[Run, PullRequest]] = {}
    for run in runs or ():
        pull = witnesses.get((run.head_repository, run.head_branch))
        if pull is not None and not is_under_triage(run, facts) and not is_of_the_same_branch(run, facts):
            newest.setdefault(pull.number, (run, pull))
    first: dict[str, int] = {}
    for _, pull in newest.values():
        first.setdefault(pull.author, pull.number)
    ordered = sorted(newest.values(), key=lambda one: first[one[1].author] != one[1].number)
    return tuple(ordered[:MOST_PULLS])


def _logs(past: Past, run: Run, group: Sequence[Wanted]) -> tuple[LogOf, ...]:
    """Return the logs that may show one of the failures: jobs of the same name that broke in the same step."""
    found: dict[tuple[Signature, ...], Job] = {}
    for job in past.get(JobsOf(run)) or ():
        for one in group:
            if job.name == one.job.name and reach(job, one.step) is Reach.BROKE:
                found.setdefault(one.signatures, job)
    return tuple(LogOf(job) for job in list(dict.fromkeys(found.values()))[:MOST_LOGS])


def _sightings(
    past: Past, signature: Signature, chosen: Sequence[tuple[Run, PullRequest]], logs: Sequence[tuple[LogOf, ...]]
) -> Iterator[Sighting]:
    for (run, pull), row in zip(chosen, logs, strict=True):
        shown = [log.job for log in row if (told := past.get(log)) is not None and told.shows(signature)]
        if shown and (at := shown[0].started_at or run.created_at):
            yield _sighting(shown[0], at, run.head_sha, pull)


def _sighting(job: Job, at: datetime, head_sha: str, pull: PullRequest | None) -> Sighting:
    return Sighting(
        run_id=job.run_id,
        job_id=job.id,
        job_name=job.name,
        attempt=job.run_attempt,
        at=at,
        url=job.url,
        head_sha=head_sha,
        runner=job.runner,
        pull_number=pull.number if pull else None,
        author=pull.author if pull else "",
    )


def _of_other_files(
    past: Past,
    found: Mapping[Signature, tuple[Sighting, ...]],
    asked: set[Signature],
    pulls: Mapping[int, PullRequest],
    facts: Facts,
) -> dict[Signature, tuple[Sighting, ...]]:
    """Where other pull requests are all there is to go by, keep those that are known to touch no file of this one."""
    mine = {path for file in facts.files or () for path in (file.path, file.previous_path)}
    counting = {
        signature: [
            (one, FilesOf(one.pull_number, pulls[one.pull_number].head_sha)) for one in sightings if one.pull_number
        ]
        for signature, sightings in found.items()
        if signature in asked and len({one.author for one in sightings}) >= ENOUGH_AUTHORS
    }
    past.ask(question for rows in counting.values() for _, question in rows)
    kept = dict(found)
    for signature, rows in counting.items():
        answers = [(one, past.get(question)) for one, question in rows]
        kept[signature] = tuple(one for one, paths in answers if paths is not None and mine.isdisjoint(paths))
    return {signature: tuple(sorted(kept[signature], key=lambda one: one.at, reverse=True)) for signature in found}


def look_at_attempts(
    past: Past, wanted: Sequence[Wanted], facts: Facts, seen: Mapping[Signature, Seen]
) -> dict[Signature, tuple[Sighting, ...]]:
    """Look for failures that main passes in earlier attempts of their own job: a repetition tells something there."""
    rows = [
        (signature, LogOf(job))
        for one in wanted
        for signature in one.signatures
        if one.is_code and signature in seen and seen[signature].trend(signature) is Trend.PASSING
        for job in _earlier(one, facts)
    ]
    past.ask(log for _, log in rows)
    shas = {run.id: run.head_sha for run in facts.runs}
    found: dict[Signature, tuple[Sighting, ...]] = {}
    for signature, log in rows:
        told, at = past.get(log), log.job.started_at
        if told is not None and at is not None and told.shows(signature):
            sighting = _sighting(log.job, at, shas.get(log.job.run_id, ""), None)
            found[signature] = (*found.get(signature, ()), sighting)
    return found


def _earlier(one: Wanted, facts: Facts) -> list[Job]:
    """Return the job's red earlier attempts, newest first."""
    found = [
        job
        for job in facts.earlier_jobs
        if (job.run_id, job.name) == (one.job.run_id, one.job.name) and reach(job, one.step) is Reach.BROKE
    ]
    return sorted(found, key=lambda job: job.run_attempt, reverse=True)[:MOST_LOGS]
