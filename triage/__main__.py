"""`python -m triage` and the command `triage`."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line and leave with its exit code."""
    from triage.entry.cli import main

    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
