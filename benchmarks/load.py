"""A triage of many failed jobs with large logs, and many triages on one history: time, memory, requests, open files.

    python -m benchmarks.load --jobs 200 --mb 200         # 40 GB of log
    python -m benchmarks.load --soak 1000

The logs come over HTTP from a GitHub of this machine, in a process of its own, which makes them while it sends them.
Both commands end with 1 when something is out of its bounds.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fakegithub import FakeGitHub, StoredLog
from tests.fakegithub.build import RUNS
from tests.reliability.loads import large
from triage.app import triage
from triage.entry.inputs import DEFAULT_DEADLINE
from triage.github import connect
from triage.history.lookback import Limits
from triage.history.store import Store
from triage.model import LogState
from triage.recorded import Recorded
from triage.render.markdown import render_markdown
from triage.rules import builtin_rules
from triage.source.request import PullRequestRequest

if TYPE_CHECKING:
    from triage.model import Report

CASE = RUNS / "regression"
MOST_MEMORY = 512
MOST_COMMENT = 65_536
# Of one job: where its log is, its annotations, and a new address where the first one failed.
REQUESTS_A_JOB = 3
# Of a soak, from its tenth triage on: what the allocator may keep, and files that are opened once.
MOST_GROWTH = 20


def main() -> None:
    options = _options()
    if options.serve:
        _serve(options.jobs, options.mb)
    elif options.soak:
        _end(_soak(options.soak))
    else:
        _end(_load(options.jobs, options.mb, options.deadline))


def _end(broken: list[str]) -> None:
    for sentence in broken:
        print(f"OUT OF BOUNDS: {sentence}")
    sys.exit(1 if broken else 0)


def _request() -> PullRequestRequest:
    return PullRequestRequest(int(Recorded(CASE).about["request"]["pull"]))


# ---------------------------------------------------------------------------------------------------------------------
# Load


def _load(jobs: int, megabytes: int, deadline: int) -> list[str]:
    words = [sys.executable, "-m", "benchmarks.load", "--serve", "--jobs", str(jobs), "--mb", str(megabytes)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            where = json.loads(server.stdout.readline())
            began = time.perf_counter()
            with connect(
                where["repository"], token=where["token"], api_url=where["api_url"], deadline=deadline
            ) as reads:
                report = triage(_request(), reads, builtin_rules(), limits=Limits(), progress=_progress)
                seconds, requests = time.perf_counter() - began, reads.requests_made
        finally:
            server.communicate("")
    return _told(report, jobs, megabytes, seconds, requests, deadline)


def _told(report: Report, jobs: int, megabytes: int, seconds: float, requests: int, deadline: int) -> list[str]:
    read = [row for row in report.jobs if row.failure.log_state in {LogState.READ, LogState.TRUNCATED}]
    print(f"\n{jobs} jobs of {megabytes} MB, a deadline of {deadline} s, logs of up to 512 MB:")
    print(f"  {seconds:.0f} s, peak {_peak():.0f} MB, {requests} requests")
    print(f"  {len(report.jobs)} jobs in the report, {len(read)} logs read, verdict {report.verdict}")
    for gap in report.gaps:
        print(f"  gap: {gap.what}: {gap.why}")
    comment = len(render_markdown(report).encode())
    held = {
        f"it took {seconds:.0f} s": seconds <= deadline,
        f"it took {_peak():.0f} MB": _peak() <= MOST_MEMORY,
        f"it made {requests} requests": requests <= jobs * REQUESTS_A_JOB + Limits().requests + 20,
        f"only {len(report.jobs)} jobs are in the report": len(report.jobs) == jobs,
        "nothing says which logs were left out": len(read) == jobs or bool(report.gaps),
        f"the comment has {comment} bytes": comment < MOST_COMMENT,
    }
    return [sentence for sentence, is_held in held.items() if not is_held]


def _serve(jobs: int, megabytes: int) -> None:
    """Be a GitHub whose red job is many, until standard input ends."""
    with FakeGitHub.from_recording(CASE) as fake:
        _make_many(fake, jobs, StoredLog(pieces=large(megabytes).pieces))
        fake.rate_limit = 100_000
        print(json.dumps({"repository": fake.repository, "token": fake.token, "api_url": fake.api_url}), flush=True)
        sys.stdin.read()


def _make_many(fake: FakeGitHub, jobs: int, log: StoredLog) -> None:
    run = next(run for run in fake.state.all_runs() if run["event"] == "pull_request")
    red = next(job for job in fake.state.jobs_of(run["id"]) if job["conclusion"] == "failure")
    for job in [job for job in fake.state.jobs.values() if job["conclusion"] == "failure"]:
        del fake.state.jobs[job["id"]]
    for place in range(1, jobs + 1):
        number = red["id"] + 100_000 * place
        fake.state.jobs[number] = {**red, "id": number, "name": f"gpu (shard {place})"}
        fake.state.logs[number] = log


# ---------------------------------------------------------------------------------------------------------------------
# Soak


def _soak(times: int) -> list[str]:
    recorded, rules, request = Recorded(CASE), builtin_rules(), _request()
    seen: list[tuple[float, int, int]] = []
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder, "history.db")) as store:
        for number in range(1, times + 1):
            triage(request, recorded, rules, limits=Limits(), store=store)
            if number in {10, times} or number % 100 == 0:
                gc.collect()
                seen.append((_now(), len(os.listdir("/proc/self/fd")), _size(Path(folder))))
                memory, files, size = seen[-1]
                print(f"{number:5} triages: {memory:.0f} MB, {files} open files, history of {size} kB", flush=True)
    (memory, files, size), (memory_then, files_then, size_then) = seen[0], seen[-1]
    held = {
        f"memory grew by {memory_then - memory:.0f} MB": memory_then - memory <= MOST_GROWTH,
        f"{files_then - files} more files are open": files_then <= files,
        f"the history grew by {size_then - size} kB": size_then - size <= MOST_GROWTH * 1000,
    }
    return [sentence for sentence, is_held in held.items() if not is_held]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir()) // 1000


def _peak() -> float:
    """Return the most memory that this process ever held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _now() -> float:
    """Return the memory that the process holds now, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text}\x1b[K")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--jobs", type=int, default=200, help="failed jobs (default %(default)s)")
    parser.add_argument("--mb", type=int, default=200, help="megabytes of each log (default %(default)s)")
    parser.add_argument(
        "--deadline",
        type=int,
        default=DEFAULT_DEADLINE,
        help="seconds for all reading (default %(default)s, the Action's)",
    )
    parser.add_argument("--soak", type=int, metavar="N", help="triage N times on one history instead")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
