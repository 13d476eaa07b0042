"""What tells more of a failed test than its error does is quoted before it."""

from __future__ import annotations

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
NAME = "tests/test_cache.py::test_flush[None]"
FLUSH = "    self._done.wait()  # holds the lock"
HANG = f"""\
============================= test session starts ==============================
collected 2 items

tests/test_cache.py::test_first PASSED [ 50%]
{NAME}
+++++++++++++++++++++++++++++++++++ Timeout ++++++++++++++++++++++++++++++++++++
~~~~~~~~~~~~~~~~ Stack of flusher (140021114234432) ~~~~~~~~~~~~~~~~~
  File "/w/heron/cache.py", line 88, in flush
{FLUSH}
~~~~~~~~~~~~~~~~ Stack of MainThread (140025231812416) ~~~~~~~~~~~~~~~~~~~~~
  File "/w/tests/test_cache.py", line 11, in test_flush
    cache.close()
  File "/usr/lib/python3.12/threading.py", line 655, in wait
    signaled = self._cond.wait(timeout)
+++++++++++++++++++++++++++++++++++ Timeout ++++++++++++++++++++++++++++++++++++
"""
ASSERTS = "/w/aten/IndexKernelUtils.cu:16: gather: block: [9,0,0], thread: [{},0,0] Assertion `ind < size` failed."
KERNEL = f"""\
============================= test session starts ==============================
collected 1 item

tests/test_run.py::test_long {ASSERTS.format(0)}
{ASSERTS.format(1)}
{ASSERTS.format(2)}
FAILED [100%]
=================================== FAILURES ===================================
__________________________________ test_long ___________________________________
heron/run.py:4: in forward
    return self.cos[ids]
E   RuntimeError: CUDA error: {{}}
=========================== short test summary info ============================
FAILED tests/test_run.py::test_long - RuntimeError: CUDA error: {{}}
========================= 1 failed in 8.02s =========================
"""


def quoted(output: str) -> list[str]:
    text = f"##[group]Run pytest -v\n##[endgroup]\n{output}##[error]Process completed with exit code 1.\n"
    log = read_log(TextSource("job.log", text), SCANNER)
    failure = classify_log("job.log", log, read_tests(log), RULES, SCANNER)
    return [fact.text.strip() for fact in failure.evidence]


def test_of_a_hang_the_test_stands_first_and_then_where_each_thread_of_the_project_waits() -> None:
    assert quoted(HANG)[:3] == [NAME, "cache.close()", FLUSH.strip()]


def test_a_kernel_s_own_words_stand_before_what_the_host_calls_it() -> None:
    assert quoted(KERNEL.format("CUBLAS_STATUS_EXECUTION_FAILED", "CUBLAS"))[0] == ASSERTS.format(1)


def test_an_error_that_says_that_a_kernel_asserted_needs_nothing_before_it() -> None:
    words = "device-side assert triggered"
    assert words in quoted(KERNEL.format(words, words))[0]


def test_another_error_of_the_host_is_not_explained_by_a_kernel() -> None:
    output = KERNEL.replace("RuntimeError: CUDA error: {}", "ValueError: no such mode")
    assert "ValueError: no such mode" in quoted(output)[0]
