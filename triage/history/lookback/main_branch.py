"""The default branch: did it execute the same test or step, and with which result (law 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from triage.decide import Baseline, Seen, Trend
from triage.history.lookback.commits import with_commits
from triage.history.lookback.past import in_turn
from triage.history.lookback.questions import Between, JobsOf, LogOf, RunsOnMain
from triage.history.lookback.runs import is_trusted, is_under_triage, telling_runs
from triage.history.lookback.slots import Slot, Unsure, judge, slots_of
from triage.history.lookback.told import needles_of
from triage.history.lookback.wanted import by_workflow
from triage.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from triage.history.lookback.past import Past
    from triage.history.lookback.told import Needles
    from triage.history.lookback.wanted import Wanted
    from triage.model import Facts, Run, Signature

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class MainBranch:
    """What the default branch showed.

    Attributes:
        seen: By signature; nothing of other pull requests yet.
        runs: All its finished runs that were listed, newest first.
        gaps: What is not there to be looked at.
    """

    seen: Mapping[Signature, Seen]
    runs: tuple[Run, ...] = ()
    gaps: tuple[Gap, ...] = ()


def look_at_main(past: Past, wanted: Sequence[Wanted], facts: Facts, since: datetime) -> MainBranch:
    """Look for every failure on the default branch: one list a workflow, jobs of runs that tell, logs of red jobs."""
    groups = by_workflow(wanted)
    lists = {name: RunsOnMain(facts.repository.default_branch, name, since) for name in groups}
    past.ask(lists.values())
    runs = {name: _trusted_runs(past.get(question), facts) for name, question in lists.items()}
    chosen = {
        name: telling_runs(runs[name] or (), with_passes=any(one.is_code for one in group))
        for name, group in groups.items()
    }
    past.ask(in_turn([[JobsOf(run) for run in choice] for choice in chosen.values()]))

    needles = {name: _needles(group, facts) for name, group in groups.items()}
    trails = [
        _trail(past, signature, group, chosen[name], needles[name])
        for name, group in groups.items()
        for signature in dict.fromkeys(signature for one in group for signature in one.signatures)
        if runs[name] is not None
    ]
    past.ask(in_turn([[slot.logs[0] for slot in trail.slots if slot.logs] for trail in trails]))
    past.ask(log for trail in trails for slot in trail.slots if not _is_found(past, slot) for log in slot.logs)
    found = [(trail, _seen(past, trail)) for trail in trails]
    past.ask(log for trail, seen in found for log in _passes_to_prove(trail, seen))
    proven = {trail.signature: _proven(past, trail, seen) for trail, seen in found}
    listed = tuple(run for name in groups for run in runs[name] or ())
    return MainBranch(
        seen=with_commits(past, _placed(past, proven, listed, facts), facts),
        runs=listed,
        gaps=tuple(_empty_lists(groups, runs, facts)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trail:
    """One signature through the runs of the default branch, newest first; `is_whole`: none of them was left out."""

    signature: Signature
    test: str | None
    slots: tuple[Slot, ...]
    needles: Needles


def _trusted_runs(listed: tuple[Run, ...] | None, facts: Facts) -> tuple[Run, ...] | None:
    """Keep the branch's own runs; None when they could not be listed."""
    if listed is None:
        return None
    kept = [run for run in listed if is_trusted(run, facts) and not is_under_triage(run, facts)]
    return tuple(sorted(kept, key=lambda run: (run.created_at or _LONG_AGO, run.id), reverse=True))


def _empty_lists(
    groups: Mapping[str, Sequence[Wanted]], runs: Mapping[str, tuple[Run, ...] | None], facts: Facts
) -> Iterator[Gap]:
    branch = facts.repository.default_branch
    for name, group in groups.items():
        if runs[name] == () and any(one.is_code for one in group):
            yield Gap(
                f"{group[0].run.workflow} on {branch}", f"no run of it on {branch} within the window to compare with"
            )


def _needles(group: Sequence[Wanted], facts: Facts) -> Needles:
    changed = frozenset(path for file in facts.files or () for path in (file.path, file.previous_path) if path)
    return needles_of((test for one in group for test in one.tests.values()), changed)


