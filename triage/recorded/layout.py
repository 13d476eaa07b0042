"""Where each answer lies inside a recording, relative to its folder: one function a file of the format."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import quote

RECORDING = PurePosixPath("recording.yaml")
REPOSITORY = PurePosixPath("repository.json")
PULLS_BY_HEAD = PurePosixPath("pulls_by_head.json")
RECENT_PULLS = PurePosixPath("recent_pulls.json")
VERSION = 1


def _one(name: str) -> str:
    """Write any text as the name of one file or folder: never a separator, never `.` or `..`."""
    safe = quote(name, safe="@+=, ")
    return safe.replace(".", "%2E") if set(safe) <= {"."} else safe


def run(run_id: int) -> PurePosixPath:
    """Return the file of one workflow run."""
    return PurePosixPath("runs", f"{run_id}.json")


def jobs(run_id: int) -> PurePosixPath:
    """Return the file with the jobs of all attempts of a run."""
    return PurePosixPath("runs", str(run_id), "jobs.json")


def runs_at(head_sha: str) -> PurePosixPath:
    """Return the file with the runs at a commit."""
    return PurePosixPath("heads", _one(head_sha), "runs.json")


def annotations_of(check_run_id: int) -> PurePosixPath:
    """Return the file with the annotations of a check run."""
    return PurePosixPath("annotations", f"{check_run_id}.json")


def log(job_id: int, suffix: str) -> PurePosixPath:
    """Return one of a job's log files; `suffix` is `.log`, `.log.gz`, `.missing.yaml` or `.truncated`."""
    return PurePosixPath("logs", f"{job_id}{suffix}")


def pull(number: int) -> PurePosixPath:
    """Return the file of a pull request."""
    return PurePosixPath("pulls", f"{number}.json")


def files(number: int) -> PurePosixPath:
    """Return the file with the changed files of a pull request."""
    return PurePosixPath("pulls", str(number), "files.json")


def pulls_of_commit(sha: str) -> PurePosixPath:
    """Return the file with the pull requests that hold a commit."""
    return PurePosixPath("commits", _one(sha), "pulls.json")


def compare(base: str, head: str) -> PurePosixPath:
    """Return the file with the comparison of two commits or branches."""
    return PurePosixPath("compare", f"{_one(base)}...{_one(head)}.json")


def contents(path: str, ref: str) -> PurePosixPath:
    """Return the file that is a file of the repository at a commit."""
    return PurePosixPath("contents", _one(ref), *(_one(part) for part in path.split("/") if part))


def no_contents(path: str, ref: str) -> PurePosixPath:
    """Return the file that says that the repository has no such file at a commit."""
    there = contents(path, ref)
    return there.with_name(f"{there.name}.missing")


def runs_on(branch: str, workflow: str | None) -> PurePosixPath:
    """Return the file with the completed runs of a branch, or of one workflow file on it."""
    return PurePosixPath("branches", _one(branch), *((_one(workflow),) if workflow else ()), "runs.json")


def failed_runs(workflow: str, event: str) -> PurePosixPath:
    """Return the file with the failed runs of one workflow file, of one event."""
    return PurePosixPath("workflows", _one(workflow), f"failed-{_one(event)}.json")


def commits(ref: str, path: str | None) -> PurePosixPath:
    """Return the file with the commits of a branch or commit, or those of one path."""
    return PurePosixPath("refs", _one(ref), *((_one(path),) if path else ()), "commits.json")
