"""Writes a story as a recording: the folder that `triage.recorded` reads."""

from __future__ import annotations

import json
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import yaml

from tests.fakegithub import objects
from tests.fakegithub.built import iso, moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.fakegithub.built import BuiltRun
    from tests.fakegithub.objects import JSON
    from tests.fakegithub.story import Story


def write_recording(story: Story, folder: Path) -> None:
    """Write every file of the recording."""
    _write_yaml(folder / "recording.yaml", _head(story))
    _write_json(folder / "repository.json", story.repository)
    for run in story.runs:
        _write_run(folder, run)
    for number, pull in story.pulls.items():
        _write_json(folder / "pulls" / f"{number}.json", pull)
        if number in story.files:
            _write_json(folder / "pulls" / str(number) / "files.json", story.files[number])
    _write_lists(story, folder)
    for base, head, comparison in comparisons(story):
        _write_json(folder / "compare" / f"{quote(base, safe='')}...{head}.json", comparison)
    for ref, path, text in contents(story):
        _write_text(folder / "contents" / ref / path, text)
    for given in story.given.get("contents", ()):
        for ref, path in product(given["refs"], given.get("missing", ())):
            _write_text(folder / "contents" / story.sha(ref) / f"{path}.missing", "")


def _head(story: Story) -> dict[str, Any]:
    return {
        "version": 1,
        "repository": story.repository_name,
        "request": story.given["request"],
        "recorded_at": iso(moment(story.given["now"])),
        "note": story.given["story"].strip(),
    }


def _write_run(folder: Path, run: BuiltRun) -> None:
    number = run.json["id"]
    if run.json["event"] == "pull_request":  # those of a branch are in its list
        _write_json(folder / "runs" / f"{number}.json", run.json)
    jobs = [job.json for job in run.jobs]
    _write_json(folder / "runs" / str(number) / "jobs.json", {"total_count": len(jobs), "jobs": jobs})
    for job in run.jobs:
        if job.log is not None:
            _write_text(folder / "logs" / f"{job.json['id']}.log", job.log)
        if job.is_cut:
            _write_text(folder / "logs" / f"{job.json['id']}.truncated", "")
        if job.missing is not None:
            _write_yaml(folder / "logs" / f"{job.json['id']}.missing.yaml", dict(job.missing))
        if job.annotations:
            _write_json(folder / "annotations" / f"{job.json['id']}.json", list(job.annotations))


def _write_lists(story: Story, folder: Path) -> None:
    """Write the runs of each branch, and of each workflow on it; lists that follow from other files are left out."""
    lists: dict[Path, list[JSON]] = {}
    for run in sorted(story.runs, key=lambda run: (run.json["created_at"], run.json["id"]), reverse=True):
        if run.json["event"] != "pull_request":
            branch = folder / "branches" / quote(run.json["head_branch"], safe="")
            for place in (branch, branch / Path(run.json["path"]).name):
                lists.setdefault(place / "runs.json", []).append(run.json)
    for path, runs in lists.items():
        _write_json(path, {"total_count": len(runs), "workflow_runs": runs})


def comparisons(story: Story) -> Iterator[tuple[str, str, JSON]]:
    """Yield base, head and comparison for each that the story describes or its pull requests imply."""
    for given in story.given.get("compare", ()):
        for base, side in given["bases"].items():
            yield base, given["head"], _comparison(story, {**given, **side}, base)
    for pull in story.given.get("pulls", ()):
        if "merge_base" in pull:
            yield from _implied_comparisons(story, pull)


def _implied_comparisons(story: Story, pull: Mapping[str, Any]) -> Iterator[tuple[str, str, JSON]]:
    """Compare a pull request's head with main, of which it is `behind_by` commits, and with its base."""
    at = iso(moment(pull["created"]))
    root, head = story.sha(pull["merge_base"]), story.sha(pull["head"])
    shas = [story.sha(f"{pull['head']} {index}") for index in range(1, pull.get("commits", 1))]
    commits = [
        {"sha": sha, "parent": parent, "message": pull["title"], "author": pull["author"], "at": at}
        for parent, sha in pairwise([root, *shas, head])
    ]
    for base, behind_by in (("main", pull.get("behind_by", 0)), (story.sha(pull["base"]), 0)):
        tip = {"sha": story.sha(pull["base"]), "message": "Update main", "author": "maintainer-a", "at": at}
        given = {
            "head": head,
            "files_of": pull["number"],
            "behind_by": behind_by,
            "tip": tip,
            "merge_base": {**tip, "sha": root},
            "commits": commits,
        }
        yield base, head, _comparison(story, given, base)


def _comparison(story: Story, given: Mapping[str, Any], base: str) -> JSON:
    name = story.repository_name
    commits = [_commit(name, one, parents=[one["parent"]]) for one in given.get("commits", ())]
    return objects.comparison(
        name,
        base,
        given["head"],
        base_commit=_commit(name, given["tip"]),
        merge_base=_commit(name, given["merge_base"]),
        behind_by=given.get("behind_by", 0),
        ahead_by=given.get("ahead_by"),
        commits=commits,
        files=story.files.get(given.get("files_of", 0), []),
    )


def _commit(name: str, given: Mapping[str, Any], parents: Sequence[str] = ()) -> JSON:
    return objects.commit(
        name, given["sha"], message=given["message"], author=given["author"], at=given["at"], parents=parents
    )


def contents(story: Story) -> Iterator[tuple[str, str, str]]:
    """Yield ref, path and text of every file that the story holds; folders of `contents/` in turn, later ones win."""
    for given in story.given.get("contents", ()):
        for ref in given["refs"]:
            files: dict[str, str] = {}
            for folder in given["from"]:
                top = story.folder / "contents" / folder
                paths = sorted(path for path in top.rglob("*") if path.is_file())
                files |= {str(path.relative_to(top)): path.read_text(encoding="utf-8") for path in paths}
            for path, text in files.items():
                yield story.sha(ref), path, text


def _write_json(path: Path, value: object) -> None:
    _write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def _write_yaml(path: Path, value: Mapping[str, Any]) -> None:
    _write_text(path, yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True))


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
