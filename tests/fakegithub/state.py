"""Everything the fake knows: filled from a recording, changed by writes."""

from __future__ import annotations

import gzip
import json
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import yaml

from tests.fakegithub import objects

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JSON = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLog:
    """A job's log at the blob host: on disk or in memory, or why it is not there.

    Attributes:
        pieces: What a log of any size is made of while it is sent, each so many times.
        status: 200; 404 when the blob is not there; 410 when the API itself says that it is gone.
        cut: Whether the connection breaks off before the promised end.
    """

    path: Path | None = None
    data: bytes = b""
    pieces: tuple[tuple[bytes, int], ...] = ()
    status: int = 200
    cut: bool = False

    def read(self) -> bytes:
        """Return the bytes of the log."""
        if self.path is None:
            return self.data
        return gzip.decompress(self.path.read_bytes()) if self.path.suffix == ".gz" else self.path.read_bytes()


@dataclass(slots=True, kw_only=True)
class State:
    """One repository.

    Attributes:
        runs: Newest attempt of each run, by id. `attempts` keeps the earlier ones, by id and attempt.
        jobs: Jobs of all attempts, by id.
        contents: Files by commit or branch, and path.
        roles: What people may do here: `admin`, `maintain`, `write`, `triage`, `read`.
        own_roles: Roles that the organisation made up, each with the one it is made from.
        ghosts: Logins that do not exist.
        labels: Names of labels that no pull request bears.
        old_names: Names the repository had before: asked for, they lead to the new one.
        past: The comments before each write, newest last: what a reader sees that lags behind.
    """

    repository: JSON
    now: datetime = datetime(2026, 9, 18, 9, tzinfo=UTC)
    runs: dict[int, JSON] = field(default_factory=dict)
    attempts: dict[tuple[int, int], JSON] = field(default_factory=dict)
    jobs: dict[int, JSON] = field(default_factory=dict)
    logs: dict[int, StoredLog] = field(default_factory=dict)
    annotations: dict[int, list[JSON]] = field(default_factory=dict)
    check_runs: dict[int, JSON] = field(default_factory=dict)
    pulls: dict[int, JSON] = field(default_factory=dict)
    files: dict[int, list[JSON]] = field(default_factory=dict)
    pulls_of_commit: dict[str, list[JSON]] = field(default_factory=dict)
    commits: dict[tuple[str, str], list[JSON]] = field(default_factory=dict)
    compare: dict[str, JSON] = field(default_factory=dict)
    contents: dict[tuple[str, str], bytes] = field(default_factory=dict)
    comments: dict[int, JSON] = field(default_factory=dict)
    reactions: dict[int, dict[int, JSON]] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    own_roles: dict[str, str] = field(default_factory=dict)
    ghosts: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    old_names: set[str] = field(default_factory=set)
    past: list[dict[int, JSON]] = field(default_factory=list)
    next_id: int = 3_000_000_001

    @property
    def name(self) -> str:
        """The repository's full name."""
        return str(self.repository["full_name"])

    @property
    def is_private(self) -> bool:
        """Whether strangers must not know of the repository."""
        return bool(self.repository["private"])

    def new_id(self) -> int:
        """Return an id that nothing has yet; later things have higher ones."""
        self.next_id += 1
        return self.next_id

    def tick(self) -> str:
        """Let a second pass, and return the time as GitHub writes it."""
        self.now += timedelta(seconds=1)
        return f"{self.now:%Y-%m-%dT%H:%M:%SZ}"

    def remember_comments(self) -> None:
        """Keep the comments as they are, for readers that lag behind the write to come."""
        self.past.append(deepcopy(self.comments))

    def comments_seen(self, lag: int) -> dict[int, JSON]:
        """Return the comments as they were that many writes ago."""
        return self.past[-min(lag, len(self.past))] if lag and self.past else self.comments

    def jobs_of(self, run_id: int) -> list[JSON]:
        """Return the jobs of all attempts of a run, as they were made."""
        return [job for job in self.jobs.values() if job["run_id"] == run_id]

    def all_runs(self) -> list[JSON]:
        """Return the newest attempt of every run, newest run first."""
        return sorted(self.runs.values(), key=lambda run: (run["created_at"], run["id"]), reverse=True)


def load(folder: Path) -> State:
    """Read a recording (`triage.recorded` says what lies where)."""
    state = State(repository=_json(folder / "repository.json"))
    about = yaml.safe_load((folder / "recording.yaml").read_text(encoding="utf-8"))
    if "recorded_at" in about:
        state.now = datetime.fromisoformat(str(about["recorded_at"]))
    for run in _runs(folder):
        state.runs[run["id"]] = run
    for path in sorted(folder.glob("runs/*/jobs.json")):
        state.jobs |= {job["id"]: job for job in _json(path)["jobs"]}
    for path in folder.glob("logs/*"):
        _load_log(state, path)
    state.annotations = {int(path.stem): _json(path) for path in folder.glob("annotations/*.json")}
    state.pulls = {int(path.stem): _json(path) for path in sorted(folder.glob("pulls/*.json"))}
    state.files = {int(path.parent.name): _json(path) for path in folder.glob("pulls/*/files.json")}
    state.compare = {unquote(path.stem): _json(path) for path in folder.glob("compare/*.json")}
    state.pulls_of_commit = {path.parent.name: _json(path) for path in folder.glob("commits/*/pulls.json")}
    _load_commits(state, folder)
    _load_contents(state, folder / "contents")
    return state


def _runs(folder: Path) -> Iterator[JSON]:
    for pattern in ("heads/**/runs.json", "branches/**/runs.json", "workflows/*/failed-*.json"):
        for path in sorted(folder.glob(pattern)):
            yield from _json(path)["workflow_runs"]
    for path in sorted(folder.glob("runs/*.json")):
        yield _json(path)


def _load_log(state: State, path: Path) -> None:
    number = int(path.name.partition(".")[0])
    if path.name.endswith(".missing.yaml"):
        status = (yaml.safe_load(path.read_text(encoding="utf-8")) or {}).get("status") or 404
        state.logs[number] = StoredLog(status=status)
    elif path.name.endswith((".log", ".log.gz")):
        state.logs[number] = StoredLog(path=path, cut=path.with_name(f"{number}.truncated").exists())


def _load_commits(state: State, folder: Path) -> None:
    for path in folder.glob("refs/**/commits.json"):
        ref, *rest = path.parent.relative_to(folder / "refs").parts
        state.commits[unquote(ref), unquote("/".join(rest))] = _json(path)


def _load_contents(state: State, top: Path) -> None:
    for path in top.glob("*/**/*") if top.is_dir() else ():
        if path.is_file() and path.suffix != ".missing":
            ref, *rest = path.relative_to(top).parts
            state.contents[unquote(ref), "/".join(unquote(part) for part in rest)] = path.read_bytes()


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def blank(full_name: str = "acme-ml/engine", *, private: bool = False) -> State:
    """Return a repository in which nothing has happened."""
    return State(repository=objects.repository(full_name, private=private))
