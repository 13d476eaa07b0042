"""What is read of unittest, and of suites that run one file after the other."""

from __future__ import annotations

import pytest

from tests.logs.tests_python.log_text import by_id, report_of, report_of_file, said, said_in_file
from triage.model import Outcome

RULE, THIN = "=" * 70, "-" * 70


def test_blocks_tell_the_test_its_file_and_its_error() -> None:
    log = f"""
        test_counts (test_parser.T.test_counts) ... FAIL

        {RULE}
        FAIL: test_counts (test_parser.T.test_counts)
        {THIN}
        Traceback (most recent call last):
          File "/home/runner/work/skylark/skylark/test_parser.py", line 41, in test_counts
            self.assertEqual(len(steps), 4)
        AssertionError: 3 != 4

        {THIN}
        Ran 12 tests in 0.044s

        FAILED (failures=1, skipped=2)
    """

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.file, failure.runner) == ("test_parser.T.test_counts", "test_parser.py", "unittest")
    assert (failure.exception, failure.message) == ("AssertionError", "3 != 4")
    assert said(log, failure.error_line) == "AssertionError: 3 != 4"
    assert (failure.first_line, failure.last_line) == (4, 10)
    assert (report.ran, report.passed) == (12, 9)
    assert report.line_ranges == ((1, 14),)


@pytest.mark.parametrize(
    ("head", "test", "outcome"),
    [
        ("FAIL: test_x (pkg.mod.TestA)", "pkg.mod.TestA.test_x", Outcome.FAILED),
        ("FAIL: test_x (pkg.mod.TestA.test_x)", "pkg.mod.TestA.test_x", Outcome.FAILED),
        ("FAIL: test_x (pkg.mod.TestA.test_x) (i=3)", "pkg.mod.TestA.test_x (i=3)", Outcome.FAILED),
        ("FAIL: test_x (pkg.mod.TestA.test_x) [zone] (i=3)", "pkg.mod.TestA.test_x [zone] (i=3)", Outcome.FAILED),
        ("ERROR: setUpClass (__main__.TestA)", "__main__.TestA.setUpClass", Outcome.ERROR),
        (
            "ERROR: tests.test_gone (unittest.loader._FailedTest.tests.test_gone)",
            "tests.test_gone",
            Outcome.NOT_COLLECTED,
        ),
        ("ERROR: shop.tests.test_old.test_function", "shop.tests.test_old.test_function", Outcome.FAILED),
    ],
)
def test_ids_are_full_names_in_whatever_version_printed_them(head: str, test: str, outcome: Outcome) -> None:
    traceback = "Traceback (most recent call last):\nValueError: no"
    log = f"{RULE}\n{head}\n{THIN}\n{traceback}\n\n{THIN}\nRan 1 test in 0.1s"

    (failure,) = report_of(log).failures

    assert (failure.id, failure.outcome) == (test, outcome)


def test_a_run_that_went_well_has_no_failures() -> None:
    log = f"""
        test_x (mod.T.test_x) ... Traceback (most recent call last):
          File "/home/runner/work/shop/shop/net.py", line 3, in get
            raise KeyError("x")
        KeyError: 'x'
        ok
        test_y (mod.T.test_y) ... FAIL: as printed by the program under test
        ok

        {THIN}
        Ran 2 tests in 0.044s

        OK
    """

    report = report_of(log)

    assert report.failures == ()
    assert (report.ran, report.passed) == (2, 2)


def test_nothing_ran_when_the_class_could_not_be_set_up() -> None:
    log = f"""
        E
        {RULE}
        ERROR: setUpClass (__main__.TestServer)
        {THIN}
        Traceback (most recent call last):
          File "/engine/python/engine/test/test_utils.py", line 2110, in setUpClass
            _wait_for_idle()
        RuntimeError: GPU(s) still not idle after waiting 30s before setUpClass:
          GPU 0 uses 4.65 GiB (no other compute processes; self pid=911977 holds 0.00 GiB)

        {THIN}
        Ran 0 tests in 30.070s

        FAILED (errors=1)
    """

    report = report_of(log)

    (failure,) = report.failures
    assert report.ran == 0
    assert failure.outcome is Outcome.ERROR
    assert failure.message.endswith("holds 0.00 GiB)")


