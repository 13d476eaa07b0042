"""Desks in the recorded repositories."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.commands.desk import Desk, recording
from tests.fakegithub import FakeGitHub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def open_desk() -> Iterator[Callable[[str, int], Desk]]:
    """Open a desk at a pull request of a recorded repository."""
    with ExitStack() as stack:

        def open_at(case: str, number: int) -> Desk:
            fake = stack.enter_context(FakeGitHub.from_recording(recording(case)))
            return Desk(fake=fake, number=number)

        yield open_at


@pytest.fixture
def lost_runner(open_desk: Callable[[str, int], Desk]) -> Desk:
    """A job whose machine went away: a re-run helps."""
    return open_desk("lost-runner", 561)


@pytest.fixture
def regression(open_desk: Callable[[str, int], Desk]) -> Desk:
    """A change that breaks what it touches: a re-run is pointless."""
    return open_desk("regression", 583)


@pytest.fixture
def case_a(open_desk: Callable[[str, int], Desk]) -> Desk:
    """21 red jobs in five runs."""
    return open_desk("case-a", 39471)
