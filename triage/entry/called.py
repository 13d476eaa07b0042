"""What the runner calls us with, and what is opened because of it; and how to say something in a workflow's log."""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from triage.entry.options import DOTCOM_API
from triage.entry.own_rules import OwnRules, commit_of, default_commit, read_own_rules, unread
from triage.errors import ProviderError, UsageError
from triage.render.annotations import MOST
from triage.render.foreign_text import shown_line
from triage.render.runner_commands import without_commands, workflow_command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.entry.inputs import Inputs
    from triage.errors import Problem
    from triage.github.reads import LiveReads
    from triage.github.writes import LiveWrites
    from triage.publish import RunnerFiles

_LONGEST_MESSAGE: Final = 1_000


def tell(text: str) -> None:
    """Say something; the runner obeys nothing in it."""
    sys.stdout.write(without_commands(text, token=secrets.token_hex(16)))
    sys.stdout.flush()


def command(level: str, message: str, **place: str) -> None:
    """Say something that the run's page shows, as one line."""
    text = shown_line(" ".join(message.split()), limit=_LONGEST_MESSAGE)
    sys.stdout.write(workflow_command(level, text, **place) + "\n")
    sys.stdout.flush()


@dataclass(frozen=True, kw_only=True)
class Called:
    """What the runner calls us with.

    Attributes:
        event: The payload, as GitHub wrote it.
    """

    name: str
    event: Mapping[str, Any]
    environment: Mapping[str, str]
    inputs: Inputs

    @property
    def repository(self) -> str:
        """Return the repository that the workflow runs in.

        Raises:
            UsageError: the runner does not say.
        """
        name = self.environment.get("GITHUB_REPOSITORY", "")
        if not name:
            raise UsageError("GITHUB_REPOSITORY is not set: this is the entry of the Action; use the command `triage`")
        return name

    @property
    def api_url(self) -> str:
        """The API of the GitHub that runs the workflow."""
        return self.environment.get("GITHUB_API_URL") or DOTCOM_API

    @cached_property
    def reads(self) -> LiveReads:
        """GitHub, to read."""
        from triage.github import connect

        return connect(
            self.repository,
            token=self._token,
            api_url=self.api_url,
            deadline=self.inputs.deadline,
            blob_hosts=self.inputs.log_hosts,
            progress=tell,
        )

    @cached_property
    def writes(self) -> LiveWrites:
        """GitHub, to write."""
        from triage.github import connect_writes

        return connect_writes(self.repository, token=self._token, api_url=self.api_url, progress=tell)

    @property
    def _token(self) -> str:
        if not self.inputs.token:
            raise UsageError("the input `token` is empty; leave it out to use the workflow's own token")
        return self.inputs.token

    @cached_property
    def files(self) -> RunnerFiles:
        """Where the runner reads from."""
        from triage.publish import RunnerFiles

        return RunnerFiles.from_environment(self.environment)

    @cached_property
    def own(self) -> OwnRules:
        """The repository's settings and rules; the mistakes in them are told once, where the run's page shows it."""
        try:
            ref = self.inputs.rules_ref
            commit = commit_of(self._unchanged(ref), self.reads) if ref else self._default_commit()
        except ProviderError as error:
            return unread(error)
        own = read_own_rules(self.reads, commit, rules_path=self.inputs.rules_path)
        for problem in own.problems[:MOST]:
            place = {"file": problem.path, "line": str(problem.line), "col": str(problem.column)}
            command("warning", problem.message, **place)
        return own

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The mistakes in the repository's settings and rules, where those were read."""
        own = vars(self).get("own")
        return own.problems if isinstance(own, OwnRules) else ()

    def _default_commit(self) -> str:
        return default_commit(self.event, self.environment, self.reads)

    def _unchanged(self, ref: str) -> str:
        """Return a ref that is not the change's own."""
        run = self.event.get("workflow_run")
        if isinstance(run, dict) and ref in {run.get("head_sha"), run.get("head_branch")}:
            raise UsageError(
                f"`rules-ref` is {ref!r}, which is what the change says; rules come from the default branch"
            )
        return ref
