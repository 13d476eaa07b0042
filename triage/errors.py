"""What can go wrong on purpose, sorted by who can mend it.

TriageError
├── UsageError              the caller mends it: a bad option, a bad command          exit 2
├── ConfigError(problems)   the author of a file mends it: rules.yaml:41:7: …         exit 2
├── HistoryUnavailable      the database's owner mends it; a triage goes on without   exit 2
└── ProviderError(status)   GitHub's answer stopped us, after retries                 exit 3
    └── RateLimited(reset)  … and when it will work again

Missing logs and gaps are values (see `triage.model`), not errors: one job that cannot be read never hides the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class TriageError(Exception):
    """Base of every error that is raised on purpose; its text is one sentence for a person."""

    exit_code = 2


class UsageError(TriageError):
    """The caller can mend it; the text says what was given and what would be right."""


class Problem(NamedTuple):
    """One mistake in a file a person wrote: 1-based line and column, and a sentence."""

    path: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.message}"


class ConfigError(TriageError):
    """A rules, settings or recording file is wrong; all its problems are reported at once, in file order."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class HistoryUnavailable(TriageError):
    """The history cannot be read or written: locked, broken, full, or of a newer version. A triage makes it a gap."""


class ProviderError(TriageError):
    """GitHub could not be read or written, after retries; `status` is None when there was no answer at all."""

    exit_code = 3

    def __init__(self, message: str, *, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)


class RateLimited(ProviderError):
    """The request budget is used up; `resets_at` says when it is full again, if GitHub told us."""

    def __init__(self, message: str, *, resets_at: datetime | None = None, status: int | None = 403) -> None:
        self.resets_at = resets_at
        super().__init__(message, status=status)
