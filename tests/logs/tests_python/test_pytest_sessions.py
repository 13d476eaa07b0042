"""Where pytest's runs begin and end, what they say as a whole, and what ends them early."""

from __future__ import annotations

import pytest

from tests.logs.tests_python.log_text import by_id, report_of, report_of_file, said, said_in_file
from triage.model import Outcome


def test_a_session_that_passed_has_no_failures_whatever_its_tests_printed() -> None:
    log = """
        ============================= test session starts ==============================
        collected 2 items

        tests/test_retry.py::test_gives_up Traceback (most recent call last):
          File "/home/runner/work/shop/shop/shop/net.py", line 3, in get
            raise ConnectionError("no")
        ConnectionError: no
        FAILED request, as it should
        PASSED
        tests/test_retry.py::test_says_so PASSED

        ==================================== PASSES ====================================
        ________________________________ test_gives_up _________________________________
        ----------------------------- Captured stdout call -----------------------------
        E   RuntimeError: expected
        ============================== 2 passed in 3.90s ===============================
    """

    report = report_of(log)

    assert report.failures == ()
    assert (report.ran, report.passed) == (2, 2)


@pytest.mark.parametrize(
    ("final", "ran"),
    [
        ("============================ no tests ran in 0.04s =============================", 0),
        ("======================= 3 deselected, 1 warning in 0.04s =======================", 0),
        ("51 errors in 3.90s", 0),
        ("= 214 failed, 318 passed, 12 skipped, 40 warnings in 402.11s (0:06:42) =", 532),
        ("==== 2 failed, 97 passed, 1 xfailed in 3.12 seconds ====", 100),
    ],
)
def test_the_final_line_says_how_many_tests_ran(final: str, ran: int) -> None:
    assert report_of(f"collected 9 items\n{final}").ran == ran


def test_ordinary_sentences_are_no_final_line() -> None:
    assert report_of("5 items in 3s\n12 passed the gate in 2024\nbuilt in 4s").runners == ()


def test_quiet_runs_are_inside_from_the_start_of_their_step() -> None:
    log = """
        ##[group]Run pip install -r requirements.txt
        pip install -r requirements.txt
        shell: /usr/bin/bash -e {0}
        ##[endgroup]
        Collecting torch
        ##[group]Run python -m pytest -q -s tests
        python -m pytest -q -s tests
        shell: /usr/bin/bash -e {0}
        ##[endgroup]
        server: "GET /health HTTP/1.1" 200 -
        F
        =================================== FAILURES ===================================
        ___________________________________ test_ok ____________________________________
        tests/test_b.py:3: in test_ok
            assert 1 == 2
        E   assert 1 == 2
        1 failed in 0.03s
        ##[error]Process completed with exit code 1.
        Post job cleanup.
    """

    assert report_of(log).line_ranges == ((10, 17),)


def test_a_session_whose_runner_was_lost_ends_where_the_step_ends_and_blames_no_test() -> None:
    log = """
        ##[group]Run pytest -v
        ##[endgroup]
        ============================= test session starts ==============================
        tests/test_a.py::test_one PASSED [ 10%]
        tests/test_a.py::test_two
        ##[error]The operation was canceled.
        Post job cleanup.
        fatal: something else
    """

    report = report_of(log)

    assert report.failures == ()
    assert report.ran is None
    assert report.line_ranges == ((3, 5),)


def test_a_test_in_which_pytest_ended_without_a_word_has_crashed() -> None:
    log = """
        ##[group]Run pytest -v
        ##[endgroup]
        ============================= test session starts ==============================
        tests/test_a.py::test_one PASSED [ 10%]
        tests/test_a.py::test_two
        Killed
        ##[error]Process completed with exit code 137.
    """

    (failure,) = report_of(log).failures

    assert (failure.id, failure.outcome) == ("tests/test_a.py::test_two", Outcome.CRASHED)
    assert failure.last_line == 6


