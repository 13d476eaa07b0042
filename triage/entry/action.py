"""The Action: the event that GitHub wrote into a file, and the environment, to one report where people look for it.

Run as `python -I -m triage.entry.action`: isolated, so that nothing in the workspace can stand in for a module (T1).
A failure of ours turns nothing red unless the workflow says `strict: true`; then the exit code is that of the command
line. `fail-on` is the workflow's own wish, and always holds.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from triage.entry.boundary import OUR_FAULT, crash_report
from triage.entry.called import Called, command, tell
from triage.entry.inputs import read_inputs
from triage.entry.options import looking_back
from triage.entry.publishing import leave_files, publish_settings
from triage.errors import ProviderError, TriageError, UsageError
from triage.history.opening import OFF, open_store
from triage.model import Gap
from triage.render.annotations import render_annotations
from triage.render.words import plural
from triage.settings import When
from triage.source.request import PullRequestRequest, RunRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.history.store import Store
    from triage.model import Report, Run
    from triage.settings import Settings
    from triage.source.request import Request

FAIL_ON_MET: Final = 1
# GitHub sends no larger event.
MOST_EVENT_BYTES: Final = 25 * 1024 * 1024
_PULL_REQUEST_EVENTS: Final = frozenset({"pull_request", "pull_request_target"})


# --------------------------------------------------------------------------------------------------------------------
# From an event to a report


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Do what the event asks for, and return the exit code of the step."""
    is_strict = environment.get("TRIAGE_STRICT", "").strip().lower() == "true"
    try:
        return _strictly(called := _read_call(environment), _act(called))
    except TriageError as error:
        return _not_done(str(error), error.exit_code, environment, is_strict=is_strict)
    except Exception as error:  # noqa: BLE001  the boundary: whatever breaks in us must not turn a change red
        tell(f"triage: {crash_report()}")
        why = f"this is a mistake in triage itself ({type(error).__name__}), and no verdict on the change"
        return _not_done(why, OUR_FAULT, environment, is_strict=is_strict)


def _strictly(called: Called, code: int) -> int:
    """Return the exit code, which with `strict` says that the repository's own files are wrong."""
    return code or (UsageError.exit_code if called.inputs.strict and called.problems else 0)


def _not_done(why: str, code: int, environment: Mapping[str, str], *, is_strict: bool) -> int:
    from triage.publish import RunnerFiles

    command("error" if is_strict else "warning", f"No triage: {why}", title="CI triage")
    RunnerFiles.from_environment(environment).write_outputs(
        {"verdict": "", "counts-json": "", "comment-url": "", "report-path": "", "partial": "true"}
    )
    return code if is_strict else 0


def _read_call(environment: Mapping[str, str]) -> Called:
    return Called(
        name=environment.get("GITHUB_EVENT_NAME", ""),
        event=_read_event(environment.get("GITHUB_EVENT_PATH", "")),
        environment=environment,
        inputs=read_inputs(environment),
    )


def _read_event(path: str) -> Mapping[str, Any]:
    if not path:
        return {}
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_EVENT_BYTES + 1)
        event = json.loads(data) if len(data) <= MOST_EVENT_BYTES else None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"the event file {path} cannot be read: {error}") from error
    if not isinstance(event, dict):
        raise UsageError(f"the event file {path} holds no event")
    return event


def _act(called: Called) -> int:
    if called.name == "issue_comment":
        from triage.entry.command import handle

        token = {"GH_TOKEN": called.inputs.token}
        return handle(called.event, {**called.environment, **token}, now=datetime.now(UTC))
    if called.inputs.sweep or (called.name == "schedule" and called.inputs.run_id is None):
        return _sweep(called)
    request, gaps = _request(called)
    return _exit_code(called, _triage(called, request, gaps))


def _exit_code(called: Called, report: Report) -> int:
    return FAIL_ON_MET if any(job.category in called.inputs.fail_on for job in report.jobs) else 0


