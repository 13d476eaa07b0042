"""What is read of the failures that pytest prints in full."""

from __future__ import annotations

import pytest

from tests.logs.tests_python.log_text import by_id, lines_of, report_of, report_of_file, said, said_in_file
from triage.logs.tests import pytest as reader
from triage.model import LogLine, Outcome

SHOP = "tests/test_shop.py::"


def test_every_failed_test_is_told_once_with_file_error_and_the_line_that_says_it() -> None:
    report = report_of_file("pytest_verbose.txt")

    told = by_id(report)
    assert len(told) == len(report.failures) == 18 - 1
    assert {failure.file for failure in report.failures} == {"tests/test_shop.py"}
    assert {failure.runner for failure in report.failures} == {"pytest"}
    compared = told[f"{SHOP}test_cmp"]
    assert compared.exception == "AssertionError"
    assert compared.message == "assert {'a': 1, 'b': [1, 2]} == {'a': 1, 'b': [1, 3]}"
    assert said_in_file("pytest_verbose.txt", compared.error_line).startswith("E   AssertionError: assert {'a': 1")
    assert compared.first_line < compared.error_line < compared.last_line


def test_the_numbers_are_those_of_the_final_line() -> None:
    report = report_of_file("pytest_verbose.txt")

    assert (report.ran, report.passed) == (18, 3)
    assert report.line_ranges == ((1, 332),)
    assert report.not_run == ()


def test_workers_change_neither_the_ids_nor_the_errors() -> None:
    alone, shared = by_id(report_of_file("pytest_verbose.txt")), by_id(report_of_file("pytest_workers.txt"))

    assert shared.keys() == alone.keys()
    for test, failure in alone.items():
        assert (shared[test].exception, shared[test].message) == (failure.exception, failure.message)


@pytest.mark.parametrize(
    ("test", "outcome", "exception", "message"),
    [
        (f"{SHOP}test_setup", Outcome.ERROR, "OSError", "[Errno 28] No space left on device"),
        (f"{SHOP}test_teardown", Outcome.ERROR, "ValueError", "closing failed"),
        (f"{SHOP}test_unknown", Outcome.ERROR, None, "fixture 'nope' not found"),
        (f"{SHOP}TestBasket::test_param[2]", Outcome.FAILED, "AssertionError", "only one"),
        (f"{SHOP}test_xpass", Outcome.FAILED, None, "[XPASS(strict)] should fail"),
        (f"{SHOP}test_fail", Outcome.FAILED, "Failed", "told to"),
        (f"{SHOP}test_exit", Outcome.FAILED, "SystemExit", "3"),
        (f"{SHOP}test_float", Outcome.FAILED, "AssertionError", "assert 0.30000000000000004 == 0.4 ± 4.0e-07"),
    ],
)
def test_each_kind_of_failure_keeps_its_own_words(
    test: str, outcome: Outcome, exception: str | None, message: str
) -> None:
    failure = by_id(report_of_file("pytest_verbose.txt"))[test]

    assert (failure.outcome, failure.exception, failure.message) == (outcome, exception, message)


def test_a_failed_subtest_is_told_by_itself_and_the_sum_of_them_is_not() -> None:
    told = by_id(report_of_file("pytest_verbose.txt"))

    assert told[f"{SHOP}test_sub [check] (i=1)"].message == "assert 1 != 1"
    assert told[f"{SHOP}TestU::test_s (i=1)"].message == "sub"
    assert f"{SHOP}test_sub" not in told


def test_frames_lead_from_the_test_to_where_the_cause_was_raised() -> None:
    failure = by_id(report_of_file("pytest_verbose.txt"))[f"{SHOP}TestBasket::test_price"]

    assert [(frame.path, frame.line, frame.function) for frame in failure.frames] == [
        ("tests/test_shop.py", 10, "test_price"),
        ("tests/test_shop.py", 7, "basket"),
        ("tests/test_shop.py", 6, "basket"),
        ("tests/test_shop.py", 4, "price"),
    ]


