"""A case as described under `tests/fixtures/cases`, turned into GitHub's own objects.

Times in a description are `HH:MM:SS` of the day its run was created (past 24 for the day after), or whole ISO times;
durations are seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tests.fakegithub import logtext, objects
from tests.fakegithub.built import BuiltJob, BuiltRun, iso, moment
from tests.fakegithub.diff import split_diff

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

JSON = dict[str, Any]

_INCLUDE = re.compile(r"(?m)^@include (\S+)\n")
_SHA = re.compile(r"[0-9a-f]{40}")
JOB_IDS = 104_000_000_000
HOSTED_GROUP = "GitHub Actions"
_NO_NAMES = {
    **dict.fromkeys(("RUN", "RUNNER", "GROUP", "JOB", "PULL", "BRANCH", "SHA", "BASE", "TITLE", "WORK"), ""),
    "STARTED": "1970-01-01T00:00:00Z",
}


def _work_folder(given: Mapping[str, Any]) -> str:
    if given.get("by") != "hosted":
        return "/actions-runner/_work"
    return "/Users/runner/work" if "macos" in str(given.get("labels")) else "/home/runner/work"


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in values.items()}


@dataclass(frozen=True, kw_only=True)
class Story:
    """One case; `folder` holds the log scripts, patches and contents that it names."""

    name: str
    given: Mapping[str, Any]
    folder: Path
    workflows: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "workflows", self.given.get("workflows", {}))

    @property
    def repository_name(self) -> str:
        """The repository's full name."""
        return str(self.given["repository"])

    def sha(self, name: object) -> str:
        """Return the commit a description means: its 40 digits, or any word that stands for a commit."""
        word = str(name)
        return word if _SHA.fullmatch(word) or word == "main" else objects.sha_for(self.name, word)

    @property
    def private(self) -> bool:
        """Whether the repository is private."""
        return bool(self.given.get("private", False))

    @cached_property
    def repository(self) -> JSON:
        """The repository."""
        return objects.repository(self.repository_name, private=self.private)

    @cached_property
    def pulls(self) -> Mapping[int, JSON]:
        """Every pull request by number."""
        return {given["number"]: self._pull(given) for given in self.given.get("pulls", ())}

    @cached_property
    def files(self) -> Mapping[int, list[JSON]]:
        """Changed files of each pull request that says them."""
        return {
            given["number"]: self._files(given)
            for given in self.given.get("pulls", ())
            if "patch" in given or "files" in given
        }

    @cached_property
    def runs(self) -> tuple[BuiltRun, ...]:
        """Every run, as described."""
        return tuple(self._run(given) for given in self.given.get("runs", ()))

    def _pull_given(self, number: int | None) -> Mapping[str, Any] | None:
        return next((pull for pull in self.given.get("pulls", ()) if pull["number"] == number), None)

    def _files(self, given: Mapping[str, Any]) -> list[JSON]:
        name, head = self.repository_name, self.sha(given["head"])
        text = (self.folder / "patches" / given["patch"]).read_text(encoding="utf-8") if "patch" in given else ""
        patched = [
            objects.changed_file(name, head, one.path, patch=one.patch, status=one.status, previous=one.previous)
            for one in split_diff(text)
        ]
        binary = [objects.changed_file(name, head, path, patch=None, counts=(1, 1)) for path in given.get("files", ())]
        return patched + binary

    def _pull(self, given: Mapping[str, Any]) -> JSON:
        return objects.pull_request(
            repository_name=self.repository_name,
            number=given["number"],
            title=given["title"],
            author=given["author"],
            head_sha=self.sha(given["head"]),
            head_ref=given["branch"],
            head_repository=given.get("fork"),
            base_ref=given.get("base_ref", "main"),
            base_sha=self.sha(given["base"]),
            labels=given.get("labels", ()),
            created_at=iso(moment(given["created"])),
            updated_at=iso(moment(given["updated"])),
            draft=given.get("draft", False),
            state=given.get("state", "open"),
            files=self._files(given),
            commits=given.get("commits", 1),
            body=given.get("body", ""),
            private=self.private,
        )

    # ---------------------------------------------------------------------------------------------------------------
    # Runs and jobs

    def _run(self, given: Mapping[str, Any]) -> BuiltRun:
        pull = self._pull_given(given.get("pull"))
        path = f".github/workflows/{given['workflow']}"
        created = moment(given["created"])
        jobs_given = list(self._jobs_given(given))
        ends = [end for one in jobs_given if (end := self._ends(one, created)) is not None]
        updated = max(ends, default=created) + timedelta(seconds=2)
        head = self.sha(pull["head"] if pull else given["sha"])
        run = objects.workflow_run(
            repository_name=self.repository_name,
            number=given["id"],
            name=given.get("name", self.workflows.get(given["workflow"], given["workflow"])),
            path=given.get("path", path),
            head_sha=head,
            head_branch=pull["branch"] if pull else given.get("branch", "main"),
            event=given.get("event", "pull_request" if pull else "push"),
            status=given.get("status", "completed"),
            conclusion=given.get("conclusion"),
            created_at=iso(created),
            started_at=iso(moment(given.get("started", created), created)),
            updated_at=iso(moment(given["ended"], created) if "ended" in given else updated),
            attempt=given.get("attempt", 1),
            actor=given.get("actor") or (pull["author"] if pull else "maintainer-a"),
            title=given.get("title") or (pull["title"] if pull else "Update main"),
            head_repository=pull.get("fork") if pull else None,
            pulls=self._short_pulls(pull),
            private=self.private,
        )
        jobs = tuple(self._job(one, run, given, created, index) for index, one in enumerate(jobs_given))
        return BuiltRun(json=run, jobs=jobs)

    def _short_pulls(self, pull: Mapping[str, Any] | None) -> list[JSON]:
        """Return the pull requests that a run names: none for a fork's."""
        if pull is None or pull.get("fork"):
            return []
        head, base = self.sha(pull["head"]), self.sha(pull["base"])
        name, ref = self.repository_name, pull["branch"]
        return [objects.pull_minimal(name, pull["number"], head_sha=head, head_ref=ref, base_sha=base)]

    def _jobs_given(self, run: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the jobs of a run; `{count}` jobs of one description differ by the number in their name."""
        for one in run.get("jobs", ()):
            if "count" not in one:
                yield one
                continue
            first = one.get("from", 0)
            for index in range(first, first + one["count"]):
                yield {**one, "name": one["name"].format(index)}

    def _ends(self, given: Mapping[str, Any], day: datetime) -> datetime | None:
        if given.get("status", "completed") != "completed":
            return None
        if "ended" in given:
            return moment(given["ended"], day)
        took = given.get("took", 0) if "log" not in given else sum(step.seconds for step in self._script(given))
        return moment(given["at"], day) + timedelta(seconds=took)

    def _script(
        self, given: Mapping[str, Any], names: Mapping[str, str] | None = None
    ) -> tuple[logtext.StepScript, ...]:
        text = self._text_of_script(given["log"])
        known = {**_NO_NAMES, "REPOSITORY": self.repository_name, **_texts(given.get("with", {})), **(names or {})}
        return logtext.parse(text, known, seed=f"{self.name}/{given['name']}/{known['RUN']}")

    def _text_of_script(self, name: str) -> str:
        """Read a log script, with the scripts it includes in their place."""
        text = (self.folder / "logs" / f"{name}.txt").read_text(encoding="utf-8")
        return _INCLUDE.sub(lambda found: self._text_of_script(found[1]), text)

    def _job(
        self, given: Mapping[str, Any], run: JSON, run_given: Mapping[str, Any], day: datetime, index: int
    ) -> BuiltJob:
        number = given.get("id", JOB_IDS + run["id"] % 10_000_000 * 1_000 + index)
        started = moment(given["at"], day)
        names = self._names(given, run, run_given, day)
        script = self._script(given, names) if "log" in given else ()
        steps = logtext.timed_steps(script, started) if script else self._plain_steps(given, started)
        status = given.get("status", "completed")
        ended = self._ends(given, day)
        runner = given.get("by")
        hosted = runner == "hosted"
        group = HOSTED_GROUP if hosted else given.get("group", "Default")
        job = objects.job(
            repository_name=self.repository_name,
            number=number,
            run=run,
            name=given["name"],
            status=status,
            conclusion=given.get("result", "success") if status == "completed" else None,
            created_at=iso(moment(given.get("queued", given["at"]), day)),
            started_at=iso(started),
            completed_at=iso(ended) if ended else None,
            labels=given.get("labels", ["ubuntu-latest"] if hosted or not runner else ["self-hosted"]),
            runner=(f"GitHub Actions {number % 9_999 + 1_000_000_000}" if hosted else runner),
            runner_group=group if runner else None,
            steps=[self._step(one) for one in steps],
            attempt=given.get("attempt", run["run_attempt"]),
        )
        log = logtext.render(script, started) if script and "missing" not in given else None
        return BuiltJob(
            json=job,
            log=log[: int(len(log) * given["kept"])] if log and "kept" in given else log,
            is_cut="kept" in given,
            missing=given.get("missing"),
            annotations=tuple(self._annotations(given, run)),
        )

    def _names(
        self, given: Mapping[str, Any], run: JSON, run_given: Mapping[str, Any], day: datetime
    ) -> dict[str, str]:
        pull = self._pull_given(run_given.get("pull"))
        return {
            "RUN": str(run["id"]),
            "ATTEMPT": str(run["run_attempt"]),
            "JOB": given["name"],
            "RUNNER": given.get("by", ""),
            "GROUP": given.get("group", "Default"),
            "PULL": str(pull["number"]) if pull else "",
            "BRANCH": run["head_branch"],
            "SHA": run["head_sha"],
            "BASE": self.sha(pull["base"]) if pull else "",
            "TITLE": run["display_title"],
            "REPOSITORY": self.repository_name,
            "STARTED": iso(moment(given["at"], day)),
            "WORK": _work_folder(given),
            **_texts(given.get("with", {})),
        }

    def _plain_steps(self, given: Mapping[str, Any], started: datetime) -> tuple[logtext.TimedStep, ...]:
        """Steps of a job without a log here: all of them good, the last but two taking the time."""
        if not given.get("by") or given.get("result") == "skipped":
            return ()
        names = self.given.get("plans", {}).get(given.get("plan", "plain"), ("Set up job", "Run", "Complete job"))
        rest = max(given.get("took", 0) - 3 * (len(names) - 1), 0)
        longest = max(len(names) - 2, 0)
        script = tuple(
            logtext.StepScript(
                name=name.removeprefix("Post "),
                seconds=rest if place == longest else 3,
                is_post=name.startswith("Post "),
            )
            for place, name in enumerate(names)
        )
        return logtext.timed_steps(script, started)

    @staticmethod
    def _step(one: logtext.TimedStep) -> JSON:
        return objects.step(
            one.number,
            one.name,
            status="completed" if one.conclusion is not None else "in_progress",
            conclusion=one.conclusion,
            started=iso(one.started),
            ended=iso(one.ended) if one.ended else None,
        )

    def _annotations(self, given: Mapping[str, Any], run: JSON) -> Iterator[JSON]:
        default = ("Process completed with exit code 1.",) if given.get("result") == "failure" else ()
        for one in given.get("annotations", default):
            fields = one if isinstance(one, dict) else {"message": one}
            yield objects.annotation(repository_name=self.repository_name, head_sha=run["head_sha"], **fields)
