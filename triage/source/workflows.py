"""A workflow file as data: who waits for whom, when a job runs, how long it may.

The file belongs to the commit under test, so whoever wrote the change wrote it: it is read as plain text values and
nothing in it is ever evaluated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from triage.model import Gap, WorkflowFile, WorkflowJob, WorkflowStep

if TYPE_CHECKING:
    from collections.abc import Mapping

# The largest that GitHub runs is 1 MB, of which some 100 kB are seen in the wild.
MAX_BYTES = 512 * 1024
MAX_JOBS = 1_000
MAX_STEPS = 1_000


def workflow_of(path: str, text: str) -> WorkflowFile | Gap:
    """Read a workflow file.

    Args:
        path: Repository-relative path, for the messages and the result.
        text: The whole file.

    Returns:
        Its jobs in file order, or why nothing could be read from it.
    """
    tree = _tree(text)
    if isinstance(tree, str):
        return Gap(f"workflow file {path}", tree)
    jobs = _mapping(tree.get("jobs"))
    concurrency = tree.get("concurrency")
    return WorkflowFile(
        path=path,
        name=_scalar(tree.get("name")),
        jobs=tuple(_job_of(key, _mapping(body)) for key, body in list(jobs.items())[:MAX_JOBS]),
        concurrency_group=_concurrency_group(concurrency),
        cancels_in_progress=_scalar(_mapping(concurrency).get("cancel-in-progress")) == "true",
    )


def _tree(text: str) -> Mapping[str, Any] | str:
    """Parse the YAML; a sentence when that is not possible."""
    import yaml

    if len(text) > MAX_BYTES:
        return f"larger than {MAX_BYTES // 1024} kB; needs and time limits of its jobs are unknown"
    # BaseLoader leaves every value a text: `on:` stays "on" instead of becoming True, job keys such as `no` or `1`
    # stay names, and merge keys, which Actions does not know and which can grow without bound, are not merged.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        tree = yaml.load(text, Loader=loader)  # noqa: S506 - builds texts, lists and mappings only
    except RecursionError:
        return "nested too deeply to be a workflow"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        # A file that ends too early is told to break on the line after its last.
        where = f" in line {min(mark.line + 1, len(text.splitlines()))}" if mark else ""
        return f"not valid YAML{where}; needs and time limits of its jobs are unknown"
    if not isinstance(tree, dict) or not isinstance(tree.get("jobs"), dict):
        return "holds no `jobs:`; needs and time limits of its jobs are unknown"
    return tree


def _job_of(key: str, body: Mapping[str, Any]) -> WorkflowJob:
    strategy = _mapping(body.get("strategy"))
    return WorkflowJob(
        key=key,
        name=_scalar(body.get("name")) or key,
        needs=_texts(body.get("needs")),
        condition=_scalar(body.get("if")),
        timeout_minutes=_minutes(body.get("timeout-minutes")),
        has_matrix="matrix" in strategy,
        fail_fast=_scalar(strategy.get("fail-fast")) != "false",
        uses=_scalar(body.get("uses")) or None,
        steps=tuple(_step_of(_mapping(step)) for step in _list(body.get("steps"))[:MAX_STEPS]),
    )


def _step_of(body: Mapping[str, Any]) -> WorkflowStep:
    run, uses = _scalar(body.get("run")), _scalar(body.get("uses"))
    return WorkflowStep(
        name=_scalar(body.get("name")) or _shown_name(run, uses),
        run=run,
        uses=uses,
        timeout_minutes=_minutes(body.get("timeout-minutes")),
    )


def _shown_name(run: str, uses: str) -> str:
    """Name a step without `name:` as the run page does."""
    first_line = run.strip().partition("\n")[0]
    return f"Run {first_line or uses}" if first_line or uses else ""


def _concurrency_group(concurrency: object) -> str | None:
    return _scalar(_mapping(concurrency).get("group")) or _scalar(concurrency) or None


def _minutes(value: object) -> float | None:
    """Read a number of minutes; None for an expression such as `${{ inputs.minutes }}`."""
    try:
        return float(_scalar(value))
    except ValueError:
        return None


def _texts(value: object) -> tuple[str, ...]:
    """Read `needs`, which may be one text or a list of them."""
    if isinstance(value, list):
        return tuple(item for item in value if isinstance(item, str))
    return (value,) if isinstance(value, str) and value else ()


def _scalar(value: object) -> str:
    # Never str() of a structure: with aliases a small file describes a huge one.
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return {key: item for key, item in value.items() if isinstance(key, str)} if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