def test_installed_code_is_told_from_the_repositorys() -> None:
    failure = by_id(report_of_file("pytest_verbose.txt"))[f"{SHOP}test_sub_process"]

    ours = {frame.path for frame in failure.frames if frame.in_repository}
    assert ours == {"tests/test_shop.py"}
    assert any(frame.path.endswith("python3.11/subprocess.py") for frame in failure.frames)


def test_what_a_failed_child_printed_is_the_cause_when_it_is_a_mistake_in_code() -> None:
    failure = by_id(report_of_file("pytest_verbose.txt"))[f"{SHOP}test_sub_process"]

    assert (failure.exception, failure.message) == ("ModuleNotFoundError", "No module named 'nope_module'")
    assert failure.wrapped_by == "subprocess.CalledProcessError"


def test_a_compiler_that_a_test_ran_says_why_and_the_error_stays_the_tests() -> None:
    log = """
        =================================== FAILURES ===================================
        _____________________________ test_build_extension _____________________________

            def test_build_extension(tmp_path):
        >       subprocess.run(["nvcc", "-o", str(tmp_path / "a"), "kv_io.cu"], check=True)

        tests/test_build.py:9:
        _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
        E               subprocess.CalledProcessError: Command '['nvcc']' returned non-zero exit status 2.

        /usr/lib/python3.12/subprocess.py:571: CalledProcessError
        ----------------------------- Captured stderr call -----------------------------
        kv_io.cu(2): error: identifier "y" is undefined
        2 errors detected in the compilation of "kv_io.cu".
        =========================== short test summary info ============================
        FAILED tests/test_build.py::test_build_extension - subprocess.CalledProcessError...
        ============================== 1 failed in 1.27s ===============================
    """

    (failure,) = report_of(log).failures

    assert failure.exception == "subprocess.CalledProcessError"
    assert said(log, failure.error_line) == 'kv_io.cu(2): error: identifier "y" is undefined'


def test_a_traceback_in_pythons_own_style_is_read_as_well() -> None:
    log = """
        =================================== FAILURES ===================================
        __________________________________ test_load ___________________________________
        Traceback (most recent call last):
          File "/opt/venv/lib/python3.12/site-packages/_pytest/runner.py", line 361, in from_call
            result = func()
          File "/home/runner/work/shop/shop/tests/test_load.py", line 8, in test_load
            load("b")
          File "/home/runner/work/shop/shop/shop/load.py", line 3, in load
            return SHELF[name]
        KeyError: 'b'
        =========================== short test summary info ============================
        FAILED tests/test_load.py::test_load - KeyError: 'b'
        ========================= 1 failed, 2 passed in 1.27s ==========================
    """

    (failure,) = report_of(log).failures

    assert (failure.id, failure.exception, failure.message) == ("tests/test_load.py::test_load", "KeyError", "'b'")
    assert [frame.path for frame in failure.frames if frame.in_repository] == ["tests/test_load.py", "shop/load.py"]


def test_a_doctest_says_what_was_expected_and_what_came() -> None:
    log = """
        =================================== FAILURES ===================================
        ____________________________ [doctest] units.human _____________________________
        004     >>> human(10)
        005     '10 B'
        006     >>> human(1536)
        Expected:
            '1.5 KiB'
        Got:
            '1.5 kB'

        /home/runner/work/units/units/units.py:6: DocTestFailure
        =========================== short test summary info ============================
        FAILED units.py::units.human
        ========================= 1 failed, 1 passed in 1.44s ==========================
    """

    (failure,) = report_of(log).failures

    assert (failure.id, failure.file) == ("units.py::units.human", "units.py")
    assert failure.message == "Expected: '1.5 KiB' Got: '1.5 kB'"
    assert said(log, failure.error_line) == "Expected:"


def test_a_time_limit_is_no_ordinary_failure() -> None:
    log = """
        =================================== FAILURES ===================================
        _________________________________ test_drains __________________________________

            def drain(self):
        >       with self.lock:
        E       Failed: Timeout (>4.0s) from pytest-timeout.

        jobqueue.py:10: Failed
        ----------------------------- Captured stdout call -----------------------------
        +++++++++++++++++++++++++++++++++++ Timeout ++++++++++++++++++++++++++++++++++++
        =========================== short test summary info ============================
        FAILED tests/test_queue.py::test_drains - Failed: Timeout (>4.0s) from pytest-timeout.
        ========================= 1 failed, 2 passed in 5.32s ==========================
    """

    (failure,) = report_of(log).failures

    assert failure.outcome is Outcome.TIMED_OUT
    assert failure.last_line == 10


