"""What is read of `cargo test` and of nextest."""

from __future__ import annotations

import pytest

from tests.logs.tests_other.log_text import by_id, errors_of, outcomes_of, report_of, report_of_file, said, said_in_file
from triage.model import Outcome


def test_every_failed_test_is_told_with_its_binary_and_the_words_of_its_panic() -> None:
    report = report_of_file("cargo.txt")

    assert report.runners == ("cargo test",)
    assert outcomes_of(report.failures) == {
        "shop tests::adds": "failed",
        "shop tests::panics_otherwise": "failed",
        "shop tests::returns_err": "failed",
        "shop tests::plain": "failed",
        "shop tests::should_have_panicked": "failed",
        "shop tests::unwraps": "failed",
        "aborts": "crashed",
        "shop (doc) src/lib.rs - sum": "failed",
    }
    errors = errors_of("cargo.txt")
    assert errors["shop tests::adds"] == "assertion `left == right` failed: sum of two twos"
    assert errors["shop tests::panics_otherwise"] == "this one"
    assert errors["shop tests::returns_err"] == 'Error: "no such device"'
    assert errors["shop tests::should_have_panicked"].startswith("note: test did not panic as expected")
    assert errors["aborts"].endswith("(signal: 6, SIGABRT: process abort signal)")


def test_message_and_place_are_those_of_the_panic() -> None:
    failure = by_id(report_of_file("cargo.txt"))["shop tests::adds"]

    assert failure.message == "assertion `left == right` failed: sum of two twos left: 5 right: 4"
    assert failure.exception == "panic"
    assert failure.file == "src/lib.rs"
    assert [(frame.path, frame.line) for frame in failure.frames] == [("src/lib.rs", 9)]


def test_counts_are_those_of_all_binaries_and_a_dead_one_leaves_a_remainder() -> None:
    report = report_of_file("cargo.txt")

    assert (report.ran, report.passed) == (10, 3)
    assert report.not_run == ("1 of 1 tests of aborts never ended",)
    assert not any(first <= 2 <= last for first, last in report.line_ranges)


def test_uncaptured_output_is_told_apart_by_the_name_of_the_panicking_thread() -> None:
    errors = errors_of("cargo_nocapture.txt")

    assert errors["shop tests::adds"] == "assertion `left == right` failed: sum of two twos"
    assert errors["shop tests::unwraps"].startswith("called `Result::unwrap()` on an `Err` value")
    assert "shop tests::panics_as_it_should" not in errors
    assert "shop tests::thread_panics_inside_but_passes" not in errors


def test_panics_of_passing_tests_are_no_failures() -> None:
    report = report_of(
        """\
             Running unittests src/lib.rs (target/debug/deps/kv-0c18eed908acefee)

        running 2 tests
        test tests::refused_panics - should panic ...
        thread 'tests::refused_panics' (18853) panicked at src/lib.rs:5:95:
        connection refused (os error 111)
        ok
        test tests::reports ... FAILED: this is printed
        ok

        test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.12s
        """
    )

    assert report.failures == ()
    assert (report.ran, report.passed) == (2, 2)


def test_the_older_form_of_a_panic_is_read() -> None:
    text = """\
        running 2 tests
        test grid::resets ... FAILED
        test grid::grows ... FAILED

        failures:

        ---- grid::resets stdout ----
        thread 'grid::resets' panicked at 'the grid doesn't match', terminal/tests/grid.rs:125:9
        note: Run with `RUST_BACKTRACE=1` environment variable to display a backtrace.

        ---- grid::grows stdout ----
        thread 'grid::grows' panicked at 'assert_relative_eq!(width, 0.0)

            left  = 0.03
            right = 0.0

        ', terminal/tests/grid.rs:130:5

        failures:
            grid::grows
            grid::resets

        test result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out
        """
    told = by_id(report_of(text))

    assert told["grid::resets"].message == "the grid doesn't match"
    assert told["grid::resets"].file == "terminal/tests/grid.rs"
    assert told["grid::grows"].message == "assert_relative_eq!(width, 0.0) left = 0.03 right = 0.0"
    assert len(told) == 2


NEXTEST = """\
    ────────────
     Nextest run ID 60038b05-eeb2-4877-a146-d4e1b087fe90 with nextest profile: ci
        Starting 4 tests across 1 binary
            PASS [   0.006s] (1/4) kv tests::put_get
      TRY 1 FAIL [   0.099s] (───) kv tests::compaction_settles
      stdout ───

        running 1 test
        test tests::compaction_settles ... FAILED

        test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.09s

      stderr ───

        thread 'tests::compaction_settles' (17741) panicked at src/lib.rs:9:39:
        compaction still running after 4.2ms

       DELAY 2/3 by   1.000s (───) kv tests::compaction_settles
      TRY 2 PASS [   0.010s] (2/4) kv tests::compaction_settles
         SIGSEGV [   0.211s] (3/4) kv tests::maps_the_file
            FAIL [   0.020s] (4/4) kv tests::evicts
      stderr ───

        thread 'tests::evicts' (17745) panicked at src/cache.rs:40:9:
        assertion failed: cache.is_empty()

    ────────────
         Summary [   1.112s] 4 tests run: 2 passed (1 flaky), 2 failed, 0 skipped
       FLAKY 2/3 [   0.010s] (2/4) kv tests::compaction_settles
         SIGSEGV [   0.211s] (3/4) kv tests::maps_the_file
            FAIL [   0.020s] (4/4) kv tests::evicts
    error: test run failed
    """


def test_nextest_tells_flaky_failed_and_crashed_tests_apart() -> None:
    report = report_of(NEXTEST)

    assert report.runners == ("nextest",)
    assert outcomes_of(report.failures) == {
        "kv tests::compaction_settles": "flaky",
        "kv tests::maps_the_file": "crashed",
        "kv tests::evicts": "failed",
    }
    assert (report.ran, report.passed) == (4, 2)


def test_a_flake_is_proved_by_the_line_that_says_so_and_keeps_the_failed_tries_words() -> None:
    failure = by_id(report_of(NEXTEST))["kv tests::compaction_settles"]

    assert said(NEXTEST, failure.error_line).strip().startswith("FLAKY 2/3")
    assert failure.message == "compaction still running after 4.2ms"
    assert failure.file == "src/lib.rs"


@pytest.mark.parametrize("verdict", ["FLKY-FL 2/3", "FLAKY 2/3"])
def test_a_flake_that_the_lane_counts_as_a_failure_is_still_a_flake(verdict: str) -> None:
    report = report_of(NEXTEST.replace("FLAKY 2/3", verdict))

    assert by_id(report)["kv tests::compaction_settles"].outcome is Outcome.FLAKY


def test_tests_that_nextest_did_not_start_are_a_remainder() -> None:
    report = report_of(
        """\
            Starting 10 tests across 1 binary
                FAIL [   0.020s] kv tests::evicts
          Cancelling due to test failure: 1 test still running
             Summary [   0.112s] 2/10 tests run: 1 passed, 1 failed, 0 skipped
                FAIL [   0.020s] kv tests::evicts
        error: test run failed
        """
    )

    assert report.not_run == ("8 of 10 tests were not run",)
    assert by_id(report)["kv tests::evicts"].message == "FAIL"


def test_the_line_of_a_doc_test_is_not_part_of_its_name() -> None:
    failure = by_id(report_of_file("cargo.txt"))["shop (doc) src/lib.rs - sum"]

    assert failure.file == "src/lib.rs"
    assert said_in_file("cargo.txt", failure.error_line) == "assertion `left == right` failed"
