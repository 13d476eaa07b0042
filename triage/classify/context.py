"""A red job with what stands around it: its run, its siblings, its workflow file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from triage.classify.ending import Ending, ending_of
from triage.classify.view import LogView
from triage.model import Log, LogState, MissingLog

if TYPE_CHECKING:
    from triage.matching import Scanner
    from triage.model import Job, JobFacts, Run, WorkflowFile, WorkflowJob
    from triage.rules import RuleSet
    from triage.settings import Settings


@dataclass(frozen=True, kw_only=True)
class JobContext:
    """Everything the classifiers may ask about one red job.

    Attributes:
        siblings: All jobs of the same run's newest attempt, this one included; empty for a lone log.
        workflow: None when the file was not read.
        settings: What the repository says its jobs are; None where it says nothing.
    """

    facts: JobFacts
    rules: RuleSet
    scanner: Scanner
    run: Run | None = None
    siblings: tuple[Job, ...] = ()
    workflow: WorkflowFile | None = None
    settings: Settings | None = None

    @property
    def job(self) -> Job:
        """The red job."""
        return self.facts.job

    @cached_property
    def view(self) -> LogView | None:
        """The log; None when there is none."""
        return LogView(log=self.facts.log, tests=self.facts.tests) if isinstance(self.facts.log, Log) else None

    @cached_property
    def ending(self) -> Ending | None:
        """How the log says the job ended; None without a log."""
        return ending_of(self.view, self.job) if self.view else None

    @property
    def log_state(self) -> LogState:
        """What became of the log."""
        log = self.facts.log
        if isinstance(log, MissingLog):
            return log.state
        return LogState.TRUNCATED if log.truncated else LogState.READ

    @cached_property
    def workflow_job(self) -> WorkflowJob | None:
        """What the workflow file says of this job; None when that could not be told."""
        return job_in_workflow(self.workflow, self.job.name) if self.workflow else None


def job_in_workflow(workflow: WorkflowFile, name: str) -> WorkflowJob | None:
    """Return the first entry of a workflow file that a job's shown name may belong to; None when none fits."""
    return next(iter(entries_of(workflow, name)), None)


def entries_of(workflow: WorkflowFile, name: str) -> tuple[WorkflowJob, ...]:
    """Find the entries of a workflow file that a job's shown name may belong to, in file order.

    GitHub shows `key`, or the entry's `name`, either with ` (matrix, values)` behind it, and `caller / called` for
    reusable workflows. An entry whose name holds an expression fits by what stands around the expression. Several
    entries may have one name; then all of them are given.
    """
    caller = name.split(" / ", maxsplit=1)[0]
    for shown in (name, name.split(" (", maxsplit=1)[0], caller, caller.split(" (", maxsplit=1)[0]):
        entries = tuple(entry for entry in workflow.jobs if shown in {entry.key, entry.name})
        if entries:
            return entries
    return tuple(entry for entry in workflow.jobs if _fits_expression(entry.name, name))


def _fits_expression(pattern: str, name: str) -> bool:
    head, mark, rest = pattern.partition("${{")
    tail = rest.rpartition("}}")[2]
    return bool(mark) and bool(head or tail) and name.startswith(head) and name.endswith(tail)
