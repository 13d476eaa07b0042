"""Small harnesses: each names its failed tests, and what they print excuses nobody."""

from __future__ import annotations

import pytest

from tests.logs.tests_other.log_text import lines_of
from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.logs.tests import harness
from triage.logs.tests.harness_table import HARNESSES
from triage.model import Fault
from triage.rules import builtin_rules

DENO = """\
running 2 tests from ./src/retry_test.ts
gives up after three 503 ... FAILED (12ms)
error sending request for url (https://api.github.com/repos/x/y): connection closed before message completed
 ERRORS

gives up after three 503 => ./src/retry_test.ts:9:6
error: AssertionError: Values are not equal.

 FAILURES

gives up after three 503 => ./src/retry_test.ts:9:6

FAILED | 1 passed | 1 failed (31ms)
"""
BUN = """\
bun test v1.2.19
src/cache.test.ts:
✓ stores [0.51ms]
error: ENOSPC: no space left on device, write
      at writeEntry (/home/runner/work/kv/kv/src/cache.ts:31:9)
✗ evicts when the disk is full [1.12ms]
 11 pass
 1 fail
"""
LIT = """\
FAIL: OPS :: schedule.mlir (41 of 120)
******************** TEST 'OPS :: schedule.mlir' FAILED ********************
Command Output (stderr):
/home/runner/work/t/t/test/schedule.mlir:42:18: error: CHECK-LABEL: expected string not found in input
********************
Failed Tests (1):
  OPS :: schedule.mlir
"""
LIT_OF_PROGRAMS = """\
FAIL: OPS :: Reduction/sum.cpp (41 of 120)
******************** TEST 'OPS :: Reduction/sum.cpp' FAILED ********************
Exit Code: 1

Command Output (stdout):
--
# RUN: at line 1
make_sum -o sum.out
# .---command stdout------------
# | error: of the first program, which went well all the same
# `-----------------------------
# RUN: at line 2
sum.out
# .---command stdout------------
# | Mismatch in sum.cpp: 4095 instead of 4096
# | Test case 17: failed
# `-----------------------------
# error: command failed with exit status: 1
********************
Failed Tests (1):
  OPS :: Reduction/sum.cpp
"""
MESON = """\
  1/104 server / modesetting            OK               0.34s
  3/104 server:xvfb / blend/Clear       TIMEOUT         30.80s   killed by signal 15 SIGTERM
Timeout:            1
"""
BOOST = """\
Running 31 test cases...
test/stream_test.cpp(88): error: in "stream/half_close": check ec == broken_pipe has failed [Connection reset by peer]
*** 1 failure is detected in the test module "net"
"""
TESTTHAT = """\
── Failure ('test-retry.R:120:5'): retries on 503 ───────
Expected `n_calls()` to equal 3.
[ FAIL 1 | WARN 0 | SKIP 5 | PASS 312 ]
"""
JULIA = """\
streaming: Error During Test at /home/runner/work/Flow.jl/Flow.jl/test/stream.jl:14
  RequestError: Operation timed out after 2001 milliseconds while requesting https://data.acme-flow.net/slow
Test Summary: | Pass  Error  Total   Time
"""
JULIA_IN_PROCESSES = """\
core/array (4) |        failed at 2026-05-12T09:11:40
Error in testset core/array:
Test Failed at /home/runner/work/Flow.jl/Flow.jl/test/core/array.jl:61
  Expression: Array(y) == reference
   Evaluated: [1.0, 0.0] == [1.0, 3.0]
Test Summary: |  Pass  Fail  Broken  Total
  Overall     | 20114     1      12  20127
"""
PESTER = """\
[-] Get-Release retries when GitHub answers 502 34ms (31ms|3ms)
 Expected Invoke-RestMethod to be called 3 times exactly, but was called 2 times
Tests Passed: 60, Failed: 1, Skipped: 0
"""
CLOJURE = """\
FAIL in (backs-off-on-429) (fetch_test.clj:27)
expected: (= 3 @calls)
  actual: (not (= 3 1))
Ran 12 tests containing 40 assertions.
1 failures, 0 errors.
"""
ALCOTEST = """\
> [FAIL]        client         2   dns failure is reported.
ASSERT error text
   Expected: `"Temporary failure in name resolution"'
   Received: `"Name or service not known"'
 1 test failed, 14 tests run.
"""
BUSTED = """\
4 successes / 1 failure / 0 errors / 0 pending : 0.0121 seconds
Failure → spec/sock_spec.lua @ 31
spec/sock_spec.lua:35: Expected objects to be the same.
"""
DEQP = """\
Pass: 40000, Fail: 1, Skip: 19200, Flake: 2, Duration: 2:56, Remaining: 12:04
ERROR - Failure getting run results: timeout on 1 known-flake, retrying
Some failures found:
dEQP-VK.wing.fold.samples_8,Fail
Some flakes found (see results/flakes): dEQP-VK.wsi.xcb.swapchain
"""
TWISTER = """\
INFO    - 12/41 heron_dk/nrf      drivers.uart.loopback                 PASSED (device: 0010, 2.011s)
ERROR   - heron_dk/nrf            drivers.spi.loopback                  FAILED Failed (device: 0010, 4.211s)
ERROR   - see: /w/twister-out/heron_dk_nrf/drivers.spi.loopback/handler.log
START - test_spi_loopback
    Assertion failed at WEST_TOPDIR/tests/drivers/spi/src/spi.c:214: spi_loopback: (a not equal to b)
PROJECT EXECUTION FAILED
INFO    - 40 of 41 executed test configurations passed (97.56%), 1 failed, with no warnings in 388.20 seconds.
"""
SCRIPT = """\
[ RUN  ] says why a registry is down
    got:  toomanyrequests: You have reached your pull rate limit
    want: registry answered 429
[ FAIL ] says why a registry is down
1 of 2 tests failed
"""