def test_the_interpreters_crash_is_told_of_the_test_that_was_running() -> None:
    log = """
        ============================= test session starts ==============================
        rootdir: /home/runner/work/pixelkit/pixelkit
        collected 3 items

        tests/test_pixels.py::test_live_frame PASSED                             [ 33%]
        tests/test_pixels.py::test_dropped_frame Fatal Python error: Segmentation fault

        Thread 0x00007ffb9db746c0 (most recent call first):
          File "/opt/hostedtoolcache/Python/3.11.7/x64/lib/python3.11/threading.py", line 982 in run

        Current thread 0x00007ffb9fc8bb80 (most recent call first):
          File "/opt/hostedtoolcache/Python/3.11.7/x64/lib/python3.11/ctypes/__init__.py", line 519 in string_at
          File "/home/runner/work/pixelkit/pixelkit/pixelkit.py", line 4 in first_pixel
          File "/home/runner/work/pixelkit/pixelkit/tests/test_pixels.py", line 5 in test_dropped_frame
          File "/opt/venv/lib/python3.11/site-packages/_pytest/python.py", line 187 in pytest_pyfunc_call
        ##[error]Process completed with exit code 139.
    """

    (failure,) = report_of(log).failures

    assert (failure.id, failure.outcome) == ("tests/test_pixels.py::test_dropped_frame", Outcome.CRASHED)
    assert (failure.exception, failure.message) == ("Fatal Python error", "Segmentation fault")
    assert [frame.path for frame in failure.frames if frame.in_repository] == ["tests/test_pixels.py", "pixelkit.py"]
    assert (failure.first_line, failure.last_line) == (6, 15)


def test_the_test_of_a_worker_that_died_is_told_with_the_stack_of_that_worker() -> None:
    (failure,) = report_of_file("pytest_worker_dies.txt").failures

    assert (failure.id, failure.outcome) == ("tests/test_crash.py::test_dies", Outcome.CRASHED)
    assert failure.message == "Segmentation fault"
    assert failure.frames[-1].function == "test_dies"
    assert "Fatal Python error" in said_in_file("pytest_worker_dies.txt", failure.error_line)


def test_an_internal_error_is_told_of_the_file_that_caused_it() -> None:
    log = """
        ============================= test session starts ==============================
        collected 0 items
        usage: convert [-h] --config CONFIG
        convert: error: the following arguments are required: --config
        INTERNALERROR> Traceback (most recent call last):
        INTERNALERROR>   File "/opt/venv/lib/python3.11/site-packages/_pytest/main.py", line 333, in wrap_session
        INTERNALERROR>     session.exitstatus = doit(config, session) or 0
        INTERNALERROR>   File "/home/runner/work/tools/tools/tests/test_convert.py", line 2, in <module>
        INTERNALERROR>     from convert import convert
        INTERNALERROR>   File "/opt/venv/lib/python3.11/argparse.py", line 2617, in exit
        INTERNALERROR>     _sys.exit(status)
        INTERNALERROR> SystemExit: 2
        mainloop: caught unexpected SystemExit!

        ============================ no tests ran in 0.04s =============================
    """

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.file) == ("tests/test_convert.py", "tests/test_convert.py")
    assert (failure.outcome, failure.exception) == (Outcome.NOT_COLLECTED, "SystemExit")
    assert said(log, failure.error_line) == "convert: error: the following arguments are required: --config"
    assert report.ran == 0


def test_a_failed_test_that_passed_when_it_was_run_again_is_flaky() -> None:
    log = """
        ============================= test session starts ==============================
        tests/test_a.py::test_flaky RERUN                                        [ 50%]
        tests/test_a.py::test_flaky PASSED                                       [ 50%]
        tests/test_a.py::test_bad RERUN                                          [100%]
        tests/test_a.py::test_bad FAILED                                         [100%]

        =================================== FAILURES ===================================
        ___________________________________ test_bad ___________________________________
        tests/test_a.py:9: in test_bad
            assert 0
        E   assert 0
        =========================== short test summary info ============================
        FAILED tests/test_a.py::test_bad - assert 0
        ==================== 1 failed, 1 passed, 2 rerun in 0.12s ======================
    """

    told = by_id(report_of(log))

    assert told["tests/test_a.py::test_flaky"].outcome is Outcome.FLAKY
    assert told["tests/test_a.py::test_bad"].outcome is Outcome.FAILED


