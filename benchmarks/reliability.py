"""Everything that `docs/reliability.md` counts: `python -m benchmarks.reliability` counts it, and runs it in full.

`make test` runs a part of it (`tests/reliability/sites.py` says which). What follows the module's name goes to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
THOROUGH = {"TRIAGE_THOROUGH": "1"}


def main() -> None:
    os.environ.update(THOROUGH)
    from benchmarks.fuzz.targets import CORPUS, TARGETS
    from tests.reliability.sites import ACTS, FAULTS, READS, WRITES
    from tests.security.shapes import DISGUISES, NO_SECRETS, SECRETS

    print(f"{len(FAULTS)} faults at {len(READS)} reads, {len(WRITES)} writes and {len(ACTS)} acts")
    print(f"{len(SECRETS)} shapes of secrets, {len(DISGUISES)} disguises, {len(NO_SECRETS)} texts that are none")
    print(f"{len(TARGETS)} targets of fuzzing, {len(list(CORPUS.glob('*/*')))} inputs kept", flush=True)
    places = ("tests/reliability", "tests/security", "tests/publish/test_many_writers.py")
    tests = [sys.executable, "-m", "pytest", "--hypothesis-profile", "long", *places, *sys.argv[1:]]
    sys.exit(subprocess.run(tests, cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    main()
