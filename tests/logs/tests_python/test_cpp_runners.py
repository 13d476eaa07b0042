"""What is read of the runners of C++ tests, and of those that start test programs."""

from __future__ import annotations

import pytest

from tests.logs.tests_python.log_text import by_id, report_of, said
from triage.model import Outcome


def test_gtest_tells_where_and_what_failed() -> None:
    log = """
        [==========] Running 92 tests from 17 test suites.
        [ RUN      ] SocketTest.ReportsConnectionReset
        E0815 10:02:11 net.cc:88] read: Connection reset by peer (simulated)
        [       OK ] SocketTest.ReportsConnectionReset (3 ms)
        [ RUN      ] RingBuffer.WrapsAround
        ../test/ring_buffer_test.cc:41: Failure
        Expected equality of these values:
          rb.size()
            Which is: 7
          8u
        [  FAILED  ] RingBuffer.WrapsAround (0 ms)
        [==========] 92 tests from 17 test suites ran. (611 ms total)
        [  PASSED  ] 91 tests.
        [  FAILED  ] 1 test, listed below:
        [  FAILED  ] RingBuffer.WrapsAround

         1 FAILED TEST
    """

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.file, failure.runner) == (
        "RingBuffer.WrapsAround",
        "test/ring_buffer_test.cc",
        "gtest",
    )
    assert failure.message == "Expected equality of these values: rb.size() Which is: 7 8u"
    assert said(log, failure.error_line) == "../test/ring_buffer_test.cc:41: Failure"
    assert (failure.first_line, failure.last_line) == (5, 11)
    assert (report.ran, report.passed) == (92, 91)
    assert report.line_ranges == ((1, 15),)


def test_gtest_death_tests_are_told_by_how_they_died() -> None:
    log = """
        [ RUN      ] AssertTest/GPU_AssertTest.GPU_Assert/29
        test/unit/AssertTest.cpp:213: Failure
        Death test: { runTest(); }
            Result: died but not with expected error.
          Expected: contains regular expression "ASSERT_TRAP"
        [  DEATH   ] HSA_STATUS_ERROR_EXCEPTION
        [  FAILED  ] AssertTest/GPU_AssertTest.GPU_Assert/29, where GetParam() = (gfx942, "X") (1434 ms)
        [  PASSED  ] 4410 tests.
    """

    (failure,) = report_of(log).failures

    assert failure.id == "AssertTest/GPU_AssertTest.GPU_Assert/29"
    assert said(log, failure.error_line) == "    Result: died but not with expected error."


def test_a_gtest_that_took_its_program_down_has_crashed() -> None:
    log = """
        ##[group]Run ./build/unit_tests
        ##[endgroup]
        [ RUN      ] Pool.Grows
        [       OK ] Pool.Grows (0 ms)
        [ RUN      ] Pool.Shrinks
        terminate called after throwing an instance of 'std::bad_alloc'
        ##[error]Process completed with exit code 134.
    """

    (failure,) = report_of(log).failures

    assert (failure.id, failure.outcome) == ("Pool.Shrinks", Outcome.CRASHED)
    assert failure.message.startswith("terminate called after")


def test_a_gtest_that_was_cancelled_has_not_crashed() -> None:
    log = """
        ##[group]Run ./build/unit_tests
        ##[endgroup]
        [ RUN      ] Pool.Shrinks
        ##[error]The operation was canceled.
    """

    assert report_of(log).failures == ()


