"""What is read of the runners of the JVM."""

from __future__ import annotations

import pytest

from tests.logs.tests_other.log_text import by_id, errors_of, outcomes_of, report_of, report_of_file, said
from triage.model import Outcome


@pytest.mark.parametrize(
    ("log", "runner"),
    [
        ("surefire.txt", "surefire"),
        ("surefire_rerun.txt", "surefire"),
        ("junit4.txt", "junit4"),
    ],
)
def test_every_failed_test_is_told_by_class_and_method_with_its_deepest_cause(log: str, runner: str) -> None:
    report = report_of_file(log)

    told = by_id(report)
    assert report.runners == (runner,)
    assert outcomes_of(report.failures) == {
        "com.acme.SetupTest": "error",
        "com.acme.StoreTest.npe": "failed",
        "com.acme.StoreTest.adds": "failed",
        "com.acme.StoreTest.hangs": "timed-out",
        "com.acme.StoreTest.opens": "failed",
    }
    opens = told["com.acme.StoreTest.opens"]
    assert (opens.exception, opens.wrapped_by) == ("java.io.IOException", "java.lang.IllegalStateException")
    assert opens.message == "disk is gone"
    assert errors_of(log)["com.acme.StoreTest.opens"] == "Caused by: java.io.IOException: disk is gone"
    assert opens.file == "com/acme/StoreTest.java"
    adds = "java.lang.AssertionError: two and two expected:<4> but was:<5>"
    assert errors_of(log)["com.acme.StoreTest.adds"] == adds
    assert told["com.acme.SetupTest"].message == "no GPU"


def test_frames_of_the_runner_and_the_runtime_are_left_out() -> None:
    opens = by_id(report_of_file("junit4.txt"))["com.acme.StoreTest.opens"]

    assert [(frame.path, frame.line) for frame in opens.frames] == [
        ("com/acme/StoreTest.java", 5),
        ("com/acme/Store.java", 2),
    ]


def test_what_a_passing_test_prints_is_no_failure_but_is_written_by_tests() -> None:
    report = report_of_file("surefire.txt")

    assert (report.ran, report.passed) == (6, 1)
    assert report.line_ranges == ((10, 83),)


def test_the_last_of_several_tries_is_kept() -> None:
    first, last = by_id(report_of_file("surefire.txt")), by_id(report_of_file("surefire_rerun.txt"))

    assert last["com.acme.StoreTest.adds"].first_line > first["com.acme.StoreTest.adds"].first_line
    assert len(last) == len(first)


RERUN = """\
    [INFO] Running example.ExampleTests
    [ERROR] Failures:
    [ERROR] example.ExampleTests.failsAlways
    [ERROR]   Run 1: ExampleTests.failsAlways:60 Always fails ==> expected: <1> but was: <2>
    [ERROR]   Run 2: ExampleTests.failsAlways:60 Always fails ==> expected: <1> but was: <2>
    [INFO]
    [WARNING] Flakes:
    [WARNING] example.ExampleTests.throwsOnce
    [ERROR]   Run 1: ExampleTests.throwsOnce:21 Runtime Throws exception
    [INFO]   Run 2: PASS
    [ERROR] Tests run: 7, Failures: 1, Errors: 0, Skipped: 0, Flakes: 1
    [INFO] BUILD FAILURE
    """


def test_where_only_the_results_are_left_they_tell_failures_and_flakes_apart() -> None:
    report = report_of(RERUN)

    told = by_id(report)
    assert outcomes_of(report.failures) == {
        "example.ExampleTests.failsAlways": "failed",
        "example.ExampleTests.throwsOnce": "flaky",
    }
    assert told["example.ExampleTests.failsAlways"].message == "Always fails ==> expected: <1> but was: <2>"
    assert "Run 2:" in said(RERUN, told["example.ExampleTests.failsAlways"].error_line)