def test_a_file_that_cannot_be_imported_is_a_failure_of_the_file() -> None:
    log = """
        ============================= test session starts ==============================
        rootdir: /home/runner/work/inventory/inventory/python
        collected 1 item / 1 error

        ==================================== ERRORS ====================================
        ______________________ ERROR collecting tests/test_net.py ______________________
        ImportError while importing test module '/home/runner/work/inventory/inventory/python/tests/test_net.py'.
        Hint: make sure your test modules/packages have valid Python names.
        Traceback:
        /opt/hostedtoolcache/Python/3.11.7/x64/lib/python3.11/importlib/__init__.py:126: in import_module
            return _bootstrap._gcd_import(name[level:], package, level)
        tests/test_net.py:1: in <module>
            from inventory.net import RetryPolicy
        E   ImportError: cannot import name 'RetryPolicy' from 'inventory.net'
        =========================== short test summary info ============================
        ERROR tests/test_net.py
        !!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
        =============================== 1 error in 1.51s ===============================
    """

    report = report_of(log)

    (failure,) = report.failures
    assert (failure.id, failure.outcome, failure.exception) == (
        "tests/test_net.py",
        Outcome.NOT_COLLECTED,
        "ImportError",
    )
    assert failure.file == "python/tests/test_net.py"
    assert report.ran == 0
    assert report.not_run == ("1 of 1 tests never ran",)


def test_a_syntax_error_is_named_by_its_last_line_not_by_the_source_it_quotes() -> None:
    log = """
        ==================================== ERRORS ====================================
        _____________________ ERROR collecting tests/test_apps.py ______________________
        client/config/__init__.py:19: in <module>
            from .kube_config import load
        E     File "/home/runner/work/client/client/config/exec_provider.py", line 74
        E       stderr=sys.stderr when is_interactive else subprocess.PIPE,
        E                         ^
        E   SyntaxError: invalid syntax
        =========================== short test summary info ============================
        ERROR tests/test_apps.py
        =============================== 1 error in 0.51s ===============================
    """

    (failure,) = report_of(log).failures

    assert (failure.exception, failure.message) == ("SyntaxError", "invalid syntax")


def test_the_traceback_of_another_process_inside_the_message_is_the_cause() -> None:
    log = """
        =================================== FAILURES ===================================
        _______________________________ test_ranks_agree _______________________________
        tests/test_ranks.py:7: in test_ranks_agree
            mp.spawn(w, args=(2,), nprocs=2)
        E   torch.multiprocessing.spawn.ProcessRaisedException:
        E
        E   -- Process 0 terminated with the following error:
        E   Traceback (most recent call last):
        E     File "/opt/venv/lib/python3.12/site-packages/torch/multiprocessing/spawn.py", line 87, in _wrap
        E       fn(i, *args)
        E     File "/home/runner/work/engine/engine/tests/test_ranks.py", line 5, in w
        E       dist.all_reduce(torch.ones(4))
        E   RuntimeError: Timed out waiting 8000ms for recv operation to complete
        =========================== short test summary info ============================
        FAILED tests/test_ranks.py::test_ranks_agree - torch.multiprocessing.spawn.Pr...
        1 failed in 14.03s
    """

    (failure,) = report_of(log).failures

    assert failure.exception == "RuntimeError"
    assert failure.message == "Timed out waiting 8000ms for recv operation to complete"
    assert failure.wrapped_by == "torch.multiprocessing.spawn.ProcessRaisedException"
    assert failure.frames[-1].line == 5


