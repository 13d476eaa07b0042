"""All measurements of speed, as the tables of docs/performance.md.

    python -m benchmarks                # a quarter of an hour on a quiet machine
    python -m benchmarks --quick        # the 10 MB logs only

Everything is a ratio to what runs beside it at the same time: reading to ripgrep, starting to the bare interpreter.
Both sides take turns, and what counts is the median.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.logs import write_log
from benchmarks.reading import Runs, commands, middle_and_range, ratios_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZES = (10, 100, 500)
RULES = (50, 100, 150, 300, 500, 1000)
SETS = ("rules:150", "rules:500", "built-in", "short:150", "short:500")
SPEEDS = ("of ripgrep's speed", "by time of the processor")
LARGE = 300_000_000  # is read three times at most
PYTHON = (sys.executable, "-m")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="the 10 MB logs only")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side (default %(default)s)")
    options = parser.parse_args()
    quick, rounds = options.quick, options.rounds
    with tempfile.TemporaryDirectory() as folder:
        logs = _logs(Path(folder), SIZES[:1] if quick else SIZES)
        _table("Reading and matching", ("log", "patterns", *SPEEDS, "peak, MB"), _sizes(logs, rounds))
        middle = next(log for name, log in logs.items() if name == f"{SIZES[0 if quick else 1]} MB, few failures")
        _table("More rules", ("rules", *SPEEDS, "of the time at 100 rules"), _more(middle, rounds))
        _table("Starting", ("command", "of a bare interpreter's time", "seconds"), _starts(Path(folder), 3 * rounds))
    _table("A triage of 21 failed jobs, 0.1 s to each answer", ("history", "requests", "seconds"), _triages())


def _logs(folder: Path, sizes: Sequence[int]) -> dict[str, Path]:
    logs = {}
    for megabytes in sizes:
        for kind, dense in (("few failures", False), ("every fifth line fails", True)):
            logs[f"{megabytes} MB, {kind}"] = folder / f"{megabytes}-{dense}.log"
            write_log(logs[f"{megabytes} MB, {kind}"], megabytes=megabytes, dense=dense)
    return logs


def _sizes(logs: dict[str, Path], rounds: int) -> Iterator[tuple[str, ...]]:
    for name, log in logs.items():
        for patterns in SETS:
            own, other = _compared(log, patterns, rounds if log.stat().st_size < LARGE else min(rounds, 3))
            yield name, patterns, *_ranged(own, other), f"{max(own.peaks):.0f}"


def _more(log: Path, rounds: int) -> Iterator[tuple[str, ...]]:
    taken = {rules: _compared(log, f"rules:{rules}", rounds) for rules in RULES}
    hundred = statistics.median(taken[100][0].seconds)
    for rules, (own, other) in taken.items():
        yield str(rules), *_ranged(own, other), f"{statistics.median(own.seconds) / hundred:.2f}"


def _ranged(own: Runs, other: Runs) -> tuple[str, str]:
    passed, used = ratios_of(own.seconds, other.seconds), ratios_of(own.processor, other.processor)
    return middle_and_range(passed), middle_and_range(used)


def _compared(log: Path, patterns: str, rounds: int) -> tuple[Runs, Runs]:
    own, other = Runs(), Runs()
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = commands(log, patterns, Path(folder))
        for _ in range(rounds):
            own.add(ours)
            other.add(theirs)
    return own, other


def _starts(folder: Path, rounds: int) -> Iterator[tuple[str, ...]]:
    log = folder / "small.log"
    write_log(log, megabytes=0.02)
    asked = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "triage --help": [*PYTHON, "triage", "--help"],
        "triage log, 20 kB": [*PYTHON, "triage", "log", str(log)],
    }
    runs = {name: Runs() for name in asked}
    for _ in range(rounds):
        for name, command in asked.items():
            runs[name].add(command)
    bare = runs["python -c pass"]
    for name, each in runs.items():
        yield name, f"{statistics.median(ratios_of(bare.seconds, each.seconds)):.1f}", f"{min(each.seconds):.2f}"


def _triages() -> Iterator[tuple[str, ...]]:
    # Not sooner: a process that is started has at its peak at least what the one that starts it holds.
    from benchmarks.triaging import measure

    for place, run in enumerate(measure(0.1)):
        yield "holds this run" if place else "empty", str(run.requests), f"{run.seconds:.1f}"


def _table(title: str, head: Sequence[str], rows: Iterator[tuple[str, ...]]) -> None:
    print(f"\n## {title}\n\n| {' | '.join(head)} |\n|{' --- |' * len(head)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