def test_gtest_is_read_behind_the_numbers_that_a_talkative_ctest_puts_before_its_lines() -> None:
    log = """
        8: [==========] Running 3 tests from 1 test suite.
        8: [ RUN      ] Kernel.Folds
        8: /w/heron/test/fold_test.cu:41: Failure
        8: Expected equality of these values:
        8:   fold(3)
        8: [  FAILED  ] Kernel.Folds (1 ms)
        8: [ RUN      ] Kernel.Unfolds
        8: unknown file: Failure
        8: C++ exception with description "no wing" thrown in the test body.
        8: [  FAILED  ] Kernel.Unfolds (0 ms)
           7/9 Test #7: test_nest ........................   Passed    4.10 sec
        8/9 Test #8: test_kernel ......................***Failed    0.31 sec
        89% tests passed, 1 tests failed out of 9
    """

    first, second = report_of(log).failures

    assert (first.id, first.message) == ("Kernel.Folds", "Expected equality of these values: fold(3)")
    assert said(log, first.error_line).endswith("fold_test.cu:41: Failure")
    assert second.id == "Kernel.Unfolds"
    assert said(log, second.error_line) == '8: C++ exception with description "no wing" thrown in the test body.'


def test_ctest_tells_failed_programs_and_how_they_failed() -> None:
    log = """
        Test project /home/runner/work/ringbuf/ringbuf/build
            Start 1: push
        1/4 Test #1: push .............................   Passed    0.00 sec
            Start 2: drain
        2/4 Test #2: drain ............................***Failed    0.10 sec
        drain: 0 of 3 items seen

            Start 3: wait
        3/4 Test #3: wait .............................***Timeout  10.01 sec
            Start 4: pop
        4/4 Test #4: pop ..............................***Exception: SegFault  0.11 sec

        25% tests passed, 3 tests failed out of 4

        Total Test time (real) =   0.22 sec

        The following tests FAILED:
          2 - drain (Failed)
          3 - wait (Timeout)
          4 - pop (SEGFAULT)
        Errors while running CTest
    """

    report = report_of(log)

    told = by_id(report)
    assert {test: failure.outcome for test, failure in told.items()} == {
        "drain": Outcome.FAILED,
        "wait": Outcome.TIMED_OUT,
        "pop": Outcome.CRASHED,
    }
    assert told["drain"].message == "drain: 0 of 3 items seen"
    assert (report.ran, report.passed) == (4, 1)


def test_a_program_that_passed_when_ctest_repeated_it_is_flaky() -> None:
    log = """
        Test project /home/runner/work/ringbuf/ringbuf/build
            Start 2: drain
        1/2 Test #2: drain ............................***Failed    0.10 sec
        drain: 0 of 3 items seen, writer not scheduled yet

            Start 2: drain
            Test #2: drain ............................   Passed    0.11 sec
            Start 3: pop
        2/2 Test #3: pop ..............................   Passed    0.00 sec

        100% tests passed, 0 tests failed out of 2
    """

    (failure,) = report_of(log).failures

    assert (failure.id, failure.outcome) == ("drain", Outcome.FLAKY)


def test_a_program_that_ctest_was_not_to_run_did_not_fail() -> None:
    log = """
        Test project /build
        1/3 Test #1: push .............................***Failed    0.00 sec
        2/3 Test #2: drain ............................***Not Run (Disabled)   0.00 sec
        3/3 Test #3: pop ..............................***Skipped   0.02 sec

        0% tests passed, 1 tests failed out of 1
        The following tests did not run:
          2 - drain (Disabled)
          3 - pop (Skipped)
    """
    assert set(by_id(report_of(log))) == {"push"}


def test_what_the_next_program_printed_is_no_error_of_the_one_before() -> None:
    log = """
        Test project /build
        1: the ring is full
        1/2 Test #1: push .............................***Failed    0.00 sec
        test 2
        2: the nest is empty
        2/2 Test #2: drain ............................***Failed    0.00 sec

        0% tests passed, 2 tests failed out of 2
    """
    assert {failure.message for failure in report_of(log).failures} == {"Failed"}


