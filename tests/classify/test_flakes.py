"""A job that refuses what had to be run again says so itself; a test that stays broken is never called flaky."""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Failure, Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
END = "##[error]Process completed with exit code 1.\n"
GO = (
    "=== FAIL: raft TestLeader (2.31s)\n    raft_test.go:219: leader not elected within 2s\n\n"
    "DONE 2 runs, 12 tests, 1 failure\n"
)
REFUSES = "##[error]flaky tests were re-run, see reruns.txt\n"
UNIT = (
    "======================================================================\n"
    "FAIL: test_score (__main__.TestScoring)\n"
    "----------------------------------------------------------------------\n"
    "Traceback (most recent call last):\n"
    '  File "/w/test_score.py", line 9, in test_score\n    self.assertLess(a, b)\n'
    "AssertionError: 0.0625 not less than 0.03\n\n"
    "----------------------------------------------------------------------\n"
    "Ran 3 tests in 1.2s\n\nFAILED (failures=1)\n"
)
PASSED = "[suite] test_score.py passed on attempt 2\n"
BECAUSE = "[suite] exiting non-zero because test_score.py needed a retry\n"


def failure_of(*steps: str) -> Failure:
    log = read_log(TextSource("job.log", "".join(steps)), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER)


def run(command: str, output: str) -> str:
    return f"##[group]Run {command}\nshell: /usr/bin/bash -e {{0}}\n##[endgroup]\n{output}"


def test_a_step_that_refuses_flakes_of_a_step_that_ended_well() -> None:
    failure = failure_of(run("gotestsum --rerun-fails", GO), run("test ! -s reruns.txt", REFUSES), END)
    assert (failure.fault, failure.evidence[0].text) == (Fault.FLAKY, REFUSES.strip())


def test_a_suite_that_fails_only_for_a_retry_that_passed() -> None:
    assert failure_of(run("suite", UNIT + PASSED + BECAUSE), END).fault is Fault.FLAKY


@pytest.mark.parametrize(
    "steps",
    [
        (run("suite", UNIT + BECAUSE), END),  # nothing passed
        (run("suite", UNIT + PASSED), END),  # it does not say why it failed
        (run("suite", PASSED + BECAUSE + UNIT), END),  # it failed again after that
        (run("gotestsum", GO + "2 flaky tests were re-run, and 1 still fails\n"), END),  # the step that ran them failed
        (run("gotestsum", GO), END, run("report", "looking for flaky tests\n"), END),
    ],
)
def test_a_test_that_stays_broken_is_the_codes(steps: tuple[str, ...]) -> None:
    assert failure_of(*steps).fault is Fault.CODE


def test_a_step_that_only_passes_a_failure_on_shows_what_an_earlier_one_kept() -> None:
    crash = "Memory access fault by GPU node-2 (Agent handle: 0x55) on address 0x7f8b2c600000. Reason: Unknown.\n"
    failure = failure_of(run("./bench || echo $? > code", crash), run("exit $(cat code)", "exit 134\n"), END)
    assert failure.fault is Fault.CODE
    assert failure.evidence[0].text == crash.strip()


PLAYWRIGHT = """\
Running 2 tests using 1 worker

  ✓  1 [chromium] › e2e/nest.spec.ts:3:5 › opens (1.1s)
  ✘  2 [chromium] › e2e/nest.spec.ts:9:5 › closes (5.2s)
  ✓  3 [chromium] › e2e/nest.spec.ts:9:5 › closes (retry #1) (0.9s)

  1) [chromium] › e2e/nest.spec.ts:9:5 › closes ────────────────────────────────

    Error: expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: 2

  1 flaky
    [chromium] › e2e/nest.spec.ts:9:5 › closes ─────────────────────────────────
  1 passed (8.1s)
"""


def test_that_a_test_passed_in_a_retry_is_quoted_before_why_it_had_failed() -> None:
    failure = failure_of(run("npx playwright test --fail-on-flaky-tests", PLAYWRIGHT), END)
    quoted = [fact.text.strip() for fact in failure.evidence]
    assert (failure.fault, quoted[:2]) == (
        Fault.FLAKY,
        ["1 flaky", "✓  3 [chromium] › e2e/nest.spec.ts:9:5 › closes (retry #1) (0.9s)"],
    )


def test_of_a_gates_words_those_come_first_that_name_the_test() -> None:
    gate = "gate: reading 2 runs of the flaky list\ngate: TestLeader failed 1 of 2 runs, flaky\n"
    failure = failure_of(run("gotestsum --rerun-fails", GO), run("python ci/gate.py", gate), END)
    assert failure.evidence[0].text == "gate: TestLeader failed 1 of 2 runs, flaky"


SHELL = (
    "Running tests/lock_test.sh\n✓ Passed: Test lock is exclusive\n"
    "↻ Flaky: Test lock is released (passed on attempt 2)\n    attempt 1: Expected '0' but got '1'\n\n"
    "Tests:      38 passed, 38 total\nFlaky:      1 (passed on retry)\nAssertions: 102 passed, 102 total\n"
)
TOLD = "bashunit --retry 2 --fail-on-flaky tests/"


def test_a_runner_that_no_reader_knows_was_told_to_fail_on_flakes() -> None:
    failure = failure_of(run(TOLD, SHELL + "Some tests are flaky\n"), END)
    assert failure.fault is Fault.FLAKY
    assert [quoted.text.strip() for quoted in failure.evidence][:2] == [
        "Flaky:      1 (passed on retry)",
        "↻ Flaky: Test lock is released (passed on attempt 2)",
    ]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("bashunit --retry 2 tests/", SHELL),  # flakes do not fail it, so that something else did
        (TOLD, SHELL.replace("38 passed, 38 total", "1 failed, 37 passed, 38 total")),  # one stays broken
        (TOLD, SHELL + "coverage is 71 %, 80 % are asked for\n"),  # something else spoke after it
        (TOLD, SHELL.replace("(passed on attempt 2)", "")),  # nothing passed in a retry
        (TOLD, SHELL + "src/lock.c:12:5: error: unknown type name 'lock_t'\n"),  # the next command does not compile
    ],
)
def test_a_count_of_flakes_excuses_nothing_else(command: str, output: str) -> None:
    assert failure_of(run(command, output), END).fault in {Fault.CODE, Fault.UNKNOWN}


def test_flakes_of_a_step_that_ended_well_excuse_no_other() -> None:
    assert failure_of(run(TOLD, SHELL), run("./check.sh", "checking\n"), END).fault in {Fault.CODE, Fault.UNKNOWN}


LIT = (
    "-- Testing: 2 tests, 16 workers --\nPASS: heron :: load.cpp (1 of 2)\nFAIL: heron :: ctor.cpp (2 of 2)\n"
    "******************** TEST 'heron :: ctor.cpp' FAILED ********************\nExit Code: 46\n--\n"
    "assertion failed: extent == 3\n--\n********************\nci: re-running failed tests (attempt 2/2)\n"
    "PASS: heron :: ctor.cpp (1 of 1)\n"
)
NAMES = "::error::flaky test detected: {} failed in attempt 1 and passed in attempt 2\n"


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (NAMES.format("ctor.cpp"), Fault.FLAKY),
        (NAMES.format("load.cpp"), Fault.CODE),
        (NAMES.format("ctor.cpp") + "src/wing.cpp:4:1: error: unknown type name 'wing'\n", Fault.CODE),
    ],
)
def test_a_job_that_names_its_flaky_tests_is_believed_when_it_names_them_all_and_ends_with_that(
    words: str, fault: Fault
) -> None:
    assert failure_of(run("ci/test.sh", LIT + words), END).fault is fault
