"""Commands are loaded when they are wanted."""

from __future__ import annotations

import subprocess
import sys

import pytest

from triage.entry.cli import make_parser
from triage.entry.commands import MODULES, load_command


@pytest.mark.parametrize("name", MODULES)
def test_every_command_is_found_under_its_name(name: str) -> None:
    assert load_command(name).name == name
    assert f" {name} " in make_parser(name).format_help()


def test_a_lone_log_needs_neither_the_decisions_nor_a_client() -> None:
    code = """
import sys
from triage.entry.cli import main
main(["log", "-"])
print(sorted({"triage.decide", "github", "requests", "sqlalchemy"} & sys.modules.keys()))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], input="make: *** [all] Error 2\n", capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines()[-1] == "[]"
