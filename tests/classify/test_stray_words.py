"""Words that are no failure, and downloads that were mended or lie elsewhere, explain nothing."""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.classify.denials import is_taken_back
from triage.logs import TextSource, read_log, read_tests
from triage.model import Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
RUN = "##[group]Run make all\nshell: /usr/bin/bash -e {0}\n##[endgroup]\n"
BROKE_OFF = "curl: (56) Recv failure: Connection reset by peer\n"
COMPILE_ERROR = "src/kernels/attn.cu:91:5: error: no matching function for call to 'shuffle'\n"
END = "##[error]Process completed with exit code 1.\n"


def fault_of(text: str) -> Fault:
    log = read_log(TextSource("job.log", text), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER).fault


def work(lines: int) -> str:
    return "".join(f"[{number}/900] Building CXX object src/part_{number}.cc.o\n" for number in range(lines))


def test_a_download_that_broke_off_by_itself_is_the_networks() -> None:
    assert fault_of(RUN + BROKE_OFF + END) is Fault.INFRASTRUCTURE


@pytest.mark.parametrize("between", [0, 60, 600])
def test_a_download_that_breaks_off_below_a_compile_error_excuses_nobody(between: int) -> None:
    assert fault_of(RUN + COMPILE_ERROR + work(between) + BROKE_OFF + END) is Fault.CODE


@pytest.mark.parametrize(
    "mended",
    [
        "retrying download (2/5)... ok\n",
        "Retry 1 of 3 succeeded\n",
        "fetched on the second attempt: ok on retry\n",
        "download succeeded after 2 attempts\n",
    ],
)
def test_a_download_that_was_tried_again_with_success_excuses_nobody(mended: str) -> None:
    assert fault_of(RUN + BROKE_OFF + mended + "2 errors generated.\n" + END) is not Fault.INFRASTRUCTURE


def test_a_download_that_was_tried_again_in_vain_is_still_the_networks() -> None:
    assert fault_of(RUN + BROKE_OFF + "Retry 5 of 5 did not succeed, giving up\n" + END) is Fault.INFRASTRUCTURE


@pytest.mark.parametrize(
    "line",
    [
        "INFO: Segmentation fault handler installed",
        "AssertionError: boom  # doctest: +IGNORE_EXCEPTION_DETAIL",
        "OutOfMemoryError: simulated allocation of 1 TiB refused as expected",
        "error: patch failed: a.h:12 (falling back to three-way merge)... Applied patch cleanly.",
        "E0611 leaderelection.go:330] error retrieving resource lock: context deadline exceeded (will retry)",
        "fatal: no tag exactly matches 'be9dace' (using 0.0.0+unknown)",
    ],
)
def test_a_line_that_takes_itself_back_tells_of_no_failure(line: str) -> None:
    assert is_taken_back(line)


@pytest.mark.parametrize(
    "line",
    [
        "AssertionError: the pool did not drain as expected",
        "run.sh: line 3: 4211 Segmentation fault (core dumped) ./a.out",
        "error: expected ';' after expression",
        "TypeError: f() takes 1 argument (2 given)",
        "fatal: error in handler",
    ],
)
def test_a_line_that_states_an_error_is_taken_for_one(line: str) -> None:
    assert not is_taken_back(line)


def test_words_long_before_a_stop_did_not_stop_the_job() -> None:
    stray = "TypeError: cannot read the banner\n"
    assert fault_of(RUN + stray + work(300) + "##[error]The operation was canceled.\n") is Fault.CANCELLED


def test_a_crash_right_before_a_stop_is_still_told() -> None:
    crash = "TypeError: cannot read the banner\n"
    assert fault_of(RUN + work(300) + crash + "##[error]The operation was canceled.\n") is Fault.CODE


def test_a_compile_error_is_told_although_the_job_was_stopped_much_later() -> None:
    stopped = "##[error]The operation was canceled.\n"
    assert fault_of(RUN + COMPILE_ERROR + work(300) + stopped) is Fault.CODE


GAVE_UP = "npm error code ECONNRESET\nnpm error network read ECONNRESET\n"
NOT_THERE = "sh: 1: tsc: not found\n"
THEN = "##[group]Run npm run build\nshell: /usr/bin/bash -e {0}\n##[endgroup]\n"


def test_what_is_not_there_after_an_installation_gave_up_is_the_networks() -> None:
    assert fault_of(RUN + GAVE_UP + THEN + NOT_THERE + END) is Fault.INFRASTRUCTURE


@pytest.mark.parametrize(
    "above",
    [
        "",
        GAVE_UP + "added 512 packages in 14s\n",
        GAVE_UP + "retrying (2/3)... ok\n",
    ],
)
def test_what_is_not_there_although_all_was_installed_was_never_asked_for(above: str) -> None:
    assert fault_of(RUN + above + THEN + NOT_THERE + END) in {Fault.CODE, Fault.UNKNOWN}


@pytest.mark.parametrize(
    "error",
    [
        "ImportError: cannot import name 'run' from 'engine' (/w/engine/__init__.py)\n",
        "ModuleNotFoundError: No module named 'engine.kernels'\n",
        "Error: Cannot find module './lib/new'\n",
        COMPILE_ERROR,
        NOT_THERE + "TypeError: cannot read the banner\n",
    ],
)
def test_what_no_installation_would_have_brought_is_the_authors(error: str) -> None:
    assert fault_of(RUN + GAVE_UP + THEN + error + END) in {Fault.CODE, Fault.UNKNOWN}
