"""`python -m triage` and the command `triage`."""

from __future__ import annotations

import gc
import sys

_CYCLES_AFTER = 50_000
"""Objects that are made before the first look for garbage: more than the start makes, of which next to none is any."""


def run() -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(_CYCLES_AFTER)
    from triage.entry.cli import main

    try:
        code = main(sys.argv[1:])
    finally:
        gc.freeze()  # else every object is looked at once more before the process ends
    sys.exit(code)


if __name__ == "__main__":
    run()
