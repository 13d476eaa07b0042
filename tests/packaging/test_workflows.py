"""The workflows that we ship and use ourselves: privileged, and so without any code of a change (T1, T11, T24, T25)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

TOP = Path(__file__).parents[2]
SHIPPED = sorted((TOP / "docs" / "workflows").glob("*.yml"))
OWN = sorted((TOP / ".github" / "workflows").glob("triage*.yml"))
PRIVILEGED = [path for path in (*SHIPPED, *OWN) if path.name.startswith("triage")]
BIN = Path(sys.executable).parent


def read(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    return loaded


def steps_of(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def name_of(path: Path) -> str:
    return str(path.relative_to(TOP))


def test_there_are_the_workflows_that_the_docs_name() -> None:
    named = re.findall(r"\(workflows/([\w-]+\.yml)\)", (TOP / "docs" / "install.md").read_text(encoding="utf-8"))

    assert set(named) == {path.name for path in SHIPPED}
    assert {path.name for path in OWN} == {path.name for path in SHIPPED if path.name.startswith("triage")}


@pytest.mark.parametrize("path", PRIVILEGED, ids=name_of)
def test_a_privileged_workflow_uses_the_action_and_nothing_else(path: Path) -> None:
    steps = steps_of(read(path))

    assert len(steps) == 1
    assert "run" not in steps[0]
    assert re.fullmatch(r"acme/ci-triage@[0-9a-f]{40}|\$/", steps[0]["uses"])
    for word in ("checkout", "cache", "artifact/", "download"):
        assert word not in re.sub(r"#.*", "", path.read_text(encoding="utf-8"))


def test_the_placeholder_for_the_action_is_called_one_and_goes_with_the_documented_command(tmp_path: Path) -> None:
    docs = (TOP / "docs" / "install.md").read_text(encoding="utf-8")
    command = next(line.strip() for line in docs.splitlines() if line.startswith("    sed -i"))
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    shipped = [path for path in SHIPPED if path.name.startswith("triage")]
    for path in shipped:
        shutil.copy(path, folder)
        assert path.read_text(encoding="utf-8").count("# placeholder, see docs/install.md") == 1
    # The editor of other systems wants a suffix for its copy.
    subprocess.run(["bash", "-c", command.replace("sed -i ", "sed -i.old ")], cwd=tmp_path, check=True)

    for path in shipped:
        assert steps_of(read(folder / path.name))[0]["uses"] == "OWNER/REPO@COMMIT"


@pytest.mark.parametrize("path", [*SHIPPED, *OWN], ids=name_of)
def test_nothing_is_allowed_but_what_a_job_says_it_needs(path: Path) -> None:
    workflow = read(path)

    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert "permissions" in job
        assert int(job["timeout-minutes"]) <= 60


def test_only_the_command_may_run_something_again() -> None:
    writes = {
        path.name: {
            key for job in read(path)["jobs"].values() for key, to in job["permissions"].items() if to == "write"
        }
        for path in PRIVILEGED
    }

    assert writes == {
        "triage.yml": {"pull-requests"},
        "triage-sweep.yml": {"pull-requests"},
        "triage-command.yml": {"actions", "pull-requests"},
    }


@pytest.mark.parametrize("path", OWN, ids=name_of)
def test_what_we_use_is_what_we_ship(path: Path) -> None:
    own, shipped = read(path), read(TOP / "docs" / "workflows" / path.name)
    for workflow in (own, shipped):
        steps_of(workflow)[0]["uses"] = "the Action"
        workflow["on"].get("workflow_run", {}).pop("workflows", None)

    assert own == shipped


def test_our_own_triage_follows_a_workflow_that_is_there() -> None:
    followed = read(TOP / ".github" / "workflows" / "triage.yml")["on"]["workflow_run"]["workflows"]
    names = {read(path)["name"] for path in (TOP / ".github" / "workflows").glob("*.yml")}

    assert set(followed) <= names - {"CI triage"}


def test_only_a_new_comment_starts_the_command_and_only_on_a_pull_request() -> None:
    workflow = read(TOP / "docs" / "workflows" / "triage-command.yml")

    assert workflow["on"] == {"issue_comment": {"types": ["created"]}}
    assert workflow["jobs"]["command"]["if"].startswith("github.event.issue.pull_request && startsWith(")


def test_zizmor_finds_nothing_but_the_triggers_that_are_justified() -> None:
    zizmor = shutil.which("zizmor", path=str(BIN)) or shutil.which("zizmor")
    assert zizmor is not None, "zizmor is not installed here; `make test` installs it"
    files = [
        *map(str, SHIPPED),
        *map(str, sorted((TOP / ".github" / "workflows").glob("*.yml"))),
        str(TOP / "action.yml"),
    ]
    done = subprocess.run([zizmor, "--offline", "--quiet", *files], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    ignored = [
        line.partition("zizmor: ignore[")[2]
        for path in (*SHIPPED, *OWN)
        for line in path.read_text(encoding="utf-8").splitlines()
        if "zizmor: ignore[" in line
    ]
    assert len(ignored) == 4
    assert all(re.fullmatch(r"dangerous-triggers\] .{30,}", line) for line in ignored)


def test_zizmor_finds_what_we_would_be_ashamed_of(tmp_path: Path) -> None:
    zizmor = shutil.which("zizmor", path=str(BIN)) or shutil.which("zizmor")
    assert zizmor is not None, "zizmor is not installed here; `make test` installs it"
    text = (TOP / "docs" / "workflows" / "triage.yml").read_text(encoding="utf-8")
    bad = tmp_path / "bad.yml"
    bad.write_text(re.sub(r" *# zizmor: ignore.*\n", "", text), encoding="utf-8")
    done = subprocess.run([zizmor, "--offline", "--quiet", str(bad)], capture_output=True, text=True, check=False)

    assert "dangerous-triggers" in done.stdout
