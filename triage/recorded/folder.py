"""`Reads` from a recording. The format is described in `triage.recorded`."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from triage.errors import ConfigError, Problem, ProviderError, UsageError
from triage.model import LogState, MissingLog
from triage.recorded import layout
from triage.recorded.files import FileSource
from triage.source.missing import missing_log
from triage.source.protocol import JSON, Page
from triage.source.shapes import job_of, time_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from triage.source.protocol import LogSource

NOT_RECORDED = 404


class Recorded:
    """The reads of one recording.

    Raises:
        UsageError: The folder is not there, or is no recording.
        ConfigError: Its `recording.yaml` cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = _read_about(folder)

    def repository(self) -> JSON:
        """Return `repository.json`."""
        return self._object(layout.REPOSITORY)

    def run(self, run_id: int) -> JSON:
        """Return `runs/<run id>.json`, or the run out of a recorded list."""
        name = layout.run(run_id)
        if not self._path(name).exists():
            for run in self._listed_runs():
                if run.get("id") == run_id:
                    return run
        return self._object(name)

    def runs_at(self, head_sha: str) -> Page:
        """Return `heads/<sha>/runs.json`, or those of `runs/` at that commit, newest first."""
        name = layout.runs_at(head_sha)
        if self._path(name).exists():
            return self._page(name, "workflow_runs")
        found = [run for run in self._all("runs") if run.get("head_sha") == head_sha]
        return self._told_from(name, sorted(found, key=_created, reverse=True))

    def jobs(self, run_id: int) -> Page:
        """Return `runs/<run id>/jobs.json`."""
        return self._page(layout.jobs(run_id), "jobs")

    def annotations(self, check_run_id: int) -> Page:
        """Return `annotations/<check run id>.json`."""
        return _whole(self._list(layout.annotations_of(check_run_id)))

    def log(self, job: JSON) -> LogSource | MissingLog:
        """Return the recorded log, or what the recording says about its absence."""
        job_id = job_of(job).id
        for suffix in (".log", ".log.gz"):
            path = self._path(layout.log(job_id, suffix))
            if path.exists():
                return FileSource(path, truncated=self._path(layout.log(job_id, ".truncated")).exists())
        return self._missing_log(job)

    def _missing_log(self, job: JSON) -> MissingLog:
        said = layout.log(job_of(job).id, ".missing.yaml")
        if not self._path(said).exists():
            raise self._not_recorded(layout.log(job_of(job).id, ".log"))
        about = _read_yaml(self._path(said), f"{said} of the recording")
        status, why, state = about.get("status"), about.get("why"), about.get("state")
        told = missing_log(job_of(job), status=status if isinstance(status, int) else None, now=None)
        known = {member.value: member for member in LogState}
        return MissingLog(
            state=known.get(str(state), told.state),
            why=why if isinstance(why, str) and why else told.why,
        )

    def pull(self, number: int) -> JSON:
        """Return `pulls/<number>.json`."""
        return self._object(layout.pull(number))

    def pulls_with_head(self, owner: str, branch: str) -> Page:
        """Return the pull requests from `owner:branch`; told from `pulls/` when no list was recorded."""
        label = f"{owner}:{branch}"
        if self._path(layout.PULLS_BY_HEAD).exists():
            by_head = self._object(layout.PULLS_BY_HEAD)
            if label not in by_head:
                raise self._not_recorded(layout.PULLS_BY_HEAD, f" (nothing under {label!r})")
            return _whole(_only_objects(by_head[label]))
        return self._told_from(layout.PULLS_BY_HEAD, [pull for pull in self._all("pulls") if _label(pull) == label])

    def pulls_of_commit(self, sha: str) -> Page:
        """Return `commits/<sha>/pulls.json`, or those of `pulls/` with that head."""
        name = layout.pulls_of_commit(sha)
        if self._path(name).exists():
            return _whole(self._list(name))
        return self._told_from(name, [pull for pull in self._all("pulls") if _object(pull, "head").get("sha") == sha])

    def files(self, number: int) -> Page:
        """Return `pulls/<number>/files.json`, counted against the pull request."""
        items = self._list(layout.files(number))
        pull = self._path(layout.pull(number))
        counted = self._object(layout.pull(number)).get("changed_files") if pull.exists() else None
        return Page(items=items, total_count=counted if isinstance(counted, int) else len(items))

    def compare(self, base: str, head: str) -> JSON:
        """Return `compare/<base>...<head>.json`."""
        return self._object(layout.compare(base, head))

    def file(self, path: str, ref: str) -> str | None:
        """Return `contents/<ref>/<path>`; None when its `.missing` says so."""
        there = layout.contents(path, ref)
        if self._path(layout.no_contents(path, ref)).exists():
            return None
        return self._text(there)

    def runs_on(self, branch: str, *, workflow: str | None = None, since: datetime, limit: int = 100) -> Page:
        """Return the recorded runs of a branch that were created since then, at most `limit`."""
        return _since(self._page(layout.runs_on(branch, workflow), "workflow_runs"), since, limit)

    def failed_runs(self, workflow: str, *, event: str, since: datetime, limit: int = 100) -> Page:
        """Return the recorded failed runs of a workflow file; told from `runs/` when no list was recorded."""
        name = layout.failed_runs(workflow, event)
        if self._path(name).exists():
            return _since(self._page(name, "workflow_runs"), since, limit)
        known = [run for run in self._all("runs") if _is_of(run, workflow, event)]
        newest_first = sorted(self._told_from(name, known).items, key=_created, reverse=True)
        return _since(_whole(tuple(run for run in newest_first if run.get("conclusion") == "failure")), since, limit)

    def recent_pulls(self) -> Page:
        """Return `recent_pulls.json`, or all pull requests of `pulls/`, those that changed last first."""
        if self._path(layout.RECENT_PULLS).exists():
            return _whole(self._list(layout.RECENT_PULLS))
        return self._told_from(layout.RECENT_PULLS, sorted(self._all("pulls"), key=_updated, reverse=True))

    def commits(self, ref: str, *, since: datetime | None = None, path: str | None = None) -> Sequence[JSON]:
        """Return the recorded commits, newest first, that are not older than `since`."""
        items = self._list(layout.commits(ref, path))
        return tuple(item for item in items if since is None or (at := _committed(item)) is None or at >= since)

    def requests_left(self) -> int | None:
        """Return None: nothing is asked of GitHub."""
        return None

    def _listed_runs(self) -> Iterable[JSON]:
        for pattern in ("heads/**/runs.json", "branches/**/runs.json", "workflows/*/failed-*.json"):
            for path in sorted(self.folder.glob(pattern)):
                yield from self._page(_relative(path, self.folder), "workflow_runs").items

    def _all(self, kind: str) -> tuple[JSON, ...]:
        """Return every object that lies directly in a folder, by file name."""
        return tuple(self._object(_relative(path, self.folder)) for path in sorted((self.folder / kind).glob("*.json")))

    def _told_from(self, name: PurePosixPath, found: Sequence[JSON]) -> Page:
        if not found:
            raise self._not_recorded(name)
        return _whole(tuple(found))

    def _page(self, name: PurePosixPath, key: str) -> Page:
        answer = self._object(name)
        items = _only_objects(answer.get(key))
        total = answer.get("total_count")
        return Page(items=items, total_count=total if isinstance(total, int) else len(items))

    def _object(self, name: PurePosixPath) -> JSON:
        answer = self._json(name)
        if not isinstance(answer, dict):
            raise ProviderError(f"{name} of the recording: must hold one JSON object, as GitHub answers it")
        return answer

    def _list(self, name: PurePosixPath) -> tuple[JSON, ...]:
        answer = self._json(name)
        if not isinstance(answer, list):
            raise ProviderError(f"{name} of the recording: must hold a JSON list, as GitHub answers it")
        return _only_objects(answer)

    def _json(self, name: PurePosixPath) -> object:
        text = self._text(name)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ProviderError(f"{name} of the recording: not valid JSON ({error})") from error

    def _text(self, name: PurePosixPath) -> str:
        try:
            return self._path(name).read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise self._not_recorded(name) from error
        except UnicodeDecodeError as error:
            raise ProviderError(f"{name} of the recording: not UTF-8 text") from error
        except OSError as error:
            raise ProviderError(f"{name} of the recording: cannot be read ({error.strerror})") from error

    def _path(self, name: PurePosixPath) -> Path:
        return self.folder / name

    def _not_recorded(self, name: PurePosixPath, detail: str = "") -> ProviderError:
        return ProviderError(
            f"the recording holds no {name}{detail}; record it again, or add the file",
            status=NOT_RECORDED,
        )


