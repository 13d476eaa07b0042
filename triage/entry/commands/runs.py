"""`triage run` and `triage pr`: the main job."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from triage.entry.commands.command import Command
from triage.entry.judging import Judging, add_settings
from triage.entry.options import (
    add_comparing,
    add_format,
    add_rules,
    add_source,
    looking_back,
    number,
    open_history,
    open_reads,
    output_width,
    wants_colour,
)
from triage.entry.output import show
from triage.entry.progress import make_progress
from triage.entry.publishing import add_publishing, check_publishing, publish_report, request_to_publish

if TYPE_CHECKING:
    import argparse

    from triage.model import Report
    from triage.source.request import Request

FAIL_ON_MET = 1


def _add_common(parser: argparse.ArgumentParser) -> None:
    from triage.model import Category

    add_source(parser)
    add_format(parser)
    add_rules(parser)
    add_settings(parser)
    add_comparing(parser)
    add_publishing(parser)
    parser.add_argument(
        "--fail-on",
        action="append",
        default=[],
        choices=[category.value for category in Category],
        metavar="CATEGORY",
        help="exit 1 when a job is in this category; may be given more than once",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_id", metavar="RUN_ID", type=number("run id"), help="the workflow run's number")
    _add_common(parser)


def _add_pull(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", metavar="NUMBER", type=number("pull request number"), help="the pull request")
    _add_common(parser)


def _run_run(arguments: argparse.Namespace) -> int:
    from triage.source.request import RunRequest

    return _triage(RunRequest(run_id=arguments.run_id), arguments)


def _run_pull(arguments: argparse.Namespace) -> int:
    from triage.source.request import PullRequestRequest

    return _triage(PullRequestRequest(number=arguments.number), arguments)


def _triage(request: Request, arguments: argparse.Namespace) -> int:
    from triage.app import triage
    from triage.history.keeping import remembered
    from triage.model import Category
    from triage.source.passing import Once

    check_publishing(arguments)
    judging = Judging(arguments)
    with make_progress() as progress, open_history(arguments) as store:
        reads = Once(open_reads(arguments, progress=progress))
        request = request_to_publish(request, reads, arguments)
        own = judging.by(request, remembered(reads, store))
        report = triage(
            request,
            reads,
            own.rules,
            settings=own.settings,
            gaps=own.gaps,
            limits=looking_back(own.settings, requests=arguments.look_back),
            store=store,
            progress=progress,
        )
    show(render(report, arguments.format), is_json=arguments.format == "json")
    publish_report(report, arguments, own.settings)
    wanted = {Category(name) for name in arguments.fail_on}
    return FAIL_ON_MET if any(job.category in wanted for job in report.jobs) else 0


def render(report: Report, format_name: str) -> str:
    """Write the report in one of `FORMATS`, ending with a newline."""
    if format_name == "json":
        from triage.render.json_report import render_json

        text = render_json(report)
    elif format_name == "markdown":
        from triage.render.markdown import render_markdown

        text = render_markdown(report, commands=False)
    else:
        from triage.render.terminal import render_terminal

        text = render_terminal(report, width=output_width(), colour=wants_colour(os.environ))
    return text if text.endswith("\n") else text + "\n"


COMMANDS = (
    Command(name="run", summary="Triage one workflow run.", add_arguments=_add_run, run=_run_run),
    Command(
        name="pr",
        summary="Triage a pull request: every workflow run at its head commit.",
        add_arguments=_add_pull,
        run=_run_pull,
    ),
)
