"""Commands are loaded when they are wanted."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from triage.entry.cli import make_parser
from triage.entry.commands import MODULES, load_command

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", MODULES)
def test_every_command_is_found_under_its_name(name: str) -> None:
    assert load_command(name).name == name
    assert f" {name} " in make_parser(name).format_help()


LOG = "gcc: error: nothing.c: No such file or directory\nmake: *** [all] Error 1\n"
UNNEEDED = {
    "what decides and asks GitHub": {
        "triage.decide",
        "triage.github",
        "triage.history",
        "github",
        "requests",
        "sqlalchemy",
    },
    "recordings": {"triage.recorded.folder", "triage.recorded.recorder", "triage.source.shapes"},
    "words of a whole report": {
        "triage.model.runs",
        "triage.model.facts",
        "triage.model.answers",
        "triage.render.wording",
    },
    "readers of tests that did not run": {
        "triage.logs.tests.pytest_sessions",
        "triage.logs.tests.pytest_failures",
        "triage.logs.tests.traceback",
        "triage.logs.tests.python_script",
        "triage.logs.tests.gotest",
    },
    "what makes patterns and rules": {"yaml", "triage.rules.load", "triage.rules.document"},
    "settings that no file gives": {"triage.settings.values", "triage.settings.load"},
    "libraries": {
        "rich",
        "logging",
        "traceback",
        "hashlib",
        "base64",
        "gzip",
        "pickle",
        "random",
        "tempfile",
        "subprocess",
    },
}


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_lone_log_loads_only_what_it_needs(form: str, tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    log.write_text(LOG, encoding="utf-8")

    loaded = _loaded("log", "--format", form, str(log))

    assert {why: sorted(names & loaded) for why, names in UNNEEDED.items() if names & loaded} == {}


def test_help_loads_nothing_that_reads_or_decides() -> None:
    loaded = _loaded("--help")

    unneeded = {
        "triage.classify",
        "triage.logs",
        "triage.model.jobs",
        "triage.rules",
        "triage.settings.values",
        "triage.decide",
        "re2",
        "rich",
        "logging",
        "dataclasses",
        "json",
    }
    assert sorted(unneeded & loaded) == []


def _loaded(*arguments: str) -> set[str]:
    """Run the command line in a process of its own; return the names of the modules that are loaded at its end."""
    code = """
import sys
from triage.entry.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("\\n" + " ".join(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())
