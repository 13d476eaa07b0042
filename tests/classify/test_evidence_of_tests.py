"""Which lines show why tests failed."""

from __future__ import annotations

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)


def quoted(log: str) -> list[str]:
    read = read_log(TextSource("log", log), SCANNER)
    failure = classify_log("log", read, read_tests(read), RULES, SCANNER)
    return [fact.text.strip() for fact in failure.evidence]


def test_of_a_program_that_ctest_started_its_own_words_come_first() -> None:
    lines = quoted("""\
Test project /w/build
    Start 1: ops
1/1 Test #1: ops .................***Failed  104.18 sec
pool_init: found 1 device:
  ADD(type=f32): OK
  COPY(type=q4): [COPY] error = 0.00314 > 0.00010 FAIL
  MUL(type=f16): OK
0% tests passed, 1 tests failed out of 1
""")

    assert lines[0] == "COPY(type=q4): [COPY] error = 0.00314 > 0.00010 FAIL"


def test_what_the_author_wrote_of_a_condition_is_the_error_of_a_gtest() -> None:
    lines = quoted("""\
[==========] Running 1 test from 1 test suite.
[ RUN      ] Engine.Builds
2026-10-20 16:42:45.70 [E:onnxruntime:Default, trt.h:58 log] Error Code 10: no implementation for node {add}
/w/test/engine_test.cc:778: Failure
Value of: status.IsOK()
  Actual: false
Expected: true
could not build an engine for node graph_1
[  FAILED  ] Engine.Builds (52 ms)
[==========] 1 test from 1 test suite ran. (52 ms total)
[  FAILED  ] 1 test, listed below:
""")

    assert lines[0] == "could not build an engine for node graph_1"
    assert any("Error Code 10: no implementation" in line for line in lines)


def test_where_only_a_name_is_told_what_looks_like_the_error_comes_first() -> None:
    lines = quoted("""\
test_add (__main__.TestViews.test_add) ... /S/Array.mm:124: failed assertion `range.start (6) is not in [0, 6]'
Got exit code -6 (SIGABRT)
test_views 1/1 failed! Received signal: SIGABRT
""")

    assert "failed assertion `range.start" in lines[0]


def test_what_a_library_said_at_its_gravest_is_quoted_beside_a_machines_fault() -> None:
    segment = "Error while creating shared memory segment /dev/shm/n (size 9888), error: No space left on device (28)"
    lines = quoted(f"""\
============================= test session starts ==============================
tests/test_ring.py::test_gather
node7:20:22 [0] misc/shm.cc:88 NCCL WARN Error: failed to extend /dev/shm/nccl-W to 9637892 bytes
node7:20:22 [0] NCCL WARN {segment}
FAILED
torch.distributed.DistBackendError: NCCL error in: ProcessGroup.cpp:3690, unhandled system error
=========================== short test summary info ============================
FAILED tests/test_ring.py::test_gather - RuntimeError: Process 0 exited with error code 10
============================== 1 failed in 12.20s ==============================
""")

    assert "Error while creating shared memory segment" in lines[0]
    assert any("failed to extend" in line for line in lines)


def test_an_error_where_a_test_failed_comes_before_lines_of_the_summary() -> None:
    lines = quoted("""\
============================= test session starts ==============================
collected 3 items

=================================== FAILURES ===================================
__________________________________ test_three __________________________________
E       wing.BentError: the feather is bent
=========================== short test summary info ============================
FAILED tests/test_a.py::test_one - wing.BentError: the feather is bent
FAILED tests/test_a.py::test_two - wing.BentError: the feather is bent
FAILED tests/test_a.py::test_three - wing.BentError: the feather is bent
============================== 3 failed in 0.10s ===============================
""")

    assert lines[0] == "E       wing.BentError: the feather is bent"


def test_the_summarys_line_on_a_test_is_quoted_too() -> None:
    summary = "FAILED tests/test_a.py::test_one - assert 2 == 3"
    lines = quoted(f"""\
============================= test session starts ==============================
collected 1 item

=================================== FAILURES ===================================
___________________________________ test_one ___________________________________
E       assert 2 == 3
=========================== short test summary info ============================
{summary}
============================== 1 failed in 0.10s ===============================
""")

    assert (lines[0], summary in lines) == ("E       assert 2 == 3", True)


