"""Each cause says whether a re-run can help and why (law 7), and who does what next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import (
    a_file,
    a_job,
    a_pull,
    a_rule,
    a_test,
    broken_machine,
    failing_tests,
    history_of,
    never_started,
    on_main,
    on_pull,
    refused,
    stopped,
    the_facts,
)
from triage.decide import NO_HISTORY, History, decide
from triage.model import Category, Cause, Conclusion, Failure, Fault, Job, PullRequest, Rerun, TestReport


def cause_of(
    *failures: Failure,
    history: History = NO_HISTORY,
    pull: PullRequest | None = None,
    earlier: tuple[Job, ...] = (),
    changed: str = "docs/guide.md",
) -> Cause:
    facts = the_facts(failures, pull=pull, earlier=earlier, files=(a_file(changed),))
    return decide(facts, failures, history).causes[0]


def on(*runners: str, rerun: Rerun = Rerun.UNKNOWN, why: str = "", owner: str = "runner owners") -> list[Failure]:
    rule = a_rule(rerun=rerun, rerun_why=why, owner=owner)
    return [broken_machine(job=a_job(name=f"job-{n}", runner=name), rule=rule) for n, name in enumerate(runners)]


def test_a_missing_label_fails_again_until_it_is_there() -> None:
    cause = cause_of(refused(label="run-ci-extra"))

    assert cause.rerun is Rerun.POINTLESS
    assert cause.rerun_why == "until the label is there"


def test_a_gate_is_told_by_the_label_that_it_asks_for_and_who_may_not_add_it_learns_whom_to_ask() -> None:
    cause = cause_of(refused(label="run-ci-extra"), pull=a_pull())

    assert cause.title == "The label `run-ci-extra` is missing"
    assert cause.advice == "Add the label `run-ci-extra`, or ask a maintainer to."


def test_nobody_is_sent_to_lines_that_are_not_there() -> None:
    unread = cause_of(replace(failing_tests(), evidence=(), tests=TestReport(), fault=Fault.UNKNOWN))

    assert unread.category is Category.UNKNOWN
    assert unread.advice == "Please look at the job itself: nothing that could be read says what broke."


def test_a_label_that_is_there_by_now_makes_a_rerun_help() -> None:
    cause = cause_of(refused(label="run-ci-extra"), pull=a_pull(labels=("run-ci-extra",)))

    assert cause.rerun is Rerun.HELPS
    assert [action.kind for action in cause.actions] == ["rerun"]


def test_a_regression_fails_again_until_the_change_is_mended() -> None:
    cause = cause_of(failing_tests(), changed="test/unit/test_pool.py")

    assert cause.rerun is Rerun.POINTLESS
    assert [action.kind for action in cause.actions] == ["fix"]


def test_a_test_that_fails_on_main_fails_again() -> None:
    failure = failing_tests()

    cause = cause_of(failure, history=history_of(failure, on_main(failure.signature)))

    assert cause.rerun is Rerun.POINTLESS
    assert cause.rerun_why == "it fails on the default branch too"


def test_a_starved_job_can_run_once_runners_are_free() -> None:
    cause = cause_of(never_started())

    assert (cause.rerun, cause.rerun_why) == (Rerun.HELPS, "once runners are free")
    assert cause.actions[0].text == "Wait until runners with `2-gpu` are free"


def test_gpu_residue_can_run_on_another_host() -> None:
    cause = cause_of(broken_machine(rule=a_rule(fault=Fault.GPU_RESIDUE)))

    assert cause.rerun is Rerun.HELPS
    assert {action.kind: action.runner for action in cause.actions} == {"report-runner": "host-1", "rerun": None}


def test_a_rule_that_knows_whether_a_rerun_helps_is_asked() -> None:
    why = "the registry answers again after a while"

    cause = cause_of(*on("a", "b", rerun=Rerun.HELPS, why=why, owner="registry"))

    assert (cause.rerun, cause.rerun_why) == (Rerun.HELPS, why)


def test_a_machines_fault_on_several_hosts_refutes_that_another_host_would_help() -> None:
    cause = cause_of(*on("mi300-1", "mi300-2", rerun=Rerun.HELPS, why="on another machine"))

    assert (cause.rerun, cause.rerun_why) == (
        Rerun.POINTLESS,
        "2 hosts fail alike, so another one will not help",
    )


def test_machines_of_the_hosting_service_are_no_hosts() -> None:
    cause = cause_of(*on("GitHub Actions 12", "GitHub Actions 14"))

    assert cause.rerun is Rerun.UNKNOWN
    assert not cause.actions


def test_one_host_that_fails_everyone_has_to_be_mended() -> None:
    (failure,) = on("system815752")
    seen = on_main(failure.signature, runner="system815752", pulls=[on_pull(38779, runner="system815752")])

    cause = cause_of(failure, history=history_of(failure, seen))

    assert cause.rerun is Rerun.POINTLESS
    assert cause.rerun_why == "until `system815752` is mended, unless another host takes the job"


def test_a_rerun_that_was_tried_in_vain_is_not_recommended_again() -> None:
    failure = broken_machine(job=a_job(name="xpu", attempt=2), rule=a_rule(rerun=Rerun.HELPS, rerun_why="transient"))

    cause = cause_of(failure, earlier=(a_job(name="xpu", attempt=1),))

    assert (cause.rerun, cause.rerun_why) == (Rerun.UNKNOWN, "it was red in 1 earlier attempt too")


def test_a_newer_commit_makes_every_rerun_pointless() -> None:
    cause = cause_of(never_started(), pull=a_pull(head_sha="f" * 40))

    assert (cause.rerun, cause.rerun_why) == (
        Rerun.POINTLESS,
        "the pull request has a newer commit with runs of its own",
    )


def test_a_cancelled_job_can_be_run_again() -> None:
    assert cause_of(stopped(job=a_job(conclusion=Conclusion.CANCELLED))).rerun is Rerun.HELPS


def test_of_an_unknown_failure_nobody_knows_whether_it_fails_every_time() -> None:
    assert cause_of(failing_tests(a_test())).rerun is Rerun.UNKNOWN


@pytest.mark.parametrize(
    ("line", "command"),
    [
        (
            "Missing required label 'run-ci-extra'. Add the label (e.g. via /tag-and-rerun-ci extra)",
            "/tag-and-rerun-ci extra",
        ),
        ("Missing label run-ci-extra: comment /tag-run-ci-label to add it", "/tag-run-ci-label"),
        ("Missing label run-ci-extra, add it with `/label run-ci-extra`", "/label run-ci-extra"),
        ("Missing label run-ci-extra, see /usr/share/doc/gate", None),
        ("Missing label run-ci-extra (/home/runner/work/gate.sh)", None),
        ("Missing label run-ci-extra", None),
    ],
)
def test_the_way_out_that_the_gate_names_is_given_as_a_command(line: str, command: str | None) -> None:
    action = cause_of(refused(label="run-ci-extra", line=line)).actions[0]

    assert (action.kind, action.label, action.command) == ("add-label", "run-ci-extra", command)


def test_a_rerun_of_one_job_is_a_command_to_copy() -> None:
    cause = cause_of(never_started(job=a_job(number=42, runner=None, conclusion=Conclusion.CANCELLED)))

    assert cause.actions[-1].command == "gh run rerun --job 42 --repo acme/engine"


@pytest.mark.parametrize(
    ("rule", "kind"), [("gate-needs-approval", "approve"), ("gate-cool-down", "wait"), ("gate-draft", None)]
)
def test_a_gate_without_a_label_says_what_else_opens_it(rule: str, kind: str | None) -> None:
    failure = broken_machine(rule=a_rule(name=rule, fault=Fault.MISSING_LABEL))

    assert next((action.kind for action in cause_of(failure).actions), None) == kind


def test_the_advice_of_a_rule_is_not_given_for_a_failure_it_does_not_explain() -> None:
    rule = a_rule(advice="Clear the disk of the machine.")

    explained = cause_of(broken_machine(rule=rule))
    void = cause_of(broken_machine(rule=rule), changed="docker/Dockerfile")

    assert explained.advice == "Clear the disk of the machine."
    assert void.advice == "Please look at the lines shown: nothing else says whose failure it is."


def test_who_owns_the_rule_decides_whether_a_machine_is_reported() -> None:
    registry = cause_of(broken_machine(rule=a_rule(owner="registry")))
    machine = cause_of(broken_machine(rule=a_rule(owner="runner owners")))

    assert "report-runner" not in {action.kind for action in registry.actions}
    assert "report-runner" in {action.kind for action in machine.actions}
