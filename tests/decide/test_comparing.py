"""Whose failure it is comes from comparing: with main, the diff, other attempts, other pull requests."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.builders import (
    HEAD,
    NOW,
    RUN,
    a_failure,
    a_file,
    a_job,
    a_pull,
    a_test,
    broken_machine,
    failing_tests,
    history_of,
    on_main,
    on_pull,
    the_facts,
)
from triage.decide import NO_HISTORY, History, decide, signatures_of
from triage.model import (
    Basis,
    Category,
    ChangedFile,
    Conclusion,
    Evidence,
    EvidenceKind,
    Failure,
    Fault,
    Frame,
    Job,
    JobVerdict,
    Outcome,
    Sighting,
    Signature,
    TestFailure,
    TestReport,
)

TEST_FILE = "test/unit/test_pool.py"


def row_of(
    failure: Failure,
    history: History = NO_HISTORY,
    *,
    files: tuple[ChangedFile, ...] | None = (a_file("docs/guide.md"),),
    earlier: tuple[Job, ...] = (),
) -> JobVerdict:
    return decide(the_facts([failure], files=files, earlier=earlier), (failure,), history).jobs[0]


def kinds(row: JobVerdict) -> list[EvidenceKind]:
    return [fact.kind for fact in row.evidence]


# --------------------------------------------------------------------------------------------------------------------
# The diff


@pytest.mark.parametrize(
    ("test", "file", "because"),
    [
        (
            a_test(name="t::test_share"),
            a_file(TEST_FILE),
            "the failing test `t::test_share` is in `test/unit/test_pool.py`, which the change touches",
        ),
        (
            a_test(name="t::test_share"),
            a_file(TEST_FILE, status="added"),
            "the failing test `t::test_share` is in `test/unit/test_pool.py`, which the change adds",
        ),
        (
            a_test(frames=[(TEST_FILE, 12), ("python/engine/pool.py", 88)]),
            a_file("python/engine/pool.py"),
            "the error is raised at `python/engine/pool.py:88`, a file that the change touches",
        ),
        (
            a_test(frames=[("python/engine/pool.py", 88), ("python/engine/layers.py", 5)]),
            a_file("python/engine/pool.py", added_lines=[88]),
            "the traceback leads through `python/engine/pool.py:88`, a line that the change adds or touches",
        ),
        (
            a_test(frames=[("/sgl-workspace/engine/python/engine/pool.py", 88)]),
            a_file("python/engine/pool.py"),
            "the error is raised at `python/engine/pool.py:88`, a file that the change touches",
        ),
        (
            a_test(file=None, exception="ModuleNotFoundError", message="No module named 'engine.pool_host'"),
            a_file("python/engine/pool_host.py", status="removed"),
            "the test cannot import `engine.pool_host`, and the change removes or renames `python/engine/pool_host.py`",
        ),
    ],
)
def test_a_failure_that_the_diff_shows_is_a_regression(test: TestFailure, file: ChangedFile, because: str) -> None:
    row = row_of(failing_tests(test), files=(file,))

    assert row.category is Category.REGRESSION
    assert row.because == because
    assert EvidenceKind.DIFF in kinds(row)


def test_a_build_error_in_a_changed_file_is_a_regression() -> None:
    failure = a_failure(fault=Fault.CODE, title="The build failed", places=[("src/pool.cc", 12)])

    row = row_of(failure, files=(a_file("src/pool.cc", added_lines=[12]),))

    assert row.category is Category.REGRESSION
    assert row.because == "the error names `src/pool.cc:12`, a line that the change adds or touches"


def test_a_build_error_in_a_file_that_the_change_leaves_alone_blames_nobody() -> None:
    failure = a_failure(fault=Fault.CODE, title="The build failed", places=[("src/pool.cc", 12)])

    assert row_of(failure, files=(a_file("src/queue.cc"),)).category is Category.UNKNOWN


def test_a_traceback_that_only_passes_through_the_changed_harness_blames_nobody() -> None:
    wrapped = a_test(frames=[("python/engine/test/test_utils.py", 40), ("test/registered/test_encoder.py", 87)])

    row = row_of(failing_tests(wrapped), files=(a_file("python/engine/test/test_utils.py", added_lines=[900]),))

    assert row.category is Category.UNKNOWN
    assert row.because.endswith("that alone does not show whose failure it is")


def test_an_installed_copy_of_a_changed_file_withholds_an_excuse_and_blames_nobody() -> None:
    installed = a_test(file=None, frames=[("/usr/lib/python3/site-packages/engine/srt/pool.py", 3)])

    row = row_of(failing_tests(installed), files=(a_file("python/engine/srt/pool.py"),))

    assert row.category is Category.UNKNOWN


# --------------------------------------------------------------------------------------------------------------------
# The default branch


FAILURE = failing_tests()
(SAME,) = signatures_of(FAILURE)
OTHER = replace(SAME, parts=(SAME.parts[0], "KeyError", "'meta_info'"))


def test_a_failure_that_main_shares_is_not_the_authors() -> None:
    row = row_of(FAILURE, history_of(FAILURE, on_main(SAME, SAME, None, runner="mac-3")))

    assert row.category is Category.PRE_EXISTING
    assert row.because == "it fails in the same way on the default branch, 2 runs in a row"
    main = next(fact for fact in row.evidence if fact.kind is EvidenceKind.MAIN_RUN)
    assert main.text == "the same on the default branch, on `mac-3`, in 2 of 3 runs looked at, first seen 18 Sep"
    assert main.runner == "mac-3"


def test_main_outranks_the_diff_when_it_fails_in_the_very_same_way() -> None:
    row = row_of(FAILURE, history_of(FAILURE, on_main(SAME, SAME)), files=(a_file(TEST_FILE),))

    assert row.category is Category.PRE_EXISTING


def test_the_same_test_failing_on_main_with_another_error_is_no_excuse() -> None:
    assert row_of(FAILURE, history_of(FAILURE, on_main(OTHER, OTHER))).category is Category.UNKNOWN


def test_a_new_failure_does_not_hide_behind_a_known_one_of_the_same_job() -> None:
    failure = failing_tests(a_test(), a_test(name="test/unit/test_pool.py::test_new"))
    history = History(seen={SAME: on_main(SAME, SAME)})

    assert row_of(failure, history).category is Category.UNKNOWN


def test_a_stale_baseline_is_no_baseline() -> None:
    stale = on_main(SAME, SAME, newest=NOW - timedelta(days=8))

    assert row_of(FAILURE, history_of(FAILURE, stale)).category is Category.UNKNOWN


def test_an_incomplete_look_at_main_excuses_nobody() -> None:
    assert row_of(FAILURE, history_of(FAILURE, on_main(SAME, complete=False))).category is Category.UNKNOWN


def test_a_main_that_never_executed_the_test_excuses_nobody() -> None:
    assert row_of(FAILURE, history_of(FAILURE, on_main())).category is Category.UNKNOWN


def test_the_runs_under_triage_are_no_baseline_for_themselves() -> None:
    seen = on_main(SAME)
    own_run = replace(seen, baselines=tuple(replace(one, run_id=RUN) for one in seen.baselines))
    own_commit = replace(seen, baselines=tuple(replace(one, head_sha=HEAD) for one in seen.baselines))

    assert row_of(FAILURE, history_of(FAILURE, own_run)).category is Category.UNKNOWN
    assert row_of(FAILURE, history_of(FAILURE, own_commit)).category is Category.UNKNOWN


def test_a_change_that_was_on_main_before_and_was_reverted_is_not_excused_by_what_it_broke_there() -> None:
    seen = on_main(SAME, SAME)
    history = history_of(FAILURE, seen, own_commits=(f"{99:040x}",))

    assert row_of(FAILURE, history).category is Category.UNKNOWN


def test_what_main_mended_in_a_commit_that_the_branch_lacks_needs_a_rebase() -> None:
    history = history_of(FAILURE, on_main(None, None, SAME, SAME, in_branch=False))

    decided = decide(the_facts([FAILURE]), (FAILURE,), history)

    assert decided.jobs[0].category is Category.PRE_EXISTING
    assert "has passed since a commit that this branch lacks" in decided.jobs[0].because
    assert [action.kind for action in decided.causes[0].actions] == ["rebase"]
    assert any("has passed on the default branch since `0000000`" in fact.text for fact in decided.causes[0].evidence)


def test_what_main_mended_excuses_nobody_when_the_branch_has_the_mend_or_nobody_looked() -> None:
    for in_branch in (True, None):
        history = history_of(FAILURE, on_main(None, SAME, in_branch=in_branch))

        assert row_of(FAILURE, history).category is Category.UNKNOWN


def test_a_test_that_passes_on_main_and_touches_the_diff_here_is_a_regression_with_both_facts_shown() -> None:
    near = failing_tests(a_test(frames=[("python/engine/test/test_utils.py", 40), (TEST_FILE, 12)]))
    history = history_of(near, on_main(None, None))

    row = row_of(near, history, files=(a_file("python/engine/test/test_utils.py"),))

    assert row.category is Category.REGRESSION
    assert row.because.startswith("the default branch executed the same test and passes; here the traceback leads")
    assert {EvidenceKind.MAIN_RUN, EvidenceKind.DIFF} <= set(kinds(row))


def test_a_test_that_passes_on_main_and_failed_in_every_attempt_here_is_a_regression() -> None:
    again = replace(on_pull(7), attempt=1, pull_number=None)
    history = history_of(FAILURE, on_main(None, attempts=[again]))

    row = row_of(FAILURE, history)

    assert row.category is Category.REGRESSION
    assert {EvidenceKind.MAIN_RUN, EvidenceKind.ATTEMPT} <= set(kinds(row))


def test_a_test_that_passes_on_main_and_failed_once_here_is_unknown() -> None:
    row = row_of(FAILURE, history_of(FAILURE, on_main(None, None)))

    assert row.category is Category.UNKNOWN
    assert row.because.endswith("the runs of the default branch do not settle it")


def test_a_known_failure_of_main_is_not_blamed_on_a_change_that_touches_its_test() -> None:
    history = history_of(FAILURE, on_main(None, SAME, None, SAME))

    assert row_of(FAILURE, history, files=(a_file(TEST_FILE),)).category is Category.UNKNOWN


def test_a_void_excuse_is_still_not_the_authors_when_main_fails_in_the_same_way() -> None:
    failure = broken_machine()
    history = history_of(failure, on_main(failure.signature, failure.signature))

    assert row_of(failure, files=(a_file("docker/Dockerfile"),)).category is Category.UNKNOWN
    assert row_of(failure, history, files=(a_file("docker/Dockerfile"),)).category is Category.PRE_EXISTING


def test_infrastructure_names_the_run_on_main_and_the_other_pull_requests() -> None:
    failure = broken_machine()
    seen = on_main(failure.signature, runner="system815752", pulls=[on_pull(38779), on_pull(38831)])

    row = row_of(failure, history_of(failure, seen))

    assert row.category is Category.INFRASTRUCTURE
    assert [fact.number for fact in row.evidence if fact.kind is EvidenceKind.OTHER_PULL] == [38779, 38831]
    assert [fact.runner for fact in row.evidence if fact.kind is EvidenceKind.MAIN_RUN] == ["system815752"]


def test_a_mere_line_of_the_log_compares_only_while_nothing_leads_to_the_diff() -> None:
    failure = a_failure(
        fault=Fault.UNKNOWN,
        basis=Basis.GUESS,
        signature=Signature("line", ("linker error",)),
        places=[("src/pool.cc", 3)],
    )
    history = history_of(failure, on_main(failure.signature, failure.signature))

    assert row_of(failure, history).category is Category.PRE_EXISTING
    assert row_of(failure, history, files=(a_file("src/pool.cc"),)).category is Category.UNKNOWN
    assert row_of(failure, history, files=None).category is Category.UNKNOWN


# --------------------------------------------------------------------------------------------------------------------
# The same commit, twice


def passed_in_attempt(attempt: int, *, name: str = "unit-test") -> Job:
    return a_job(name=name, attempt=attempt, conclusion=Conclusion.SUCCESS)


SECOND = failing_tests(job=a_job(name="unit-test", attempt=2))


def test_a_commit_that_passed_and_failed_the_same_tests_is_flaky() -> None:
    row = row_of(SECOND, earlier=(passed_in_attempt(1),))

    assert row.category is Category.FLAKY
    assert row.evidence[-1].text == "the same job passed in attempt 1 of the same commit, on `host-1`"


def test_a_failing_retry_proves_nothing() -> None:
    failed_before = a_job(name="unit-test", attempt=1)

    assert row_of(SECOND, earlier=(failed_before,)).category is Category.UNKNOWN


@pytest.mark.parametrize("files", [(a_file(TEST_FILE),), None])
def test_a_test_within_reach_of_the_diff_is_not_called_flaky(files: tuple[ChangedFile, ...] | None) -> None:
    assert row_of(SECOND, files=files, earlier=(passed_in_attempt(1),)).category is not Category.FLAKY


def test_another_job_of_another_name_gives_no_second_result() -> None:
    assert row_of(SECOND, earlier=(passed_in_attempt(1, name="unit-test (2)"),)).category is Category.UNKNOWN


def test_a_job_without_failed_tests_is_not_flaky_by_its_attempts() -> None:
    build = a_failure(job=a_job(name="build", attempt=2), fault=Fault.CODE, title="The build failed")

    row = row_of(build, earlier=(passed_in_attempt(1, name="build"),))

    assert row.category is Category.UNKNOWN
    assert EvidenceKind.ATTEMPT in kinds(row)


RETRIED = a_failure(
    fault=Fault.FLAKY,
    basis=Basis.TESTS,
    tests=TestReport(runners=("pytest",), ran=40, failures=(a_test(outcome=Outcome.FLAKY),)),
)


def test_a_test_that_passed_in_a_retry_of_the_same_run_is_flaky_unless_the_change_reaches_it() -> None:
    assert row_of(RETRIED).category is Category.FLAKY
    assert row_of(RETRIED, files=(a_file(TEST_FILE),)).category is Category.UNKNOWN
    assert row_of(RETRIED, files=None).category is Category.UNKNOWN


def test_a_retried_test_does_not_make_another_failed_test_flaky() -> None:
    both = replace(RETRIED, tests=replace(RETRIED.tests, failures=(*RETRIED.tests.failures, a_test(name="other"))))

    assert row_of(both).category is Category.UNKNOWN


def test_a_failure_that_comes_and_goes_on_main_is_flaky_unless_the_change_reaches_it() -> None:
    history = history_of(FAILURE, on_main(SAME, None, SAME, None))

    assert row_of(FAILURE, history).category is Category.FLAKY
    assert row_of(FAILURE, history, files=(a_file(TEST_FILE),)).category is Category.UNKNOWN


# --------------------------------------------------------------------------------------------------------------------
# Other pull requests


def elsewhere(*sightings: Sighting) -> History:
    return history_of(FAILURE, on_main(pulls=sightings))


def test_two_other_authors_with_the_same_failure_make_it_flaky_at_most() -> None:
    row = row_of(FAILURE, elsewhere(on_pull(39902), on_pull(38468)))

    assert row.category is Category.FLAKY
    assert [fact.number for fact in row.evidence if fact.number] == [39902, 38468]


def test_one_other_author_is_not_enough_however_many_pull_requests() -> None:
    history = elsewhere(on_pull(1, author="x"), on_pull(2, author="x"), on_pull(3, author="x"))

    assert row_of(FAILURE, history).category is Category.UNKNOWN


def test_other_pull_requests_of_the_same_author_do_not_count() -> None:
    history = elsewhere(on_pull(1, author="author"), on_pull(2, author="x"), on_pull(7, author="y"))

    row = row_of(FAILURE, history)

    assert row.category is Category.UNKNOWN
    assert [fact.number for fact in row.evidence if fact.number] == [2]


def test_other_pull_requests_excuse_nothing_while_main_was_not_wholly_looked_at() -> None:
    pulls = [on_pull(39902), on_pull(38468)]

    row = row_of(FAILURE, history_of(FAILURE, on_main(complete=False, pulls=pulls)))

    assert row.category is Category.UNKNOWN


def test_other_pull_requests_never_excuse_a_failure_within_reach_of_the_diff() -> None:
    history = elsewhere(on_pull(39902), on_pull(38468))

    assert row_of(FAILURE, history, files=(a_file(TEST_FILE),)).category is Category.REGRESSION


def test_a_known_state_of_main_needs_a_pull_request_that_is_not_this_one() -> None:
    facts = the_facts([FAILURE], pull=a_pull(number=39902, author="author-39902"))

    row = decide(facts, (FAILURE,), elsewhere(on_pull(39902), on_pull(38468))).jobs[0]

    assert row.category is Category.UNKNOWN


def evidence_of(row: JobVerdict, kind: EvidenceKind) -> list[Evidence]:
    return [fact for fact in row.evidence if fact.kind is kind]


def test_each_run_and_each_pull_request_is_named_once_however_many_tests_failed() -> None:
    failure = failing_tests(a_test(), a_test(name="test/unit/test_pool.py::test_more"))
    seen = {signature: on_main(signature, pulls=[on_pull(5), on_pull(6)]) for signature in signatures_of(failure)}

    row = row_of(failure, History(seen=seen))

    assert len(evidence_of(row, EvidenceKind.MAIN_RUN)) == 1
    assert len(evidence_of(row, EvidenceKind.OTHER_PULL)) == 2


def test_an_error_that_no_rule_knows_blames_the_change_only_by_the_line_it_names() -> None:
    failure = a_failure(fault=Fault.UNKNOWN, basis=Basis.GUESS, places=[("src/pool.cc", 12)])

    assert row_of(failure, files=(a_file("src/pool.cc", added_lines=[12]),)).category is Category.REGRESSION
    assert row_of(failure, files=(a_file("src/pool.cc", added_lines=[900]),)).category is Category.UNKNOWN


def test_a_place_in_the_harness_that_a_failed_test_prints_blames_nobody() -> None:
    printed = replace(FAILURE, places=(Frame("python/engine/test/test_utils.py", 40),))
    harness = a_file("python/engine/test/test_utils.py", added_lines=[900])

    assert row_of(printed, files=(harness,)).category is Category.UNKNOWN
    assert row_of(printed, files=(replace(harness, patch="@@ -40,0 +40,1 @@\n+x"),)).category is Category.REGRESSION
