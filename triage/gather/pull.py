"""The pull request of a run, and what it changes.

`pull_requests` of a run is empty for forks, so it is looked for by branch and by commit. Nothing that the pull
request's own workflow wrote is ever asked: whoever opened it could name another one there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from triage.errors import TriageError
from triage.model import Gap
from triage.source.shapes import file_of, pull_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from triage.model import ChangedFile, PullRequest, Run
    from triage.source.protocol import JSON, Page, Reads

# GitHub gives no more files than this with a comparison.
MOST_COMPARED_FILES = 300
_OPEN = "open"


@dataclass(frozen=True, slots=True)
class FoundPull:
    """The pull request of a run as JSON, or None; and why there is none, where there should be one."""

    json: JSON | None
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A pull request with its place on the base branch, and the files it changes at the commit under triage."""

    pull: PullRequest | None = None
    files: tuple[ChangedFile, ...] | None = None
    gaps: tuple[Gap, ...] = ()


def find_pull(reads: Reads, run: Run, repository: str) -> FoundPull:
    """Find the pull request that a run belongs to.

    Args:
        reads: Asked for one to three things.
        run: The run.
        repository: Full name of the repository the run is in.
    """
    if len(run.pull_numbers) > 1:
        numbers = ", ".join(f"#{number}" for number in run.pull_numbers)
        return _none(f"the run belongs to more than one: {numbers}; ask for one of them by its number")
    try:
        if run.pull_numbers:
            return FoundPull(reads.pull(run.pull_numbers[0]))
        if not _comes_from_a_pull(run, repository):
            return FoundPull(None)
        return _looked_up(reads, run)
    except TriageError as error:
        return _none(str(error))


def _comes_from_a_pull(run: Run, repository: str) -> bool:
    is_fork = bool(run.head_repository) and run.head_repository.lower() != repository.lower()
    return is_fork or run.event.startswith("pull_request")


def _looked_up(reads: Reads, run: Run) -> FoundPull:
    owner = run.head_repository.partition("/")[0]
    lookups: list[Callable[[], Page]] = [lambda: reads.pulls_of_commit(run.head_sha)]
    if owner and run.head_branch:
        lookups.insert(0, lambda: reads.pulls_with_head(owner, run.head_branch))
    failed: TriageError | None = None
    for lookup in lookups:
        try:
            found = [pull for pull in lookup().items if _has_head(pull, run)]
        except TriageError as error:
            failed = error
            continue
        if len(found) == 1:
            return FoundPull(found[0])
        if found:
            numbers = ", ".join(f"#{pull.get('number')}" for pull in found)
            return _none(f"the run's commit is the head of more than one: {numbers}; ask for one by its number")
    if failed is not None:
        return _none(str(failed))
    return _none(f"none has commit {run.head_sha[:10]} as its head, or not any more")


def _has_head(pull: JSON, run: Run) -> bool:
    head = _object(pull, "head")
    repository_id = _object(head, "repo").get("id")
    return head.get("sha") == run.head_sha and run.head_repository_id in (None, repository_id)


def _none(why: str) -> FoundPull:
    return FoundPull(None, (Gap("pull request", why),))


def read_change(reads: Reads, json: JSON, head_sha: str) -> Change:
    """Read what a pull request changes at a commit.

    One comparison tells the merge base, how far the branch is behind, and up to 300 files; more files are asked for
    only where those are not all of them.

    Args:
        reads: Asked for one or two things.
        json: The pull request.
        head_sha: The commit under triage; not its head any more if it has moved on since.
    """
    pull = pull_of(json)
    gaps: list[Gap] = []
    # The base branch of a merged pull request holds it, so only where that branch was before tells what it changed.
    base = pull.base_ref if pull.state == _OPEN and pull.base_ref else pull.base_sha
    comparison: JSON = {}
    try:
        comparison = reads.compare(base, head_sha)
    except TriageError as error:
        gaps.append(Gap(f"comparison with {pull.base_ref}", str(error)))
    merge_base, behind_by = _object(comparison, "merge_base_commit").get("sha"), comparison.get("behind_by")
    placed = replace(
        pull,
        merge_base=merge_base if isinstance(merge_base, str) else None,
        behind_by=behind_by if isinstance(behind_by, int) else None,
    )
    has_moved = bool(pull.head_sha) and pull.head_sha != head_sha
    if has_moved:
        gaps.append(
            Gap(
                "newer commits", f"the pull request has moved on to {pull.head_sha[:10]}; this is about {head_sha[:10]}"
            )
        )
    counted = json.get("changed_files") if not has_moved else None
    files = _compared_files(comparison, counted if isinstance(counted, int) else None)
    if files is None and not has_moved:
        files, missing = _listed_files(reads, pull.number)
        gaps += missing
    elif files is None:
        gaps.append(Gap("changed files", f"GitHub does not list all files of a comparison with {head_sha[:10]}"))
    return Change(placed, files, tuple(gaps))


def _compared_files(comparison: JSON, counted: int | None) -> tuple[ChangedFile, ...] | None:
    """Return the files of a comparison if they are surely all of them."""
    listed = comparison.get("files")
    if not isinstance(listed, list) or not listed:
        return None
    is_whole = len(listed) == counted if counted is not None else len(listed) < MOST_COMPARED_FILES
    return _files(listed) if is_whole else None


def _listed_files(reads: Reads, number: int) -> tuple[tuple[ChangedFile, ...] | None, tuple[Gap, ...]]:
    try:
        page = reads.files(number)
        if page.is_whole:
            return _files(page.items), ()
        why = f"GitHub lists only {len(page.items)} of {page.total_count}; what is not in the list proves nothing"
    except TriageError as error:
        why = str(error)
    return None, (Gap("changed files", why),)


def _files(items: Iterable[JSON]) -> tuple[ChangedFile, ...]:
    return tuple(file_of(item) for item in items)


def _object(json: JSON, key: str) -> JSON:
    value = json.get(key)
    return value if isinstance(value, dict) else {}
