"""A machine's trouble that a job outlived excuses nothing that failed after it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Failure, Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)

UNAVAILABLE = (
    "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable"
    " for url: https://huggingface.co/acme/tiny/resolve/main/config.json"
)
INDEX = "http://archive.ubuntu.com/ubuntu/dists/jammy/main/binary-amd64/Packages"
HUB_DOWN = f"""\
$ pytest tests/test_hub.py
==================================== ERRORS ====================================
______________________ ERROR at setup of test_hidden_size ______________________
E   {UNAVAILABLE}
=========================== short test summary info ============================
ERROR tests/test_hub.py::test_hidden_size - {UNAVAILABLE}
============================== 4 passed, 1 error in 2.20s =============================="""
MIRROR_DOWN = f"""\
Err:4 http://archive.ubuntu.com/ubuntu jammy/main amd64 Packages
  503  Service Unavailable [IP: 192.0.2.7 80]
E: Failed to fetch {INDEX}  503  Service Unavailable [IP: 192.0.2.7 80]"""
WORK_GOES_ON = "\n".join(f"copied plan {number} of 12 to the stage" for number in range(1, 13))
NOT_COMPILED = """\
src/walk.ts(4,3): error TS2322: Type 'Cell | undefined' is not assignable to type 'Cell'.
Found 1 error in src/walk.ts:4"""
NO_RULE_KNOWS = "FATAL: the harvest of beans does not add up: 4 sown, 5 reaped"


def judged(*outputs: str) -> Failure:
    whole = "\n".join(outputs)
    text = f"##[group]Run make all\n##[endgroup]\n{whole}\n##[error]Process completed with exit code 2.\n"
    log = read_log(TextSource("job.log", text), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER)


@pytest.mark.parametrize("trouble", [HUB_DOWN, MIRROR_DOWN])
def test_a_machines_trouble_excuses_what_it_explains(trouble: str) -> None:
    assert judged(trouble).fault is Fault.INFRASTRUCTURE
    assert judged(WORK_GOES_ON, trouble).fault is Fault.INFRASTRUCTURE


@pytest.mark.parametrize("trouble", [HUB_DOWN, MIRROR_DOWN])
def test_code_that_fails_after_it_is_still_blamed(trouble: str) -> None:
    assert judged(trouble, WORK_GOES_ON, NOT_COMPILED).fault is Fault.CODE


@pytest.mark.parametrize("trouble", [HUB_DOWN, MIRROR_DOWN])
def test_an_error_that_no_rule_knows_long_after_it_leaves_open_whose_it_is(trouble: str) -> None:
    failure = judged(trouble, WORK_GOES_ON, NO_RULE_KNOWS)

    assert failure.fault is Fault.UNKNOWN
    assert failure.evidence[0].text == NO_RULE_KNOWS


def test_errors_that_follow_at_once_are_of_the_same_trouble() -> None:
    gave_up = "ERROR: the packages of this image could not be installed\nfatal: image not built"

    assert judged(MIRROR_DOWN, gave_up).fault is Fault.INFRASTRUCTURE


def test_indented_lines_belong_to_what_stands_above_them() -> None:
    report = "\n".join(f"  {line}" for line in WORK_GOES_ON.splitlines())

    assert judged(MIRROR_DOWN, report, "ERROR: image not built").fault is Fault.INFRASTRUCTURE


def test_what_wraps_a_failure_is_no_other_failure() -> None:
    assert judged(MIRROR_DOWN, WORK_GOES_ON, "make: *** [Makefile:3: image] Error 100").fault is Fault.INFRASTRUCTURE


def test_a_trouble_of_another_kind_does_not_excuse_a_server_that_did_not_come_up() -> None:
    tests = """\
============================= test session starts ==============================
tests/test_serve.py::test_answers FAILED
=================================== FAILURES ===================================
_________________________________ test_answers _________________________________
E   RuntimeError: Engine core initialization failed. See root cause above.
=========================== short test summary info ============================
FAILED tests/test_serve.py::test_answers - RuntimeError: Engine core initialization failed. See root cause above.
============================== 1 failed in 9.20s ==============================="""

    assert judged("gpg: keyserver receive failed: No route to host", tests).fault in {Fault.CODE, Fault.UNKNOWN}


@pytest.mark.parametrize("lines_between", [4, 12])
def test_code_that_failed_before_the_trouble_is_still_blamed(lines_between: int) -> None:
    """A symptom stands below its cause: what was said above did not come of it."""
    between = "\n".join(WORK_GOES_ON.splitlines()[:lines_between])

    assert judged(NOT_COMPILED, between, MIRROR_DOWN).fault is Fault.CODE


@pytest.mark.parametrize("trouble", [HUB_DOWN, MIRROR_DOWN])
def test_a_log_that_is_torn_off_after_work_went_on_leaves_open_what_failed(trouble: str) -> None:
    whole = read_log(
        TextSource("job.log", f"##[group]Run make all\n##[endgroup]\n{trouble}\n{WORK_GOES_ON}\n"), SCANNER
    )

    failure = classify_log("job.log", replace(whole, truncated=True), read_tests(whole), RULES, SCANNER)

    assert failure.fault is Fault.UNKNOWN