def test_what_a_sanitizer_found_in_a_test_without_words_comes_before_what_later_tests_felt() -> None:
    felt = """\
[ RUN      ] Scan.{name}
unknown file: Failure
C++ exception with description "CUDA error: unspecified launch failure" thrown in the test body.
[  FAILED  ] Scan.{name} (0 ms)
"""
    lines = quoted(
        """\
[==========] Running 3 tests from 1 test suite.
[ RUN      ] Scan.Tail
========= Invalid __global__ write of size 4 bytes
=========     at scan_tail(int *)+0x2d0 in /w/src/scan.cu:131
=========     Access at 0x7f3e2a401000 is out of bounds
[  FAILED  ] Scan.Tail (112 ms)
"""
        + felt.format(name="Head")
        + felt.format(name="Body")
        + "[==========] 3 tests from 1 test suite ran. (200 ms total)\n[  FAILED  ] 3 tests, listed below:\n"
    )

    assert lines[0].startswith("========= Invalid __global__ write")
    assert any("unspecified launch failure" in line for line in lines)


def test_what_code_is_blamed_for_in_another_part_that_failed_is_quoted_too() -> None:
    links = "".join(f"  [✖] https://lagoon.example.com/{number} → Status: 404\n" for number in range(12))
    end = "##[error]Process completed with exit code 1.\n"
    lines = quoted(
        f"##[group]Run ./ci/links.sh\n##[endgroup]\n{links}{end}"
        f"##[group]Run make docs\n##[endgroup]\n/w/docs/cache.rst:44: WARNING: undefined label: 'evict'\n{end}"
    )

    assert "lagoon.example.com" in lines[0]
    assert any("undefined label" in line for line in lines)


def test_what_was_to_be_fetched_is_quoted_beside_the_transfer_that_failed() -> None:
    lines = quoted(
        "##[group]Run ./ci/fetch.sh\n##[endgroup]\n"
        "curl: (22) The requested URL returned error: 502 Bad Gateway\n"
        "ERROR: could not download https://pkg.acme.dev/registry/2333\n"
        "##[error]Process completed with exit code 1.\n"
    )

    assert lines[:2] == [
        "curl: (22) The requested URL returned error: 502 Bad Gateway",
        "ERROR: could not download https://pkg.acme.dev/registry/2333",
    ]


def test_what_a_test_printed_of_the_machine_is_quoted_before_the_words_that_only_name_the_test() -> None:
    lines = quoted("""\
============================= test session starts ==============================
[ERROR] 2026-05-01-10:59:07 (PID:379, Device:0, RankID:-1) ERR00100 PTA call acl api failed
[PID: 379] 2026-05-01-10:59:07.429.194 Device_Absent/Abnormal(EL0001): Device not found or invalid.
FAILED tests/test_wing.py::test_fold
=================== 1 failed in 402.10s (0:06:42) ===================
##[error]Process completed with exit code 1.
""")

    assert lines[0].endswith("Device_Absent/Abnormal(EL0001): Device not found or invalid.")


def test_what_processes_of_a_test_printed_is_its_error_where_nothing_else_is() -> None:
    lines = quoted("""\
============================= test session starts ==============================
tests/test_wing.py F
=================================== FAILURES ===================================
__________________________________ test_fold ___________________________________
----------------------------- Captured stderr call -----------------------------
[rank2]: Traceback (most recent call last):
[rank2]:   File "/w/heron/engine.py", line 90, in step
[rank2]:     self.fold()
[rank2]: RuntimeError: Detected mismatch between collectives on ranks.
=========================== short test summary info ============================
FAILED tests/test_wing.py::test_fold
============================== 1 failed in 3.10s ===============================
##[error]Process completed with exit code 1.
""")

    assert lines[0] == "[rank2]: RuntimeError: Detected mismatch between collectives on ranks."
