"""`Reads` that passes every call on and keeps the answer. The format is described in `triage.recorded`."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

from triage.errors import UsageError
from triage.model import MissingLog
from triage.recorded import layout
from triage.recorded.redaction import Redactor
from triage.source.protocol import JSON, Page
from triage.source.request import RunRequest
from triage.source.shapes import job_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path, PurePosixPath

    from triage.source.protocol import LogSource, Reads
    from triage.source.request import Request


class Recorder:
    """Records what a triage reads into a folder, redacted. Nothing is written before the first good answer.

    What could not be read is not written either: a recording never claims to know more than was seen.

    Args:
        reads: Asked for everything.
        folder: Made when needed; files of an earlier recording in it are overwritten.
        request: What is triaged, for the record.
        redact_hosts: Whether to replace the names of machines and of a GitHub of one's own.
    """

    def __init__(
        self, reads: Reads, folder: Path, *, request: Request | None = None, redact_hosts: bool = False
    ) -> None:
        self._reads = reads
        self._folder = folder
        self._request = request
        self._redactor = Redactor(hosts=redact_hosts)
        self._lock = threading.Lock()

    def repository(self) -> JSON:
        """Pass on, and write `repository.json`."""
        answer = self._reads.repository()
        self._begin(answer)
        self._write_json(layout.REPOSITORY, answer)
        return answer

    def run(self, run_id: int) -> JSON:
        """Pass on, and write `runs/<run id>.json`."""
        answer = self._reads.run(run_id)
        self._begin(_object(answer, "repository"))
        self._write_json(layout.run(run_id), answer)
        return answer

    def runs_at(self, head_sha: str) -> Page:
        """Pass on, and write `heads/<sha>/runs.json`."""
        page = self._reads.runs_at(head_sha)
        self._write_page(layout.runs_at(head_sha), "workflow_runs", page)
        return page

    def jobs(self, run_id: int) -> Page:
        """Pass on, and write `runs/<run id>/jobs.json`."""
        page = self._reads.jobs(run_id)
        for job in page.items:
            self._redactor.learn(job)
        self._write_page(layout.jobs(run_id), "jobs", page)
        return page

    def annotations(self, check_run_id: int) -> Page:
        """Pass on, and write `annotations/<check run id>.json`."""
        page = self._reads.annotations(check_run_id)
        self._write_json(layout.annotations_of(check_run_id), page.items)
        return page

    def log(self, job: JSON) -> LogSource | MissingLog:
        """Pass on, and write the log, or why there is none."""
        job_id = job_of(job).id
        log = self._reads.log(job)
        if isinstance(log, MissingLog):
            said = {"state": log.state.value, "why": log.why}
            self._write(layout.log(job_id, ".missing.yaml"), [_yaml(said)])
            return log
        with log.open() as raw:
            self._write(layout.log(job_id, ".log"), self._redactor.log(raw))
        if log.truncated:
            self._write(layout.log(job_id, ".truncated"), [])
        return log

    def pull(self, number: int) -> JSON:
        """Pass on, and write `pulls/<number>.json`."""
        answer = self._reads.pull(number)
        self._begin(_object(_object(answer, "base"), "repo"))
        self._write_json(layout.pull(number), answer)
        return answer

    def pulls_with_head(self, owner: str, branch: str) -> Page:
        """Pass on, and write into `pulls_by_head.json`."""
        page = self._reads.pulls_with_head(owner, branch)
        with self._lock:
            known = self._read(layout.PULLS_BY_HEAD)
            by_head = known if isinstance(known, dict) else {}
            self._write_json(layout.PULLS_BY_HEAD, {**by_head, f"{owner}:{branch}": page.items})
        return page

    def pulls_of_commit(self, sha: str) -> Page:
        """Pass on, and write `commits/<sha>/pulls.json`."""
        page = self._reads.pulls_of_commit(sha)
        self._write_json(layout.pulls_of_commit(sha), page.items)
        return page

    def files(self, number: int) -> Page:
        """Pass on, and write `pulls/<number>/files.json`."""
        page = self._reads.files(number)
        self._write_json(layout.files(number), page.items)
        return page

    def compare(self, base: str, head: str) -> JSON:
        """Pass on, and write `compare/<base>...<head>.json`."""
        answer = self._reads.compare(base, head)
        self._write_json(layout.compare(base, head), answer)
        return answer

    def file(self, path: str, ref: str) -> str | None:
        """Pass on, and write the file, or that there is none."""
        text = self._reads.file(path, ref)
        if text is None:
            self._write(layout.no_contents(path, ref), [])
        else:
            self._write(layout.contents(path, ref), [self._redactor.text(text).encode()])
        return text

    def runs_on(self, branch: str, *, workflow: str | None = None, since: datetime, limit: int = 100) -> Page:
        """Pass on, and add to `branches/<branch>/…/runs.json`."""
        page = self._reads.runs_on(branch, workflow=workflow, since=since, limit=limit)
        self._add_runs(layout.runs_on(branch, workflow), page)
        return page

    def failed_runs(self, workflow: str, *, event: str, since: datetime, limit: int = 100) -> Page:
        """Pass on, and add to `workflows/<workflow>/failed-<event>.json`."""
        page = self._reads.failed_runs(workflow, event=event, since=since, limit=limit)
        self._add_runs(layout.failed_runs(workflow, event), page)
        return page

    def recent_pulls(self) -> Page:
        """Pass on, and write `recent_pulls.json`."""
        page = self._reads.recent_pulls()
        self._write_json(layout.RECENT_PULLS, page.items)
        return page

    def commits(self, ref: str, *, since: datetime | None = None, path: str | None = None) -> Sequence[JSON]:
        """Pass on, and add to `refs/<ref>/…/commits.json`."""
        answer = self._reads.commits(ref, since=since, path=path)
        name = layout.commits(ref, path)
        with self._lock:
            known = self._read(name)
            self._write_json(name, _joined(answer, known if isinstance(known, list) else [], "sha"))
        return answer

    def requests_left(self) -> int | None:
        """Pass on."""
        return self._reads.requests_left()

    def _add_runs(self, name: PurePosixPath, page: Page) -> None:
        """Put new runs before those of an earlier answer."""
        with self._lock:
            known = self._read(name)
            old = known.get("workflow_runs") if isinstance(known, dict) else None
            runs = _joined(page.items, old if isinstance(old, list) else [], "id")
            missing = max(0, page.total_count - len(page.items))
            self._write_page(name, "workflow_runs", Page(items=runs, total_count=len(runs) + missing))

    def _begin(self, repository: JSON) -> None:
        """Write `recording.yaml` once the repository's name is known."""
        self._redactor.learn(repository)
        if (self._folder / layout.RECORDING).exists():
            return
        about = {"version": layout.VERSION, "repository": repository.get("full_name")}
        if self._request is not None:
            about["request"] = _asked(self._request)
        self._write(layout.RECORDING, [_yaml(about)])

    def _write_page(self, name: PurePosixPath, key: str, page: Page) -> None:
        self._write_json(name, {"total_count": page.total_count, key: page.items})

    def _write_json(self, name: PurePosixPath, answer: object) -> None:
        text = json.dumps(self._redactor.json(answer), indent=2, ensure_ascii=False) + "\n"
        self._write(name, [text.encode("utf-8", "replace")])

    def _write(self, name: PurePosixPath, blocks: Iterable[bytes]) -> None:
        path = self._folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                file.writelines(blocks)
        except OSError as error:
            raise UsageError(f"cannot write the recording: {path}: {error.strerror or error}") from error

    def _read(self, name: PurePosixPath) -> object:
        path = self._folder / name
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _asked(request: Request) -> dict[str, int]:
    return {"run": request.run_id} if isinstance(request, RunRequest) else {"pull": request.number}


def _yaml(value: object) -> bytes:
    import yaml

    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, encoding="utf-8")


def _joined(new: Iterable[JSON], old: Iterable[JSON], key: str) -> tuple[JSON, ...]:
    """Put what is new before what was known; each thing once, as it is now."""
    items = {item.get(key): item for item in new}
    for item in old:
        items.setdefault(item.get(key), item)
    return tuple(items.values())


def _object(answer: JSON, key: str) -> JSON:
    value = answer.get(key)
    return value if isinstance(value, dict) else {}