def test_a_wrapper_without_a_chain_gives_way_to_the_mistake_that_the_test_printed() -> None:
    log = f"""
        test_berlin (test_geo.GeoTest.test_berlin) ... "GET /q?berlin HTTP/1.1" 200 -
        WARNING geoclient: attempt 4/4 failed (TypeError: unsupported operand type(s) for /: 'str' and 'int'), retrying
        ERROR

        {RULE}
        ERROR: test_berlin (test_geo.GeoTest.test_berlin)
        {THIN}
        Traceback (most recent call last):
          File "/home/runner/work/geoclient/geoclient/geoclient.py", line 11, in with_retry
            raise ServiceUnavailable("gave up") from None
        geoclient.ServiceUnavailable: geocoder did not answer after 4 attempts, giving up

        {THIN}
        Ran 2 tests in 2.019s

        FAILED (errors=1)
    """

    (failure,) = report_of(log).failures

    assert failure.exception == "TypeError"
    assert failure.message == "unsupported operand type(s) for /: 'str' and 'int'"
    assert failure.wrapped_by == "geoclient.ServiceUnavailable"
    assert failure.error_line == 2


def test_what_looks_like_a_machines_failure_in_the_output_never_becomes_the_tests_error() -> None:
    log = f"""
        test_answer (__main__.TestServer.test_answer) ... waiting for the server
        ConnectionRefusedError: [Errno 111] Connection refused
        torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB.
        ERROR

        {RULE}
        ERROR: test_answer (__main__.TestServer.test_answer)
        {THIN}
        Traceback (most recent call last):
          File "/home/runner/work/engine/engine/test/test_server.py", line 9, in test_answer
            launch()
        Exception: Server process exited with code 1. Check server logs for errors.

        {THIN}
        Ran 1 test in 2.019s

        FAILED (errors=1)
    """

    (failure,) = report_of(log).failures

    assert failure.exception == "Exception"
    assert failure.message == "Server process exited with code 1. Check server logs for errors."
    # It is pointed at, no more.
    assert said(log, failure.error_line).startswith("torch.OutOfMemoryError")


def test_a_test_whose_block_was_not_kept_is_told_by_its_progress() -> None:
    log = """
        test_throughput (__main__.TestBench.test_throughput) ...
        [2026-06-09 09:21:30] Scheduler hit an exception: Traceback (most recent call last):
          File "python/engine/scheduler.py", line 2606, in next_batch
            assert len(chunked) <= 1
        AssertionError: single-flight violated: 4 chunked reqs in active
        Exception: retry() exceed maximum number of retries.
        ERROR
        Ran 4 tests in 318.004s
        FAILED (errors=1)
    """

    (failure,) = report_of(log).failures

    assert failure.id == "__main__.TestBench.test_throughput"
    assert failure.exception == "AssertionError"
    assert failure.message == "single-flight violated: 4 chunked reqs in active"


def test_lines_of_other_tools_that_begin_like_a_block_are_none() -> None:
    log = """
        ERROR: pip's dependency resolver does not currently take into account all the packages.
        ERROR: Could not find a version that satisfies the requirement torch==9 (from versions: 1.0)
        FAIL Required test coverage of 90% not reached.
        OK
    """

    assert report_of(log).runners == ()


def test_the_wrapper_of_a_retry_and_the_noise_of_a_shutdown_do_not_hide_the_error() -> None:
    report = report_of_file("suite_retry_wrapper.txt")

    (failure,) = report.failures
    assert failure.id == "__main__.TestEncoderAttention.test_run"
    assert failure.file == "test/registered/xpu/test_encoder_attention_backend.py"
    assert (failure.exception, failure.message) == ("KeyError", "'meta_info'")
    assert failure.wrapped_by == "Exception"
    assert said_in_file("suite_retry_wrapper.txt", failure.error_line) == "KeyError: 'meta_info'"
    assert failure.frames[-1].line == 87


