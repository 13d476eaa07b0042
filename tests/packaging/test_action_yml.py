"""`action.yml` is what its documentation and its entry say, and installs and runs nothing but what is locked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

from triage.entry.inputs import DEFAULT_DEADLINE, INPUTS, Inputs, read_inputs
from triage.errors import UsageError
from triage.model import Category
from triage.settings import BUILT_IN, When

TOP = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
STEP: dict[str, Any] = ACTION["runs"]["steps"][0]
DOCS = (TOP / "docs" / "install.md").read_text(encoding="utf-8")


def table(heading: str) -> dict[str, list[str]]:
    """Return the rows of a table of the docs by the name in their first cell."""
    part = DOCS.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("| `")]
    return {row[0].strip().strip("`"): [cell.strip() for cell in row[1:]] for row in rows}


def test_inputs_are_the_same_in_the_action_its_entry_and_the_docs() -> None:
    names = [one.name for one in INPUTS]

    assert list(ACTION["inputs"]) == names
    assert list(table("Inputs")) == names


def test_every_input_reaches_the_entry_as_a_variable_and_nothing_else_does() -> None:
    assert STEP["env"] == {one.variable: f"${{{{ inputs.{one.name} }}}}" for one in INPUTS}


def test_outputs_are_the_same_in_the_action_and_the_docs() -> None:
    assert list(ACTION["outputs"]) == list(table("Outputs"))
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.{STEP['id']}.outputs.{name} }}}}"


def test_the_defaults_of_the_action_are_those_of_the_entry() -> None:
    given = {one.variable: str(ACTION["inputs"][one.name]["default"]) for one in INPUTS if one.name != "token"}

    assert read_inputs(given) == Inputs()
    assert str(DEFAULT_DEADLINE) in table("Inputs")["deadline"][1]
    assert f"{BUILT_IN.max_logs}" in table("Inputs")["max-logs"][1]
    assert f"`{BUILT_IN.comment}`" in table("Inputs")["comment"][1]


def test_every_input_is_described_and_none_is_needed() -> None:
    for name, given in ACTION["inputs"].items():
        assert given["description"].strip().endswith("."), name
        assert given["required"] is False


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("run-id", "37533301121", "run_id", 37533301121),
        ("run-id", "sweep", "sweep", True),
        ("fail-on", "regression, unknown", "fail_on", (Category.REGRESSION, Category.UNKNOWN)),
        ("comment", "off", "comment", When.OFF),
        ("strict", "True", "strict", True),
        ("rules-path", ".github/own.yml", "rules_path", ".github/own.yml"),
    ],
)
def test_an_input_is_read(name: str, text: str, field: str, value: object) -> None:
    variable = next(one.variable for one in INPUTS if one.name == name)

    assert getattr(read_inputs({variable: text}), field) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run-id", "0"),
        ("run-id", "-5"),
        ("run-id", "٣"),
        ("deadline", "86400"),
        ("rules-path", "../../etc/passwd"),
        ("rules-path", "/etc/passwd"),
        ("fail-on", "red"),
        ("dry-run", "maybe"),
    ],
)
def test_an_input_that_cannot_be_meant_is_refused_by_name(name: str, text: str) -> None:
    variable = next(one.variable for one in INPUTS if one.name == name)

    with pytest.raises(UsageError, match=f"the input `{name}` is"):
        read_inputs({variable: text})


def test_the_script_holds_no_expression_that_would_run_as_code() -> None:
    assert "${{" not in STEP["run"]


def test_the_action_is_one_step_that_uses_no_other_action() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert len(ACTION["runs"]["steps"]) == 1
    assert "uses" not in STEP


def test_packages_are_installed_by_hash_and_from_wheels_only() -> None:
    installs = [line for line in STEP["run"].splitlines() if "pip install" in line]

    assert len(installs) == 2
    for line in installs:
        assert "--require-hashes --only-binary :all:" in line
    assert "--no-config" in STEP["run"]


def test_python_always_runs_isolated() -> None:
    calls = re.findall(
        r'^ *(?:exec )?(?:python3|"\$python"|"\$\(cat "\$home/python-path"\)") (\S+)', STEP["run"], re.MULTILINE
    )

    assert len(calls) == 6
    assert set(calls) == {"-I"}


@pytest.mark.parametrize("name", ["core", "history"])
def test_the_locks_name_no_address_and_give_every_package_a_hash(name: str) -> None:
    text = (TOP / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    packages = re.split(r"\n(?=\S)", text.strip())

    assert "://" not in text
    assert all("==" in one and "--hash=sha256:" in one for one in packages)


def test_the_lock_with_a_history_is_the_core_and_more() -> None:
    def pins(name: str) -> set[str]:
        return set(re.findall(r"^\S+==\S+", (TOP / "requirements" / f"{name}.txt").read_text("utf-8"), re.MULTILINE))

    assert pins("core") < pins("history")


# --------------------------------------------------------------------------------------------------------------------
# The script itself, with tools that only write down how they were called


UV = """#!/usr/bin/env bash
echo "uv $*" >> "$CALLS"
if [ "$UV_FAILS" ]; then echo "no network" >&2; exit 2; fi
if [ "$1" = venv ]; then
  "$REAL_PYTHON" -I -m venv --without-pip "${@: -1}"
  echo "$REAL_PACKAGES" > "$(echo "${@: -1}"/lib/python*/site-packages)/packages.pth"
