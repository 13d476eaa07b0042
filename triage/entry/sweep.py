"""Which pull requests events have missed: their newest runs ended after what our comment speaks of, or there is none.

Events get lost, and a re-run that was started with `GITHUB_TOKEN` makes none. So the sweep looks at all runs that were
made lately, newest first, a pull request at a time, until its budget is used up: a flood of pull requests keeps the
others waiting for no longer than until the next sweep.

GitHub lists runs by when they were first made, and a re-run keeps that time. So runs that are not in the list are asked
for at the heads of open pull requests: of those that changed last each time (`/triage rerun` is such a change), of the
others in turns.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Final

from triage.errors import ProviderError
from triage.gather.pull import find_pull
from triage.publish.sticky import candidates, mine_of
from triage.source.shapes import pull_of, run_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from triage.github.reads import LiveReads
    from triage.model import PullRequest, Run
    from triage.source.protocol import Page
    from triage.source.writes import Writes

LOOK_BACK: Final = timedelta(hours=48)
"""How long ago a run may have ended."""
MOST_RUNS: Final = 300
MOST_OPEN: Final = 300
MOST_OLDER: Final = 80
"""Pull requests that are asked for older runs in one sweep, a request each; half are those that changed last."""
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
    runs = _of_pulls(reads.completed_runs(since=now - LOOK_BACK, limit=MOST_RUNS))
    pulls = {pull.number: pull for pull in map(pull_of, reads.recent_pulls().items)}
    heads = sorted(_heads(reads, runs, pulls), key=lambda head: head.ended_at, reverse=True)
    listed = {run.head_sha for run in runs}
    found: set[int] = set()
    for head in chain(heads[:MOST_LOOKED_AT], _of_older_runs(reads, listed, now)):
        if len(found) >= most or _is_used_up(reads):
            return
        if head.number not in found and _is_missed(head, writes, key):
            found.add(head.number)
            yield head.number


def _is_used_up(reads: LiveReads) -> bool:
    left = reads.requests_left()
    return left is not None and left <= RESERVE


def _of_pulls(page: Page) -> list[Run]:
    return [run for run in map(run_of, page.items) if run.is_complete and run.event.startswith("pull_request")]


def _of_older_runs(reads: LiveReads, listed: Collection[str], now: datetime) -> Iterator[Head]:
    """Yield the heads at which something ended lately that need not be in the list of runs.

    Args:
        reads: Asked for the open pull requests, and for the runs at one head after the other.
        listed: The heads of the runs in the list; there may be older runs at them, too.
        now: When the sweep began.
    """
    pulls = [pull_of(pull) for pull in reads.open_pulls(limit=MOST_OPEN).items]
    heads = Counter(pull.head_sha for pull in pulls)
    for pull in in_turns(sorted(pulls, key=lambda pull: pull.head_sha in listed), now):
        if heads[pull.head_sha] > 1:
            continue
        if _is_used_up(reads):
            return
        head = Head(number=pull.number, sha=pull.head_sha, runs=tuple(_of_pulls(reads.runs_at(pull.head_sha))))
        if head.ended_at >= now - LOOK_BACK:
            yield head


def in_turns(pulls: Sequence[PullRequest], now: datetime) -> Sequence[PullRequest]:
    """Choose whom to ask this hour: whoever changed last, and a part of the others, the next part in the next hour."""
    always, others = pulls[: MOST_OLDER // 2], pulls[MOST_OLDER // 2 :]
    size = MOST_OLDER - len(always)
    parts = -(-len(others) // size)
    # By number: the order by change moves between two sweeps.
    ordered = sorted(others, key=lambda pull: pull.number)
    turn = int(now.timestamp()) // 3_600 % parts if parts else 0
    return [*always, *ordered[turn * size : (turn + 1) * size]]


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
