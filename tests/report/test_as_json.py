"""`triage/1`: what other programs rely on."""

from __future__ import annotations

import json
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import triage.report
from tests.builders import (
    HEAD,
    NOW,
    a_failure,
    a_file,
    a_job,
    a_pull,
    a_run,
    a_test,
    broken_machine,
    failing_tests,
    following,
    history_of,
    never_started,
    on_main,
    on_pull,
    refused,
    stopped,
    the_facts,
)
from triage.decide import NO_HISTORY, History, decide
from triage.model import Basis, Category, Conclusion, Facts, Failure, Fault, Gap, LogState, PullRequest
from triage.report import log_json, make_report, report_json

SCHEMA: dict[str, Any] = json.loads((Path(triage.report.__file__).parent / "schema.json").read_text())

XPU = broken_machine(job=a_job(name="xpu", number=1, runner="system815752", step="Start CI container"))
MANY = (
    XPU,
    following("xpu", job=a_job(name="finish", number=2)),
    never_started(job=a_job(name="gpu (4)", number=3, runner=None, conclusion=Conclusion.CANCELLED, labels=("gpu",))),
    refused(job=a_job(name="gate", number=4)),
    failing_tests(a_test(file=None), job=a_job(name="unit", number=5)),
    stopped(job=a_job(name="notify", number=6, conclusion=Conclusion.CANCELLED)),
    a_failure(job=a_job(name="lost", number=7), fault=Fault.UNKNOWN, basis=Basis.NOTHING, log_state=LogState.EXPIRED),
)


def as_json(failures: tuple[Failure, ...], *, facts: Facts | None = None, history: History = NO_HISTORY) -> Any:
    known = facts or the_facts(failures)
    report = make_report(known, decide(known, failures, history), rules_sha="3f9ab12", version="0.1.0")
    return json.loads(json.dumps(report_json(report)))


def check(value: Any, schema: dict[str, Any] = SCHEMA) -> None:
    jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(value)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "failures", [(), MANY, *((failure,) for failure in MANY if failure.fault is not Fault.CASCADE)]
)
def test_every_report_is_what_the_schema_says(failures: tuple[Failure, ...]) -> None:
    check(as_json(failures))


def test_a_report_without_a_pull_request_is_what_the_schema_says() -> None:
    facts = the_facts([XPU], no_pull=True, runs=[a_run(event="schedule", conclusion=None)])

    made = as_json((XPU,), facts=facts)

    check(made)
    assert made["pull_request"] is None
    assert made["runs"][0]["conclusion"] is None


def test_a_report_with_a_history_is_what_the_schema_says() -> None:
    seen = on_main(XPU.signature, None, runner="system815752", pulls=[on_pull(38779), on_pull(38831)])

    made = as_json((XPU,), history=history_of(XPU, seen))

    check(made)
    (cause,) = made["causes"]
    assert [fact["kind"] for fact in cause["evidence"]] == ["log-line", "main-run", "other-pull", "other-pull"]
    assert cause["evidence"][1]["runner"] == "system815752"
    assert cause["evidence"][1]["when"] == "2026-09-18T06:31:00Z"
    assert [fact["number"] for fact in cause["evidence"]] == [None, None, 38779, 38831]


def test_keys_stand_in_the_order_of_the_schema_and_none_is_missing() -> None:
    made = as_json(MANY)

    assert list(made) == list(SCHEMA["properties"])
    for name, one in (("cause", made["causes"][0]), ("job", made["jobs"][0]), ("run", made["runs"][0])):
        assert list(one) == list(SCHEMA["$defs"][name]["properties"])
    assert list(made["pull_request"]) == list(SCHEMA["$defs"]["pull_request"]["properties"])
    assert list(made["causes"][0]["evidence"][0]) == list(SCHEMA["$defs"]["evidence"]["properties"])


def test_the_counts_hold_every_category_and_add_up_to_the_ledger() -> None:
    made = as_json(MANY)

    assert set(made["counts"]["jobs"]) == {category.value for category in Category}
    assert sum(made["counts"]["jobs"].values()) == len(made["jobs"]) == 7
    assert sum(made["counts"]["causes"].values()) == len(made["causes"])
    assert made["counts"]["jobs"]["cascade"] == 1
    assert made["counts"]["causes"]["cascade"] == 0


def test_causes_and_jobs_point_at_each_other() -> None:
    made = as_json(MANY)

    for cause in made["causes"]:
        assert cause["root_job"] == cause["jobs"][0]
        assert sorted(job["id"] for job in made["jobs"] if job["cause"] == cause["id"]) == sorted(cause["jobs"])


def test_a_job_says_what_was_read_of_it() -> None:
    jobs = {job["name"]: job for job in as_json(MANY)["jobs"]}

    assert jobs["xpu"]["failed_step"] == "Start CI container"
    assert jobs["xpu"]["rule"] == "disk-full"
    assert jobs["xpu"]["runner"] == "system815752"
    assert jobs["gpu (4)"]["runner"] is None
    assert jobs["gpu (4)"]["log"] == "absent"
    assert jobs["lost"]["log"] == "expired"
    assert jobs["unit"]["tests_run"] == 40
    assert jobs["unit"]["failed_tests"] == [
        {
            "id": "test/unit/test_pool.py::test_share",
            "file": None,
            "error": "RuntimeError: mat1 and mat2 shapes cannot be multiplied",
        }
    ]
    assert jobs["xpu"]["tests_run"] is None


def test_what_broke_and_whose_failure_it_is_are_two_things() -> None:
    facts = the_facts([XPU], files=(a_file("docker/Dockerfile"),))

    (job,) = as_json((XPU,), facts=facts)["jobs"]

    assert (job["fault"], job["category"]) == ("infrastructure", "unknown")


def test_the_pull_request_says_how_far_its_branch_is_behind() -> None:
    pull = PullRequest(number=7, head_sha=HEAD, base_ref="main", merge_base="1a2b3c4", behind_by=1357)

    made = as_json((XPU,), facts=the_facts([XPU], pull=pull))

    assert made["pull_request"] == {
        "number": 7,
        "head_sha": HEAD,
        "base": "main",
        "merge_base": "1a2b3c4",
        "behind_by": 1357,
    }


def test_gaps_are_sentences() -> None:
    facts = the_facts([XPU], pull=a_pull(), gaps=[Gap("compare with main", "GitHub answered 502")])

    assert as_json((XPU,), facts=facts)["gaps"][0] == "compare with main: GitHub answered 502"


def test_times_are_utc_to_the_second_wherever_they_were_measured() -> None:
    tokyo = timezone(timedelta(hours=9))

    made = as_json((XPU,), history=history_of(XPU, on_main(XPU.signature, newest=NOW.astimezone(tokyo))))

    assert made["causes"][0]["evidence"][1]["when"] == "2026-09-18T08:31:00Z"
    assert made["as_of"] == "2026-09-18T08:31:00Z"


@pytest.mark.parametrize("failure", [XPU, failing_tests(), a_failure(fault=Fault.NONE, basis=Basis.NOTHING)])
def test_what_one_log_shows_is_what_the_schema_says(failure: Failure) -> None:
    made = json.loads(json.dumps(log_json("build.log", failure)))

    check(made, {**SCHEMA["$defs"]["log"], "$defs": SCHEMA["$defs"]})
    assert list(made) == ["file", "fault", "rule", "title", "evidence", "failed_tests", "tests_run"]
    assert made["fault"] == failure.fault.value
