"""What was asked for: every entry (command line, event, comment) turns its input into one of these."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Triage the newest attempt of this workflow run, and of no other."""

    run_id: int

    def __str__(self) -> str:
        return f"run {self.run_id}"


@dataclass(frozen=True, slots=True)
class PullRequestRequest:
    """Triage every workflow run at the head commit of this pull request."""

    number: int

    def __str__(self) -> str:
        return f"pull request #{self.number}"


Request = RunRequest | PullRequestRequest
