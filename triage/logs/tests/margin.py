"""What stands before every line of a traceback when another program passes it on: `[rank0]: `, `  | `, a time."""

from __future__ import annotations

from dataclasses import dataclass

from triage.regex import regex

_DIGITS = regex(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """The text before each line of one traceback.

    Attributes:
        text: As it stands on the first line after the header.
        exact: Every line has the very same; else only digits differ (a time, a counter).
        of_group: It is the rail of an exception group, whose members follow on deeper rails.
    """

    text: str
    exact: bool = True
    of_group: bool = False

    @classmethod
    def of(cls, header: str, at: int, following: str) -> Margin:
        """Tell the margin from the header line, where the header's own words begin at `at`, and from the line after."""
        before = header[:at]
        if before.endswith("+ Exception Group "):
            return cls(text=before.removesuffix("+ Exception Group ") + "| ", of_group=True)
        if following.startswith(before):
            return cls(text=before)
        if _shape(following[: len(before)]) == _shape(before):
            return cls(text=before, exact=False)
        # Words before the header alone: `Scheduler hit an exception: Traceback (most recent call last):`.
        return cls(text="")

    @property
    def patience(self) -> int:
        """How much more than usual may stand in between: lines of other processes are known by their margin."""
        return 20 if self.text.strip() else 1

    def cut(self, text: str) -> str | None:
        """Return the line without the margin; None when it belongs to something else."""
        if text.startswith(self.text):
            return text[len(self.text) :]
        head = text[: len(self.text)]
        if not self.exact and _shape(head) == _shape(self.text):
            return text[len(self.text) :]
        return "" if text.rstrip() == self.text.rstrip() else None


def _shape(text: str) -> str:
    return _DIGITS.sub("0", text)
