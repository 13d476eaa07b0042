"""What a person, a comment and a machine are told of each recording, whole: the files beside it, read by a reviewer.

`pytest --update-golden` rewrites them; the difference is then read like any other change of the product.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.fakegithub import build
from triage.app import triage
from triage.history.lookback import Limits
from triage.recorded import Recorded
from triage.render.json_report import render_json
from triage.render.markdown import render_markdown
from triage.render.terminal import render_terminal
from triage.rules import builtin_rules
from triage.source.request import PullRequestRequest, RunRequest

if TYPE_CHECKING:
    from triage.model import Report

# A new rule changes the foot of every report; that is not news about a recording.
SOME_RULES = "0" * 64

RENDERINGS = {
    "comment.md": render_markdown,
    "terminal.txt": lambda report: render_terminal(report, width=100, colour=False),
    "report.json": render_json,
}


@cache
def report_of(case: str) -> Report:
    recorded = Recorded(build.RUNS / case)
    asked = recorded.about["request"]
    request = PullRequestRequest(number=asked["pull"]) if "pull" in asked else RunRequest(run_id=asked["run"])
    return replace(triage(request, recorded, builtin_rules(), limits=Limits()), rules_sha=SOME_RULES)


@pytest.mark.parametrize("name", RENDERINGS)
@pytest.mark.parametrize("case", build.names())
def test_what_is_told_of_a_recording_is_what_a_reviewer_has_read(
    case: str, name: str, request: pytest.FixtureRequest
) -> None:
    told = RENDERINGS[name](report_of(case)).rstrip("\n") + "\n"
    file = build.RUNS / case / "expected" / name
    if request.config.getoption("--update-golden"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(told, encoding="utf-8", newline="\n")

    assert str(build.RUNS) not in told  # the same wherever the recordings lie
    assert told == file.read_text(encoding="utf-8")
