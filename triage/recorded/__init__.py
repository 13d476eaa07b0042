"""Recorded runs: a folder of plain files that answers every read as GitHub did, without network.

A recording is GitHub's own JSON (REST API, version 2022-11-28), pretty-printed, one object or list a file, plus the
raw logs. It is meant to be read and edited by people; the same folders are fixtures of the tests and the demo.

    recording.yaml                         version: 1, repository: owner/name, request: {pull: 7} or {run: 123}, note
    repository.json                        GET /repos/{owner}/{repo}
    runs/<run id>.json                     one workflow run, as of its newest attempt
    runs/<run id>/jobs.json                {"total_count": n, "jobs": [...]}, jobs of all attempts
    heads/<sha>/runs.json                  {"total_count": n, "workflow_runs": [...]}, newest first
    annotations/<check run id>.json        [...]
    logs/<job id>.log                      the raw log; or .log.gz, or:
    logs/<job id>.missing.yaml             {status: 404, state: absent, why: one sentence}; without the last
                                           two they are told from the job
    logs/<job id>.truncated                empty; the log beside it ends early
    pulls/<number>.json                    the pull request
    pulls/<number>/files.json              [...]
    pulls_by_head.json                     {"owner:branch": [...]}, open pull requests from there
    commits/<sha>/pulls.json               [...]
    compare/<base>...<head>.json           merge base, behind_by, commits, files
    contents/<ref>/<path>                  a file of the repository, as it is
    contents/<ref>/<path>.missing          empty; there is no such file at that commit
    branches/<branch>/runs.json            {"total_count": n, "workflow_runs": [...]}, completed runs, newest first
    branches/<branch>/<workflow>/runs.json the same of one workflow file
    workflows/<workflow>/failed-<event>.json  the same of failed runs of one workflow file, on any branch
    recent_pulls.json                      [...], those that changed last
    refs/<ref>/commits.json                [...], newest first
    refs/<ref>/<path>/commits.json         the same of one path

A `/` inside `<branch>`, `<ref>`, `<base>`, `<head>`, `<workflow>` and (for commits) `<path>` is written `%2F`, as in an
address; `<path>` of `contents` is folders. Times in lists of runs and commits are filters over what the file holds.

The repository's settings are `contents/<ref>/.github/triage.yml`, where `<ref>` is the commit that the default branch
was at: the `base_commit` of the comparison with it, else the first of `refs/<branch>/commits.json`. Without that file
the built-in settings hold.

Lists that can be told from other files need not be there: without `heads/<sha>/runs.json` the runs of a commit are
those in `runs/`; without `runs/<run id>.json` a run is taken from the lists; without `pulls_by_head.json` or
`commits/<sha>/pulls.json` or `recent_pulls.json` pull requests are those in `pulls/`; without
`workflows/<workflow>/failed-<event>.json` failed runs are those in `runs/`.

What is in no file was not read when the recording was made: asking for it raises `ProviderError` with the name of the
file that would hold the answer. That it was not looked at is never the same as that there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triage.recorded.folder import Recorded
    from triage.recorded.recorder import Recorder
else:

    def __getattr__(name: str) -> object:
        # Who reads a lone log needs `files` of this folder only.
        if name == "Recorded":
            from triage.recorded.folder import Recorded

            return Recorded
        if name == "Recorder":
            from triage.recorded.recorder import Recorder

            return Recorder
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Recorded", "Recorder"]
