from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.entry import events
from tests.entry.runner_ears import obeyed
from tests.fakegithub import FakeGitHub
from tests.fakegithub.build import RUNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.fakegithub.state import JSON, State

MAIN = "d" * 40
"""The commit that the default branch is at."""

QUICK = "comment: {verify_after_seconds: 1}\n"
OUTPUTS = ("verdict", "counts-json", "comment-url", "report-path", "partial")


@dataclass(frozen=True, kw_only=True)
class Left:
    """What one run of the Action left behind."""

    code: int
    log: str
    errors: str
    summary: str
    raw_outputs: str

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs as the runner reads them."""
        read: dict[str, str] = {}
        lines = iter(self.raw_outputs.splitlines())
        for line in lines:
            name, mark, delimiter = line.partition("<<")
            value = []
            while mark and (more := next(lines)) != delimiter:
                value.append(more)
            read[name] = "\n".join(value)
        return read

    @property
    def commands(self) -> list[str]:
        """The lines that the runner obeys, without those by which we make it deaf for a while."""
        return obeyed(self.log) + obeyed(self.errors)


@dataclass(kw_only=True)
class Runner:
    """Runs the Action's entry as `action.yml` does: isolated, with an event file and an environment."""

    fake: FakeGitHub
    folder: Path
    count: int = 0

    @property
    def state(self) -> State:
        return self.fake.state

    @property
    def run_id(self) -> int:
        """The newest run of a pull request."""
        return int(next(run["id"] for run in self.state.all_runs() if run["event"].startswith("pull_request")))

    @property
    def number(self) -> int:
        return next(iter(self.state.pulls))

    @property
    def comments(self) -> list[JSON]:
        return list(self.state.comments.values())

    @property
    def body(self) -> str:
        """The text of the one comment of ours."""
        ours = [one for one in self.comments if one["user"]["login"] == "github-actions[bot]"]
        assert len(ours) == 1, [one["body"][:80] for one in ours]
        return str(ours[0]["body"])

    @property
    def written(self) -> list[str]:
        """What was asked to be changed."""
        return [
            f"{one.method} {one.path}" for one in self.fake.asked() if one.method != "GET" and "graphql" not in one.path
        ]

    def settings(self, text: str, *, ref: str = MAIN, path: str = ".github/triage.yml") -> None:
        """Put a file at a commit."""
        self.state.contents[ref, path] = text.encode()

    def start(self, name: str, event: JSON, *, token: str | None = None, **inputs: str) -> Started:
        """Start the entry; inputs are written with underscores."""
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        (folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
        workspace = folder / "workspace"
        workspace.mkdir()
        kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        environment = {
            **kept,
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_REPOSITORY": self.fake.repository,
            "GITHUB_API_URL": self.fake.api_url,
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_SHA": MAIN,
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "GITHUB_OUTPUT": str(folder / "output"),
            "RUNNER_TEMP": str(folder),
            "TRIAGE_TOKEN": token or self.fake.token,
            **{f"TRIAGE_{key.upper()}": value for key, value in inputs.items() if key.islower()},
            **{key: value for key, value in inputs.items() if key.isupper()},
        }
        process = subprocess.Popen(
            [sys.executable, "-I", "-m", "triage.entry.action"],
            cwd=workspace, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip
        return Started(process, folder)

    def __call__(self, name: str, event: JSON, **more: Any) -> Left:
        return self.start(name, event, **more).left()

    def on_end(self, **more: Any) -> Left:
        """Let the newest run of a pull request end: `workflow_run`, completed."""
        return self("workflow_run", events.run_ended(self.state, self.run_id), **more)


@dataclass(frozen=True)
class Started:
    """The entry at work."""

    process: subprocess.Popen[str]
    folder: Path

    def left(self) -> Left:
        """Wait until it is done."""
        log, errors = self.process.communicate(timeout=120)
        return Left(
            code=self.process.returncode,
            log=log,
            errors=errors,
            summary=self._read("summary"),
            raw_outputs=self._read("output"),
        )

    def _read(self, name: str) -> str:
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.fixture
def action_on(tmp_path: Path) -> Callable[[str], AbstractContextManager[Runner]]:
    """Give a runner of the Action in a repository as recorded."""

    @contextmanager
    def begin(case: str) -> Iterator[Runner]:
        with FakeGitHub.from_recording(RUNS / case) as fake:
            runner = Runner(fake=fake, folder=tmp_path)
            runner.settings(f"version: 1\n{QUICK}")
            yield runner

    return begin


@pytest.fixture
def action(action_on: Callable[[str], AbstractContextManager[Runner]]) -> Iterator[Runner]:
    """Give a runner of the Action where a change broke two tests."""
    with action_on("regression") as runner:
        yield runner
