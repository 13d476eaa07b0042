"""What a step leaves for the Actions runner: its summary, its outputs, and the report as a file.

The summary is written before anything is sent to GitHub, so that the report is there whatever becomes of that. Nothing
here raises: a disk that is full must not turn a pull request red.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from triage.model import Verdict
from triage.render.json_report import render_json
from triage.render.markdown import render_markdown
from triage.render.runner_commands import step_output
from triage.render.step_summary import render_step_summary
from triage.report import report_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from triage.model import Report

# GitHub refuses a larger summary whole, and marks the step for it.
MOST_SUMMARY_BYTES: Final = 1024 * 1024
REPORT_FILE: Final = "ci-triage-report.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerFiles:
    """Where the runner reads from; None outside of Actions."""

    summary: Path | None = None
    output: Path | None = None
    temporary: Path | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> RunnerFiles:
        """Read the variables that the runner sets."""

        def path(name: str) -> Path | None:
            return Path(environment[name]) if environment.get(name) else None

        return cls(summary=path("GITHUB_STEP_SUMMARY"), output=path("GITHUB_OUTPUT"), temporary=path("RUNNER_TEMP"))

    def write_summary(self, report: Report) -> str:
        """Append the report to the step's summary, in fewer bytes than GitHub takes.

        Returns:
            Why it was not written; empty when it was, or when there is no summary to write to.
        """
        if self.summary is None:
            return ""
        try:
            room = MOST_SUMMARY_BYTES - 1 - (self.summary.stat().st_size if self.summary.exists() else 0)
            text = render_step_summary(report)
            if len(text.encode()) > room:
                text = render_markdown(report, commands=False)
            if len(text.encode()) > room:
                return "the step summary is full"
            _append(self.summary, text)
        except OSError as error:
            return f"the step summary could not be written: {error.strerror or error}"
        return ""

    def write_report(self, report: Report) -> Path | None:
        """Write the report as JSON into the runner's own folder for passing things; None when that cannot be done."""
        if self.temporary is None:
            return None
        path = self.temporary / REPORT_FILE
        try:
            path.write_bytes(render_json(report).encode())
        except OSError:
            return None
        return path

    def write_outputs(self, outputs: Mapping[str, str], *, new_token: Callable[[], str] | None = None) -> str:
        """Append the step's outputs.

        Args:
            outputs: By name.
            new_token: Makes a delimiter that nobody can guess.

        Returns:
            Why they were not written; empty when they were, or when nobody asks for them.
        """
        if self.output is None:
            return ""
        token = new_token or _new_token
        try:
            _append(self.output, "".join(_entry(name, value, token) for name, value in outputs.items()))
        except OSError as error:
            return f"the step's outputs could not be written: {error.strerror or error}"
        return ""


def outputs_of(report: Report, *, comment_url: str = "", report_path: Path | None = None) -> dict[str, str]:
    """Return the outputs of the Action: words of ours, numbers, and addresses; nothing that a log could say.

    `partial` is `true` when something could not be seen or is not finished.
    """
    is_partial = bool(report.gaps) or report.verdict is Verdict.INCOMPLETE
    return {
        "verdict": report.verdict.value,
        "counts-json": json.dumps(report_json(report)["counts"], separators=(",", ":")),
        "comment-url": comment_url,
        "report-path": str(report_path or ""),
        "partial": "true" if is_partial else "false",
    }


def _entry(name: str, value: str, new_token: Callable[[], str]) -> str:
    token = new_token()
    while token in value:
        token = new_token()
    return step_output(name, value, delimiter=token)


def _new_token() -> str:
    return f"triage_{secrets.token_hex(16)}"


def _append(path: Path, text: str) -> None:
    with path.open("ab") as file:
        file.write(text.encode())
