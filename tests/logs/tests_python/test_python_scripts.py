"""What is read of Python programs that are no tests by name, of crashes, and of some runners less common."""

from __future__ import annotations

from tests.logs.tests_python.log_text import by_id, report_of, said
from triage.model import Outcome


def step(*lines: str) -> str:
    head = ["##[group]Run bash e2e.sh", "bash e2e.sh", "shell: /usr/bin/bash -e {0}", "##[endgroup]"]
    return "\n".join([*head, *lines, "##[error]Process completed with exit code 1."])


def traceback(path: str, function: str, error: str) -> tuple[str, ...]:
    return "Traceback (most recent call last):", f'  File "{path}", line 4, in {function}', "    run()", error


def test_a_script_that_dies_is_told_by_its_error() -> None:
    log = step(
        "/v1/items/ 503 no healthy upstream",
        "Traceback (most recent call last):",
        '  File "/home/runner/work/gateway/gateway/e2e.py", line 4, in <module>',
        "    r.raise_for_status()",
        '  File "/opt/venv/lib/python3.11/site-packages/requests/models.py", line 1167, in raise_for_status',
        "    raise HTTPError(http_error_msg, response=self)",
        "requests.exceptions.HTTPError: 503 Server Error: SERVICE UNAVAILABLE for url: http://127.0.0.1:18093/v1/items/",
    )

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.file, failure.runner) == ("e2e.py", "e2e.py", "python")
    assert failure.exception == "requests.exceptions.HTTPError"
    assert said(log, failure.error_line).startswith("requests.exceptions.HTTPError: 503")
    assert report.ran is None
    assert report.line_ranges == ((5, 11),)


def test_an_installed_tool_that_dies_is_no_script_of_the_repository() -> None:
    pip = "/opt/venv/lib/python3.11/site-packages/pip/__main__.py"

    assert report_of(step(*traceback(pip, "<module>", "ReadTimeoutError: Read timed out."))).failures == ()


def test_the_thread_of_a_server_that_goes_on_is_no_death_of_a_script() -> None:
    server = "/home/runner/work/gateway/gateway/gateway.py"

    assert report_of(step(*traceback(server, "handle", "IndexError: list index out of range"))).failures == ()


def test_a_script_that_only_passes_on_a_childs_exit_code_is_left_to_what_the_child_printed() -> None:
    script = "/home/runner/work/engine/engine/setup.py"
    error = "subprocess.CalledProcessError: Command '['cmake']' returned non-zero exit status 1."

    assert report_of(step("error: no member named 'x'", *traceback(script, "<module>", error))).failures == ()


def test_a_traceback_in_a_step_that_went_well_is_no_failure() -> None:
    script = "/home/runner/work/engine/engine/warm_up.py"
    log = "\n".join(
        [
            "##[group]Run python warm_up.py || true",
            "##[endgroup]",
            *traceback(script, "<module>", "ValueError: no"),
            step("make: *** [Makefile:3: lint] Error 1"),
        ]
    )

    assert report_of(log).failures == ()


def test_the_code_of_a_one_liner_is_the_repositorys_when_it_fails_there() -> None:
    log = step(
        "Traceback (most recent call last):",
        '  File "<string>", line 1, in <module>',
        '  File "/home/runner/work/schemas/schemas/schemas/__init__.py", line 3, in load',
        "    with open(path) as f: return json.load(f)",
        "FileNotFoundError: [Errno 2] No such file or directory: 'order.schema.json'",
    )

    (failure,) = report_of(log).failures

    assert (failure.id, failure.exception) == ("schemas/__init__.py", "FileNotFoundError")