PRINTED = {
    "deno test": (DENO, "gives up after three 503", "error: AssertionError: Values are not equal."),
    "bun test": (BUN, "evicts when the disk is full", "error: ENOSPC: no space left on device, write"),
    "lit": (LIT, "OPS :: schedule.mlir", LIT.splitlines()[3]),
    "meson test": (MESON, "server:xvfb / blend/Clear", MESON.splitlines()[1]),
    "boost test": (BOOST, "stream/half_close", BOOST.splitlines()[1]),
    "testthat": (TESTTHAT, "retries on 503", "Expected `n_calls()` to equal 3."),
    "Julia testsets in processes": (JULIA_IN_PROCESSES, "core/array", JULIA_IN_PROCESSES.splitlines()[1]),
    "Julia Test": (JULIA, "streaming", JULIA.splitlines()[1]),
    "Pester": (PESTER, "Get-Release retries when GitHub answers 502", PESTER.splitlines()[1]),
    "clojure.test": (CLOJURE, "backs-off-on-429", "expected: (= 3 @calls)"),
    "Alcotest": (ALCOTEST, "client         2   dns failure is reported.", "ASSERT error text"),
    "busted": (BUSTED, "spec/sock_spec.lua", "spec/sock_spec.lua:35: Expected objects to be the same."),
    "deqp-runner": (DEQP, "dEQP-VK.wing.fold.samples_8", DEQP.splitlines()[3]),
    "Twister": (TWISTER, "drivers.spi.loopback", TWISTER.splitlines()[4]),
    "script": (SCRIPT, "says why a registry is down", SCRIPT.splitlines()[1]),
}

RULES = builtin_rules()
SCANNER = make_scanner(RULES)


@pytest.mark.parametrize("name", PRINTED)
def test_a_small_harness_names_the_test_and_its_error(name: str) -> None:
    text, test, error = PRINTED[name]
    lines = lines_of(text)
    report = harness.read(lines)
    assert report is not None
    told = [(failure.runner, failure.id, lines[failure.error_line - 1].text) for failure in report.failures]
    assert told == [(name, " ".join(test.split()), error)]


def test_of_the_programs_that_a_test_ran_the_last_one_says_why_it_failed() -> None:
    lines = lines_of(LIT_OF_PROGRAMS)
    report = harness.read(lines)
    assert report is not None
    assert [failure.message for failure in report.failures] == ["Mismatch in sum.cpp: 4095 instead of 4096"]
    assert lines[report.failures[0].error_line - 1].text == "# | Mismatch in sum.cpp: 4095 instead of 4096"


@pytest.mark.parametrize("name", PRINTED)
def test_what_a_small_harness_prints_excuses_nobody(name: str) -> None:
    text = f"##[group]Run test\n##[endgroup]\n{PRINTED[name][0]}##[error]Process completed with exit code 1.\n"
    log = read_log(TextSource("job.log", text), SCANNER)
    assert classify_log("job.log", log, read_tests(log), RULES, SCANNER).fault is Fault.CODE


def test_one_line_alone_shows_no_harness() -> None:
    assert harness.read(lines_of("[ FAIL ] mirror answered 503\nFAIL: OPS :: a.mlir (1 of 2)\n[-] x 3ms\n")) is None


def test_each_small_harness_has_a_name_of_its_own() -> None:
    names = [row.name for row in HARNESSES]
    assert len(names) == len(set(names))