def _read_about(folder: Path) -> JSON:
    if not folder.is_dir():
        raise UsageError(f"no recording at {folder}: give a folder that `triage record` made")
    path = folder / layout.RECORDING
    if not path.is_file():
        raise UsageError(f"{folder} is no recording: it holds no {layout.RECORDING}")
    try:
        about = _read_yaml(path, str(path))
    except ProviderError as error:
        raise ConfigError(Problem(str(path), 1, 1, "not valid YAML")) from error
    if about.get("version") != layout.VERSION:
        message = f"version {about.get('version')!r} of the format is not known; this triage reads {layout.VERSION}"
        raise ConfigError(Problem(str(path), 1, 1, message))
    if not isinstance(about.get("repository"), str):
        raise ConfigError(Problem(str(path), 1, 1, "`repository:` must be the text OWNER/NAME"))
    return about


def _read_yaml(path: Path, name: str) -> JSON:
    import yaml

    try:
        answer = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise ProviderError(f"{name}: not valid YAML") from error
    return answer if isinstance(answer, dict) else {}


def _whole(items: tuple[JSON, ...]) -> Page:
    return Page(items=items, total_count=len(items))


def _only_objects(value: object) -> tuple[JSON, ...]:
    return tuple(item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _object(json: JSON, key: str) -> JSON:
    value = json.get(key)
    return value if isinstance(value, dict) else {}


def _label(pull: JSON) -> str:
    head = _object(pull, "head")
    owner = str(_object(head, "repo").get("full_name")).partition("/")[0]
    return f"{owner}:{head.get('ref')}"


def _created(run: JSON) -> tuple[str, int]:
    created, run_id = run.get("created_at"), run.get("id")
    return (created if isinstance(created, str) else "", run_id if isinstance(run_id, int) else 0)


def _updated(pull: JSON) -> tuple[str, int]:
    updated, number = pull.get("updated_at"), pull.get("number")
    return (updated if isinstance(updated, str) else "", number if isinstance(number, int) else 0)


def _is_of(run: JSON, workflow: str, event: str) -> bool:
    path = str(run.get("path")).partition("@")[0].rpartition("/")[2]
    return (path, run.get("event")) == (workflow, event)


def _since(page: Page, since: datetime, limit: int) -> Page:
    """Keep the runs that were created since then, at most `limit`."""
    kept = tuple(run for run in page.items if (at := time_of(run, "created_at")) is None or at >= since)
    missing = max(0, page.total_count - len(page.items))
    return Page(items=kept[:limit], total_count=len(kept) + missing)


def _committed(commit: JSON) -> datetime | None:
    return time_of(_object(_object(commit, "commit"), "committer"), "date")


def _relative(path: Path, folder: Path) -> PurePosixPath:
    return PurePosixPath(path.relative_to(folder).as_posix())
