"""The Action as the runner starts it, against a GitHub of its own: what it leaves on pull requests and runs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.entry import events
from tests.entry.conftest import MAIN, OUTPUTS, QUICK
from tests.entry.meanwhile import push

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tests.entry.conftest import Runner

    ActionOn = Callable[[str], AbstractContextManager[Runner]]


def test_a_run_that_ends_leaves_one_comment_the_summary_the_report_and_the_outputs(action: Runner) -> None:
    left = action.on_end()

    assert left.code == 0, left.errors
    assert "### CI triage: 3 failed jobs, 1 cause; it points at this change" in action.body
    assert "### CI triage: 3 failed jobs, 1 cause" in left.summary
    assert tuple(left.outputs) == OUTPUTS
    assert left.outputs["verdict"] == "caused-by-pr"
    assert left.outputs["partial"] == "false"
    assert json.loads(left.outputs["counts-json"])["jobs"]["regression"] == 2
    assert left.outputs["comment-url"] == action.comments[0]["html_url"]
    with open(left.outputs["report-path"], encoding="utf-8") as file:
        assert json.load(file)["schema"] == "triage/1"


def test_a_run_of_a_commit_that_the_pull_request_has_left_is_not_told_over_the_newer_one(action: Runner) -> None:
    action.on_end()
    said, old = action.body, action.run_id
    push(action, "e" * 40)
    left = action("workflow_run", events.run_ended(action.state, old))

    assert left.code == 0
    assert action.body == said
    assert "3 failed jobs" in left.summary
    assert "no comment" in left.log


def test_a_green_run_of_a_pull_request_without_a_comment_makes_none(action_on: ActionOn) -> None:
    with action_on("all-green") as action:
        left = action.on_end()

        assert (left.code, action.comments, left.outputs["verdict"]) == (0, [], "no-failures")


def test_the_workflow_may_ask_for_a_comment_on_green_runs_too(action_on: ActionOn) -> None:
    with action_on("all-green") as action:
        assert action.on_end(comment="always").code == 0
        assert "CI triage" in action.body


def test_nothing_in_a_log_or_a_name_commands_the_runner_or_sets_an_output(action_on: ActionOn) -> None:
    with action_on("hostile-log") as action:
        left = action.on_end()

        assert left.code == 0, left.errors
        assert tuple(left.outputs) == OUTPUTS
        assert left.outputs["verdict"] == "needs-attention"
        assert left.commands
        assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in left.commands)
        assert not any(char in left.log + left.raw_outputs for char in "\x1b\x07\u202e\u200b\0")
        assert "sig=" not in left.log + left.errors + left.raw_outputs + left.summary + action.body


@pytest.mark.parametrize("named", [True, False])
def test_a_server_that_keeps_its_logs_elsewhere_is_followed_there_where_the_workflow_says_so(
    action: Runner, *, named: bool
) -> None:
    """Seen from the API at `localhost`, the store at `127.0.0.1` is another host."""
    api = action.fake.api_url.replace("127.0.0.1", "localhost")
    left = action.on_end(GITHUB_API_URL=api, **({"log_hosts": "127.0.0.1"} if named else {}))

    assert left.outputs["verdict"] == ("caused-by-pr" if named else "incomplete"), left.log
    assert ("name it in `--log-hosts`" in action.body) is not named


def test_rules_and_settings_of_the_change_are_not_even_asked_for(action: Runner) -> None:
    pull = action.state.pulls[action.number]
    rules = "version: 1\nrules:\n- {id: mine, title: Not mine, fault: infrastructure, line: Error, where: anywhere}\n"
    for ref in (pull["head"]["sha"], pull["head"]["ref"], f"refs/pull/{action.number}/head"):
        action.settings("version: 1\nrules: {files: [.github/own.yml]}\njobs: {aggregators: [unit*]}\n", ref=ref)
        action.settings(rules, ref=ref, path=".github/own.yml")
    action.settings(f"version: 1\njobs: {{aggregators: [all-green]}}\n{QUICK}")
    left = action.on_end()

    assert left.outputs["verdict"] == "caused-by-pr"
    asked = action.fake.asked("GET */contents/.github/triage.yml") + action.fake.asked("GET */contents/.github/own.yml")
    assert [one.query["ref"] for one in asked] == [MAIN]
    assert f"settings `{MAIN[:7]}`" in action.body


def test_on_another_branch_the_commit_of_the_default_branch_is_asked_for(action: Runner) -> None:
    newest = "b" * 40
    listed = next(iter(action.state.compare.values()))["base_commit"]
    action.state.commits["main", ""] = [{**listed, "sha": newest}]
    action.settings(f"version: 1\n{QUICK}", ref=newest)
    event = events.dispatched(action.state, action.run_id)
    left = action(
        "workflow_dispatch", event, run_id=str(action.run_id), GITHUB_REF="refs/heads/try", GITHUB_SHA="c" * 40
    )

    assert left.code == 0, left.log
    assert [one.query["ref"] for one in action.fake.asked("GET */contents/.github/triage.yml")] == [newest]


@pytest.mark.parametrize("ref", ["refs/pull/583/merge", "the head"])
def test_rules_are_never_read_at_what_the_change_says(action: Runner, ref: str) -> None:
    run = action.state.runs[action.run_id]
    left = action.on_end(rules_ref=run["head_sha"] if ref == "the head" else ref)

    assert left.outputs["partial"] == "true"
    assert "::warning title=CI triage::No triage: " in left.log
    assert not action.fake.asked("GET */contents/*")


def test_wrong_settings_are_told_with_their_places_and_the_built_in_ones_hold(action: Runner) -> None:
    action.settings("version: 1\ncoment: {}\njobs:\n  gates: [7]\n")
    left = action.on_end()

    assert left.code == 0
    assert ".github/triage.yml:2:1" in action.body
    assert "the built-in settings hold" in action.body
    assert "and 1 more mistake" in action.body
    assert [line.partition("::")[2].partition("::")[0] for line in left.commands if "triage.yml" in line] == [
        "warning file=.github/triage.yml,line=2,col=1",
        "warning file=.github/triage.yml,line=4,col=11",
    ]


def test_wrong_settings_fail_a_strict_step_once_the_report_is_made(action: Runner) -> None:
    action.settings("version: 2\n")
    left = action.on_end(strict="true")

    assert left.code == 2
    assert "3 failed jobs" in action.body


def test_a_fork_with_a_token_that_may_only_read_gets_the_summary_and_a_sentence_and_stays_green(action: Runner) -> None:
    token = action.fake.add_token(
        "github-actions[bot]", actions="read", checks="read", contents="read", pull_requests="read"
    )
    event = events.pull_changed(action.state, action.number)
    left = action("pull_request", event, token=token, GITHUB_REF="refs/pull/583/merge")

    assert left.code == 0, left.log
    assert "3 failed jobs" in left.summary
    assert action.comments == []
    assert left.log.count("this token may not comment on pull request #583") == 1
    assert left.outputs["verdict"] == "caused-by-pr"


def test_a_comment_command_is_answered_by_the_same_entry(action_on: ActionOn) -> None:
    with action_on("lost-runner") as action:
        action.state.now = datetime.now(UTC)
        run = action.state.runs[action.run_id]
        run |= dict.fromkeys(("created_at", "run_started_at", "updated_at"), action.state.tick())
        action.state.roles["maintainer-w"] = "write"
        comment = action.fake.comment(action.number, author="maintainer-w", body="/triage rerun")
        left = action("issue_comment", events.commented(action.state, action.number, comment))

        given = action.state.reactions[comment].values()
        assert (left.code, left.commands) == (0, []), left
        assert [one["content"] for one in given] == ["eyes", "rocket"]
        assert "**Running again**" in action.body
        assert action.state.runs[action.run_id]["run_attempt"] == 2


@pytest.mark.parametrize(("strict", "code", "level"), [("false", 0, "warning"), ("true", 70, "error")])
def test_a_crash_of_ours_turns_nothing_red_unless_that_is_asked_for(
    action: Runner, strict: str, code: int, level: str
) -> None:
    event = events.pull_changed(action.state, action.number)
    event["pull_request"]["number"] = "\n::error::not a number"
    left = action("pull_request", event, strict=strict)

    assert (left.code, left.outputs["partial"], left.outputs["verdict"]) == (code, "true", "")
    assert [line.partition(" ")[0] for line in left.commands] == [f"::{level}"]
    assert "this is a mistake in triage itself (ValueError), and no verdict on the change" in left.commands[0]
    assert "Please report it with the lines below." in left.log


def test_a_run_whose_fork_is_gone_is_triaged_all_the_same(action: Runner) -> None:
    event = events.run_ended(action.state, action.run_id)
    event["workflow_run"] |= {"head_repository": None, "pull_requests": []}
    action.state.pulls[action.number]["head"]["repo"] = None
    left = action("workflow_run", event)

    assert left.code == 0, left.log
    assert "3 failed jobs" in action.body


def test_a_run_that_cannot_be_read_turns_nothing_red(action: Runner) -> None:
    left = action.on_end(run_id="7")

    assert (left.code, left.outputs["partial"], left.outputs["verdict"]) == (0, "true", "")
    assert [line[:40] for line in left.commands] == ["::warning title=CI triage::No triage: Gi"]


def test_a_run_that_cannot_be_read_fails_a_strict_step(action: Runner) -> None:
    left = action.on_end(run_id="7", strict="true")

    assert left.code == 3
    assert left.commands[0].startswith("::error title=CI triage::")


def test_a_token_that_is_refused_is_one_sentence(action: Runner) -> None:
    left = action.on_end(token="ghs_wrong")

    assert (left.code, left.summary, len(left.commands)) == (0, "", 1)
    assert "ghs_wrong" not in left.log


@pytest.mark.parametrize(("categories", "code"), [("regression", 1), ("unknown, flaky", 0)])
def test_a_workflow_may_want_to_fail_on_categories(action: Runner, categories: str, code: int) -> None:
    left = action.on_end(fail_on=categories)

    assert left.code == code
    assert "3 failed jobs" in action.body


@pytest.mark.parametrize("how", [{"comment": "off"}, {"dry_run": "true"}])
def test_without_a_comment_there_are_still_summary_and_outputs(action: Runner, how: dict[str, Any]) -> None:
    left = action.on_end(**how)

    assert (left.code, action.written) == (0, [])
    assert "3 failed jobs" in left.summary
    assert left.outputs["verdict"] == "caused-by-pr"


def test_inputs_that_cannot_be_read_are_all_told(action: Runner) -> None:
    left = action.on_end(run_id="latest", comment="sometimes", fail_on="bad")

    assert left.code == 0
    for name in ("run-id", "comment", "fail-on"):
        assert f"the input `{name}` is" in left.log
    assert not action.fake.asked()


def test_a_dispatch_that_names_no_run_says_so(action: Runner) -> None:
    left = action("workflow_dispatch", events.dispatched(action.state))

    assert "give the input `run-id`" in left.log


def test_an_attempt_that_github_does_not_show_yet_leaves_the_answer_open(action: Runner) -> None:
    left = action.on_end(attempt="2")

    assert left.outputs["partial"] == "true"
    assert "GitHub shows only attempt 1 yet" in action.body


def test_a_check_run_is_made_when_it_is_asked_for(action: Runner) -> None:
    assert action.on_end(check_run="true").code == 0
    assert [one["conclusion"] for one in action.state.check_runs.values()] == ["neutral"]
