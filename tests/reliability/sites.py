"""Where GitHub is asked, and all that can go wrong there: one row each, held complete by `test_faults`."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.fakegithub.faults import (
    Cut,
    Drip,
    Dropped,
    Elsewhere,
    Forbidden,
    Gone,
    GzipBomb,
    Html,
    PrimaryLimit,
    SecondaryLimit,
    Stale,
    Status,
    TooMany,
    Unauthorized,
    WrongLength,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.fakegithub import FakeGitHub
    from tests.fakegithub.faults import Fault
    from triage.source import Reads
    from triage.source.acts import Acts

# `make reliability` tries every fault at every place in every way; `make test` all at each place in the cheapest way,
# and of what costs a whole triage each a part that holds every place and every fault.
IS_THOROUGH = bool(os.environ.get("TRIAGE_THOROUGH"))
EVERY = 1 if IS_THOROUGH else 4
DAY = 86_400
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
SIGNATURE = "s1gnature"

FAULTS: dict[str, Fault] = {
    "500": Status(status=500),
    "502": Status(status=502),
    "502 after the store": Status(status=502, stored=True),
    "503": Status(status=503),
    "504": Status(status=504),
    "401": Unauthorized(),
    "403 no permission": Forbidden(),
    "403 expired link": Status(status=403),
    "403 primary limit": PrimaryLimit(),
    "403 primary limit by a clock ahead of ours": PrimaryLimit(resets_in=DAY),
    "403 primary limit by a clock behind ours": PrimaryLimit(resets_in=-DAY),
    "403 secondary limit": SecondaryLimit(),
    "403 secondary limit for a day": SecondaryLimit(retry_after=DAY),
    "404": Gone(),
    "410": Status(status=410),
    "429": TooMany(),
    "429 for a moment": TooMany(retry_after=1),
    "429 for a day": TooMany(retry_after=DAY),
    "dropped": Dropped(),
    "dropped after the store": Dropped(stored=True),
    "slow": Drip(seconds=0.2),
    "cut": Cut(at=10),
    "cut by a byte": Cut(at=-1),
    "longer than told": WrongLength(by=-7),
    "shorter than told": WrongLength(by=100),
    "a web page": Html(),
    "elsewhere": Elsewhere(location=f"https://elsewhere.example/x?sig={SIGNATURE}"),
    "to the metadata service": Elsewhere(location=f"http://169.254.169.254/x?sig={SIGNATURE}"),
    "to a file": Elsewhere(location=f"file:///etc/passwd?sig={SIGNATURE}", status=301),
    "gzip bomb": GzipBomb(megabytes=20),
    "stale": Stale(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One method of `Reads`: a call of it, and the addresses it asks.

    Attributes:
        nothing_without: Whether a triage has nothing to report when this cannot be read.
    """

    call: Callable[[Reads, FakeGitHub], Any]
    addresses: tuple[str, ...]
    nothing_without: bool = False


def _run(fake: FakeGitHub) -> dict[str, Any]:
    return next(run for run in fake.state.all_runs() if run["event"] == "pull_request")


def _pull(fake: FakeGitHub) -> dict[str, Any]:
    return next(iter(fake.state.pulls.values()))


def _red(fake: FakeGitHub) -> dict[str, Any]:
    """Return a job that has annotations."""
    return next(job for job in fake.state.jobs.values() if fake.state.annotations.get(job["id"]))


def _logged(fake: FakeGitHub) -> dict[str, Any]:
    """Return a job that has a log."""
    return next(
        job
        for job in fake.state.jobs.values()
        if job["id"] in fake.state.logs and fake.state.logs[job["id"]].status == 200
    )


