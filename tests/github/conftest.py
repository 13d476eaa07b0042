from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from tests.github.stub import Stub
from triage.github import connect
from triage.github.budget import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from triage.github.reads import LiveReads

TOKEN = "ghs_" + "t0k3n" * 8
REPOSITORY = "acme/engine"
QUICK = Limits(first_pause=0.01, read_timeout=2, connect_timeout=2)


class Connect(Protocol):
    def __call__(
        self,
        *,
        token: str | None = TOKEN,
        deadline: float = 30.0,
        limits: Limits = QUICK,
        prefix: str = "",
        progress: Callable[[str], None] | None = None,
    ) -> LiveReads: ...


@pytest.fixture
def api() -> Iterator[Stub]:
    with Stub() as stub:
        yield stub


@pytest.fixture
def store() -> Iterator[Stub]:
    with Stub() as stub:
        yield stub


@pytest.fixture
def connected(api: Stub) -> Iterator[Connect]:
    opened: list[LiveReads] = []

    def make(
        *,
        token: str | None = TOKEN,
        deadline: float = 30.0,
        limits: Limits = QUICK,
        prefix: str = "",
        progress: Callable[[str], None] | None = None,
    ) -> LiveReads:
        reads = connect(
            REPOSITORY, token=token, api_url=api.url + prefix, deadline=deadline, limits=limits, progress=progress
        )
        opened.append(reads)
        return reads

    yield make
    for reads in opened:
        reads.close()
