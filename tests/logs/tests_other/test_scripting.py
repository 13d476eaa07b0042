"""What is read of the runners of Ruby, PHP, Elixir, Perl, the shell, .NET, Swift and Dart."""

from __future__ import annotations

from tests.logs.tests_other.log_text import by_id, errors_of, outcomes_of, report_of, report_of_file, said
from triage.model import Outcome


def test_rspecs_examples_are_told_with_the_words_below_failure_error() -> None:
    report = report_of_file("rspec.txt")

    told = by_id(report)
    assert report.runners == ("rspec",)
    assert set(told) == {
        "Sum adds two numbers",
        "Sum keeps hashes",
        "Sum raises",
        "Sum wraps",
        "Sum aggregates",
        "Sum message",
        "Sum nested never runs",
    }
    assert told["Sum adds two numbers"].message == "expected: 4 got: 5"
    assert (told["Sum raises"].exception, told["Sum raises"].message) == ("KeyError", "key not found: :meta")
    assert [frame.line for frame in told["Sum raises"].frames] == [6, 2]
    assert (told["Sum wraps"].exception, told["Sum wraps"].wrapped_by) == ("KeyError", "StoreError")
    assert {failure.file for failure in report.failures} == {"spec/sum_spec.rb"}
    assert (report.ran, report.passed) == (8, 1)


def test_pending_examples_and_what_examples_print_are_no_failures() -> None:
    assert "Sum pending one" not in by_id(report_of_file("rspec.txt"))
    assert "Sum not a failure" not in by_id(report_of_file("rspec.txt"))


def test_a_spec_file_that_cannot_be_loaded_is_told() -> None:
    report = report_of_file("rspec_load_error.txt")

    failure = report.failures[0]
    assert (failure.id, failure.outcome) == ("spec/broken_spec.rb", Outcome.NOT_COLLECTED)
    assert (failure.exception, failure.message) == ("LoadError", "cannot load such file -- missing_thing")
    assert report.ran == 0


def test_minitests_failures_and_errors_are_read() -> None:
    report = report_of_file("minitest.txt")

    told = by_id(report)
    assert report.runners == ("minitest",)
    assert set(told) == {"SumTest#test_hash", "SumTest#test_adds", "SumTest#test_raises"}
    assert told["SumTest#test_adds"].message == "Expected: 4 Actual: 5"
    assert told["SumTest#test_raises"].exception == "KeyError"
    assert (report.ran, report.passed) == (4, 1)


def test_rubys_test_unit_is_read() -> None:
    report = report_of_file("test_unit.txt")

    told = by_id(report)
    assert set(told) == {"TU#test_adds", "TU#test_raises"}
    assert told["TU#test_adds"].message == "<4> expected but was <5>"
    assert (told["TU#test_raises"].exception, told["TU#test_raises"].message) == ("KeyError", "key not found")


def test_phpunits_errors_and_failures_are_read_and_risky_tests_are_not() -> None:
    report = report_of_file("phpunit.txt")

    told = by_id(report)
    assert report.runners == ("phpunit",)
    assert {name.rpartition("::")[2] for name in told} == {
        "testThrows",
        "testWarns",
        "testAdds",
        "testContains",
        "testPairs",
        "testArrays",
    }
    throws = told[r"App\Tests\SumTest::testThrows"]
    assert (throws.exception, throws.wrapped_by) == ("RuntimeException", "LogicException")
    contains = r"App\Tests\SumTest::testContains"
    assert errors_of("phpunit.txt")[contains] == "Failed asserting that an array contains '1001'."
    assert told[contains].file == "tests/SumTest.php"
    assert (report.ran, report.passed) == (10, 3)


def test_exunits_failures_are_read() -> None:
    report = report_of_file("exunit.txt")

    assert report.runners == ("exunit",)
    assert outcomes_of(report.failures) == {
        "test match (SumTest)": "failed",
        "test raises (SumTest)": "failed",
        "test hangs (SumTest)": "timed-out",
        "test adds two numbers (SumTest)": "failed",
    }
    assert errors_of("exunit.txt")["test raises (SumTest)"] == "** (ArgumentError) bad device"
    assert by_id(report)["test raises (SumTest)"].file == "sum_test.exs"


def test_bats_tells_the_command_that_failed() -> None:
    report = report_of_file("bats.txt")

    failure = by_id(report)["fails with output"]
    assert report.runners == ("tap",)
    assert errors_of("bats.txt")["fails with output"].endswith("false; }' failed")
    assert (failure.file, failure.frames[0].line) == ("a.bats", 4)
    assert (report.ran, report.passed) == (4, 2)


def test_prove_tells_what_the_tests_complained_of() -> None:
    report = report_of_file("prove.txt")

    assert outcomes_of(report.failures) == {"t/a.t › adds": "failed"}
    assert report.failures[0].message == "got: '5' expected: '4'"


