"""A log that is slow to read: it ends where its share of the time ends, and says so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from triage.github.logs import ONE_LOG, DownloadedLog
from triage.logs import read_log
from triage.matching import Scanner

if TYPE_CHECKING:
    from pathlib import Path

    from triage.github.budget import Budget

LINES = 50_000
SECONDS = 900.0


@dataclass(slots=True)
class Slowly:
    """A clock on which each look takes some seconds; `told` is what was left each time."""

    seconds: float
    told: list[float] = field(default_factory=lambda: [SECONDS])

    @property
    def left(self) -> float:
        self.told.append(self.told[-1] - self.seconds)
        return self.told[-1]


def downloaded(folder: Path, clock: Slowly) -> DownloadedLog:
    place = folder / "7.log"
    place.write_text("".join(f"line {number} of a log\n" for number in range(LINES)), encoding="utf-8")
    return DownloadedLog(place, name="log of job 7", truncated=False, budget=cast("Budget", clock))


def test_a_log_that_is_slow_to_read_leaves_time_for_the_others(tmp_path: Path) -> None:
    clock = Slowly(seconds=100)

    log = read_log(downloaded(tmp_path, clock), Scanner({"end": f"line {LINES - 1} "}))

    assert log.truncated
    assert 0 < log.total_lines < LINES
    assert log.hits == {}
    assert SECONDS * (1 - ONE_LOG) - 2 * clock.seconds < clock.told[-1] < SECONDS * (1 - ONE_LOG) + clock.seconds


def test_a_log_that_is_read_in_its_time_is_whole(tmp_path: Path) -> None:
    log = read_log(downloaded(tmp_path, Slowly(seconds=1)), Scanner({"end": f"line {LINES - 1} "}))

    assert not log.truncated
    assert log.hits == {"end": (LINES,)}
