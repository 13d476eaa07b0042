"""Facts from elsewhere, as evidence: runs of the default branch, other pull requests, other attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.decide.hosts import is_hosted
from triage.decide.sentences import quoted
from triage.model import Conclusion, Evidence, EvidenceKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.decide.history import Baseline, History, Seen
    from triage.model import Failure, Sighting, Signature

MOST_RUNS = 3
MOST_PULLS = 10
MOST_COMMITS = 5


def facts(failure: Failure, history: History) -> tuple[Evidence, ...]:
    """Return where else the same failure was seen: the default branch first, then what mended it, then other changes.

    Each run and each pull request once, however many tests of it failed in the same way.
    """
    seen = history.of(failure)
    found = [fact for signature, one in seen for fact in _of_main(signature, one)]
    found += [_of_pull(sighting) for _, one in seen for sighting in one.pulls[:MOST_PULLS]]
    once: dict[tuple[EvidenceKind, int | None, int | None], Evidence] = {}
    for fact in found:
        once.setdefault((fact.kind, fact.number, fact.run_id), fact)
    return tuple(once.values())


def passes(failure: Failure, history: History) -> tuple[Evidence, ...]:
    """Return the newest run of the default branch that executed the same tests and passed, once for each such run."""
    newest = [next((one for one in seen.baselines if one.signature is None), None) for _, seen in history.of(failure)]
    found = {one.run_id: one for one in newest if one is not None}
    return tuple(_main_run(one, "the default branch executed the same test and passed") for one in found.values())


def attempt(sighting: Sighting) -> Evidence:
    """Return the same failure in another attempt of the same commit."""
    return Evidence(
        kind=EvidenceKind.ATTEMPT,
        text=f"failed in the same way in attempt {sighting.attempt}{_host(sighting.runner)}",
        url=sighting.url,
        run_id=sighting.run_id,
        job_id=sighting.job_id,
        when=sighting.at,
        runner=sighting.runner,
    )


def passed_attempts(failure: Failure, history: History) -> tuple[Evidence, ...]:
    """Return earlier attempts of the same commit in which the job passed, newest first."""
    earlier = history.earlier.get(failure.job.id, ())
    return tuple(
        Evidence(
            kind=EvidenceKind.ATTEMPT,
            text=f"the same job passed in attempt {job.run_attempt} of the same commit{_host(job.runner)}",
            url=job.url,
            run_id=job.run_id,
            job_id=job.id,
            when=job.completed_at,
            runner=job.runner,
        )
        for job in earlier
        if job.conclusion is Conclusion.SUCCESS
    )


def _of_main(signature: Signature, seen: Seen) -> Iterator[Evidence]:
    failures = seen.failures(signature)
    looked = len(seen.baselines)
    if failures:
        newest, oldest = failures[0], failures[-1]
        counted = f", in {len(failures)} of {looked} runs looked at" if looked > 1 and seen.complete else ""
        since = f", first seen {oldest.at.day} {oldest.at:%b}" if oldest is not newest else ""
        yield _main_run(newest, f"the same on the default branch{_host(newest.runner)}{counted}{since}")
    for one in failures[1:MOST_RUNS]:
        yield _main_run(one, f"the same on the default branch before{_host(one.runner)}")
    mended = seen.mended_by(signature) if failures else None
    if mended is not None:
        mend = f", mended{by}" if (by := _one_of(seen)) else ""
        yield _main_run(mended, f"has passed on the default branch since {quoted(mended.head_sha[:7])}{mend}")
    elif seen.commits is not None:
        before = next((one for one in seen.baselines if one.signature is None), None)
        if before is not None:
            breach = f", broken{by}" if (by := _one_of(seen)) else ""
            yield _main_run(before, f"last passed on the default branch at {quoted(before.head_sha[:7])}{breach}")


def _one_of(seen: Seen) -> str:
    """Name the commits among which the one lies that made the difference."""
    if seen.commits is None or not seen.commits.named:
        return ""
    shown = "; ".join(f"{quoted(sha[:7])} {quoted(title)}" for sha, title in seen.commits.named[-MOST_COMMITS:])
    count = seen.commits.count
    if count == 1:
        return f" by {shown}"
    more = f", the last of them {shown}" if count > MOST_COMMITS else f": {shown}"
    return f" by one of {count} commits{more}"


def _main_run(one: Baseline, text: str) -> Evidence:
    return Evidence(
        kind=EvidenceKind.MAIN_RUN,
        text=text,
        url=one.url,
        run_id=one.run_id,
        job_id=one.job_id,
        when=one.at,
        runner=one.runner,
    )


def _of_pull(sighting: Sighting) -> Evidence:
    return Evidence(
        kind=EvidenceKind.OTHER_PULL,
        text=f"the same on another pull request{_host(sighting.runner)}",
        url=sighting.url,
        run_id=sighting.run_id,
        job_id=sighting.job_id,
        number=sighting.pull_number,
        when=sighting.at,
        runner=sighting.runner,
    )


def _host(runner: str | None) -> str:
    return f", on {quoted(runner)}" if runner and not is_hosted(runner) else ""
