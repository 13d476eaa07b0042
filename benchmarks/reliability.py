"""Everything that `docs/reliability.md` gives a figure for: `python -m benchmarks.reliability` runs it, and counts."""

from __future__ import annotations

import subprocess
import sys

from tests.reliability.sites import FAULTS, READS, WRITES
from tests.security.shapes import NO_SECRETS, SECRETS
from tests.security.test_threats import ROOT


def main() -> None:
    print(f"{len(FAULTS)} faults at {len(READS)} reads and {len(WRITES)} writes")
    print(f"{len(SECRETS)} shapes of secrets, {len(NO_SECRETS)} texts that are none", flush=True)
    tests = [sys.executable, "-m", "pytest", "tests/reliability", "tests/security"]
    done = subprocess.run(tests, cwd=ROOT, check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
