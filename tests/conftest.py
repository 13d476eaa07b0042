"""What every test may rely on: no network beyond this machine, golden files, and properties without a stopwatch."""

from __future__ import annotations

import ipaddress
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

# A machine that is busy with other things is no failure of a property, hence no deadline. Each change is tried on the
# same few examples, so that green stays green; `--hypothesis-profile long` looks for new ones.
settings.register_profile("triage", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile("triage")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files; look at the difference")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden is for a person who then reads the difference, not for CI")
    sys.addaudithook(_refuse_network)


def _refuse_network(event: str, arguments: Sequence[Any]) -> None:
    """Fail the test that talks to another machine, whatever library it does it with.

    `pytest.fail` is no `Exception`: the product cannot take the refusal for a network that is down and carry on.
    """
    if event in {"socket.connect", "socket.sendto"}:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else "localhost"  # a path: a socket of this machine
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if not _is_here(host):
        pytest.fail(f"a test tried to reach {host!r}; tests reach nothing beyond this machine")


def _is_here(host: str | bytes | None) -> bool:
    name = host.decode() if isinstance(host, bytes) else host or "localhost"
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file in the folder `golden` beside the test; `--update-golden` rewrites it."""
    folder: Path = request.path.parent / "golden"

    def check(name: str, text: str) -> None:
        file = folder / name
        if request.config.getoption("--update-golden"):
            folder.mkdir(exist_ok=True)
            file.write_bytes(text.encode())
        assert file.is_file(), f"there is no {file}; run pytest --update-golden and read what it wrote"
        assert text == file.read_bytes().decode()

    return check