def test_a_counter_that_starts_at_zero_tells_how_many_files_never_ran() -> None:
    report = report_of_file("suite_retry_wrapper.txt")

    assert report.not_run == ("24 of 30 files never ran",)
    assert (report.ran, report.passed) == (4, 3)
    assert report.runners == ("suite", "unittest")


def test_what_a_server_says_after_the_tests_summary_is_no_output_of_the_tests() -> None:
    report = report_of_file("suite_retry_wrapper.txt")

    servers_words = next(n for n in range(1, 90) if "image artifacts" in said_in_file("suite_retry_wrapper.txt", n))
    assert not any(first <= servers_words <= last for first, last in report.line_ranges)


def suite_of(*files: str) -> str:
    return "\n".join(["##[group]Run python3 run_suite.py", "##[endgroup]", *files])


def test_a_file_that_says_nothing_of_its_tests_fails_as_a_file() -> None:
    log = suite_of(
        "Begin (0/2):",
        "python3 /engine/test/registered/test_a.py",
        "Killed",
        "End (0/2):",
        "filename='/engine/test/registered/test_a.py', elapsed=616, estimated_time=300",
        "✗ TIMEOUT: /engine/test/registered/test_a.py after 1200 seconds",
        "Fail. Time elapsed: 1200.07s",
        "##[error]Process completed with exit code 255.",
    )

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.outcome) == ("test/registered/test_a.py", Outcome.TIMED_OUT)
    assert said(log, failure.error_line).startswith("✗ TIMEOUT")
    assert report.not_run == ("2 of 3 files never ran",)
    assert report.ran is None


def test_a_file_that_passed_on_a_retry_makes_its_failures_flaky() -> None:
    first = [
        "Begin (0/0):",
        "python3 /engine/test/test_a.py",
        RULE,
        "FAIL: test_speed (__main__.TestA.test_speed)",
        THIN,
    ]
    first += ["Traceback (most recent call last):", '  File "/engine/test/test_a.py", line 9, in test_speed', "    x()"]
    first += ["AssertionError: 125.5 not greater than 150", "", THIN, "Ran 1 test in 1.0s", "", "FAILED (failures=1)"]
    log = suite_of(
        *first,
        "End (0/0):",
        "filename='/engine/test/test_a.py', elapsed=6, estimated_time=3",
        "[CI Retry] /engine/test/test_a.py failed with retriable pattern: AssertionError",
        "[CI Retry] Attempt 2/2 for /engine/test/test_a.py",
        "Begin (0/0):",
        "python3 /engine/test/test_a.py",
        "Ran 1 test in 1.0s",
        "",
        "OK",
        "End (0/0):",
        "✓ PASSED on retry (attempt 2): /engine/test/test_a.py",
        "Success. Time elapsed: 12.0s",
    )

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.outcome) == ("__main__.TestA.test_speed", Outcome.FLAKY)
    assert report.not_run == ()


def test_the_same_class_in_two_files_is_told_by_its_file() -> None:
    def part(number: int, name: str) -> list[str]:
        block = [RULE, f"FAIL: test_{name} (__main__.TestA.test_{name})", THIN, "AssertionError: no", "", THIN]
        return [
            f"Begin ({number}/1):",
            f"python3 /engine/test/{name}.py",
            *block,
            "Ran 1 test in 1.0s",
            "",
            "FAILED (failures=1)",
        ]

    told = by_id(report_of(suite_of(*part(0, "test_a"), *part(1, "test_b"))))

    assert told["__main__.TestA.test_test_a"].file == "test/test_a.py"
    assert told["__main__.TestA.test_test_b"].file == "test/test_b.py"
