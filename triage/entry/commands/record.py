"""`triage record`: save everything a triage reads, so that it can be read again without network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from triage.entry.commands.command import Command
from triage.entry.judging import Judging, add_settings
from triage.entry.options import add_rules, add_source, looking_back, number, open_reads
from triage.entry.output import show
from triage.entry.progress import make_progress
from triage.errors import UsageError

if TYPE_CHECKING:
    import argparse


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("run_id", metavar="RUN_ID", nargs="?", type=number("run id"), help="a workflow run")
    what.add_argument("--pr", metavar="NUMBER", type=number("pull request number"), help="a pull request instead")
    parser.add_argument("--to", metavar="DIR", type=Path, required=True, help="a folder that is new or empty")
    parser.add_argument("--redact-hosts", action="store_true", help="replace the names of machines, too")
    add_source(parser)
    add_rules(parser)
    add_settings(parser)


def _run(arguments: argparse.Namespace) -> int:
    from triage.app import triage
    from triage.recorded import Recorder
    from triage.source.passing import Once
    from triage.source.request import PullRequestRequest, RunRequest

    folder: Path = arguments.to
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; give a new folder, so that two recordings do not mix")
    request = PullRequestRequest(number=arguments.pr) if arguments.pr else RunRequest(run_id=arguments.run_id)
    judging = Judging(arguments)
    with make_progress() as progress:
        recorder = Recorder(
            Once(open_reads(arguments, progress=progress)), folder, request=request, redact_hosts=arguments.redact_hosts
        )
        own = judging.by(request, recorder)
        report = triage(
            request,
            recorder,
            own.rules,
            settings=own.settings,
            gaps=own.gaps,
            limits=looking_back(own.settings),
            progress=progress,
        )
    show(f"recorded {len(report.runs)} runs with {len(report.jobs)} failed jobs in {folder}\n")
    return 0


COMMANDS = (
    Command(
        name="record",
        summary="Save everything a triage reads, secrets masked, as files that `--recorded` reads.",
        add_arguments=_add_arguments,
        run=_run,
    ),
)
