"""The first line of our comment: hidden, how it is found again, and how new what stands below it is.

    <!-- ci-triage v1 key=default gen=5f0c1de4b7a9:1789719060:5:3:0 verdict=caused-by-pr -->

It counts only at byte 0 of a comment that our own account wrote. Who may edit comments can write anything here, so that
nothing is believed that would do more than have the comment written anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from triage.errors import UsageError
from triage.model import Verdict

if TYPE_CHECKING:
    from datetime import datetime

    from triage.model import Report

DEFAULT_KEY: Final = "default"
_KEY: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?")
# Of any version: a later one must find the comments of an earlier one, and the other way round after a downgrade.
_MARKER: Final = re.compile(r"<!-- ci-triage v(?P<version>\d{1,3}) key=(?P<key>[a-z0-9._-]{1,40}) (?P<rest>[^\n]*?)-->")
_GENERATION: Final = re.compile(
    r"\bgen=(?P<head>[0-9a-f]{12}):(?P<at>\d{1,11}):(?P<attempts>\d{1,7}):(?P<finished>\d{1,7}):(?P<gaps>\d{1,7})(?= )",
    re.ASCII,
)
_VERDICT: Final = re.compile(r"\bverdict=([a-z-]{1,30})(?= )")
_HEAD_LENGTH: Final = 12
# Nothing can be older than the facts it tells; two clocks of GitHub's may differ by so many seconds.
_SKEW: Final = 600


@dataclass(frozen=True, slots=True, order=True)
class Generation:
    """How new a report is, among reports on one commit: the greater one knows more.

    The commit is no part of the order: whether a report is about the right one, the pull request's head decides.

    Attributes:
        at: The newest time GitHub reported of a run or job, in seconds since 1970.
        attempts: Attempts of all runs together: a re-run within the same second counts as newer.
        finished: Runs that are complete.
        seen: How many things could not be seen, negative: of two reports on the same facts the fuller one wins.
    """

    at: int
    attempts: int
    finished: int
    seen: int

    @classmethod
    def of(cls, report: Report) -> Generation:
        """Tell how new a report is."""
        return cls(
            at=int(report.as_of.timestamp()) if report.as_of else 0,
            attempts=sum(run.attempt for run in report.runs),
            finished=sum(run.is_complete for run in report.runs),
            seen=-len(report.gaps),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """What the first line says. `generation` and `verdict` are None where it holds none that can be right."""

    key: str
    head: str = ""
    generation: Generation | None = None
    verdict: Verdict | None = None

    def __str__(self) -> str:
        generation = self.generation or Generation(0, 0, 0, 0)
        numbers = (generation.at, generation.attempts, generation.finished, -generation.seen)
        state = ":".join([self.head, *map(str, numbers)])
        verdict = f" verdict={self.verdict.value}" if self.verdict else ""
        return f"<!-- ci-triage v1 key={self.key} gen={state}{verdict} -->"

    def is_about(self, head_sha: str) -> bool:
        """Whether what stands below is about this commit."""
        return bool(self.head) and head_sha.startswith(self.head)


def marker_of(report: Report, key: str) -> Marker:
    """Make the marker of a report's comment; the key must have passed `check_key`."""
    return Marker(
        key=key, head=head_of(report)[:_HEAD_LENGTH], generation=Generation.of(report), verdict=report.verdict
    )


def head_of(report: Report) -> str:
    """Return the commit a report is about."""
    return next((run.head_sha for run in report.runs), report.pull.head_sha if report.pull else "")


def read_marker(body: str, *, written_at: datetime | None = None) -> Marker | None:
    """Read the marker of a comment; None when it does not begin with one.

    Args:
        body: The whole comment.
        written_at: When GitHub stored it: a generation from after that was not written by us.
    """
    found = _MARKER.match(body)
    if found is None:
        return None
    rest = f" {found['rest']} "
    generation, verdict = _GENERATION.search(rest), _VERDICT.search(rest)
    numbers = _numbers(generation) if generation else None
    if numbers is not None and written_at is not None and numbers.at > written_at.timestamp() + _SKEW:
        numbers = None
    return Marker(
        key=found["key"],
        head=generation["head"] if generation else "",
        generation=numbers,
        verdict=next((one for one in Verdict if verdict and one.value == verdict[1]), None),
    )


def _numbers(found: re.Match[str]) -> Generation:
    return Generation(int(found["at"]), int(found["attempts"]), int(found["finished"]), -int(found["gaps"]))


def check_key(key: str) -> str:
    """Return the key.

    Raises:
        UsageError: it could not stand in a marker.
    """
    if not _KEY.fullmatch(key):
        raise UsageError(
            f"{key!r} cannot be the key of a comment: expected up to 40 of a to z, 0 to 9, dot, dash and underscore, "
            "such as nightly-amd"
        )
    return key
