"""What is run again, and what never is (T9, T10)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakegithub import Body, Status
from tests.fakegithub.answers import Answer, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.desk import Desk
    from tests.fakegithub.faults import Compute, Wire

JSON = dict[str, Any]
NEW_HEAD = "e" * 40
RUN = 37200881056


@dataclass(frozen=True, slots=True)
class Refused:
    """GitHub's own no."""

    message: str

    def respond(self, wire: Wire, compute: Compute) -> None:
        wire.send(refusal(403, self.message))


@pytest.fixture
def desk(lost_runner: Desk) -> Desk:
    lost_runner.settings("version: 1\ncompare: {requests: 0}\n")
    lost_runner.let("maintainer-w", "write")
    return lost_runner


@pytest.fixture
def busy(case_a: Desk) -> Desk:
    case_a.settings("version: 1\ncompare: {requests: 0}\n")
    case_a.let("maintainer-w", "write")
    return case_a


def run_of(desk: Desk) -> JSON:
    found: JSON = desk.fake.state.runs[RUN]
    return found


# --------------------------------------------------------------------------------------------------------------------
# What a re-run can help


def test_a_job_whose_machine_was_lost_runs_again_with_those_that_follow(desk: Desk) -> None:
    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.is_done
    assert said.text.startswith("**Running again**\n\n- `CI`: `gpu` (cause 1)")
    assert desk.reruns == [f"/repos/acme-ml/engine/actions/runs/{RUN}/rerun-failed-jobs"]
    assert run_of(desk)["run_attempt"] == 2


def test_the_author_may_run_failed_jobs_again(desk: Desk) -> None:
    assert desk.say("/triage rerun failed", by=desk.author).is_done


@pytest.mark.parametrize("words", ["", " failed", " infra", " 1", " unit", ' "unit (3.11)"'])
def test_what_fails_again_is_not_run_again_whatever_it_is_called(regression: Desk, words: str) -> None:
    regression.settings("version: 1\ncompare: {requests: 0}\n")

    said = regression.say(f"/triage rerun{words}", by=regression.let("maintainer-w", "admin"))

    assert said.is_refused
    assert not regression.reruns


def test_what_is_skipped_is_told_with_its_reason(regression: Desk) -> None:
    said = regression.say("/triage rerun failed", by=regression.let("maintainer-w", "write"))

    assert said.text == (
        "There is nothing that a re-run can help.\n\n- `unit (3.11)`, `unit (3.12)` (cause 1): a re-run is pointless: "
        "it fails again until the change is mended"
    )


def test_in_case_a_only_the_base_run_is_run_again(case_a: Desk) -> None:
    said = case_a.say("/triage rerun failed", by=case_a.let("maintainer-w", "write"))

    assert said.is_done
    assert case_a.reruns == ["/repos/acme-ml/engine/actions/runs/35296443070/rerun-failed-jobs"]
    for name in ("call-gate / pr-gate", "stage-a-test-1-gpu-xpu"):
        assert f"`{name}`" in said.text.partition("**Not run again**")[2]


def test_t10_infra_never_runs_again_what_failed_in_a_test(busy: Desk) -> None:
    said = busy.say("/triage rerun infra", by="maintainer-w")

    assert not busy.reruns or "base-b" not in said.text.partition("**Not run again**")[0]
    assert "`base-b-test-2-gpu-large (2)` (cause 5): a test failed in it" in said.text


def test_one_job_of_a_run_is_run_again_alone(busy: Desk) -> None:
    said = busy.say("/triage rerun base-b-test-2-gpu-large (2)", by="maintainer-w")

    assert said.is_done
    assert busy.reruns == ["/repos/acme-ml/engine/actions/jobs/110443070021/rerun"]


def test_a_name_that_means_several_jobs_is_not_guessed(busy: Desk) -> None:
    said = busy.say("/triage rerun call-gate / pr-gate", by="maintainer-w")

    assert said.is_refused
    assert "`110443088001`: `call-gate / pr-gate`" in said.text
    assert "`110443088002`: `call-gate / pr-gate`" in said.text


# --------------------------------------------------------------------------------------------------------------------
# T9: the pull request moves while we look


def moved(answer: Answer) -> Answer:
    pull = answer.body
    return replace(answer, body={**pull, "head": {**pull["head"], "sha": NEW_HEAD}})


def test_t9_a_push_between_the_report_and_the_re_run_is_refused(desk: Desk) -> None:
    desk.fake.fail(f"GET */pulls/{desk.number}", Body(change=moved), nth=2, times=None)

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.is_refused
    assert f"the pull request has moved on to `{NEW_HEAD[:10]}`" in said.text
    assert not desk.reruns


def test_t9_a_push_before_the_report_leaves_nothing_to_run_again(desk: Desk) -> None:
    event = desk.event("/triage rerun", by="maintainer-w")
    desk.fake.state.pulls[desk.number]["head"]["sha"] = NEW_HEAD

    said = desk.seen(event, desk.give(event))

    assert not said.is_done
    assert not desk.reruns


def test_t9_a_run_that_began_after_the_comment_is_not_what_its_writer_saw(desk: Desk) -> None:
    began = datetime.fromisoformat(run_of(desk)["created_at"])
    event = desk.event("/triage rerun", by="maintainer-w", at=began - timedelta(minutes=1))

    said = desk.seen(event, desk.give(event, now=began + timedelta(minutes=5)))

    assert said.is_refused
    assert "it began after your comment" in said.text
    assert not desk.reruns


