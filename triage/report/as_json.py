"""The report for machines: `triage/1`, described by `schema.json` beside this file and by docs/report-json.md.

Additions only: a key is never renamed, dropped or given another meaning within `triage/1`. Every key is always there;
what is not known is null.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from triage.model import (
        Action,
        Category,
        Cause,
        Coverage,
        Evidence,
        Failure,
        JobVerdict,
        NotExercised,
        PullRequest,
        Report,
        Run,
        TestFailure,
    )

    Value: TypeAlias = "Mapping[str, Value] | Sequence[Value] | str | int | float | bool | None"
    JSON: TypeAlias = dict[str, Value]

SCHEMA: Final = "triage/1"
TOOL: Final = "ci-triage"


def report_json(report: Report) -> JSON:
    """Return the report as plain values, keys in the order of the schema; texts as they were read, not yet masked."""
    return {
        "schema": SCHEMA,
        "tool": _tool(report),
        "repository": report.repository.full_name,
        "pull_request": _pull(report.pull) if report.pull else None,
        "runs": [_run(run) for run in report.runs],
        "verdict": report.verdict.value,
        "headline": report.headline,
        "counts": {
            "jobs": _counts(row.category for row in report.jobs),
            "causes": _counts(cause.category for cause in report.causes),
        },
        "causes": [_cause(cause) for cause in report.causes],
        "jobs": [_job(row) for row in report.jobs],
        "not_exercised": [_silent(one) for one in report.not_exercised],
        "coverage": [_coverage(one) for one in report.coverage],
        "gaps": [str(gap) for gap in report.gaps],
        "as_of": _time(report.as_of),
    }


def log_json(name: str, failure: Failure) -> JSON:
    """Return what one log file shows, as plain values: a lone log leads to nothing on GitHub, so its evidence is lines.

    `fault` is `none` where the log shows no failure; `tests_run` is null where no test runner said how many ran.
    """
    return {
        "file": name,
        "fault": failure.fault.value,
        "rule": failure.rule.id if failure.rule else None,
        "title": failure.title,
        "evidence": [
            {"kind": fact.kind.value, "text": fact.text, "line": fact.line, "step": fact.step}
            for fact in failure.evidence
        ],
        "failed_tests": [_test(test) for test in failure.tests.failures],
        "tests_run": failure.tests.ran,
    }


def _tool(report: Report) -> JSON:
    own = {"settings_sha": report.settings_sha} if report.settings_sha else {}
    return {"name": TOOL, "version": report.version, "rules_sha": report.rules_sha, **own}


def _pull(pull: PullRequest) -> JSON:
    return {
        "number": pull.number,
        "head_sha": pull.head_sha,
        "base": pull.base_ref,
        "merge_base": pull.merge_base,
        "behind_by": pull.behind_by,
    }


def _run(run: Run) -> JSON:
    return {
        "id": run.id,
        "workflow": run.workflow,
        "attempt": run.attempt,
        "event": run.event,
        "head_sha": run.head_sha,
        "status": run.status,
        "conclusion": run.conclusion.value if run.conclusion else None,
        "url": run.url,
    }


def _counts(categories: Iterable[Category]) -> JSON:
    """Count by category; every category is there, so that a consumer can add them up without knowing which may lack."""
    from triage.model import Category

    found = Counter(categories)
    return {category.value: found[category] for category in Category}


def _cause(cause: Cause) -> JSON:
    return {
        "id": cause.id,
        "category": cause.category.value,
        "rule": cause.rule.id if cause.rule else None,
        "issue": (cause.rule.issue or None) if cause.rule else None,
        "title": cause.title,
        "because": cause.because,
        "root_job": cause.root_job,
        "jobs": list(cause.jobs),
        "evidence": [_evidence(fact) for fact in cause.evidence],
        "ruled_out": list(cause.ruled_out),
        "rerun": cause.rerun.value,
        "rerun_why": cause.rerun_why,
        "advice": cause.advice,
        "actions": [_action(action) for action in cause.actions],
    }


def _action(action: Action) -> JSON:
    return {
        "kind": action.kind,
        "text": action.text,
        "command": action.command,
        "label": action.label,
        "runner": action.runner,
    }


def _job(row: JobVerdict) -> JSON:
    failure, job = row.failure, row.failure.job
    step = failure.failed_step or job.failed_step
    return {
        "id": job.id,
        "run_id": job.run_id,
        "run_attempt": job.run_attempt,
        "name": job.name,
        "conclusion": job.conclusion.value if job.conclusion else None,
        "url": job.url,
        "runner": job.runner,
        "category": row.category.value,
        "because": row.because,
        "fault": failure.fault.value,
        "cause": row.cause,
        "rule": failure.rule.id if failure.rule else None,
        "failed_step": step.name if step else None,
        "tests_run": failure.tests.ran,
        "failed_tests": [_test(test) for test in failure.tests.failures],
        "log": failure.log_state.value,
        "evidence": [_evidence(fact) for fact in row.evidence],
    }


def _test(test: TestFailure) -> JSON:
    error = ": ".join(part for part in (test.exception, test.message) if part)
    return {"id": test.id, "file": test.file, "error": error}


def _evidence(fact: Evidence) -> JSON:
    return {
        "kind": fact.kind.value,
        "text": fact.text,
        "url": fact.url or None,
        "line": fact.line,
        "step": fact.step,
        "run_id": fact.run_id,
        "job_id": fact.job_id,
        "number": fact.number,
        "when": _time(fact.when),
        "runner": fact.runner,
    }


def _silent(one: NotExercised) -> JSON:
    return {"job": one.job, "name": one.name, "why": one.why}


def _coverage(one: Coverage) -> JSON:
    return {"path": one.path, "jobs": list(one.jobs), "exercised": one.exercised, "known_by": one.known_by}


def _time(when: datetime | None) -> str | None:
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if when else None
