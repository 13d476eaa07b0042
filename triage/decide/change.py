"""The change under triage: what it touches, and whether that is known at all."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from triage.classify.context import entries_of
from triage.decide.paths import Sameness, sameness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.decide.imports import Closure
    from triage.model import ChangedFile, Facts, Job, PullRequest, RunId, WorkflowFile, WorkflowJob

PULL_REQUEST_EVENTS = frozenset({"pull_request", "pull_request_target", "pull_request_review", "merge_group"})
"""A run of one of these belongs to a change, even when its pull request could not be found."""

MOST_MEANT = 3
"""Changed files that one path in a log is taken to mean."""

_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, kw_only=True)
class Change:
    """What the pull request changes.

    Attributes:
        exists: Whether the runs belong to a change at all; a scheduled run belongs to none.
        files: None when they could not be read, or when there is no pull request to read them from.
        workflows: Workflow files by run, at the commit that ran; they say which files a step runs.
        closures: What each failing Python test imports, where that was looked at, by the file of the test.
        has_moved_on: Whether the pull request has a newer commit than every run under triage.
    """

    exists: bool = False
    pull: PullRequest | None = None
    files: tuple[ChangedFile, ...] | None = None
    workflows: Mapping[RunId, WorkflowFile] = field(default_factory=dict)
    closures: Mapping[str, Closure] = field(default_factory=dict)
    has_moved_on: bool = False

    @classmethod
    def of(cls, facts: Facts, closures: Mapping[str, Closure] | None = None) -> Change:
        """Take the change out of the facts."""
        belongs = any(run.event in PULL_REQUEST_EVENTS for run in facts.runs)
        # Runs of other events may be of the base branch or of a merge: their commit says nothing of the newest one.
        heads = {run.head_sha for run in facts.runs if run.event == "pull_request"}
        return cls(
            exists=facts.pull is not None or belongs,
            pull=facts.pull,
            files=facts.files,
            workflows=facts.workflows,
            closures=closures or {},
            has_moved_on=bool(heads and facts.pull and facts.pull.head_sha and facts.pull.head_sha not in heads),
        )

    @property
    def is_unread(self) -> bool:
        """Whether there is a change and what it touches is not known: then nothing may be said to lie outside it."""
        return self.exists and self.files is None

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every path the change touches, old names of renamed files included, in GitHub's order."""
        return tuple(path for file in self.files or () for path in (file.path, file.previous_path) if path is not None)

    def files_meant_by(self, printed: str) -> tuple[tuple[ChangedFile, Sameness], ...]:
        """Return the changed files, still there, that a path in a log may mean; only sure ones when one is sure.

        At most `MOST_MEANT` of them: a file name that many changed files share says no more about each.
        """
        known = self._meant.get(printed)
        if known is None:
            known = self._meant[printed] = tuple(self._look_up(printed))[:MOST_MEANT]
        return known

    def _look_up(self, printed: str) -> list[tuple[ChangedFile, Sameness]]:
        name = printed.strip().replace("\\", "/").rsplit("/", 1)[-1]
        same = [(file, sameness(printed, file.path)) for file in self._by_name.get(name, ())]
        sure = [entry for entry in same if entry[1] is Sameness.YES]
        return sure or [entry for entry in same if entry[1] is Sameness.PERHAPS]

    @cached_property
    def _meant(self) -> dict[str, tuple[tuple[ChangedFile, Sameness], ...]]:
        """What was looked up already: the tracebacks of one log name the same files again and again."""
        return {}

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[ChangedFile, ...]]:
        found: dict[str, tuple[ChangedFile, ...]] = {}
        for file in self.files or ():
            if file.status != "removed":
                name = file.path.rsplit("/", 1)[-1]
                found[name] = (*found.get(name, ()), file)
        return found

    def file(self, path: str) -> ChangedFile | None:
        """Return the changed file of that path, or of that old path."""
        return next((file for file in self.files or () if path in (file.path, file.previous_path)), None)

    def entries_of(self, job: Job) -> tuple[WorkflowJob, ...]:
        """Return the entries of the workflow file that a job may belong to; empty when that could not be told."""
        workflow = self.workflows.get(job.run_id)
        return entries_of(workflow, job.name) if workflow else ()


def changed_lines(file: ChangedFile) -> frozenset[int]:
    """Return the lines of the new file that the patch adds or that follow a removal; empty without a patch."""
    return _lines_of(file.patch or "")


@lru_cache(maxsize=256)
def _lines_of(patch: str) -> frozenset[int]:
    lines: set[int] = set()
    number = 0
    for text in patch.split("\n"):
        hunk = _HUNK.match(text)
        if hunk:
            number = int(hunk[1])
        elif text.startswith("+"):
            lines.add(number)
            number += 1
        elif text.startswith("-"):
            lines.add(number)
        elif text.startswith(" "):
            number += 1
    return frozenset(lines)
