from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakegithub import FakeGitHub
from tests.fakegithub.build import RUNS
from tests.github.conftest import QUICK
from triage.app import triage
from triage.github import connect_writes
from triage.publish import CommentSettings, PublishSettings, RunnerFiles, publish
from triage.recorded import Recorded
from triage.rules import builtin_rules
from triage.source.request import PullRequestRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.model import Report
    from triage.publish import PublishResult
    from triage.publish.outcome import Outcome

CASE = "regression"


@cache
def report_on(case: str = CASE) -> Report:
    recorded = Recorded(RUNS / case)
    return triage(PullRequestRequest(recorded.about["request"]["pull"]), recorded, builtin_rules())


@dataclass(kw_only=True)
class Publisher:
    """Publishes to a fake, in no time; `waits` keeps how long it would have slept."""

    fake: FakeGitHub
    waits: list[float] = field(default_factory=list)

    def __call__(
        self,
        report: Report | None = None,
        *,
        settings: CommentSettings | None = None,
        check_run: bool = False,
        files: RunnerFiles | None = None,
        token: str | None = None,
        dry_run: bool = False,
    ) -> PublishResult:
        with connect_writes(
            self.fake.repository, token=token or self.fake.token, api_url=self.fake.api_url, limits=QUICK
        ) as writes:
            return publish(
                report or report_on(),
                writes,
                settings=PublishSettings(comment=settings or CommentSettings(), check_run=check_run),
                files=files,
                sleep=self.waits.append,
                dry_run=dry_run,
            )

    def comment(self, report: Report | None = None, **more: Any) -> Outcome:
        return self(report, **more).comment

    @property
    def number(self) -> int:
        return next(iter(self.fake.state.pulls))

    @property
    def comments(self) -> list[dict[str, Any]]:
        """The comments that stand on the pull request, oldest first."""
        return list(self.fake.state.comments.values())

    @property
    def written(self) -> list[str]:
        """What was asked to be changed, as `METHOD`, in order."""
        return [one.method for one in self.fake.asked() if one.method != "GET" and one.path.startswith("/repos/")]


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub.from_recording(RUNS / CASE) as running:
        yield running


@pytest.fixture
def post(fake: FakeGitHub) -> Publisher:
    return Publisher(fake=fake)
