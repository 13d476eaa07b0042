"""Which pull requests events have missed: their newest runs ended after what our comment speaks of, or there is none.

Events get lost, and a re-run that was started with `GITHUB_TOKEN` makes none. So the sweep looks at all runs that ended
lately, newest first, a pull request at a time, until its budget is used up: a flood of pull requests keeps the others
waiting for no longer than until the next sweep.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from triage.errors import ProviderError
from triage.gather.pull import find_pull
from triage.publish.sticky import candidates, mine_of
from triage.source.shapes import pull_of, run_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from triage.github.reads import LiveReads
    from triage.model import PullRequest, Run
    from triage.source.writes import Writes

LOOK_BACK: Final = timedelta(hours=48)
"""How long ago a run may have been made; a re-run keeps the time of its first attempt."""
MOST_RUNS: Final = 300
MOST_PULLS: Final = 20
"""Pull requests triaged in one sweep; the next one goes on."""
MOST_LOOKED_AT: Final = 100
RESERVE: Final = 150
"""Requests of the hour that are left to triages that an event asks for."""

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The newest commit of a pull request, and the runs at it that have ended."""

    number: int
    sha: str
    runs: tuple[Run, ...]

    @property
    def ended_at(self) -> datetime:
        """When the last of them ended."""
        return max((run.updated_at for run in self.runs if run.updated_at), default=_LONG_AGO)

    @property
    def is_red(self) -> bool:
        """Whether one of them ended badly."""
        return any(run.conclusion is not None and run.conclusion.is_red for run in self.runs)


def missed(reads: LiveReads, writes: Writes, *, key: str, now: datetime, most: int = MOST_PULLS) -> Iterator[int]:
    """Yield the pull requests to triage, newest first; asks on only when the next one is wanted.

    Args:
        reads: Asked for the runs and the pull requests.
        writes: Asked for comments.
        key: Of our comments.
        now: When the sweep began.
        most: How many to yield.

    Raises:
        ProviderError: Not even the runs or the pull requests could be listed.
    """
    page = reads.completed_runs(since=now - LOOK_BACK, limit=MOST_RUNS)
    runs = [run for run in map(run_of, page.items) if run.event.startswith("pull_request")]
    pulls = {pull.number: pull for pull in map(pull_of, reads.recent_pulls().items)}
    heads = sorted(_heads(reads, runs, pulls), key=lambda head: head.ended_at, reverse=True)
    found = 0
    for head in heads[:MOST_LOOKED_AT]:
        left = reads.requests_left()
        if found >= most or (left is not None and left <= RESERVE):
            return
        if _is_missed(head, writes, key):
            found += 1
            yield head.number


def _heads(reads: LiveReads, runs: Iterable[Run], pulls: Mapping[int, PullRequest]) -> Iterator[Head]:
    by_sha: dict[str, list[Run]] = {}
    for run in runs:
        by_sha.setdefault(run.head_sha, []).append(run)
    for sha, at_head in by_sha.items():
        numbers = [pull.number for pull in pulls.values() if pull.state == "open" and pull.head_sha == sha]
        if not numbers and _may_be_open(at_head, pulls):
            numbers = _looked_up(reads, at_head)
        if len(numbers) == 1:  # of two pull requests with one head, the runs do not say which is meant
            yield Head(number=numbers[0], sha=sha, runs=tuple(at_head))


def _may_be_open(runs: Sequence[Run], pulls: Mapping[int, PullRequest]) -> bool:
    """Whether the pull request may be one that is not among those that changed last; else it is closed or moved on."""
    return not any(number in pulls for run in runs for number in run.pull_numbers) and any(
        run.conclusion is not None and run.conclusion.is_red for run in runs
    )


def _looked_up(reads: LiveReads, runs: Sequence[Run]) -> list[int]:
    json = find_pull(reads, runs[0], "").json
    if json is None:
        return []
    pull = pull_of(json)
    return [pull.number] if pull.state == "open" and pull.head_sha == runs[0].head_sha else []


def _is_missed(head: Head, writes: Writes, key: str) -> bool:
    """Whether no comment of ours speaks of all that has ended by now; a green pull request needs none."""
    try:
        found = candidates(writes.comments(head.number), key)
        own = writes.own_id() if found else None
    except ProviderError:
        return head.is_red  # the triage will say what is wrong
    mine = mine_of(found, {own} if own is not None else set(), head.sha)
    if not mine:
        return head.is_red
    return max(one.generation.at for one in mine) < int(head.ended_at.timestamp())