def test_perls_count_of_failures_is_not_what_a_test_complained_of() -> None:
    text = """\
        #   Failed test 'asked three times'
        #   at t/retry.t line 6.
        #          got: '2'
        #     expected: '3'
        # Looks like you failed 1 test of 3.
        t/retry.t .. Dubious, test returned 1 (wstat 256, 0x100)
        t/retry.t (Wstat: 256 (exited 1) Tests: 3 Failed: 1)
        Files=1, Tests=3,  0 wallclock secs
        Result: FAIL
        """

    (failure,) = report_of(text).failures

    assert failure.message == "got: '2' expected: '3'"
    assert failure.error_line == 3


def test_taps_planned_tests_that_never_ran_are_a_remainder() -> None:
    report = report_of(
        """\
        TAP version 13
        1..5
        ok 1 - reads
        not ok 2 - writes
          ---
          operator: equal
          expected: 4
          actual:   5
          at: Test.<anonymous> (/home/runner/work/shop/shop/test/store.js:9:5)
          ...
        Bail out! no disk
        """
    )

    failure = report.failures[0]
    assert report.not_run == ("3 of 5 planned tests never ran",)
    assert (failure.id, failure.file) == ("writes", "test/store.js")
    assert failure.message == "writes operator: equal expected: 4 actual: 5"


def test_not_ok_outside_of_tap_is_nobodys_failure() -> None:
    assert report_of("ok 1 - true\nnot ok 2 - a word of a program\n").failures == ()


VSTEST = """\
    Starting test execution, please wait...
    A total of 1 test files matched the specified pattern.
    [xUnit.net 00:00:00.51]     Acme.Tests.CartTests.Adds [FAIL]
      Failed Acme.Tests.CartTests.Adds(a: 2, b: 2) [12 ms]
      Error Message:
       Assert.Equal() Failure: Values differ
    Expected: 4
    Actual:   5
      Stack Trace:
         at Acme.Tests.CartTests.Adds(Int32 a, Int32 b) in /_/test/CartTests.cs:line 12
         at System.RuntimeMethodHandle.InvokeMethod(Object target, Void** arguments)
      Standard Output Messages:
     No space left on device
      Failed Acme.Tests.CartTests.Opens [3 ms]
      Error Message:
       System.InvalidOperationException : cannot open
    ---- System.IO.IOException : disk is gone
      Stack Trace:
         at Acme.Store.Open() in /_/src/Store.cs:line 30
         at Acme.Tests.CartTests.Opens() in /_/test/CartTests.cs:line 20

    Test Run Failed.
    Total tests: 5
         Passed: 3
         Failed: 2
     Total time: 1.2345 Seconds
    """


def test_vstests_failures_are_read_without_arguments_and_without_what_they_print() -> None:
    report = report_of(VSTEST)

    told = by_id(report)
    assert report.runners == ("dotnet test",)
    adds = told["Acme.Tests.CartTests.Adds"]
    assert adds.message == "Assert.Equal() Failure: Values differ Expected: 4 Actual: 5"
    assert (adds.file, adds.frames[-1].line) == ("test/CartTests.cs", 12)
    assert said(VSTEST, adds.error_line).strip() == "Assert.Equal() Failure: Values differ"
    opens = told["Acme.Tests.CartTests.Opens"]
    assert (opens.exception, opens.wrapped_by) == ("System.IO.IOException", "System.InvalidOperationException")
    assert [frame.path for frame in opens.frames] == ["test/CartTests.cs", "src/Store.cs"]
    assert (report.ran, report.passed) == (5, 3)


def test_microsofts_testing_platform_and_nunits_console_are_read() -> None:
    platform = report_of(
        """\
        failed Rejects_A_Bad_Profile ("net9.0",Debug) (6s 220ms)
            Assert.AreEqual failed. Expected:<1>. Actual:<-532462766>.
              at Acme.SdkTests.Rejects_A_Bad_Profile(String tfm) in /_/test/SdkTests.cs:280
        Failed!  - Failed:     1, Passed:   418, Skipped:     3, Total:   422, Duration: 4 m 11 s - Tests.dll (net9.0)
        """
    )
    nunit = report_of(
        """\
        1) Failed : Acme.CartTests.Adds
          Expected: 4
          But was:  5
        at Acme.CartTests.Adds() in /home/runner/work/shop/shop/CartTests.cs:line 12

        Test Run Summary
          Overall result: Failed
          Test Count: 5, Passed: 4, Failed: 1, Warnings: 0, Inconclusive: 0, Skipped: 0
        """
    )

    assert platform.failures[0].id == "Rejects_A_Bad_Profile"
    assert platform.failures[0].file == "test/SdkTests.cs"
    assert (platform.ran, platform.passed) == (419, 418)
    assert nunit.failures[0].message == "Expected: 4 But was: 5"
    assert (nunit.ran, nunit.passed) == (5, 4)