fi
"""


def run_script(tmp_path: Path, **variables: str) -> tuple[subprocess.CompletedProcess[str], list[str], str]:
    """Run the step as the runner does, in a workspace that a change has filled with traps."""
    tools, workspace, temporary = tmp_path / "tools", tmp_path / "workspace", tmp_path / "temp"
    for folder in (tools, workspace, temporary):
        folder.mkdir()
    (tools / "uv").write_text(UV)
    (tools / "uv").chmod(0o755)
    set_traps(workspace)
    (tmp_path / "step.sh").write_text(STEP["run"])
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "CALLS": str(tmp_path / "calls"),
        "REAL_PYTHON": sys.executable,
        "REAL_PACKAGES": sysconfig.get_path("purelib"),
        "UV_FAILS": "",
        "GITHUB_ACTION_PATH": str(TOP),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_WORKSPACE": str(workspace),
        "RUNNER_TEMP": str(temporary),
        "PYTHONPATH": str(workspace),
        **dict.fromkeys(STEP["env"], ""),
        **variables,
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(tmp_path / "step.sh")],
        cwd=workspace, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    calls = tmp_path / "calls"
    output = tmp_path / "output"
    return done, calls.read_text().splitlines() if calls.exists() else [], output.read_text() if output.exists() else ""


def set_traps(workspace: Path) -> None:
    """Put files into a workspace that would speak up if anything of it were loaded."""
    for name in ("sitecustomize", "usercustomize", "rich", "yaml", "requests", "venv", "json", "pip"):
        (workspace / f"{name}.py").write_text(f"print('TRAP {name}', flush=True)\nraise SystemExit(9)\n")
    (workspace / "triage").mkdir()
    (workspace / "triage" / "__init__.py").write_text("print('TRAP triage', flush=True)\nraise SystemExit(9)\n")
    (workspace / ".github").mkdir()
    (workspace / ".github" / "triage.yml").write_text("TRAP: [\n")
    (workspace / "uv.toml").write_text('index-url = "https://trap.invalid/simple"\n')


def test_nothing_in_the_workspace_is_loaded(tmp_path: Path) -> None:
    done, calls, _ = run_script(tmp_path)

    assert "TRAP" not in done.stdout + done.stderr
    assert done.returncode == 0, done
    assert "No triage: nothing says which run is meant" in done.stdout
    assert "--no-config" in calls[0]
    assert calls[1].endswith("--require-hashes --only-binary :all: -r requirements/core.txt")


def test_the_packages_of_a_history_are_installed_only_with_one(tmp_path: Path) -> None:
    _, calls, _ = run_script(tmp_path, TRIAGE_HISTORY="postgresql://db/triage")

    assert calls[1].endswith("-r requirements/history.txt")


def test_an_installation_that_does_not_work_is_noticed_before_it_is_used(tmp_path: Path) -> None:
    done, _, output = run_script(tmp_path, REAL_PACKAGES="/nowhere")

    assert (done.returncode, "partial=true" in output.splitlines()) == (0, True)
    assert "No module named" in done.stderr


@pytest.mark.parametrize(("strict", "code", "level"), [("false", 0, "warning"), ("true", 2, "error")])
def test_an_installation_that_fails_turns_nothing_red(tmp_path: Path, strict: str, code: int, level: str) -> None:
    done, _, output = run_script(tmp_path, UV_FAILS="1", TRIAGE_STRICT=strict)

    assert done.returncode == code
    assert f"::{level} title=CI triage::No triage: it could not be installed" in done.stdout
    assert "partial=true" in output.splitlines()