def test_a_test_that_compares_tracebacks_fails_of_the_comparison() -> None:
    log = """
        =================================== FAILURES ===================================
        _________________________________ test_report __________________________________
        tests/test_report.py:7: in test_report
            assert shown == wanted
        E   AssertionError: assert 'Traceback (m...KeyError: 1' == 'nothing'
        E
        E     - nothing
        E     + Traceback (most recent call last):
        E     +   File "x.py", line 1, in <module>
        E     + KeyError: 1
        =========================== short test summary info ============================
        FAILED tests/test_report.py::test_report - AssertionError: assert 'Traceback (m...
        1 failed in 0.03s
    """

    (failure,) = report_of(log).failures

    assert failure.exception == "AssertionError"
    assert failure.wrapped_by is None


def test_ids_do_not_depend_on_the_address_of_a_parameter() -> None:
    log = """
        =================================== FAILURES ===================================
        _______________________ test_op[<lambda at 0x7f3d234595d0>] ____________________
        tests/test_op.py:3: in test_op
            assert 0
        E   assert 0
        =========================== short test summary info ============================
        FAILED tests/test_op.py::test_op[<lambda at 0x7f3d234595d0>] - assert 0
        1 failed in 0.03s
    """

    (failure,) = report_of(log).failures

    assert failure.id == "tests/test_op.py::test_op[<lambda at 0x…>]"


def test_tests_of_one_name_in_two_files_are_told_apart() -> None:
    log = """
        =================================== FAILURES ===================================
        ___________________________________ test_ok ____________________________________
        tests/test_b.py:3: in test_ok
            assert 1 == 2
        E   assert 1 == 2
        ___________________________________ test_ok ____________________________________
        tests/test_a.py:5: in test_ok
            assert 3 == 4
        E   assert 3 == 4
        =========================== short test summary info ============================
        FAILED tests/test_a.py::test_ok - assert 3 == 4
        FAILED tests/test_b.py::test_ok - assert 1 == 2
        2 failed in 0.03s
    """

    told = by_id(report_of(log))

    assert told["tests/test_a.py::test_ok"].message == "assert 3 == 4"
    assert told["tests/test_b.py::test_ok"].message == "assert 1 == 2"


def test_without_tracebacks_the_summary_speaks() -> None:
    log = """
        F.F                                                                      [100%]
        =========================== short test summary info ============================
        FAILED tests/test_a.py::test_url[http://x - y] - httpx.ConnectError: All connection attempts failed
        FAILED tests/test_a.py::test_b - assert 3 == 4
        2 failed, 1 passed in 0.03s
    """

    told = by_id(report_of(log))

    first = told["tests/test_a.py::test_url[http://x - y]"]
    assert (first.exception, first.message) == ("httpx.ConnectError", "All connection attempts failed")
    assert said(log, first.error_line).startswith("FAILED tests/test_a.py::test_url")
    assert told["tests/test_a.py::test_b"].exception == "AssertionError"


def test_an_error_behind_a_hole_in_the_log_is_not_taken_for_the_tests_before_it() -> None:
    log = """
        =================================== FAILURES ===================================
        __________________________________ test_first __________________________________
        tests/test_a.py:3: in test_first
    """
    rest = """
        E   TypeError: of another test
        =========================== short test summary info ============================
        FAILED tests/test_a.py::test_first - KeyError: 'x'
        1 failed in 0.03s
    """
    behind = tuple(LogLine(line.number + 9_000, line.text) for line in lines_of(rest))
    report = reader.read((*lines_of(log), *behind))

    assert report is not None
    (failure,) = report.failures
    assert (failure.exception, failure.message) == ("KeyError", "'x'")


def test_a_failure_told_only_by_name_takes_no_error_from_what_it_printed_but_a_mistake() -> None:
    log = """
        ============================= test session starts ==============================
        tests/test_a.py::test_hub FAILED
        requests.exceptions.HTTPError: 502 Server Error: Bad Gateway for url: https://hub.example/api
        tests/test_a.py::test_shape FAILED
        TypeError: unsupported operand type(s) for /: 'str' and 'int'
        ============================== 2 failed in 1.12s ===============================
    """

    told = by_id(report_of(log))

    hub, shape = told["tests/test_a.py::test_hub"], told["tests/test_a.py::test_shape"]
    assert (hub.exception, hub.message) == (None, "")
    assert said(log, hub.error_line).startswith("requests.exceptions.HTTPError: 502")
    assert shape.exception == "TypeError"


