"""Who else's failure says something about others: not this change's own stack, nor its revert (law 4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from triage.model import Facts, PullRequest, Run

_MENTION = re.compile(r"#(\d+)\b")
_UNDOES = re.compile(r"(?i)^\W*(?:revert|reland|re-land|reapply)\b")


def independent(pulls: Iterable[PullRequest], facts: Facts) -> tuple[PullRequest, ...]:
    """Keep the pull requests that can be witnesses: of another author, another stack, and not undoing this change."""
    mine = facts.pull
    listed = tuple(pulls)
    if mine is None:
        return listed
    numbers = stack_of(mine, listed)
    return tuple(
        one
        for one in listed
        if one.number not in numbers
        and one.author != mine.author
        and not _is_of_the_same_fork(one, mine, facts.repository.full_name)
        and not _undoes(one, mine)
    )


def stack_of(mine: PullRequest, pulls: Sequence[PullRequest]) -> frozenset[int]:
    """Return the numbers of the pull requests that build on each other with this one, whoever opened them.

    One builds on another when its base is the other's branch.
    """
    inside = {mine.number: mine}
    grown = True
    while grown:
        found = [
            one for one in pulls if one.number not in inside and any(_touch(one, other) for other in inside.values())
        ]
        inside |= {one.number: one for one in found}
        grown = bool(found)
    return frozenset(inside)


def _touch(one: PullRequest, other: PullRequest) -> bool:
    return _builds_on(one, other) or _builds_on(other, one)


def _builds_on(upper: PullRequest, lower: PullRequest) -> bool:
    return bool(lower.head_ref) and upper.base_ref == lower.head_ref and upper.base_ref != lower.base_ref


def _is_of_the_same_fork(one: PullRequest, mine: PullRequest, repository: str) -> bool:
    return bool(one.head_repository) and one.head_repository == mine.head_repository != repository


def _undoes(one: PullRequest, mine: PullRequest) -> bool:
    """Whether it takes this change back or brings it again; or this one does so with it."""
    return _names(one.title, mine) or _names(mine.title, one)


def _names(title: str, other: PullRequest) -> bool:
    if not _UNDOES.match(title):
        return False
    return str(other.number) in _MENTION.findall(title) or (bool(other.title) and other.title in title)


def own_commits(runs: Iterable[Run], facts: Facts) -> tuple[str, ...]:
    """Return the commits of the default branch that are this very change, landed or taken back, told by their title.

    A squashed or merged commit names its pull request; a change that lands again names the one it was before.
    """
    if facts.pull is None:
        return ()
    again = _MENTION.findall(facts.pull.title) if _UNDOES.match(facts.pull.title) else []
    numbers = {str(facts.pull.number), *again}
    mine = {run.head_sha: None for run in runs if numbers & set(_MENTION.findall(run.message.partition("\n")[0]))}
    return tuple(mine)
