"""Speed and memory of reading a log and matching rules, against ripgrep on the same file with the same patterns.

    python -m benchmarks.reading --mb 100
    python -m benchmarks.reading --mb 100 --patterns built-in
    python -m benchmarks.reading --log job.log --patterns built-in

Both are whole processes, start and compiling included, and take turns. Measured are the time that passes and the time
of the processor, which what else a machine does changes less. ripgrep only counts lines; reading also cleans, numbers
the lines, tells the rules apart and keeps what stands round each hit.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.logs import write_log
from benchmarks.patterns import patterns
from triage.logs import MARKS

if TYPE_CHECKING:
    import resource
    from collections.abc import Sequence

_STAMP = r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z )?"


NOTHING_FOUND = {"rg": 1}
"""Exit code of a command that went well and found nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """What each run of one command took: seconds that passed, seconds of the processor, and peak memory in MB."""

    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    peaks: list[float] = field(default_factory=list)

    def add(self, command: list[str]) -> None:
        """Run the command once more."""
        begun = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            _, status, usage = _wait(process.pid)
            process.returncode = status
        if status not in {0, NOTHING_FOUND.get(command[0], 0)}:
            raise SystemExit(f"{command[0]} failed with {status}")
        self.seconds.append(time.perf_counter() - begun)
        self.processor.append(usage.ru_utime + usage.ru_stime)
        self.peaks.append(usage.ru_maxrss / 1000)


def _wait(pid: int) -> tuple[int, int, resource.struct_rusage]:
    """Wait for one child and return what it alone used."""
    pid, status, usage = os.wait4(pid, 0)
    return pid, os.waitstatus_to_exitcode(status), usage


def main() -> None:
    options = _options()
    try:
        patterns(options.patterns)
    except ValueError as error:
        raise SystemExit(f"--patterns: {error}") from None
    with tempfile.TemporaryDirectory() as folder:
        log = options.log or Path(folder, "job.log")
        if options.log is None:
            write_log(log, megabytes=options.mb, dense=options.dense)
        elif not log.is_file():
            raise SystemExit(f"--log: there is no file {log}")
        own, other = commands(log, options.patterns, Path(folder))
        _compare(own, other, megabytes=log.stat().st_size / 1e6, rounds=options.rounds)


def commands(log: Path, name: str, folder: Path) -> tuple[list[str], list[str]]:
    """Return what reads a log with a set of patterns of `benchmarks.patterns`, and ripgrep for the same patterns.

    Those of the built-in ones that are not ASCII, one in fifteen, ripgrep does not get: it looks for bytes only.
    """
    chosen = dict.fromkeys(pattern for pattern in {**patterns(name), **MARKS}.values() if pattern.isascii())
    listed = folder / "patterns.txt"
    listed.write_text("".join(f"{_for_ripgrep(pattern)}\n" for pattern in chosen))
    own = [sys.executable, "-m", "benchmarks.read", str(log), name]
    return own, ["rg", "--text", "--no-unicode", "--count", "--file", str(listed), str(log)]


def ratios_of(own: Sequence[float], other: Sequence[float]) -> list[float]:
    """Return how many times less time one took than the other, turn by turn."""
    return [theirs / ours for ours, theirs in zip(own, other, strict=True)]


def _compare(own: list[str], other: list[str], *, megabytes: float, rounds: int) -> None:
    has_ripgrep = shutil.which("rg") is not None
    triage, ripgrep = Runs(), Runs()
    for _ in range(rounds):
        triage.add(own)
        if has_ripgrep:
            ripgrep.add(other)
    for name, runs in (("triage", triage), ("ripgrep", ripgrep)):
        if runs.seconds:
            middle, peak = statistics.median(runs.seconds), max(runs.peaks)
            print(
                f"{name:8} {megabytes:6.0f} MB in {middle:6.2f} s, {megabytes / middle:5.0f} MB/s, peak {peak:4.0f} MB"
            )
    if not has_ripgrep:
        print("ripgrep is not installed: no ratio")
        return
    for name, ours, theirs in (
        ("time that passed", triage.seconds, ripgrep.seconds),
        ("of the processor", triage.processor, ripgrep.processor),
    ):
        print(f"ratio, {name}: {middle_and_range(ratios_of(ours, theirs))}")


def middle_and_range(ratios: Sequence[float]) -> str:
    """Write the median, the least and the most."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def _for_ripgrep(pattern: str) -> str:
    if pattern.startswith("^"):
        pattern = f"^{_STAMP}{pattern[1:]}"
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--mb", type=float, default=100, help="size of the log (default %(default)s)")
    parser.add_argument("--log", type=Path, help="a log of your own, instead of one that is made")
    parser.add_argument("--patterns", default="rules:150", help="built-in, rules:N or short:N (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each (default %(default)s)")
    parser.add_argument("--dense", action="store_true", help="every fifth line is a hit")
    return parser.parse_args()


if __name__ == "__main__":
    main()
