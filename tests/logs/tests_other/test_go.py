"""What is read of `go test` and gotestsum."""

from __future__ import annotations

import pytest

from tests.logs.tests_other.log_text import by_id, errors_of, outcomes_of, report_of, report_of_file, said, said_in_file
from triage.model import Outcome

PLAIN = "go_plain.txt"
SHOP = "example.org/shop"


@pytest.mark.parametrize("log", [PLAIN, "go_verbose.txt"])
def test_every_failed_test_is_told_with_its_package_and_its_own_words(log: str) -> None:
    report = report_of_file(log)

    assert report.runners == ("go test",)
    assert outcomes_of(report.failures) == {
        f"{SHOP}/broken": "not-collected",
        f"{SHOP}/calc.TestSum": "failed",
        f"{SHOP}/calc.TestTable/case_2/inner": "failed",
        f"{SHOP}/calc.TestHelper": "failed",
        f"{SHOP}/calc.TestWrapped": "failed",
        f"{SHOP}/calc.ExampleSum": "failed",
        f"{SHOP}/crash.TestMap": "crashed",
        f"{SHOP}/mainfail": "error",
        f"{SHOP}/slow.TestHang": "timed-out",
        f"{SHOP}/store.TestPut": "failed",
        f"{SHOP}/vetbad": "not-collected",
    }
    errors = errors_of(log)
    assert errors[f"{SHOP}/calc.TestSum"] == "calc_test.go:5: Sum(2, 2) = 5, want 4"
    assert errors[f"{SHOP}/calc.TestTable/case_2/inner"] == "calc_test.go:11: inner is wrong"
    assert errors[f"{SHOP}/crash.TestMap"] == "fatal error: sync: unlock of unlocked mutex"
    assert errors[f"{SHOP}/mainfail"] == "cannot reach database: dial tcp 10.0.0.1:5432: i/o timeout"
    assert errors[f"{SHOP}/slow.TestHang"] == "panic: test timed out after 3s"
    assert errors[f"{SHOP}/store.TestPut"] == "panic: assignment to entry in nil map [recovered]"
    assert errors[f"{SHOP}/broken"] == "broken/broken.go:2:23: undefined: undefinedThing"


@pytest.mark.parametrize("log", [PLAIN, "go_verbose.txt"])
def test_a_note_of_a_test_is_not_taken_for_its_error(log: str) -> None:
    failure = by_id(report_of_file(log))[f"{SHOP}/calc.TestSum"]

    assert failure.message == "Sum(2, 2) = 5, want 4"
    assert failure.file == "calc/calc_test.go"
    assert [(frame.path, frame.line) for frame in failure.frames] == [("calc/calc_test.go", line) for line in (4, 5, 6)]


@pytest.mark.parametrize("log", [PLAIN, "go_verbose.txt"])
def test_frames_of_a_panic_lead_to_the_repository_and_leave_the_runtime_out(log: str) -> None:
    told = by_id(report_of_file(log))

    assert told[f"{SHOP}/store.TestPut"].exception == "panic"
    assert told[f"{SHOP}/store.TestPut"].file == "store/store_test.go"
    assert [frame.line for frame in told[f"{SHOP}/store.TestPut"].frames] == [3, 4]
    assert told[f"{SHOP}/slow.TestHang"].file == "slow/slow_test.go"
    assert told[f"{SHOP}/slow.TestHang"].message == "test timed out after 3s in TestHang"


def test_tests_that_could_not_be_built_never_ran() -> None:
    report = report_of_file("go_verbose.txt")

    assert report.ran == 9
    assert report.passed == 3
    assert report.not_run == tuple(
        f"the tests of {SHOP}/{name} never ran: build failed" for name in ("broken", "vetbad")
    )


def test_when_nothing_could_be_built_no_test_ran() -> None:
    report = report_of(
        """\
        # example.org/shop/cart
        cart/cart.go:7:2: undefined: total
        FAIL	example.org/shop/cart [build failed]
        FAIL
        """
    )

    assert report.ran == 0
    assert report.failures[0].outcome is Outcome.NOT_COLLECTED
    assert report.line_ranges == ()


def test_what_a_passing_package_prints_is_no_failure() -> None:
    report = report_of(
        """\
        === RUN   TestReporter
        --- FAIL: TestInner (0.00s)
            inner_test.go:3: this is what a failure looks like
        panic: not real
        --- PASS: TestReporter (0.00s)
        PASS
        ok  	example.org/shop/report	0.004s
        """
    )

    assert report.failures == ()
    assert report.line_ranges == ((1, 7),)


