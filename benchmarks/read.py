"""What `benchmarks.reading` measures, in a process that holds nothing else.

python -m benchmarks.read job.log rules:150
python -m benchmarks.read job.log built-in
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.patterns import patterns
from triage.classify.scanning import known_outlines
from triage.logs import MARKS, read_log
from triage.matching import Scanner
from triage.recorded.files import FileSource


def main(log: str, name: str) -> None:
    """Read a log with a set of patterns of `benchmarks.patterns`."""
    # As the product does: with what is known ahead of its own patterns.
    chosen = {**patterns(name), **MARKS}
    read_log(FileSource(Path(log)), Scanner(chosen, outlines=known_outlines().of(chosen.values())))


if __name__ == "__main__":
    main(*sys.argv[1:])