def test_the_report_of_the_flaky_plugin_is_understood() -> None:
    log = """
        tests/gui/test_render.py::Test::test_scroll FAILED
        tests/gui/test_render.py::Test::test_scroll PASSED
        ===Flaky Test Report===

        test_scroll failed (1 runs remaining out of 2).
            <class 'AssertionError'>
            Pattern not found after 3 seconds
        test_scroll passed 1 out of the required 1 times. Success!

        ===End Flaky Test Report===
        =================== 41 passed in 402.10 seconds ====================
    """

    (failure,) = report_of(log).failures

    assert failure.outcome is Outcome.FLAKY
    assert "out of the required" in said(log, failure.error_line)


def test_the_same_tests_under_another_interpreter_do_not_make_a_failure_flaky() -> None:
    log = """
        py310: commands[0]> pytest -v
        ============================= test session starts ==============================
        tests/test_a.py::test_bad FAILED                                         [100%]
        =================================== FAILURES ===================================
        ___________________________________ test_bad ___________________________________
        tests/test_a.py:9: in test_bad
            assert 0
        E   assert 0
        ============================== 1 failed in 0.12s ===============================
        py312: commands[0]> pytest -v
        ============================= test session starts ==============================
        tests/test_a.py::test_bad PASSED                                         [100%]
        ============================== 1 passed in 0.12s ===============================
    """

    report = report_of(log)

    (failure,) = report.failures
    assert failure.outcome is Outcome.FAILED
    assert (report.ran, report.passed) == (2, 1)


def test_a_session_that_a_failing_test_printed_is_no_session_of_the_job() -> None:
    log = """
        ============================= test session starts ==============================
        collected 1 item

        tests/test_plugin.py F                                                   [100%]

        =================================== FAILURES ===================================
        _________________________________ test_plugin __________________________________
        tests/test_plugin.py:9: in test_plugin
            assert result.ret == 0
        E   assert 1 == 0
        ----------------------------- Captured stdout call -----------------------------
        ============================= test session starts ==============================
        collected 1 item

        test_inner.py F                                                          [100%]

        =================================== FAILURES ===================================
        __________________________________ test_inner __________________________________
        test_inner.py:2: in test_inner
            assert False
        E   assert False
        =========================== short test summary info ============================
        FAILED test_inner.py::test_inner - assert False
        ============================== 1 failed in 0.01s ===============================
        =========================== short test summary info ============================
        FAILED tests/test_plugin.py::test_plugin - assert 1 == 0
        ============================== 1 failed in 0.12s ===============================
    """

    report = report_of(log)

    assert [failure.id for failure in report.failures] == ["tests/test_plugin.py::test_plugin"]
    assert report.ran == 1


def test_what_never_ran_after_the_first_failure_is_counted() -> None:
    log = """
        ============================= test session starts ==============================
        collecting ... collected 40 items / 4 deselected / 36 selected

        tests/test_a.py::test_bad FAILED                                         [  2%]
        =================================== FAILURES ===================================
        ___________________________________ test_bad ___________________________________
        tests/test_a.py:9: in test_bad
            assert 0
        E   assert 0
        =========================== short test summary info ============================
        FAILED tests/test_a.py::test_bad - assert 0
        !!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!
        ======================= 1 failed, 4 deselected in 0.12s ========================
    """

    assert report_of(log).not_run == ("35 of 36 tests never ran",)