def test_what_the_go_command_downloads_is_not_written_by_tests() -> None:
    report = report_of(
        """\
        ##[group]Run go test ./...
        go test ./...
        ##[endgroup]
        go: downloading example.org/money v1.2.0
        go: example.org/money@v1.2.0: dial tcp 192.0.2.1:443: i/o timeout
        could not reach the rates: dial tcp 192.0.2.1:443: i/o timeout
        --- FAIL: TestRates (0.01s)
            rates_test.go:9: no rates
        FAIL
        FAIL	example.org/shop/rates	0.012s
        FAIL
        ##[error]Process completed with exit code 1.
        """
    )

    assert report.line_ranges == ((6, 10),)


def test_the_line_of_a_long_message_that_names_the_systems_answer_is_its_error_line() -> None:
    text = """\
        --- FAIL: TestScriptUpToDate (45.62s)
            script_test.go:17: script is not up to date: go: downloading example.org/script v0.1.0
                example.org/script@v0.1.0: Get "https://example.org/script.zip": dial tcp 192.0.2.1:443: i/o timeout
                , exit status 1
            script_test.go:18: To update, run: go run example.org/script
        FAIL
        FAIL	example.org/shop/tools	45.627s
        """
    failure = report_of(text).failures[0]

    assert said(text, failure.error_line).strip().endswith("i/o timeout")
    assert failure.message.startswith("script is not up to date:")
    assert "i/o timeout" in failure.message


def test_testifys_table_is_one_message_and_its_error_row_is_the_line() -> None:
    failure = report_of_file("go_testify.txt").failures[0]

    assert failure.id == "github.com/acme/shop/cart.TestTotal"
    assert failure.file == "cart/cart_test.go"
    assert failure.message == "Not equal: expected: 4 actual : 5 two and two"
    assert said_in_file("go_testify.txt", failure.error_line).startswith("Error:")


def test_a_test_that_passes_when_its_package_runs_again_is_flaky() -> None:
    report = report_of(
        """\
        === RUN   TestSync
            sync_test.go:8: want 3, got 2
        --- FAIL: TestSync (0.10s)
        FAIL
        FAIL	example.org/shop/sync	0.110s
        === RUN   TestSync
        --- PASS: TestSync (0.09s)
        PASS
        ok  	example.org/shop/sync	0.100s
        """
    )

    assert outcomes_of(report.failures) == {"example.org/shop/sync.TestSync": "flaky"}


def test_gotestsums_list_of_failures_is_read() -> None:
    text = """\
        ✓  internal/money (12ms)
        ✖  internal/cart (31ms)

        === Failed
        === FAIL: internal/cart TestTotal/with_tax (0.00s)
            cart_test.go:31: total = 5, want 4
            --- FAIL: TestTotal/with_tax (0.00s)

        === FAIL: internal/cart TestTotal (0.00s)

        DONE 42 tests, 1 skipped, 2 failures in 3.211s
        ##[error]Process completed with exit code 1.
        """
    report = report_of(text)

    failure = by_id(report)["internal/cart.TestTotal/with_tax"]
    assert failure.message == "total = 5, want 4"
    assert report.ran == 41
    assert "internal/cart.TestTotal" not in by_id(report)


def test_a_step_that_was_cancelled_leaves_what_its_tests_wrote_inside_tests() -> None:
    report = report_of(
        """\
        ##[group]Run go test -v ./...
        ##[endgroup]
        === RUN   TestSync
        write /data/a: no space left on device
        ##[error]The operation was canceled.
        Post job cleanup.
        """
    )

    assert report.failures == ()
    assert report.line_ranges == ((3, 4),)


def test_a_test_that_failed_between_packages_that_run_side_by_side_belongs_to_the_one_that_failed() -> None:
    report = report_of(
        "=== RUN   TestDial\n"
        "    dial_test.go:14: got EOF, want nil\n"
        "--- FAIL: TestDial (0.41s)\n"
        "=== RUN   TestPush\n"
        "--- PASS: TestPush (0.02s)\n"
        "ok  \texample.org/shop/queue\t0.040s\n"
        "FAIL\n"
        "FAIL\texample.org/shop/net\t0.503s\n"
    )

    assert outcomes_of(report.failures) == {"example.org/shop/net.TestDial": "failed"}
    assert report.failures[0].message == "got EOF, want nil"
