"""The marks between the steps of a job, as far as readers of tests need them: what a step ran, and where it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triage.model import LogLine

FAILED_STEP = (
    "##[error]Process completed with exit code ",
    "🚨 Error: The command exited with status ",
    "ERROR: Job failed: exit ",
)
"""How the lines begin by which GitHub, Buildkite and GitLab say that a command failed by itself."""

# What GitHub, Travis and GitLab print where a command is over.
_ENDS = (
    "##[group]Run ",
    *FAILED_STEP,
    "##[error]The operation was canceled",
    "Post job cleanup.",
    'The command "',
    "travis_time:end:",
    "section_end:",
    "Cleaning up project directory",
)

_PIPELINE = "[Pipeline] "
_PARALLEL = "[Pipeline] parallel"
"""What Jenkins writes where a step of its own begins or ends."""


@dataclass(slots=True)
class StepMarks:
    """Follows the lines of a log; knows which command the step at hand runs first and where its output began.

    Attributes:
        command: Words of a command that runs the tests in question.
    """

    command: tuple[str, ...]
    _runs_it: bool = False
    _in_commands: bool = False
    _seen_first: bool = False
    _output: int | None = None
    _step: int | None = None
    _is_parallel: bool = False

    def see(self, index: int, line: LogLine) -> bool:
        """Take the next line; whether a step ends before it."""
        text, moved = line.text, line.step != self._step and self._step is not None
        self._step = line.step
        if text.startswith("##[group]Run "):
            self._runs_it = self._names_it(text)
            self._in_commands, self._seen_first, self._output = True, False, None
            return True
        if self._in_commands:
            self._read_command(index, text)
        return moved or text.startswith(_ENDS) or self._ends_by_pipeline(text)

    def _ends_by_pipeline(self, text: str) -> bool:
        """Whether Jenkins says that it goes on; where branches run side by side, another one may."""
        if not text.startswith(_PIPELINE):
            return False
        self._is_parallel = self._is_parallel or text.startswith(_PARALLEL)
        return not self._is_parallel

    def start_of_command(self, index: int) -> int:
        """Return where the output that reached `index` began: with the step when its first command runs the tests."""
        return self._output if self._runs_it and self._output is not None and self._output <= index else index

    def _read_command(self, index: int, text: str) -> None:
        if text.startswith("##[endgroup]"):
            self._in_commands, self._output = False, index + 1
        elif not self._seen_first:
            self._seen_first = True
            self._runs_it = self._runs_it or self._names_it(text)

    def _names_it(self, text: str) -> bool:
        return any(word in text for word in self.command)
