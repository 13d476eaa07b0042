"""One right comment, whatever happens: by the Action as the runner starts it, and by `triage pr N --post`."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.entry import events
from tests.entry.meanwhile import end, push, rerun_green
from tests.fakegithub import Status
from tests.render.github_html import Page
from triage.entry.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tests.entry.conftest import Runner

    ActionOn = Callable[[str], AbstractContextManager[Runner]]

QUICK = b"version: 1\ncomment: {verify_after_seconds: 1}\n"


class Entry(Protocol):
    """Triages the pull request of a repository because of a run, or of as many at once as there are runs."""

    def __call__(self, on: Runner, *run_ids: int) -> None: ...


def the_action(on: Runner, *run_ids: int) -> None:
    started = [on.start("workflow_run", events.run_ended(on.state, run_id)) for run_id in run_ids]
    left = [one.left() for one in started]

    assert [one.code for one in left] == [0 for _ in left], left


@pytest.fixture(params=["action", "command line"])
def entry(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Entry:
    """Give both entries, one after the other."""
    if request.param == "action":
        return the_action

    def command_line(on: Runner, *run_ids: int) -> None:
        for name in ("GH_TOKEN", "GH_REPO", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("GITHUB_TOKEN", on.fake.token)
        monkeypatch.setenv("GITHUB_API_URL", on.fake.api_url)
        monkeypatch.setenv("GITHUB_REPOSITORY", on.fake.repository)
        for sha in {commits[0]["sha"] for commits in on.state.commits.values() if commits} | tips(on):
            on.state.contents[sha, ".github/triage.yml"] = QUICK
        codes: list[int] = []
        head = on.state.runs[run_ids[0]]["head_sha"]
        number = next((pull["number"] for pull in on.state.pulls.values() if pull["head"]["sha"] == head), on.number)
        argv = ["pr", str(number), "--post", "--history", "none", "--look-back", "0"]
        threads = [threading.Thread(target=lambda: codes.append(main(argv))) for _ in run_ids]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert codes == [0 for _ in run_ids]

    return command_line


def tips(on: Runner) -> set[str]:
    return {str(comparison["base_commit"]["sha"]) for comparison in on.state.compare.values()}


def test_a_run_in_progress_that_completes(action_on: ActionOn, entry: Entry) -> None:
    with action_on("in-progress") as action:
        entry(action, action.run_id)
        before = action.body
        end(action, action.run_id, {"image": "success", "gpu": "success"})
        entry(action, action.run_id)

        assert "**Not finished:**" in before
        assert "**Not finished:**" not in action.body


def test_a_re_run_that_turns_green(action: Runner, entry: Entry) -> None:
    entry(action, action.run_id)
    before = action.body
    rerun_green(action, action.run_id)
    entry(action, action.run_id)

    assert "it points at this change" in before
    assert "regression" not in action.body
    assert [one.split(" ")[0] for one in action.written] == ["POST", "PATCH"]


def test_a_newer_push(action: Runner, entry: Entry) -> None:
    """A run of the old commit says nothing over what is there; the run of the new one does."""
    old = action.run_id
    entry(action, old)
    said = action.body
    new = push(action, "e" * 40)
    the_action(action, old)
    after_the_old = action.body
    entry(action, new)

    assert after_the_old == said
    assert f"gen={'e' * 12}:" in action.body
    assert "3 failed jobs" not in action.body


def test_two_workflows_that_end_at_once(action_on: ActionOn, entry: Entry) -> None:
    with action_on("case-a") as action:
        head = action.state.pulls[39471]["head"]["sha"]
        entry(action, *[run["id"] for run in action.state.all_runs() if run["head_sha"] == head][:2])

        assert "21 failed jobs" in action.body.split("\n")[2]


def test_a_502_after_the_comment_was_stored(action: Runner, entry: Entry) -> None:
    action.fake.fail("POST */comments", Status(status=502, stored=True))
    entry(action, action.run_id)

    assert "3 failed jobs" in action.body
    assert action.written == [f"POST /repos/{action.fake.repository}/issues/{action.number}/comments"]


def test_a_comment_that_was_deleted_by_hand(action: Runner, entry: Entry) -> None:
    entry(action, action.run_id)
    action.state.comments.clear()
    entry(action, action.run_id)

    assert "3 failed jobs" in action.body


def test_a_forged_marker(action: Runner, entry: Entry) -> None:
    head = action.state.pulls[action.number]["head"]["sha"][:12]
    forged = f"<!-- ci-triage v1 key=default gen={head}:9999999999:9:9:0 verdict=no-failures -->\n\nAll is well."
    action.fake.comment(action.number, author="contributor-z", body=forged)
    entry(action, action.run_id)

    assert "3 failed jobs" in action.body
    assert action.comments[0]["body"] == forged


def test_a_hostile_log(action_on: ActionOn, entry: Entry) -> None:
    with action_on("hostile-log") as action:
        entry(action, action.run_id)
        tags = {element.strip("</>").partition(" ")[0] for element in Page(action.body).structure}

        assert "sig=" not in action.body
        assert not any(char in action.body for char in "\x1b\x07\u202e\u200b\0")
        assert not {"img", "script", "iframe", "style"} & tags