def _trail(past: Past, signature: Signature, group: Sequence[Wanted], runs: Sequence[Run], needles: Needles) -> _Trail:
    same = [one for one in group if signature in one.signatures]
    tests = [one.tests[signature].id for one in same if signature in one.tests]
    slots = [slot for run in runs for slot in slots_of(run, past.get(JobsOf(run)), signature, same, needles)]
    return _Trail(signature=signature, test=tests[0] if tests else None, slots=tuple(slots), needles=needles)


def _is_found(past: Past, slot: Slot) -> bool:
    told = past.get(slot.logs[0]) if slot.logs else None
    return told is not None and told.shows(slot.signature)


def _seen(past: Past, trail: _Trail) -> Seen:
    """Judge slot by slot, and stop where one cannot be told: what lies behind it would be out of order."""
    baselines: list[Baseline] = []
    complete = True
    for slot in trail.slots:
        result = judge(past, slot, trail.test)
        if isinstance(result, Baseline):
            baselines.append(result)
        elif isinstance(result, Unsure):
            if baselines and complete:
                break
            complete = False
    return Seen(baselines=tuple(baselines), complete=complete)


def _key_pass(trail: _Trail, seen: Seen) -> Baseline | None:
    """Return the pass on which an answer hangs: the one that mended it, or the newest where it never failed.

    Only for tests: a step that passed was executed, a test need not have been in it.
    """
    if trail.test is None or not seen.complete:
        return None
    if seen.failures(trail.signature):
        return seen.mended_by(trail.signature)
    return next((one for one in seen.baselines if one.signature is None), None)


def _passes_to_prove(trail: _Trail, seen: Seen) -> Iterator[LogOf]:
    key = _key_pass(trail, seen)
    for slot in trail.slots if key is not None else ():
        jobs = (*slot.passes, *(log.job for log in slot.logs))
        yield from (LogOf(job, trail.needles) for job in jobs if key is not None and job.id == key.job_id)


def _proven(past: Past, trail: _Trail, seen: Seen) -> Seen:
    """Let passes count only when the log of the one that matters names the test."""
    if _key_pass(trail, seen) is None:
        return seen
    told = [past.get(question) for question in _passes_to_prove(trail, seen)]
    if any(one is not None and trail.test in one.executed for one in told):
        return seen
    kept = tuple(one for one in seen.baselines if one.signature is not None)
    return replace(seen, baselines=kept, complete=False)


def _placed(past: Past, proven: Mapping[Signature, Seen], runs: Sequence[Run], facts: Facts) -> dict[Signature, Seen]:
    """Say of each commit that mended something whether the branch under triage holds it."""
    mends = {
        signature: mend
        for signature, seen in proven.items()
        if seen.trend(signature) is Trend.MENDED and (mend := seen.mended_by(signature)) is not None
    }
    ages = _ages(runs)
    base = facts.pull.merge_base if facts.pull else None
    head = facts.runs[0].head_sha if facts.runs else ""
    unknown = {mend.head_sha for mend in mends.values() if _is_in_base(mend.head_sha, base, ages) is None}
    past.ask(Between(sha, head) for sha in sorted(unknown))
    placed = dict(proven)
    for signature, mend in mends.items():
        known = _is_in_base(mend.head_sha, base, ages)
        comparison = past.get(Between(mend.head_sha, head))
        if known is None and comparison is not None:
            known = comparison.behind_by == 0
        seen = proven[signature]
        marked = tuple(replace(one, in_branch=known) if one is mend else one for one in seen.baselines)
        placed[signature] = replace(seen, baselines=marked)
    return placed


def _ages(runs: Sequence[Run]) -> Mapping[str, datetime]:
    """Return when each commit was pushed to the branch, by the runs its push began."""
    pushed = [run for run in runs if run.event == "push" and run.created_at is not None]
    return {run.head_sha: run.created_at for run in reversed(pushed) if run.created_at is not None}


def _is_in_base(sha: str, base: str | None, ages: Mapping[str, datetime]) -> bool | None:
    """Whether a commit lies in the branch's base, by the order of pushes; None where that does not tell."""
    if base is None or sha not in ages or base not in ages:
        return None
    return sha == base or (None if ages[sha] <= ages[base] else False)