ENGINE = """\
============================= test session starts ==============================
collected 2 items

tests/test_shop.py::test_price PASSED
tests/test_shop.py::test_serve {named}
(EngineCore pid=31) ERROR 10-30 05:48:54 [core.py:779]     self.worker.init()
(EngineCore pid=31) ERROR 10-30 05:48:54 [core.py:779] ValueError: no such quantisation: w3
(APIServer pid=30) RuntimeError: Engine core initialization failed. See root cause above.
{after}
=========================== short test summary info ============================
FAILED tests/test_shop.py::test_serve - RuntimeError: Engine core initialization failed. See root cause above.
========================= 1 failed, 1 passed in 12.20s =========================
"""


@pytest.mark.parametrize(("named", "after"), [("", "FAILED"), ("FAILED", "")])
def test_the_error_of_a_worker_is_the_failure_where_the_summary_only_passes_it_on(named: str, after: str) -> None:
    log = ENGINE.format(named=named, after=after)

    failure = by_id(report_of(log))[f"{SHOP}test_serve"]

    assert (failure.exception, failure.message) == ("ValueError", "no such quantisation: w3")
    assert said(log, failure.error_line).endswith("ValueError: no such quantisation: w3")


def test_a_wrapper_that_quotes_the_words_of_the_worker_is_the_cause() -> None:
    log = (
        ENGINE.format(named="FAILED", after="")
        .replace("ValueError: no such", "RuntimeError: Worker failed with error 'no such")
        .replace(": w3", ": w3', please check the stack trace above for the root cause")
    )

    failure = by_id(report_of(log))[f"{SHOP}test_serve"]

    assert "Worker failed with error 'no such" in said(log, failure.error_line)


def test_the_error_of_which_the_summary_has_the_beginning_is_read_in_full() -> None:
    log = """\
============================= test session starts ==============================
tests/test_shop.py::test_price FAILED
tests/test_shop.py::test_serve FAILED
E   RuntimeError: Initialise:build/pool.cpp:152 device function error: SetDevice, error code is 7
=========================== short test summary info ============================
FAILED tests/test_shop.py::test_price - RuntimeError: Initialise
============================== 2 failed in 12.20s ==============================
"""

    failure = by_id(report_of(log))[f"{SHOP}test_price"]

    assert failure.message.endswith("SetDevice, error code is 7")
    assert said(log, failure.error_line).startswith("E   RuntimeError: Initialise:build")


def test_a_conftest_that_cannot_be_loaded_is_a_failure() -> None:
    log = """\
ImportError while loading conftest '/home/runner/work/shop/shop/tests/conftest.py'.
tests/conftest.py:9: in <module>
    from shop.pool import Pool
shop/pool.py:3: in <module>
    from shop.net import Retry
E   ImportError: cannot import name 'Retry' from 'shop.net' (/home/runner/work/shop/shop/shop/net.py)
##[error]Process completed with exit code 4.
"""

    (failure,) = report_of(log).failures

    assert (failure.id, failure.outcome) == ("tests/conftest.py", Outcome.NOT_COLLECTED)
    assert failure.exception == "ImportError"
    assert said(log, failure.error_line).startswith("E   ImportError: cannot import name 'Retry'")


def test_what_the_c_library_says_of_a_crash_says_more_than_the_interpreter() -> None:
    log = """\
============================= test session starts ==============================
tests/test_shop.py::test_price PASSED
tests/test_shop.py::test_serve
malloc(): unsorted double linked list corrupted
Fatal Python error: Aborted

Thread 0x00007f3c2a7fc640 (most recent call first):
  File "/w/shop/tests/helper.py", line 88 in _probe
/bin/bash: line 1:  1188 Aborted                 (core dumped) pytest
##[error]Process completed with exit code 134.
"""

    (failure,) = report_of(log).failures

    assert (failure.id, failure.outcome) == (f"{SHOP}test_serve", Outcome.CRASHED)
    assert said(log, failure.error_line) == "malloc(): unsorted double linked list corrupted"
