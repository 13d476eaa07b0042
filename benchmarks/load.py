"""A triage of many failed jobs with large logs, and many triages on one history: time, memory, open files.

    python -m benchmarks.load --jobs 200 --mb 200         # 40 GB of log
    python -m benchmarks.load --soak 1000

The logs are made as they are read, so that neither disk nor network is measured: only what triage does with them.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from tests.fakegithub.build import RUNS
from tests.reliability.loads import large
from tests.reliability.test_bounds import Enlarged
from triage.app import triage
from triage.history.lookback import Limits
from triage.history.store import Store
from triage.recorded import Recorded
from triage.rules import builtin_rules
from triage.source.request import PullRequestRequest


def main() -> None:
    options = _options()
    if options.soak:
        _soak(options.soak)
    else:
        _load(options.jobs, options.mb)


def _request(reads: Recorded) -> PullRequestRequest:
    return PullRequestRequest(int(reads.about["request"]["pull"]))


def _load(jobs: int, megabytes: int) -> None:
    reads = Recorded(RUNS / "regression")
    log = large(megabytes)
    many = Enlarged(reads, jobs, lambda _: log)
    began = time.perf_counter()
    report = triage(_request(reads), many, builtin_rules(), progress=_progress)
    seconds = time.perf_counter() - began
    print(
        f"\n{jobs} jobs of {megabytes} MB: {seconds:.1f} s, {jobs * megabytes / seconds:.0f} MB/s, "
        f"peak {_peak():.0f} MB, {len(report.jobs)} jobs in the report, {len(report.gaps)} gaps"
    )


def _soak(times: int) -> None:
    recorded, rules = Recorded(RUNS / "regression"), builtin_rules()
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder, "history.db")) as store:
        for number in range(1, times + 1):
            triage(_request(recorded), recorded, rules, limits=Limits(), store=store)
            if number in {10, times} or number % 100 == 0:
                gc.collect()
                print(f"{number:5} triages: {_now():.0f} MB, {len(os.listdir('/proc/self/fd'))} open files", flush=True)


def _peak() -> float:
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
    parser.add_argument("--soak", type=int, metavar="N", help="triage N times on one history instead")
    return parser.parse_args()


if __name__ == "__main__":
    main()
