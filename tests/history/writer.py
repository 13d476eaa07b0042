"""A process that writes triages: `python -m tests.history.writer PLACE FIRST COUNT`, started by a test."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from tests.builders import a_job
from tests.history.stories import a_known_failure, add, on_main
from triage.history.store import Store


def main(place: str, first: int, count: int) -> None:
    with Store.open(place if "://" in place else Path(place)) as store:
        for run in range(first, first + count):
            add(store, on_main(replace(a_known_failure(), job=a_job(number=run)), run=run))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
