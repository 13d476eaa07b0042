"""The words of the product: what GitHub says, what was read from a log, and what follows from both.

Everything here is a frozen value. Nothing fetches, nothing reads a clock; what can be derived is a property.

A lone log needs half of the words, and making a class takes a millisecond: so the modules here are loaded one after
the other, up to the one that has the word which is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triage.model.answers import (
        Action,
        Category,
        Cause,
        Coverage,
        Decision,
        JobVerdict,
        NotExercised,
        Report,
        Verdict,
    )
    from triage.model.facts import Facts, Sighting
    from triage.model.failures import (
        Basis,
        Evidence,
        EvidenceKind,
        Failure,
        Fault,
        JobFacts,
        Rerun,
        Rule,
        Signature,
        Where,
    )
    from triage.model.jobs import Conclusion, Job, JobId, RunId, Step
    from triage.model.logs import (
        Frame,
        Gap,
        Log,
        LogLine,
        LogState,
        MissingLog,
        Outcome,
        StepSpan,
        TestFailure,
        TestReport,
    )
    from triage.model.runs import (
        Annotation,
        ChangedFile,
        PullRequest,
        Repository,
        Run,
        WorkflowFile,
        WorkflowJob,
        WorkflowStep,
    )
else:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in __all__:
            for module in _IN_ORDER:
                held = vars(import_module(f"triage.model.{module}"))
                if name in held:
                    return globals().setdefault(name, held[name])
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_IN_ORDER = ("jobs", "logs", "failures", "runs", "facts", "answers")
"""The modules, in the order in which a triage comes to need them."""

__all__ = [
    "Action",
    "Annotation",
    "Basis",
    "Category",
    "Cause",
    "ChangedFile",
    "Conclusion",
    "Coverage",
    "Decision",
    "Evidence",
    "EvidenceKind",
    "Facts",
    "Failure",
    "Fault",
    "Frame",
    "Gap",
    "Job",
    "JobFacts",
    "JobId",
    "JobVerdict",
    "Log",
    "LogLine",
    "LogState",
    "MissingLog",
    "NotExercised",
    "Outcome",
    "PullRequest",
    "Report",
    "Repository",
    "Rerun",
    "Rule",
    "Run",
    "RunId",
    "Sighting",
    "Signature",
    "Step",
    "StepSpan",
    "TestFailure",
    "TestReport",
    "Verdict",
    "Where",
    "WorkflowFile",
    "WorkflowJob",
    "WorkflowStep",
]
