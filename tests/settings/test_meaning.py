"""What the settings change: what a job is, which way out is given, what counts as tested and as recent."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.builders import (
    NOW,
    a_file,
    a_job,
    failing_tests,
    history_of,
    on_main,
    refused,
    the_facts,
)
from triage.classify import classify, make_scanner
from triage.decide import decide
from triage.logs import TextSource, read_log, read_tests
from triage.model import Category, Conclusion, Fault, JobFacts
from triage.rules import builtin_rules
from triage.settings import BUILT_IN, Covered, Settings, WayOut, with_settings

if TYPE_CHECKING:
    from triage.model import Facts, Failure, Job

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
QUIET = "Looking at the results\n##[error]Process completed with exit code 1.\n"
TESTED = (
    "============================= test session starts ==============================\n"
    "FAILED tests/test_pool.py::test_share - AssertionError: 3 != 4\n"
    "========================= 1 failed, 2 passed in 1.20s ==========================\n"
)
DISK = "##[error]OSError: [Errno 28] No space left on device\n"
CRASH = (
    "Traceback (most recent call last):\n"
    '  File "ci/report.py", line 3, in <module>\n'
    "    import engine\n"
    "ModuleNotFoundError: No module named 'engine'\n"
    "##[error]Process completed with exit code 1.\n"
)
NAMED = Settings(aggregators=("report-*",), gates=("may-run",))


def short(name: str, *, seconds: int = 20) -> Job:
    job = a_job(name=name)
    return replace(job, started_at=NOW - timedelta(hours=1, seconds=seconds))


def read(job: Job, log: str, *others: Job, settings: Settings = NAMED) -> Failure:
    """Classify one job with its log, beside others of its run."""
    kept = read_log(TextSource("log", log), SCANNER)
    red = JobFacts(job=job, log=kept, tests=read_tests(kept))
    facts: Facts = replace(the_facts([]), jobs=(*others, job), red=(red,))
    return classify(facts, RULES, SCANNER, settings)[0]


def test_a_named_aggregator_follows_the_red_jobs_of_its_run() -> None:
    failure = read(short("report-all"), QUIET, a_job(name="unit"), a_job(name="lint", conclusion=Conclusion.SUCCESS))

    assert (failure.fault, failure.roots, failure.reports_only) == (Fault.CASCADE, ("unit",), True)
    assert ".github/triage.yml" in failure.evidence[0].text


def test_a_name_makes_no_aggregator_of_a_job_that_nothing_red_stands_before() -> None:
    failure = read(short("report-all"), QUIET, a_job(name="lint", conclusion=Conclusion.SUCCESS))

    assert failure.fault is Fault.UNKNOWN


@pytest.mark.parametrize("log", [TESTED, DISK, CRASH])
def test_a_name_makes_no_aggregator_of_a_job_that_has_its_own_failure_to_tell(log: str) -> None:
    assert read(short("report-all"), log, a_job(name="unit")).fault is not Fault.CASCADE


def test_a_name_makes_no_aggregator_of_a_job_that_worked() -> None:
    assert read(short("report-all", seconds=900), QUIET, a_job(name="unit")).fault is not Fault.CASCADE


def test_two_named_aggregators_alone_excuse_each_other_for_nothing() -> None:
    assert read(short("report-all"), QUIET, short("report-some")).fault is not Fault.CASCADE


def test_a_named_gate_that_failed_has_refused() -> None:
    failure = read(short("may-run"), QUIET)

    assert (failure.fault, failure.title) == (Fault.MISSING_LABEL, "The gate refused")


@pytest.mark.parametrize("log", [TESTED, DISK, CRASH])
def test_a_name_makes_no_gate_of_a_job_whose_log_says_what_broke(log: str) -> None:
    assert read(short("may-run"), log).fault is not Fault.MISSING_LABEL


def test_without_settings_no_name_means_anything() -> None:
    assert read(short("may-run"), QUIET, settings=BUILT_IN).fault is Fault.UNKNOWN
    assert read(short("report-all"), QUIET, a_job(name="unit"), settings=BUILT_IN).fault is Fault.UNKNOWN


def test_the_way_out_of_a_missing_label_is_the_settings_own() -> None:
    way = WayOut(label="run-ci-extra", command="/ok-to-test", advice="Any committer may give it.")
    gate = refused()
    cause = decide(the_facts([gate]), (gate,), settings=Settings(labels=(way,))).causes[0]

    assert [action.command for action in cause.actions if action.kind == "add-label"] == ["/ok-to-test"]
    assert cause.advice == "Any committer may give it."


def test_of_a_label_that_the_settings_do_not_know_the_gate_itself_says_the_way() -> None:
    gate = refused()
    cause = decide(the_facts([gate]), (gate,), settings=Settings(labels=(WayOut(label="other"),))).causes[0]

    assert [action.command for action in cause.actions if action.kind == "add-label"] == ["/tag-and-rerun-ci extra"]


def test_mapped_files_are_tested_by_the_jobs_that_the_settings_name() -> None:
    gate = refused()
    mapped = Settings(coverage=(Covered(paths=("src/kernels/**",), jobs=("gpu-*", "amd-nightly")),))
    facts = the_facts(
        [gate],
        green=[a_job(name="gpu-1", conclusion=Conclusion.SKIPPED)],
        files=(a_file("src/kernels/a/b.cu"), a_file("docs/x.md")),
    )
    covered = decide(facts, (gate,), settings=mapped).coverage

    assert [(one.path, one.jobs, one.exercised) for one in covered] == [
        ("src/kernels/a/b.cu", ("gpu-1", "amd-nightly"), False)
    ]
    assert covered[0].known_by == ".github/triage.yml"


@pytest.mark.parametrize(("days", "category"), [(7, Category.UNKNOWN), (20, Category.PRE_EXISTING)])
def test_a_baseline_counts_within_the_window_of_the_settings(days: int, category: Category) -> None:
    failure = failing_tests()
    seen = on_main(failure.signature, failure.signature, newest=NOW - timedelta(days=10))
    decided = decide(the_facts([failure]), (failure,), history_of(failure, seen), Settings(window_days=days))

    assert decided.jobs[0].category is category


def test_a_disabled_rule_is_not_asked_and_changes_what_the_rules_are() -> None:
    first = RULES.rules[0].id
    rules = with_settings(RULES, (), Settings(disabled_rules=(first,)))

    assert first not in {rule.id for rule in rules.rules}
    assert len(rules.rules) == len(RULES.rules) - 1
    assert rules.sha != RULES.sha
