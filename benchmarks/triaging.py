"""A triage over HTTP on the fake, each request answered after a while: requests, round trips one after another, time.

    python -m benchmarks.triaging --latency 0.1

The first triage starts with an empty history, the others know what the first has seen.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fakegithub import FakeGitHub
from tests.fakegithub.build import RUNS
from triage.app import triage
from triage.github import connect
from triage.history.lookback import Limits
from triage.history.store import Store
from triage.recorded import Recorded
from triage.rules import builtin_rules
from triage.source.request import PullRequestRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fakegithub import Answer
    from tests.fakegithub.answers import Request

CASE = RUNS / "case-a"


class DistantGitHub(FakeGitHub):
    """A fake that answers every request after a while."""

    latency = 0.1

    def answer(self, request: Request, authorization: str | None, conditions: str | None) -> Answer:
        """Answer late."""
        time.sleep(self.latency)
        return super().answer(request, authorization, conditions)

    def answer_blob(self, request: Request, authorization: str | None) -> Answer:
        """Answer late."""
        time.sleep(self.latency)
        return super().answer_blob(request, authorization)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One triage: how many requests it made, how many times the latency it took, seconds, and seconds of processor."""

    requests: int
    round_trips: float
    seconds: float
    busy: float


def measure(latency: float, *, times: int = 3) -> Iterator[Measured]:
    """Triage case A again and again on one history."""
    request = PullRequestRequest(int(Recorded(CASE).about["request"]["pull"]))
    rules = builtin_rules()
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder, "history.db")) as store:
        for _ in range(times):
            with DistantGitHub.from_recording(CASE) as fake:
                fake.latency = latency
                with connect(fake.repository, token=fake.token, api_url=fake.api_url) as reads:
                    began, busy = time.perf_counter(), time.process_time()
                    triage(request, reads, rules, limits=Limits(), store=store)
                    seconds = time.perf_counter() - began
                yield Measured(
                    requests=reads.requests_made,
                    round_trips=seconds / latency,
                    seconds=seconds,
                    busy=time.process_time() - busy,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--latency", type=float, default=0.1, help="seconds to each answer (default %(default)s)")
    for place, run in enumerate(measure(parser.parse_args().latency)):
        print(
            f"{'warm' if place else 'cold'}: {run.requests} requests, {run.seconds:.2f} s "
            f"({run.round_trips:.1f} times the latency), {run.busy:.2f} s of it busy, the fake included"
        )


if __name__ == "__main__":
    main()
