"""`--post` and `--dry-run`: what is published, and what is said about it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from triage.entry.options import find_target, find_token
from triage.entry.output import in_actions, say
from triage.entry.progress import make_progress
from triage.errors import UsageError
from triage.settings import PLACE

if TYPE_CHECKING:
    import argparse

    from triage.model import Report
    from triage.publish import CommentSettings, PublishSettings, RunnerFiles
    from triage.settings import Settings
    from triage.source import Reads
    from triage.source.request import Request


def add_publishing(parser: argparse.ArgumentParser) -> None:
    """Add `--post` and `--dry-run`."""
    parser.add_argument(
        "--post",
        action="store_true",
        help="keep one comment on the pull request that says this; in Actions, write the step summary and outputs, too",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what --post would write")


def check_publishing(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be done, before anything is read.

    Raises:
        UsageError: a recording cannot be written to.
    """
    if arguments.post and not arguments.dry_run and arguments.recorded is not None:
        raise UsageError("--post writes to GitHub and --recorded asks nobody: add --dry-run, or leave out one of them")


def request_to_publish(request: Request, reads: Reads, arguments: argparse.Namespace) -> Request:
    """Return what to triage: for a comment, a run together with all others of its pull request.

    The comment speaks of the whole pull request; one run alone would hide what the others found.
    """
    from triage.gather.pull import find_pull
    from triage.source.request import PullRequestRequest, RunRequest
    from triage.source.shapes import pull_of, run_of

    if not isinstance(request, RunRequest) or not (arguments.post or arguments.dry_run):
        return request
    json = reads.run(request.run_id)
    run = run_of(json)
    inside = json.get("repository")
    name = inside.get("full_name") if isinstance(inside, dict) else None
    found = find_pull(reads, run, str(name or run.head_repository)).json
    return PullRequestRequest(pull_of(found).number) if found is not None else request


def publish_settings(settings: Settings, *, check_run: bool = False) -> PublishSettings:
    """Return how the repository wants to be told, in the words of `triage.publish`."""
    from triage.publish import CommentSettings, OnWorse, Pace, PublishSettings
    from triage.settings import When

    return PublishSettings(
        comment=CommentSettings(
            key=settings.comment_key,
            on_worse=OnWorse(settings.on_worse),
            when_green=settings.comment is When.ALWAYS,
            commands=settings.names_commands,
        ),
        pace=Pace(lag=settings.verify_after),
        check_run=check_run,
    )


def leave_files(report: Report, files: RunnerFiles) -> tuple[str, ...]:
    """Leave summary, outputs and report where a runner takes them from, without a comment; return what went wrong."""
    from triage.publish.runner import outputs_of

    troubles = (
        files.write_summary(report),
        files.write_outputs(outputs_of(report, report_path=files.write_report(report))),
    )
    return tuple(filter(None, troubles))


def publish_report(report: Report, arguments: argparse.Namespace, settings: Settings) -> None:
    """Publish a report if that is wanted, and say on stderr what came of it.

    Args:
        report: What to say.
        arguments: Of the command line.
        settings: How the repository wants to be told.

    Raises:
        UsageError: there is no token.
    """
    if not (arguments.post or arguments.dry_run):
        return
    from triage.settings import When

    sys.stdout.flush()  # the report is there before we wait for GitHub
    if settings.comment is When.OFF:
        _leave_comment_out(report, arguments)
        return
    if arguments.recorded is not None:
        say(_without_asking(report, publish_settings(settings).comment))
        return
    from triage.github import connect_writes
    from triage.publish import RunnerFiles, publish

    target = find_target(arguments.repo, os.environ)
    with (
        make_progress() as progress,
        connect_writes(
            report.repository.full_name, token=find_token(os.environ), api_url=target.api_url, progress=progress
        ) as writes,
    ):
        progress("publishing")
        result = publish(
            report,
            writes,
            settings=publish_settings(settings),
            files=RunnerFiles.from_environment(os.environ),
            dry_run=arguments.dry_run,
        )
    if in_actions() and not arguments.dry_run:
        from triage.render.annotations import render_annotations

        # The runner reads commands from stderr as well, and stdout is the report's alone.
        sys.stderr.write(render_annotations(report))
    say(*result.sentences)


def _leave_comment_out(report: Report, arguments: argparse.Namespace) -> None:
    from triage.publish import RunnerFiles

    say(f"no comment: {PLACE} switches comments off; with --no-settings there is one all the same")
    if not arguments.dry_run:
        say(*leave_files(report, RunnerFiles.from_environment(os.environ)))


def _without_asking(report: Report, settings: CommentSettings) -> str:
    """Say what would be published, as far as that can be told without knowing what stands there."""
    from triage.publish.draft import draft_of

    draft = draft_of(report, settings)
    if draft is None:
        return "no comment: the run belongs to no pull request"
    if not draft.is_wanted:
        return f"would edit our comment on pull request #{draft.number}, if there is one; nothing failed"
    size = len(draft.body.encode())
    return f"would write our comment on pull request #{draft.number}, new or again: {size:,} bytes"