READS: dict[str, Site] = {
    "repository": Site(call=lambda reads, _: reads.repository(), addresses=("GET /repos/*/engine",)),
    "run": Site(
        call=lambda reads, fake: reads.run(_run(fake)["id"]),
        addresses=("GET */actions/runs/[0-9]*[0-9]",),
        nothing_without=True,
    ),
    "runs_at": Site(
        call=lambda reads, fake: reads.runs_at(_run(fake)["head_sha"]),
        addresses=("GET */actions/runs",),
        nothing_without=True,
    ),
    "jobs": Site(
        call=lambda reads, fake: reads.jobs(_run(fake)["id"]),
        addresses=("GET */actions/runs/*/jobs",),
        nothing_without=True,
    ),
    "annotations": Site(
        call=lambda reads, fake: reads.annotations(_red(fake)["id"]), addresses=("GET */check-runs/*/annotations",)
    ),
    "log": Site(
        call=lambda reads, fake: reads.log(_logged(fake)),
        addresses=("GET */actions/jobs/*/logs", "BLOB *", "GET */logs"),
    ),
    "pull": Site(
        call=lambda reads, fake: reads.pull(_pull(fake)["number"]),
        addresses=("GET */pulls/[0-9]*[0-9]",),
        nothing_without=True,
    ),
    "pulls_with_head": Site(
        call=lambda reads, fake: reads.pulls_with_head("acme-ml", _run(fake)["head_branch"]),
        addresses=("GET */pulls",),
    ),
    "pulls_of_commit": Site(
        call=lambda reads, fake: reads.pulls_of_commit(_run(fake)["head_sha"]), addresses=("GET */commits/*/pulls",)
    ),
    "files": Site(call=lambda reads, fake: reads.files(_pull(fake)["number"]), addresses=("GET */pulls/*/files",)),
    "compare": Site(
        call=lambda reads, fake: reads.compare("main", _run(fake)["head_sha"]), addresses=("GET */compare/*",)
    ),
    "file": Site(
        call=lambda reads, fake: reads.file(_run(fake)["path"], _run(fake)["head_sha"]),
        addresses=("GET */contents/*",),
    ),
    "runs_on": Site(
        call=lambda reads, _: reads.runs_on("main", workflow="ci.yml", since=LONG_AGO),
        addresses=("GET */actions/workflows/*/runs",),
    ),
    "failed_runs": Site(
        call=lambda reads, _: reads.failed_runs("ci.yml", event="pull_request", since=LONG_AGO),
        addresses=("GET */actions/workflows/*/runs",),
    ),
    "recent_pulls": Site(call=lambda reads, _: reads.recent_pulls(), addresses=("GET */pulls",)),
    "commits": Site(call=lambda reads, _: reads.commits("main"), addresses=("GET */commits",)),
}
ASK_NOTHING = frozenset({"requests_left", "repository_name"})

WRITES: dict[str, str] = {
    "own_id": "POST /graphql",
    "pull": "GET */pulls/*",
    "comments": "GET */issues/*/comments",
    "create_comment": "POST */issues/*/comments",
    "edit_comment": "PATCH */issues/comments/*",
    "delete_comment": "DELETE */issues/comments/*",
    "check_runs": "GET */commits/*/check-runs",
    "create_check_run": "POST */check-runs",
    "update_check_run": "PATCH */check-runs/*",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One method of `Acts`: a call of it, and the address it asks.

    Attributes:
        done: Counts what it did; None where it only asks.
    """

    call: Callable[[Acts, FakeGitHub], Any]
    address: str
    done: Callable[[FakeGitHub], int] | None = None


def _comment(fake: FakeGitHub) -> int:
    """Return the id of somebody's comment."""
    number = _pull(fake)["number"]
    return next(iter(fake.state.comments), 0) or fake.comment(number, author="passer-by", body="/triage rerun")


def _attempts(fake: FakeGitHub) -> int:
    return sum(run["run_attempt"] for run in fake.state.runs.values())


def _broken(fake: FakeGitHub) -> dict[str, Any]:
    run = _run(fake)
    return next(job for job in fake.state.jobs_of(run["id"]) if job["conclusion"] == "failure")


ACTS: dict[str, Act] = {
    "react": Act(
        call=lambda acts, fake: acts.react(_comment(fake), "eyes"),
        address="POST */issues/comments/*/reactions",
        done=lambda fake: sum(map(len, fake.state.reactions.values())),
    ),
    "standing": Act(call=lambda acts, _: acts.standing("passer-by"), address="GET */collaborators/*/permission"),
    "pull": Act(call=lambda acts, fake: acts.pull(_pull(fake)["number"]).head_sha, address="GET */pulls/[0-9]*[0-9]"),
    "run": Act(call=lambda acts, fake: acts.run(_run(fake)["id"]), address="GET */actions/runs/[0-9]*[0-9]"),
    "jobs": Act(call=lambda acts, fake: acts.jobs(_run(fake)["id"]), address="GET */actions/runs/*/jobs"),
    "rerun_failed": Act(
        call=lambda acts, fake: acts.rerun_failed(_run(fake)["id"]),
        address="POST */actions/runs/*/rerun-failed-jobs",
        done=_attempts,
    ),
    "rerun_job": Act(
        call=lambda acts, fake: acts.rerun_job(_broken(fake)["id"]),
        address="POST */actions/jobs/*/rerun",
        done=_attempts,
    ),
    "knows_label": Act(call=lambda acts, _: acts.knows_label("run-ci"), address="GET */labels/*"),
    "add_label": Act(
        call=lambda acts, fake: acts.add_label(_pull(fake)["number"], "run-ci"),
        address="POST */issues/*/labels",
        done=lambda fake: len(_pull(fake)["labels"]),
    ),
    "comments_since": Act(call=lambda acts, _: acts.comments_since(LONG_AGO), address="GET */issues/comments"),
}


def pairs(names: Sequence[str], *, every: int = EVERY) -> list[tuple[str, str]]:
    """Return each place with each fault, or every so many of them: still each place, and each fault."""
    return [
        (name, fault)
        for place, name in enumerate(names)
        for number, fault in enumerate(FAULTS)
        if (place + number) % every == 0
    ]


def methods_of(protocol: type) -> set[str]:
    """Return the methods that a protocol asks for; its properties ask nothing."""
    return {name for name, _ in inspect.getmembers(protocol, inspect.isfunction) if not name.startswith("_")}
