"""What `benchmarks.reading` measures, in a process that holds nothing else.

python -m benchmarks.read job.log 150
python -m benchmarks.read job.log built-in
"""

from __future__ import annotations

import sys
from pathlib import Path

from triage.logs import MARKS, read_log
from triage.matching import Scanner
from triage.recorded.files import FileSource


def main(log: str, rules: str) -> None:
    """Read a log with so many patterns of this benchmark, or with the built-in rules."""
    read_log(FileSource(Path(log)), _scanner(rules))


def _scanner(rules: str) -> Scanner:
    if rules == "built-in":
        from triage.classify import make_scanner
        from triage.rules import builtin_rules

        return make_scanner(builtin_rules())
    from benchmarks.patterns import patterns

    return Scanner({**patterns(int(rules)), **MARKS})


if __name__ == "__main__":
    main(*sys.argv[1:])