def test_a_test_that_passes_when_tried_again_is_flaky_though_its_block_is_there() -> None:
    report = report_of(
        """\
        [INFO]  T E S T S
        [INFO] Running example.ExampleTests
        [ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in example.Tests
        [ERROR] example.ExampleTests.throwsOnce  Time elapsed: 0.002 s  <<< FAILURE!
        java.lang.AssertionError: only once
            at example.ExampleTests.throwsOnce(ExampleTests.java:21)

        [INFO] Results:
        [WARNING] Flakes:
        [WARNING] example.ExampleTests.throwsOnce
        [ERROR]   Run 1: ExampleTests.throwsOnce:21 only once
        [INFO]   Run 2: PASS
        [WARNING] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1
        [INFO] BUILD SUCCESS
        """
    )

    assert outcomes_of(report.failures) == {"example.ExampleTests.throwsOnce": "flaky"}


def test_failures_that_the_build_was_told_to_ignore_are_none() -> None:
    text = """\
        [INFO]  T E S T S
        [INFO] Running com.acme.StoreTest
        [ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 1 s <<< FAILURE! - in com.acme.Test
        [ERROR] com.acme.StoreTest.adds  Time elapsed: 0.002 s  <<< FAILURE!
        java.lang.AssertionError: expected:<4> but was:<5>

        [INFO] Results:
        [ERROR] Failures:
        [ERROR]   StoreTest.adds:4 expected:<4> but was:<5>
        [ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0
        [ERROR] There are test failures.
        [INFO] BUILD {}
        """

    assert report_of(text.format("SUCCESS")).failures == ()
    assert [failure.id for failure in report_of(text.format("FAILURE")).failures] == ["com.acme.StoreTest.adds"]


def test_a_fork_that_died_is_a_crash_of_the_class_it_ran() -> None:
    report = report_of(
        """\
        [INFO]  T E S T S
        [INFO] Running com.acme.NativeTest
        [INFO] Results:
        [INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0
        [INFO] BUILD FAILURE
        [ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?
        [ERROR] Process Exit Code: 134
        [ERROR] Crashed tests:
        [ERROR] com.acme.NativeTest
        """
    )

    assert outcomes_of(report.failures) == {"com.acme.NativeTest": "crashed"}
    assert report.failures[0].message.startswith("The forked VM terminated without properly saying goodbye.")


def test_a_message_of_many_lines_and_its_causes_are_read() -> None:
    text = """\
        [INFO]  T E S T S
        [INFO] Running org.acme.MonitorTest
        [ERROR] Tests run: 1, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 1 s <<< FAILURE! - in org.acme.Tests
        [ERROR] getMonitor{ArgumentsAccessor}[1]  Time elapsed: 0.748 s  <<< ERROR!
        org.mockito.exceptions.misusing.InjectMocksException:

        Cannot instantiate the field named 'monitor'.
        However the constructor threw an exception : null

        Caused by: java.lang.NullPointerException

        [INFO] Results:
        [ERROR] Tests run: 1, Failures: 0, Errors: 1, Skipped: 0
        """
    failure = report_of(text).failures[0]

    assert failure.id == "org.acme.Tests.getMonitor"
    assert failure.exception == "java.lang.NullPointerException"
    assert failure.wrapped_by == "org.mockito.exceptions.misusing.InjectMocksException"
    assert failure.message.startswith("Cannot instantiate the field named 'monitor'.")
    assert said(text, failure.error_line).strip() == "Caused by: java.lang.NullPointerException"


