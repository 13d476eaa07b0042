"""Which errors of a test speak of a machine: never its comparisons, and a fixture's downloads only before it ran."""

from __future__ import annotations

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
SESSION = "============================= test session starts ==============================\n"
END = "##[error]Process completed with exit code 1.\n"


def fault_of(text: str) -> Fault:
    log = read_log(TextSource("job.log", text), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER).fault


def pytest_failure(kind: str, name: str, error: str) -> str:
    heading = f" ERROR at setup of {name} " if kind == "ERROR" else f" {name} "
    return (
        "##[group]Run pytest\n##[endgroup]\n"
        f"{SESSION}collected 2 items\n\n"
        f"=================================== {kind}S ===================================\n"
        f"{heading.center(80, '_')}\n    def body():\n>       check()\nE   {error}\n\ntests/test_a.py:4: Error\n"
        "=========================== short test summary info ============================\n"
        f"{kind} tests/test_a.py::{name} - {error}\n"
        f"==================== 1 {'error' if kind == 'ERROR' else 'failed'}, 1 passed in 0.10s ====================\n"
        f"{END}"
    )


def test_an_assertion_about_the_words_of_a_full_disk_is_the_authors() -> None:
    error = "AssertionError: assert 'OSError: [Errno 28] No space left on device' == 'disk full'"
    assert fault_of(pytest_failure("FAILED", "test_reports_full_disk", error)) is Fault.CODE


FULL = "OSError: [Errno 28] No space left on device"


def test_a_full_disk_that_only_a_test_met_may_be_that_tests_doing() -> None:
    assert fault_of(pytest_failure("FAILED", "test_writes", FULL)) is Fault.CODE


def test_a_full_disk_that_a_fixture_met_is_the_machines() -> None:
    assert fault_of(pytest_failure("ERROR", "test_reads", FULL)) is Fault.INFRASTRUCTURE


BROKE_OFF = (
    "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='data.acme-ml.net', port=443): "
    "Read timed out. (read timeout=2)"
)
REFUSED = "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: https://data.acme-ml.net/v1/m"


def test_a_fixture_whose_download_breaks_off_is_not_the_authors() -> None:
    assert fault_of(pytest_failure("ERROR", "test_m", BROKE_OFF)) is Fault.INFRASTRUCTURE


def test_a_test_whose_own_request_breaks_off_excuses_nobody() -> None:
    assert fault_of(pytest_failure("FAILED", "test_m", BROKE_OFF)) is Fault.CODE


def test_a_status_that_a_fixture_could_have_mocked_excuses_nobody() -> None:
    assert fault_of(pytest_failure("ERROR", "test_m", REFUSED)) is Fault.CODE


def test_a_panic_that_compares_texts_is_the_authors() -> None:
    text = (
        "##[group]Run cargo test\n##[endgroup]\nrunning 1 test\ntest maps_full_disk ... FAILED\n\nfailures:\n\n"
        "---- maps_full_disk stdout ----\nthread 'maps_full_disk' panicked at src/lib.rs:4:5:\n"
        'assertion `left == right` failed\n  left: "No space left on device (os error 28)"\n right: "disk full"\n\n'
        "failures:\n    maps_full_disk\n\n"
        "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n" + END
    )
    assert fault_of(text) is Fault.CODE


def test_a_script_that_loads_data_is_excused_where_a_test_script_is_not() -> None:
    traceback = (
        "##[group]Run python {script}\n##[endgroup]\nTraceback (most recent call last):\n"
        '  File "/home/runner/work/a/a/{script}", line 2, in <module>\n    read()\n'
        "http.client.IncompleteRead: IncompleteRead(3000 bytes read, 997000 more expected)\n" + END
    )
    assert fault_of(traceback.format(script="fetch.py")) is Fault.INFRASTRUCTURE
    assert fault_of(traceback.format(script="test_reader.py")) is Fault.CODE