def test_a_test_host_that_died_is_a_crash() -> None:
    report = report_of(
        """\
        Starting test execution, please wait...
        The active test run was aborted. Reason: Test host process crashed
        Test Run Aborted.
        Total tests: Unknown
        """
    )

    assert outcomes_of(report.failures) == {"test host": "crashed"}
    assert report.failures[0].message == "Test host process crashed"


def test_xctests_assertions_are_read_and_a_test_that_then_passed_is_flaky() -> None:
    report = report_of(
        """\
        Test Suite 'All tests' started at 2026-11-30 10:00:00.000
        Test Case '-[ShopTests.CartTests testAdds]' started.
        /Users/runner/work/shop/shop/Tests/CartTests.swift:12: error: -[ShopTests.CartTests testAdds] : XCTAssertEqual failed: ("5") is not equal to ("4")
        Test Case '-[ShopTests.CartTests testAdds]' failed (0.1 seconds).
        /Users/runner/work/shop/shop/Tests/CartTests.swift:20: error: -[ShopTests.CartTests testSync] : XCTAssertTrue failed
        Test Case '-[ShopTests.CartTests testSync]' failed (0.1 seconds).
        Test Case '-[ShopTests.CartTests testSync]' passed (0.1 seconds).
        Executed 3 tests, with 2 failures (0 unexpected) in 0.3 (0.4) seconds
        """  # noqa: E501 - as Xcode prints it
    )

    told = by_id(report)
    assert report.runners == ("xctest",)
    assert told["ShopTests.CartTests.testAdds"].message == 'XCTAssertEqual failed: ("5") is not equal to ("4")'
    assert told["ShopTests.CartTests.testAdds"].file == "Tests/CartTests.swift"
    assert told["ShopTests.CartTests.testSync"].outcome is Outcome.FLAKY
    assert (report.ran, report.passed) == (3, 1)


def test_swift_testing_and_dart_are_read() -> None:
    swift = report_of(
        """\
        ✘ Test adds() recorded an issue at CartTests.swift:12:5: Expectation failed: (sum → 5) == 4
        ✘ Test adds() failed after 0.001 seconds with 1 issue.
        """
    )
    dart = report_of(
        """\
        00:00 +0: loading test/cart_test.dart
        00:01 +1: test/cart_test.dart: adds
        00:01 +1 -1: test/cart_test.dart: adds [E]
          Expected: <4>
            Actual: <5>
          package:matcher expect
          test/cart_test.dart 6:5  main.<fn>
        00:01 +1 -1: Some tests failed.
        """
    )

    assert swift.failures[0].message == "Expectation failed: (sum → 5) == 4"
    assert outcomes_of(dart.failures) == {"test/cart_test.dart: adds": "failed"}
    assert dart.failures[0].message == "Expected: <4> Actual: <5>"
    assert (dart.ran, dart.passed) == (2, 1)


def test_what_flutter_caught_above_is_the_error_of_the_test() -> None:
    report = report_of(
        """\
        00:01 +1: test/cart_test.dart: shows a total
        ══╡ EXCEPTION CAUGHT BY FLUTTER TEST FRAMEWORK ╞════════════════════
        The following TestFailure was thrown running a test:
        Expected: exactly one matching candidate
          Actual: Found 0 widgets with text "12.00": []

        When the exception was thrown, this was the stack:
        #4      main.<anonymous closure> (test/cart_test.dart:31:7)
        00:02 +1 -1: test/cart_test.dart: shows a total [E]
          Test failed. See exception logs above.
          The test description was: shows a total
        00:02 +1 -1: test/cart_test.dart: adds [E]
          Test failed. See exception logs above.
        00:02 +1 -2: Some tests failed.
        """
    )

    shown, adds = report.failures
    assert shown.message == 'Expected: exactly one matching candidate Actual: Found 0 widgets with text "12.00": []'
    assert shown.error_line == 4
    assert adds.message == "Test failed. See exception logs above."


def test_the_assertion_of_an_xctest_is_read_where_a_formatter_keeps_nothing_else() -> None:
    report = report_of(
        """\
        [Shop] Compiling Cart.swift
            ✖ testAdds, XCTAssertEqual failed: ("5") is not equal to ("4")
        /Users/runner/work/shop/Tests/CartTests.swift:12: error: -[ShopTests.CartTests testAdds] : XCTAssertEqual failed: ("5") is not equal to ("4")
        """  # noqa: E501 - as Xcode prints it
    )

    assert outcomes_of(report.failures) == {"ShopTests.CartTests.testAdds": "failed"}