def test_pytests_own_death_stands_outside_the_tests() -> None:
    log = """
        ##[group]Run python -m pytest -q --junitxml=junit.xml
        ##[endgroup]
        ........................................................................ [100%]
        Traceback (most recent call last):
          File "<frozen runpy>", line 198, in _run_module_as_main
          File "/opt/venv/lib/python3.11/site-packages/pytest/__main__.py", line 9, in <module>
            raise SystemExit(_console_main())
        OSError: [Errno 28] No space left on device
        ##[error]Process completed with exit code 1.
    """

    report = report_of(log)

    assert report.failures == ()
    assert report.line_ranges == ((3, 3),)


def test_a_failure_that_was_counted_but_never_named_is_told_by_its_error() -> None:
    log = """
        F
            def test_settings_load():
        >       assert load(os.environ)["db"]
        E       KeyError: 'DATABASE_URL'
        tests/test_settings.py:6: KeyError
        1 failed in 0.05s
    """

    (failure,) = report_of(log).failures

    assert (failure.id, failure.exception) == ("tests/test_settings.py::test_settings_load", "KeyError")


def test_a_time_limit_that_ends_the_whole_process_is_told_of_the_test_on_the_stack() -> None:
    log = """
        ##[group]Run python -m pytest -q --timeout-method=thread
        ##[endgroup]
        ..................                                                       [ 40%]
        +++++++++++++++++++++++++++++++++++ Timeout ++++++++++++++++++++++++++++++++++++
        ~~~~~~~~~~~~~~~~~~~~ Stack of MainThread (139900574549696) ~~~~~~~~~~~~~~~~~~~~~
          File "/opt/venv/lib/python3.11/site-packages/_pytest/python.py", line 187, in pytest_pyfunc_call
            result = testfunction(**testargs)
          File "/home/runner/work/jobqueue/jobqueue/tests/test_queue.py", line 7, in test_drains
            q.push(1)
          File "/home/runner/work/jobqueue/jobqueue/jobqueue.py", line 10, in drain
            with self.lock:
        +++++++++++++++++++++++++++++++++++ Timeout ++++++++++++++++++++++++++++++++++++
        ##[error]Process completed with exit code 1.
    """

    (failure,) = report_of(log).failures

    assert (failure.id, failure.outcome) == ("tests/test_queue.py::test_drains", Outcome.TIMED_OUT)
    assert [frame.path for frame in failure.frames] == ["tests/test_queue.py", "jobqueue.py"]


RANK = "[rank1]:E0412 08:01:02.000003 911 torch/testing/_internal/common_distributed.py:733] "


def test_a_result_on_a_line_of_its_own_is_that_of_the_test_that_began_last() -> None:
    report = report_of(
        "tests/test_a.py::test_first\nhello\nPASSED [ 50%]\ntests/test_a.py::test_second\nloading\n"
        f"{RANK}ConnectionError: peer 10.0.0.7 is gone\nFAILED [15.2s]\n##[error]Process completed with exit code 1.\n"
    )

    (failure,) = report.failures
    assert (failure.id, failure.outcome) == ("tests/test_a.py::test_second", Outcome.FAILED)
    assert (failure.exception, failure.message) == ("ConnectionError", "peer 10.0.0.7 is gone")
    assert (failure.first_line, failure.error_line, failure.last_line) == (4, 6, 7)


def test_of_several_words_like_a_result_the_last_is_the_result() -> None:
    report = report_of(
        "tests/test_a.py::test_first\nFAILED\nPASSED [ 50%]\ntests/test_a.py::test_second FAILED [100%]\n"
        "##[error]Process completed with exit code 1.\n"
    )

    assert [failure.id for failure in report.failures] == ["tests/test_a.py::test_second"]


def test_an_error_that_a_test_only_printed_is_not_the_tests_own() -> None:
    report = report_of(
        "tests/test_a.py::test_a\nConnectionError: peer is gone\nFAILED\n##[error]Process completed with exit code 1.\n"
    )

    assert [failure.exception for failure in report.failures] == [None]
