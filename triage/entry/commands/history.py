"""`triage history`: fill, show and prune what is remembered from one triage to the next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from triage.entry.commands.command import Command
from triage.entry.days import today
from triage.entry.judging import Judging, add_settings
from triage.entry.options import add_rules, add_source, number, open_reads
from triage.entry.output import show
from triage.entry.progress import make_progress

if TYPE_CHECKING:
    import argparse

    from triage.gather.sync import Synced
    from triage.history.records import BranchSummary, Summary, TopSignature
    from triage.history.store import Store

DAYS = 14
REQUESTS = 300
KEEP_DAYS = 90
TOP = 10
WIDEST = 160
LONGEST_DAYS = 36_500

_KINDS = {1: "default branch", 2: "pull requests", 3: "other branches"}


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    sync = commands.add_parser("sync", help="read what a branch did lately; goes on where it stopped")
    sync.add_argument("--branch", metavar="NAME", help="the branch (default: the default branch)")
    sync.add_argument(
        "--days", metavar="N", type=number("number of days"), default=DAYS, help="how far back (default: %(default)s)"
    )
    sync.add_argument(
        "--max-requests",
        metavar="N",
        type=number("number of requests"),
        default=REQUESTS,
        help="stop after so many requests (default: %(default)s)",
    )
    add_source(sync)
    add_rules(sync)
    add_settings(sync)
    _add_history(sync)
    sync.set_defaults(history_run=_sync)
    show = commands.add_parser("show", help="show what is kept, and what fails most")
    show.add_argument(
        "--top", metavar="N", type=number("number of failures"), default=TOP, help="how many (default: %(default)s)"
    )
    show.add_argument("--format", choices=("text", "json"), default="text", help="how to print it (default: text)")
    _add_history(show)
    show.set_defaults(history_run=_show)
    prune = commands.add_parser("prune", help="remove runs that are older than some days, and give the space back")
    prune.add_argument(
        "--days",
        metavar="N",
        type=number("number of days"),
        default=KEEP_DAYS,
        help="keep what is not older (default: %(default)s)",
    )
    _add_history(prune)
    prune.set_defaults(history_run=_prune)


def _add_history(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--history", metavar="PATH|URL", help="where it is kept (default: a file in your own data folder)"
    )


def _run(arguments: argparse.Namespace) -> int:
    return int(arguments.history_run(arguments))


def _sync(arguments: argparse.Namespace) -> int:
    from triage.classify import make_scanner
    from triage.gather.sync import sync
    from triage.history.keeping import reader_of
    from triage.history.opening import require_store
    from triage.source.passing import Once

    judging = Judging(arguments)
    with require_store(arguments.history) as store, make_progress() as progress:
        reads = Once(open_reads(arguments, progress=progress))
        own = judging.of_repository(reads)
        rules = own.rules.on(today())
        done = sync(
            reads,
            store,
            rules,
            make_scanner(rules),
            settings=own.settings,
            reader=reader_of(rules, own.settings),
            since=_days_ago(arguments.days),
            most_requests=arguments.max_requests,
            branch=arguments.branch,
            progress=progress,
        )
    show("\n".join(synced_lines(done)) + "\n")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from triage.history.opening import require_store

    with require_store(arguments.history) as store:
        summaries, name = store.summary(top=arguments.top), store.name
    if arguments.format == "json":
        import json

        show(json.dumps([summary_json(one) for one in summaries], indent=2) + "\n", is_json=True)
        return 0
    lines = [line for one in summaries for line in summary_lines(one)]
    show("\n".join(lines or [f"nothing is kept in {name} yet"]) + "\n")
    return 0


def _prune(arguments: argparse.Namespace) -> int:
    from triage.history.opening import require_store

    oldest = _days_ago(arguments.days)
    with require_store(arguments.history) as store:
        gone = store.prune(oldest)
        freed = _give_back(store)
    show(
        f"removed {gone.runs} runs from before {oldest:%Y-%m-%d} with {gone.jobs} jobs and {gone.failures} failures, "
        f"and {gone.signatures} signatures that were not seen since; {freed}\n"
    )
    return 0


def _give_back(store: Store) -> str:
    """Give back the space of what was removed, and say what came of it: that it cannot be had now ends nothing."""
    from triage.errors import HistoryUnavailable

    try:
        freed = store.give_back()
    except HistoryUnavailable as error:
        return f"the file stays as large as it is, because {error}; what is added next uses the space"
    if freed is None:
        return "the server uses the space again"
    return f"the file is {freed / 1e6:,.1f} MB smaller"


def _days_ago(days: int) -> datetime:
    return datetime.now(UTC) - timedelta(days=min(days, LONGEST_DAYS))


def synced_lines(done: Synced) -> list[str]:
    """Say what a sync did, and whether there is more to do."""
    told = f"{done.listed} runs listed, {done.known} known before, {done.read} read with {done.logs} logs"
    lines = [f"{done.repository}: {told}, in {done.requests} requests"]
    if done.left:
        lines.append(f"{done.left} runs are left: run it again, or give more --max-requests")
    return lines + [f"not read: {gap}" for gap in done.gaps]


def summary_lines(summary: Summary) -> list[str]:
    """Write what is kept of one repository, for a person."""
    lines = [summary.repository]
    lines += [_branch_line(branch) for branch in summary.branches]
    if summary.signatures:
        lines.append("  seen most often:")
    return lines + [_signature_line(top) for top in summary.signatures]


def _branch_line(branch: BranchSummary) -> str:
    dated = f", {branch.oldest:%Y-%m-%d} to {branch.newest:%Y-%m-%d}" if branch.oldest and branch.newest else ""
    return (
        f"  {_KINDS[branch.kind]:<15} {branch.runs:>7} runs {branch.jobs:>8} jobs {branch.failures:>7} failures{dated}"
    )


def _signature_line(top: TopSignature) -> str:
    from triage.render.foreign_text import shown_line

    text = shown_line(" · ".join(part for part in top.signature.parts if part), limit=WIDEST)
    return (
        f"  {top.sightings:>6} times, {top.on_default} on the default branch, on {top.pulls} pull requests, "
        f"last {top.newest:%Y-%m-%d %H:%M}: {text}"
    )


def summary_json(summary: Summary) -> dict[str, Any]:
    """Write what is kept of one repository, for machines."""
    return {
        "repository": summary.repository,
        "branches": [
            {
                "kind": branch.kind.name.lower(),
                "runs": branch.runs,
                "jobs": branch.jobs,
                "failures": branch.failures,
                "oldest": _time(branch.oldest),
                "newest": _time(branch.newest),
            }
            for branch in summary.branches
        ],
        "signatures": [
            {
                "kind": top.signature.kind,
                "parts": list(top.signature.parts),
                "version": top.signature.version,
                "sightings": top.sightings,
                "on_default": top.on_default,
                "pulls": top.pulls,
                "newest": _time(top.newest),
            }
            for top in summary.signatures
        ],
    }


def _time(time: datetime | None) -> str | None:
    return None if time is None else f"{time:%Y-%m-%dT%H:%M:%SZ}"


COMMANDS = (
    Command(
        name="history",
        summary="Fill, show and prune what is remembered from one triage to the next.",
        add_arguments=_add_arguments,
        run=_run,
    ),
)
