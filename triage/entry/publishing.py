"""`--post` and `--dry-run`: what is published, and what is said about it."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from typing import TYPE_CHECKING

from triage.entry.options import find_target, find_token
from triage.entry.progress import make_progress
from triage.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from triage.model import Report
    from triage.publish.comment import Pace
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


def printable(text: str, format_name: str, environment: Mapping[str, str]) -> str:
    """Return what may be printed: in Actions the runner obeys commands in what it reads, and logs are full of them.

    JSON stays as it is, for the program behind the pipe; so does what goes to a file, which no runner reads.
    """
    if not _in_actions(environment) or format_name == "json" or _goes_to_a_file():
        return text
    from triage.render.annotations import without_commands

    return without_commands(text, token=secrets.token_hex(16))


def _in_actions(environment: Mapping[str, str]) -> bool:
    return environment.get("GITHUB_ACTIONS") == "true"


def _goes_to_a_file() -> bool:
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def publish_report(report: Report, arguments: argparse.Namespace, *, pace: Pace | None = None) -> None:
    """Publish a report if that is wanted, and say on stderr what came of it.

    Raises:
        UsageError: there is no token.
    """
    if not (arguments.post or arguments.dry_run):
        return
    sys.stdout.flush()  # the report is there before we wait for GitHub
    if arguments.recorded is not None:
        _tell(_without_asking(report))
        return
    from triage.github import connect_writes
    from triage.publish import Pace, PublishSettings, RunnerFiles, publish

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
            settings=PublishSettings(pace=pace or Pace()),
            files=RunnerFiles.from_environment(os.environ),
            dry_run=arguments.dry_run,
        )
    if _in_actions(os.environ) and not arguments.dry_run:
        from triage.render.annotations import render_annotations

        # The runner reads commands from stderr as well, and stdout is the report's alone.
        sys.stderr.write(render_annotations(report))
    _tell(*result.sentences)


def _without_asking(report: Report) -> str:
    """Say what would be published, as far as that can be told without knowing what stands there."""
    from triage.publish.draft import CommentSettings, draft_of

    draft = draft_of(report, CommentSettings())
    if draft is None:
        return "no comment: the run belongs to no pull request"
    if not draft.is_wanted:
        return f"would edit our comment on pull request #{draft.number}, if there is one; nothing failed"
    size = len(draft.body.encode())
    return f"would write our comment on pull request #{draft.number}, new or again: {size:,} bytes"


def _tell(*sentences: str) -> None:
    for sentence in sentences:
        print(f"triage: {sentence}", file=sys.stderr)
