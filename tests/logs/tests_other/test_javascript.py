"""What is read of the runners of JavaScript and TypeScript."""

from __future__ import annotations

import pytest

from tests.logs.tests_other.log_text import by_id, errors_of, outcomes_of, report_of, report_of_file, said, said_in_file
from triage.model import Outcome


@pytest.mark.parametrize("log", ["jest.txt", "jest_verbose.txt"])
def test_jests_failures_are_told_with_their_file_and_the_error_of_each_block(log: str) -> None:
    report = report_of_file(log)

    assert report.runners == ("jest",)
    assert outcomes_of(report.failures) == {
        "sum.test.js › sum › adds two numbers": "failed",
        "sum.test.js › sum › keeps objects": "failed",
        "sum.test.js › sum › nested › odd › rejects": "failed",
        "sum.test.js › sum › throws": "failed",
        "sum.test.js › sum › times out": "timed-out",
        "snap.test.js › snap": "failed",
        "broken.test.js": "not-collected",
        "syntax.test.js": "not-collected",
    }
    errors = errors_of(log)
    assert errors["sum.test.js › sum › adds two numbers"] == "expect(received).toBe(expected) // Object.is equality"
    assert errors["broken.test.js"] == "Cannot find module './missing' from 'broken.test.js'"
    assert errors["syntax.test.js"].startswith("SyntaxError: ")
    assert errors["sum.test.js › sum › throws"].startswith("TypeError: Cannot read properties of undefined")


def test_jests_message_holds_what_was_expected_and_of_a_comparison_only_what_differs() -> None:
    told = by_id(report_of_file("jest.txt"))

    assert told["sum.test.js › sum › adds two numbers"].message.endswith("Expected: 4 Received: 5")
    assert told["sum.test.js › sum › keeps objects"].message.endswith("deep equality - 3, + 2,")
    throws = told["sum.test.js › sum › throws"]
    assert (throws.exception, throws.message) == ("TypeError", "Cannot read properties of undefined (reading 'x')")
    assert [(frame.path, frame.line) for frame in throws.frames] == [("sum.test.js", 6)]


@pytest.mark.parametrize("log", ["jest.txt", "jest_verbose.txt"])
def test_what_tests_log_under_jest_is_no_failure(log: str) -> None:
    report = report_of_file(log)

    assert (report.ran, report.passed) == (9, 3)
    assert report.not_run == ("2 test suites could not be loaded",)
    assert not {failure.id for failure in report.failures if "good" in failure.id or "Console" in failure.id}


def test_jests_counts_decide() -> None:
    text = """\
        FAIL src/title.test.js
          ● title › renders

            expect(received).toBe(expected) // Object.is equality

            Expected: "a"
            Received: "b"

        Test Suites: {}1 passed, 2 total
        Tests:       {}3 passed, 4 total
        """

    assert report_of(text.format("1 failed, ", "1 failed, ")).failures[0].id == "src/title.test.js › title › renders"
    assert report_of(text.format("", "")).failures == ()


def test_suites_that_jest_gave_up_on_are_a_remainder() -> None:
    report = report_of(
        """\
        FAIL src/title.test.js
          ● title › renders

            Expected: "a"

        Test Suites: 1 failed, 3 of 10 total
        Tests:       1 failed, 5 passed, 6 total
        """
    )

    assert report.not_run == ("7 of 10 test suites never ran",)


def test_vitests_failures_are_told_with_their_errors_and_causes() -> None:
    report = report_of_file("vitest.txt")

    told = by_id(report)
    assert report.runners == ("vitest",)
    assert outcomes_of(report.failures) == {
        "broken.test.js": "not-collected",
        "sum.test.js > sum > adds two numbers": "failed",
        "sum.test.js > sum > keeps objects": "failed",
        "sum.test.js > sum > nested > odd > throws": "failed",
        "sum.test.js > sum > times out": "timed-out",
        "unhandled.test.js": "error",
    }
    throws = told["sum.test.js > sum > nested > odd > throws"]
    assert (throws.exception, throws.wrapped_by, throws.message) == ("TypeError", "Error", "inner reason")
    assert errors_of("vitest.txt")["sum.test.js > sum > adds two numbers"].startswith(
        "AssertionError: expected 5 to be 4"
    )
    assert told["unhandled.test.js"].message == "nobody caught me"
    assert report.not_run == ("1 test file could not be loaded",)


def test_a_line_of_a_failed_test_printed_by_another_is_not_believed() -> None:
    assert "not.test.js > nothing" not in by_id(report_of_file("vitest.txt"))


@pytest.mark.parametrize("log", ["mocha.txt", "mocha_dot.txt"])
def test_mochas_failures_are_named_by_suites_and_test(log: str) -> None:
    report = report_of_file(log)

    told = by_id(report)
    assert report.runners == ("mocha",)
    assert outcomes_of(report.failures) == {
        "sum adds two numbers": "failed",
        "sum keeps objects": "failed",
        "sum nested throws": "failed",
        "sum nested times out": "timed-out",
        'sum with hook "before all" hook for "never"': "error",
    }
    assert told["sum nested throws"].exception == "TypeError"
    assert told["sum nested times out"].file == "moc/sum.spec.js" or told["sum nested times out"].file == "sum.spec.js"
    assert told["sum adds two numbers"].message.startswith("Expected values to be strictly equal: 5 !== 4")
    assert (report.ran, report.passed) == (7, 2)