def test_gradles_short_and_long_forms_are_read() -> None:
    short = by_id(report_of_file("gradle.txt"))

    assert short["com.acme.StoreTest.adds"].exception == "java.lang.AssertionError"
    assert short["com.acme.StoreTest.opens"].exception == "java.io.IOException"
    assert short["com.acme.StoreTest.hangs"].outcome is Outcome.TIMED_OUT
    assert (report_of_file("gradle.txt").ran, report_of_file("gradle.txt").passed) == (6, 1)
    text = """\
        > Task :app:test

        ClientTest > reads(String, int) > reads(String, int)[2] FAILED
            java.lang.IllegalArgumentException: java.nio.file.NoSuchFileException: ../data/a.log
                at org.acme.LogParser.parse(LogParser.java:39)
                at org.acme.ClientTest.reads(ClientTest.java:69)

                Caused by:
                java.nio.file.NoSuchFileException: ../data/a.log
                    at java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:92)
                    at org.acme.LogParser.open(LogParser.java:22)
                    ... 4 more

        ClientTest > writes() PASSED

        27 tests completed, 1 failed

        > Task :app:test FAILED
        """
    failure = report_of(text).failures[0]
    assert failure.id == "ClientTest.reads"
    assert failure.exception == "java.nio.file.NoSuchFileException"
    assert said(text, failure.error_line).strip() == "java.nio.file.NoSuchFileException: ../data/a.log"
    assert [frame.path for frame in failure.frames] == [
        "org/acme/ClientTest.java",
        "org/acme/LogParser.java",
        "org/acme/LogParser.java",
    ]


def test_gradles_retried_test_that_passed_is_flaky() -> None:
    report = report_of(
        """\
        > Task :test

        StoreTest > syncs() FAILED
            java.lang.AssertionError at StoreTest.java:4

        StoreTest > syncs() PASSED

        5 tests completed, 1 failed
        BUILD SUCCESSFUL in 8s
        """
    )

    assert outcomes_of(report.failures) == {"StoreTest.syncs": "flaky"}


def test_testng_names_the_class_by_the_frame_of_the_test() -> None:
    report = report_of_file("testng.txt")

    assert report.runners == ("testng",)
    assert outcomes_of(report.failures) == {
        "com.acme.CartTest.adds": "failed",
        "com.acme.CartTest.opens": "failed",
        "com.acme.CartTest.pairs": "failed",
    }
    assert by_id(report)["com.acme.CartTest.opens"].message == "disk is gone"
    assert (report.ran, report.passed) == (5, 2)


def test_ants_task_is_read_behind_its_margin() -> None:
    report = report_of(
        """\
            [junit] Testsuite: com.acme.CallbacksTest
            [junit] Tests run: 53, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 4.469 sec
            [junit]
            [junit] Testcase: testInvoke(com.acme.CallbacksTest):	FAILED
            [junit] expected same:<a> was not:<b>
            [junit] junit.framework.AssertionFailedError: expected same:<a> was not:<b>
            [junit] 	at com.acme.CallbacksTest.testInvoke(CallbacksTest.java:969)
            [junit]
            [junit] Test com.acme.CallbacksTest FAILED
        """
    )

    failure = by_id(report)["com.acme.CallbacksTest.testInvoke"]
    assert report.runners == ("ant",)
    assert failure.exception == "junit.framework.AssertionFailedError"
    assert failure.frames[0].line == 969
    assert (report.ran, report.passed) == (53, 52)


def test_what_sbt_shows_of_scalatest_and_munit_is_read() -> None:
    report = report_of(
        """\
        [info] CartSpec:
        [info] A cart
        [info] - should add up *** FAILED ***
        [info]   5 did not equal 4 (CartSpec.scala:12)
        [info] - should be empty
        [info] Run completed in 312 milliseconds.
        [info] Tests: succeeded 1, failed 1, canceled 0, ignored 0, pending 0
        [info] *** 1 TEST FAILED ***
        [error] Failed: Total 2, Failed 1, Errors 0, Passed 1
        [error] Failed tests:
        [error] 	com.acme.CartSpec
        """
    )

    failure = by_id(report)["CartSpec: should add up"]
    assert report.runners == ("scalatest",)
    assert failure.message == "5 did not equal 4"
    assert [(frame.path, frame.line) for frame in failure.frames] == [("CartSpec.scala", 12)]
    assert (report.ran, report.passed) == (2, 1)
