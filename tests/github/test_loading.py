"""What importing and connecting do before anything is asked."""

from __future__ import annotations

import subprocess
import sys


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def test_importing_the_package_loads_no_github_client() -> None:
    answer = python(
        "-c", "import triage.github, triage.recorded, sys; print({'github', 'requests', 'yaml'} & {*sys.modules})"
    )

    assert answer.stdout == "set()\n", answer.stderr


def test_without_asserts_nothing_is_asked() -> None:
    script = (
        "from triage.github import connect\n"
        "from triage.errors import UsageError\n"
        "try: connect('acme/engine', token='t')\n"
        "except UsageError as error: print(error)\n"
    )

    answer = python("-O", "-c", script)

    assert "does not talk to GitHub under `python -O`" in answer.stdout, answer.stderr