def test_mochas_report_ends_before_what_npm_says() -> None:
    text = """\
        > mocha --exit

          1 passing (30ms)
          1 failing

          1) chat server
               honours CHAT_PORT:
             Error: connect ECONNREFUSED 127.0.0.1:18190
              at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)


        npm ERR! code ELIFECYCLE
        npm ERR! Error: no space left on device
        """
    report = report_of(text)

    failure = report.failures[0]
    assert failure.id == "chat server honours CHAT_PORT"
    assert said(text, failure.error_line).strip() == "Error: connect ECONNREFUSED 127.0.0.1:18190"
    assert report.line_ranges[-1][1] < 12


def test_cypress_runs_mocha_for_each_spec_and_shows_attempts() -> None:
    report = report_of(
        """\
        $ cypress run
          (Run Starting)

          Running:  login.cy.ts                                             (1 of 2)


          login
            (Attempt 1 of 2) greets
            ✓ greets (200ms)
            1) lets people in


          1 passing (1s)
          1 failing

          1) login
               lets people in:
             AssertionError: Timed out retrying after 4000ms: expected '<h1>' to contain 'Hello'
              at Context.eval (webpack:///./cypress/e2e/login.cy.ts:5:7)


          (Results)

          (Run Finished)
        """
    )

    told = by_id(report)
    assert report.runners == ("cypress",)
    assert told["login.cy.ts › greets"].outcome is Outcome.FLAKY
    assert told["login.cy.ts › login lets people in"].outcome is Outcome.TIMED_OUT
    assert told["login.cy.ts › login lets people in"].file == "cypress/e2e/login.cy.ts"


def test_jasmines_specs_are_read_below_their_heading() -> None:
    report = report_of_file("jasmine.txt")

    assert report.runners == ("jasmine",)
    assert outcomes_of(report.failures) == {"sum adds": "failed", "sum throws": "failed"}
    assert by_id(report)["sum adds"].message == "Expected 5 to be 4."
    assert by_id(report)["sum throws"].exception == "TypeError"


def test_karma_names_the_browser_without_its_version() -> None:
    report = report_of(
        """\
        Chrome Headless 120.0.6099.109 (Linux x86_64) Cart adds up FAILED
            Error: Expected 5 to be 4.
                at <Jasmine>
                at UserContext.apply (webpack:///src/app/cart.spec.ts:12:19)
        Chrome Headless 120.0.6099.109 (Linux x86_64): Executed 5 of 5 (1 FAILED) (0.12 secs / 0.1 secs)
        """
    )

    failure = report.failures[0]
    assert failure.id == "[Chrome Headless] Cart adds up"
    assert (failure.message, failure.file) == ("Expected 5 to be 4.", "src/app/cart.spec.ts")
    assert (report.ran, report.passed) == (5, 4)


NODE = {
    "sum › adds two numbers": "failed",
    "sum › nested › throws": "failed",
    "top › sub": "failed",
    "hangs": "timed-out",
}


def test_nodes_tap_is_read_with_subtests_and_without_what_only_holds_them() -> None:
    report = report_of_file("node_tap.txt")

    assert report.runners == ("node:test",)
    assert outcomes_of(report.failures) == {
        "broken.test.mjs": "not-collected",
        **{f"sum.test.mjs › {name}": outcome for name, outcome in NODE.items()},
    }
    told = by_id(report)
    assert told["sum.test.mjs › sum › adds two numbers"].exception == "AssertionError"
    assert told["sum.test.mjs › sum › adds two numbers"].message == "Expected values to be strictly equal: 5 !== 4"
    assert "ERR_MODULE_NOT_FOUND" in said_in_file("node_tap.txt", told["broken.test.mjs"].error_line)


def test_nodes_spec_reporter_is_read_from_its_list_at_the_end() -> None:
    report = report_of_file("node_spec.txt")

    assert report.runners == ("node:test",)
    assert outcomes_of(report.failures) == {
        "broken.test.mjs": "not-collected",
        "sum.test.mjs › adds two numbers": "failed",
        "sum.test.mjs › throws": "failed",
        "sum.test.mjs › sub": "failed",
        "sum.test.mjs › hangs": "timed-out",
    }
    throws = by_id(report)["sum.test.mjs › throws"]
    assert (throws.exception, throws.message) == ("TypeError", "inner reason")


@pytest.mark.parametrize("log", ["playwright_list.txt", "playwright_line.txt"])
def test_playwrights_lists_say_who_failed_and_who_was_flaky(log: str) -> None:
    report = report_of_file(log)

    assert report.runners == ("playwright",)
    assert outcomes_of(report.failures) == {
        "[chromium] › a.spec.ts › shop › adds two numbers": "failed",
        "[chromium] › a.spec.ts › shop › times out": "timed-out",
        "[chromium] › a.spec.ts › shop › throws": "failed",
        "[chromium] › a.spec.ts › serial › first": "failed",
        "[chromium] › a.spec.ts › shop › flaky one": "flaky",
    }
    errors = errors_of(log)
    assert errors["[chromium] › a.spec.ts › shop › throws"] == "TypeError: inner reason"
    assert report.not_run == ("1 test did not run",)


def test_the_last_of_playwrights_attempts_is_told() -> None:
    failure = by_id(report_of_file("playwright_list.txt"))["[chromium] › a.spec.ts › shop › adds two numbers"]

    assert said_in_file("playwright_list.txt", failure.first_line).startswith("Retry #1")
    assert failure.message.endswith("Expected: 4 Received: 5")
    assert failure.file == "a.spec.ts"