def test_a_traceback_inside_a_test_session_is_no_script() -> None:
    log = step(
        "============================= test session starts ==============================",
        "tests/test_cli.py::test_bad_input FAILED",
        "=================================== FAILURES ===================================",
        "________________________________ test_bad_input ________________________________",
        "tests/test_cli.py:9: in test_bad_input",
        "    assert run() == 0",
        "E   assert 1 == 0",
        "----------------------------- Captured stderr call -----------------------------",
        *traceback("/home/runner/work/shop/shop/shop/cli.py", "<module>", "KeyError: 'x'"),
        "============================== 1 failed in 0.12s ===============================",
    )

    assert [failure.runner for failure in report_of(log).failures] == ["pytest"]


def test_an_interpreter_that_crashes_in_a_script_is_told_of_the_script() -> None:
    log = step(
        "Fatal Python error: Bus error",
        "",
        "Current thread 0x00007f981afc6b80 (most recent call first):",
        '  File "/home/runner/work/engine/engine/engine/shm.py", line 7 in batch',
        '  File "/home/runner/work/engine/engine/bench/load.py", line 12 in <module>',
    )

    (failure,) = report_of(log).failures

    assert failure.outcome is Outcome.CRASHED
    assert (failure.exception, failure.message) == ("Fatal Python error", "Bus error")
    assert [frame.path for frame in failure.frames] == ["bench/load.py", "engine/shm.py"]


def test_a_crash_that_a_passing_test_provoked_is_no_failure() -> None:
    log = step(
        "Fatal Python error: Aborted",
        "Current thread 0x00007f981afc6b80 (most recent call first):",
        '  File "/home/runner/work/engine/engine/engine/shm.py", line 7 in batch',
        "ok",
        "Ran 4 tests in 3.004s",
        "",
        "OK",
    )

    assert report_of(log).failures == ()


def test_a_file_that_run_test_gave_up_is_told_and_what_it_mended_is_flaky() -> None:
    log = """
        Running test_nn 1/1 ... [2026-01-01 10:00:00.123]
        test_nn 1/1 failed!
        Running inductor/test_pattern 2/3 ... [2026-01-01 10:00:00.123]
        inductor/test_pattern 2/3 failed! [Errno 1]
        FAILED CONSISTENTLY: test/test_ops.py::TestOps::test_add
        The following tests failed and then succeeded when run in a new process['test/test_ops.py::TestOps::test_mul']
    """

    told = by_id(report_of(log))

    assert told["test_nn"].file == "test/test_nn.py"
    assert told["inductor/test_pattern"].first_line == 3
    assert told["test/test_ops.py::TestOps::test_add"].outcome is Outcome.FAILED
    assert told["test/test_ops.py::TestOps::test_mul"].outcome is Outcome.FLAKY


def test_behave_tells_the_scenario_and_its_assertion() -> None:
    log = """
        Feature: basket # features/basket.feature:1

          Scenario: a thing costs what it says  # features/basket.feature:3
            Given an empty basket               # features/steps/basket.py:4 0.000s
            Then it costs 3                     # features/steps/basket.py:9 0.001s
              Assertion Failed: 4 != 3

        Failing scenarios:
          features/basket.feature:3  a thing costs what it says

        0 features passed, 1 failed, 0 skipped
        2 scenarios passed, 1 failed, 0 skipped
    """

    report = report_of(log)

    (failure,) = report.failures
    assert failure.id == "features/basket.feature a thing costs what it says"
    assert (failure.file, failure.message) == ("features/basket.feature", "4 != 3")
    assert (report.ran, report.passed) == (3, 2)


def test_robot_tells_the_test_and_not_the_suite_around_it() -> None:
    log = """
        ==============================================================================
        Basket
        ==============================================================================
        Costs What It Says                                                    | PASS |
        ------------------------------------------------------------------------------
        Can Be Emptied                                                        | FAIL |
        Length of '@{items}' should be 0 but is 1.
        ------------------------------------------------------------------------------
        Basket                                                                | FAIL |
        2 tests, 1 passed, 1 failed
        ==============================================================================
    """

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.runner) == ("Can Be Emptied", "robot")
    assert failure.message == "Length of '@{items}' should be 0 but is 1."
    assert (report.ran, report.passed) == (2, 1)