def test_what_a_programs_own_runner_told_says_more_than_ctest() -> None:
    log = """
        Test project /build
            Start 1: unit
        1/1 Test #1: unit .............................***Failed    0.10 sec
        [==========] Running 2 tests from 1 test suite.
        [ RUN      ] Pool.Grows
        test/pool_test.cc:9: Failure
        Value of: pool.ok()
        [  FAILED  ] Pool.Grows (0 ms)
        [==========] 2 tests from 1 test suite ran. (6 ms total)
        [  PASSED  ] 1 test.

        0% tests passed, 1 tests failed out of 1
    """

    report = report_of(log)

    assert [(failure.id, failure.runner) for failure in report.failures] == [("Pool.Grows", "gtest")]
    assert (report.ran, report.passed) == (2, 1)


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("FAILED in 3.2s", Outcome.FAILED),
        ("TIMEOUT in 300.1s", Outcome.TIMED_OUT),
        ("FLAKY, failed in 1 out of 2 in 75.0s", Outcome.FLAKY),
        ("FAILED TO BUILD", Outcome.NOT_COLLECTED),
    ],
)
def test_bazel_tells_how_each_target_ended(words: str, outcome: Outcome) -> None:
    log = f"""
        //shop/net:retry_test                                         PASSED in 12.1s
        //shop/net:proxy_test                                         {words}
        Executed 2 out of 2 tests: 1 test passes and 1 fails locally.
    """

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.outcome, failure.runner) == ("//shop/net:proxy_test", outcome, "bazel")
    assert report.ran == 2
    assert report.passed == 1


def test_bazels_message_holds_no_time_that_changes_from_run_to_run() -> None:
    (failure,) = report_of("//a:b_test   FAILED in 3 out of 3 in 12.9s\n").failures

    assert failure.message == "FAILED in 3 out of 3"


def test_the_output_that_bazel_prints_of_a_target_is_read_by_its_own_runner() -> None:
    log = """
        FAIL: //shop:pool_test (see /home/runner/.cache/bazel/testlogs/pool_test/test.log)
        ==================== Test output for //shop:pool_test:
        [ RUN      ] Pool.Grows
        test/pool_test.cc:9: Failure
        Value of: pool.ok()
        [  FAILED  ] Pool.Grows (0 ms)
        ================================================================================
        //shop:pool_test                                                         FAILED in 0.3s
        Executed 1 out of 1 test: 1 fails locally.
    """

    assert [failure.id for failure in report_of(log).failures] == ["Pool.Grows"]


def test_catch2_tells_the_assertion_under_the_name_of_its_test() -> None:
    log = """
        -------------------------------------------------------------------------------
        Factorials are computed
          of zero
        -------------------------------------------------------------------------------
        tests/factorial.cpp:9
        ...............................................................................

        tests/factorial.cpp:10: FAILED:
          REQUIRE( factorial(0) == 1 )
        with expansion:
          0 == 1

        ===============================================================================
        test cases: 3 | 2 passed | 1 failed
        assertions: 4 | 3 passed | 1 failed
    """

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.file, failure.runner) == ("Factorials are computed", "tests/factorial.cpp", "catch2")
    assert failure.message == "REQUIRE( factorial(0) == 1 ) with expansion: 0 == 1"
    assert (report.ran, report.passed) == (3, 2)


def test_a_catch2_run_that_passed_has_no_failures() -> None:
    report = report_of("All tests passed (12 assertions in 3 test cases)\n")

    assert (report.ran, report.passed, report.failures) == (3, 3, ())


def test_doctest_tells_the_check_under_the_name_of_its_case() -> None:
    log = """
        [doctest] doctest version is "2.4.11"
        ===============================================================================
        tests/pool.cpp:4:
        TEST CASE:  the pool grows

        tests/pool.cpp:7: ERROR: CHECK( pool.size() == 2 ) is NOT correct!
          values: CHECK( 1 == 2 )

        ===============================================================================
        [doctest] test cases: 2 | 1 passed | 1 failed | 0 skipped
        [doctest] Status: FAILURE!
    """

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.file, failure.runner) == ("the pool grows", "tests/pool.cpp", "doctest")
    assert failure.message == "CHECK( pool.size() == 2 ) is NOT correct! values: CHECK( 1 == 2 )"
    assert (report.ran, report.passed) == (2, 1)
