"""What came of publishing: a value with a sentence, never an error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Published:
    """The comment says what the report says, because we wrote it."""

    url: str
    created: bool = False

    def __str__(self) -> str:
        return f"{'commented' if self.created else 'updated the comment'}: {self.url}"


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The comment already said what the report says; nothing was written."""

    url: str

    def __str__(self) -> str:
        return f"the comment says this already: {self.url}"


@dataclass(frozen=True, slots=True)
class NotNeeded:
    """There is no comment, and there should be none."""

    why: str

    def __str__(self) -> str:
        return f"no comment: {self.why}"


@dataclass(frozen=True, slots=True)
class Superseded:
    """Something newer is there, or on its way; `url` is the newer comment, where there is one."""

    why: str
    url: str = ""

    def __str__(self) -> str:
        return f"not published: {self.why}{f' ({self.url})' if self.url else ''}"


@dataclass(frozen=True, slots=True)
class NotAllowed:
    """GitHub does not let this token write here. Asking again does not help."""

    why: str

    def __str__(self) -> str:
        return f"not published: {self.why}"


@dataclass(frozen=True, slots=True)
class Failed:
    """GitHub could not be asked, or refused for now; nothing of the report was written."""

    why: str

    def __str__(self) -> str:
        return f"not published: {self.why}"


@dataclass(frozen=True, slots=True)
class Unknown:
    """GitHub did not say whether it did what we asked. The next run finds out, and puts right what is not."""

    why: str

    def __str__(self) -> str:
        return f"perhaps not published, the next run will see to it: {self.why}"


@dataclass(frozen=True, slots=True)
class WouldWrite:
    """A dry run: what would be done, as words after `would`."""

    what: str

    def __str__(self) -> str:
        return f"would {self.what}"


Outcome = Published | Unchanged | NotNeeded | Superseded | NotAllowed | Failed | Unknown | WouldWrite


def url_of(outcome: Outcome) -> str:
    """Return the address of the comment that speaks of the pull request now; empty where none is known."""
    return outcome.url if isinstance(outcome, Published | Unchanged | Superseded) else ""