def _request(called: Called) -> tuple[Request, tuple[Gap, ...]]:
    """Return what to triage: the whole pull request of the run, for the comment speaks of all its workflows.

    Raises:
        UsageError: nothing says which run is meant.
    """
    from triage.gather.pull import find_pull
    from triage.source.shapes import pull_of, run_of

    pull = called.event.get("pull_request")
    if called.name in _PULL_REQUEST_EVENTS and called.inputs.run_id is None and isinstance(pull, dict):
        return PullRequestRequest(int(pull["number"])), ()
    told = called.event.get("workflow_run")
    wanted = called.inputs.run_id
    if called.name == "workflow_run" and isinstance(told, dict) and wanted in {None, told.get("id")}:
        run = run_of(dict(told))
    elif wanted is not None:
        run = run_of(called.reads.run(wanted))
    else:
        raise UsageError(
            f"nothing says which run is meant; give the input `run-id` on a {called.name or 'manual'} event"
        )
    gaps = _attempt_gap(run, called.inputs.attempt)
    if len(run.pull_numbers) == 1:
        return PullRequestRequest(run.pull_numbers[0]), gaps
    found = find_pull(called.reads, run, called.repository)
    if found.json is not None:
        return PullRequestRequest(pull_of(found.json).number), gaps
    return RunRequest(run.id), gaps


def _attempt_gap(run: Run, wanted: int | None) -> tuple[Gap, ...]:
    if wanted is None or run.attempt >= wanted:
        return ()
    why = f"GitHub shows only attempt {run.attempt} yet; the sweep will see it"
    return (Gap(f"attempt {wanted} of run {run.id}", why, hides_jobs=True),)


def _triage(called: Called, request: Request, gaps: tuple[Gap, ...] = ()) -> Report:
    """Triage, and put the report where it is looked for; the annotations first, then what needs GitHub."""
    from triage.app import triage

    own, settings = called.own, _settled(called)
    tell(f"triage of {request}")
    store = _open_store(settings, called.environment)
    try:
        report = triage(
            request,
            called.reads,
            own.rules,
            settings=settings,
            gaps=(*own.gaps, *gaps),
            limits=looking_back(settings),
            store=store,
        )
    finally:
        if store is not None and not isinstance(store, Gap):
            store.close()
    sys.stdout.write(render_annotations(report))
    sys.stdout.flush()
    _publish(called, report, settings)
    return report


def _open_store(settings: Settings, environment: Mapping[str, str]) -> Store | Gap | None:
    try:
        return open_store(settings.history, environment)
    except UsageError as error:  # a triage without a history is worth more than none
        return Gap("history", str(error))


def _settled(called: Called) -> Settings:
    """Return the settings with what the workflow says instead."""
    inputs, settings = called.inputs, called.own.settings
    return replace(
        settings,
        comment=inputs.comment or settings.comment,
        max_logs=inputs.max_logs or settings.max_logs,
        history=inputs.history or settings.history or OFF,
    )


def _publish(called: Called, report: Report, settings: Settings) -> None:
    from triage.publish import publish

    if called.inputs.dry_run or settings.comment is When.OFF:
        _leave_files(called, report)
    if settings.comment is When.OFF:
        tell("no comment: it is switched off")
        return
    result = publish(
        report,
        called.writes,
        settings=publish_settings(settings, check_run=called.inputs.check_run),
        files=called.files,
        dry_run=called.inputs.dry_run,
    )
    for sentence in result.sentences:
        tell(sentence)


def _leave_files(called: Called, report: Report) -> None:
    """Leave the report where it is left without a comment, too."""
    for trouble in leave_files(report, called.files):
        command("warning", trouble, title="CI triage")


# --------------------------------------------------------------------------------------------------------------------
# The sweep


def _sweep(called: Called) -> int:
    """Triage the pull requests that events missed; one that cannot be read does not keep the others from it."""
    from triage.entry.sweep import missed

    settings = _settled(called)
    if settings.comment is When.OFF:
        tell("no sweep: comments are switched off")
        return 0
    code = done = 0
    for number in missed(called.reads, called.writes, key=settings.comment_key, now=datetime.now(UTC)):
        try:
            code = max(code, _exit_code(called, _triage(called, PullRequestRequest(number))))
            done += 1
        except ProviderError as error:
            command("warning", f"pull request #{number}: {error}", title="CI triage")
    tell(f"swept: {plural(done, 'pull request')} triaged")
    return code


if __name__ == "__main__":
    sys.exit(main())