def test_t9_a_label_is_not_set_on_a_commit_that_nobody_looked_at(busy: Desk) -> None:
    busy.fake.state.labels.add("run-ci-extra")
    busy.fake.fail(f"GET */pulls/{busy.number}", Body(change=moved), nth=2, times=None)

    said = busy.say("/triage label", by="maintainer-w")

    assert said.is_refused
    assert f"moved on to `{NEW_HEAD[:10]}`" in said.text
    assert not busy.fake.asked("POST */labels")


def test_t9_a_label_that_the_gate_asks_for_only_now_is_not_what_the_person_saw(busy: Desk) -> None:
    began = min(datetime.fromisoformat(run["created_at"]) for run in busy.fake.state.runs.values())
    event = busy.event("/triage label", by="maintainer-w", at=began - timedelta(minutes=1))

    said = busy.seen(event, busy.give(event, now=began + timedelta(minutes=5)))

    assert said.is_refused
    assert not busy.fake.asked("POST */labels")


def test_t9_what_was_run_again_meanwhile_is_not_run_once_more(desk: Desk) -> None:
    def again(answer: Answer) -> Answer:
        return replace(answer, body={**answer.body, "run_attempt": 2})

    desk.fake.fail(f"GET */actions/runs/{RUN}", Body(change=again), times=None)

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.is_refused
    assert "it has been run again meanwhile" in said.text
    assert not desk.reruns


# --------------------------------------------------------------------------------------------------------------------
# T10: never what did not run already


def never_approved(state_jobs: dict[int, JSON]) -> None:
    for job in state_jobs.values():
        job |= {"runner_id": None, "runner_name": None, "steps": [], "conclusion": "cancelled"}


def test_t10_a_run_that_nobody_let_run_is_not_started(desk: Desk) -> None:
    never_approved({key: job for key, job in desk.fake.state.jobs.items() if job["run_id"] == RUN})

    said = desk.say("/triage rerun failed", by="maintainer-w")

    assert said.is_refused
    assert "no job of it ever ran" in said.text
    assert not desk.reruns


def test_t10_a_deployment_at_the_same_commit_is_not_ours_to_start(desk: Desk) -> None:
    run_of(desk)["event"] = "deployment"

    said = desk.say("/triage rerun failed", by="maintainer-w")

    assert not said.is_done
    assert not desk.reruns


def test_t10_nothing_is_run_again_on_a_closed_pull_request(desk: Desk) -> None:
    desk.fake.state.pulls[desk.number]["state"] = "closed"

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.is_refused
    assert said.text == "The pull request is closed, so nothing is run again."


def test_t10_nothing_but_a_re_run_is_ever_asked_for(busy: Desk) -> None:
    """No approval, no dispatch, no other address below `actions`."""
    for line in ("/triage rerun", "/triage rerun failed", "/triage label", "/triage"):
        busy.say(line, by="maintainer-w")

    assert all(path.endswith(("/rerun", "/rerun-failed-jobs")) for path in busy.reruns)
    assert not busy.fake.asked("POST */dispatches")
    assert not busy.fake.asked("POST */approve")


# --------------------------------------------------------------------------------------------------------------------
# GitHub's limits and answers


def test_githubs_limit_of_50_re_runs_is_told(desk: Desk) -> None:
    run_of(desk)["run_attempt"] = 51
    for job in desk.fake.state.jobs_of(RUN):
        job["run_attempt"] = 51

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.is_refused
    assert "it was run again 50 times, which is all that GitHub allows" in said.text
    assert not desk.reruns


def test_a_run_that_is_too_old_for_github_is_told(desk: Desk) -> None:
    run_of(desk)["created_at"] = "2026-08-01T00:00:00Z"

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.is_refused
    assert "it is older than 30 days" in said.text


@pytest.mark.parametrize(
    "message",
    [
        "This workflow is already running",
        "This workflow run cannot be retried",
        "Unable to retry this workflow run because it was created over a month ago",
    ],
)
def test_githubs_own_words_of_a_refusal_are_shown(desk: Desk, message: str) -> None:
    desk.fake.fail("POST */rerun*", Refused(message))

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.is_refused
    assert f"GitHub refuses: `{message}`" in said.text


def test_a_re_run_whose_answer_is_lost_is_not_asked_for_again(desk: Desk) -> None:
    desk.fake.fail("POST */rerun*", Status(status=502, stored=True))

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.is_done
    assert said.text.startswith("**Running again**")
    assert len(desk.reruns) == 1
    assert run_of(desk)["run_attempt"] == 2


def test_a_re_run_that_github_dropped_is_not_asked_for_again_either(desk: Desk) -> None:
    desk.fake.fail("POST */rerun*", Status(status=502))

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.reactions == ("eyes", "confused")
    assert said.text.startswith("**Perhaps running again, please look**")
    assert len(desk.reruns) == 1


def test_a_run_that_is_not_over_is_left_alone(open_desk: Callable[[str, int], Desk]) -> None:
    desk = open_desk("lost-runner", 561)
    desk.let("maintainer-w", "write")
    desk.say("/triage rerun", by="maintainer-w")

    said = desk.say("/triage rerun", by="maintainer-w")

    assert said.is_refused
    assert "not everything is over" in said.text
    assert len(desk.reruns) == 1
