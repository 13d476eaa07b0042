"""A job that worked for long before it met a full disk may have filled it itself."""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Failure, Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
LINKER = "/usr/bin/ld: final link failed: No space left on device"


def failure_of(*lines: str) -> Failure:
    log = read_log(TextSource("job.log", "\n".join(lines) + "\n"), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER)


def build(*, minutes: int, words: str = LINKER) -> Failure:
    stamped = (
        (0, "##[group]Run make"),
        (0, "##[endgroup]"),
        (minutes, words),
        (minutes, "##[error]Process completed with exit code 2."),
    )
    return failure_of(*(f"2026-05-04T10:{minute:02}:07.0000000Z {text}" for minute, text in stamped))


def test_a_disk_that_is_full_after_a_minute_was_full_before() -> None:
    assert build(minutes=1).fault is Fault.INFRASTRUCTURE


def test_a_disk_that_is_full_after_half_an_hour_of_work_excuses_nobody() -> None:
    late = build(minutes=30)
    assert (late.fault, late.evidence[0].text) == (Fault.UNKNOWN, LINKER)
    assert late.title == "The disk is full, after the job had worked for long: it may have filled it itself"


def test_without_times_the_lines_written_stand_for_them() -> None:
    noise = [f"[INFO] module {number} was built" for number in range(2_100)]
    late = failure_of("$ mvn verify", *noise, LINKER, "Finished: FAILURE")
    early = failure_of("$ mvn verify", *noise[:100], LINKER, "Finished: FAILURE")
    assert (late.fault, early.fault) == (Fault.UNKNOWN, Fault.INFRASTRUCTURE)


@pytest.mark.parametrize(
    "words",
    [
        "./ci/pack.sh: line 12: dist/all.bin: No space left on device",
        "bash: line 3: echo: write error: No space left on device",
    ],
)
def test_a_script_that_met_a_full_disk_may_have_filled_it(words: str) -> None:
    assert build(minutes=0, words=words).fault is Fault.UNKNOWN


def test_what_a_program_raised_is_told_before_what_its_clients_felt() -> None:
    raised = failure_of(
        "##[group]Run ./serve.sh",
        "##[endgroup]",
        "Traceback (most recent call last):",
        '  File "/home/runner/work/a/a/serve.py", line 4, in main',
        "AttributeError: 'NoneType' object has no attribute 'resolve'",
        "curl: (7) Failed to connect to localhost port 8889 after 0 ms: Connection refused",
        "##[error]Process completed with exit code 7.",
    )
    assert raised.evidence[0].text.startswith("AttributeError")


def test_a_socket_s_error_is_heard_with_the_server_its_wrapper_names() -> None:
    slow = failure_of(
        "##[group]Run python scripts/prefetch.py",
        "##[endgroup]",
        "Traceback (most recent call last):",
        '  File "/opt/venv/lib/python3.12/site-packages/urllib3/connectionpool.py", line 534, in _make_request',
        "    response = conn.getresponse()",
        "TimeoutError: The read operation timed out",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "Traceback (most recent call last):",
        '  File "/w/scripts/prefetch.py", line 9, in <module>',
        '    snapshot_download("example/tiny")',
        "requests.exceptions.ReadTimeout: (ReadTimeoutError(\"HTTPSConnectionPool(host='huggingface.co', port=443): "
        'Read timed out. (read timeout=10)"))',
        "##[error]Process completed with exit code 1.",
    )
    assert slow.fault is Fault.INFRASTRUCTURE


ROOTS = "npm error Your cache folder contains root-owned files, due to a bug in previous versions of npm"


@pytest.mark.parametrize(
    ("before", "fault"),
    [
        ("npm --version", Fault.INFRASTRUCTURE),
        ("sudo apt-get install --yes libudev-dev", Fault.INFRASTRUCTURE),
        ("chmod +x ci/build.sh", Fault.INFRASTRUCTURE),
        ("sudo npm install --global pnpm", Fault.UNKNOWN),
        ("docker run --volume $HOME:/home/node node:22 npm ci", Fault.UNKNOWN),
        ("sudo chown --recursive root /home/ci/.npm", Fault.UNKNOWN),
    ],
)
def test_a_cache_of_root_excuses_nobody_once_the_job_worked_as_root(before: str, fault: Fault) -> None:
    install = ("##[group]Run npm install", "##[endgroup]", ROOTS, "##[error]Process completed with exit code 243.")
    assert failure_of(f"##[group]Run {before}", "##[endgroup]", *install).fault is fault


BUSY = (
    "E       RuntimeError: Unable to start backend 'tpu': ABORTED: The TPU is already in use by process with pid 4410."
)


@pytest.mark.parametrize(
    ("before", "fault"),
    [("", Fault.GPU_RESIDUE), ("[engine] started, pid=44101", Fault.GPU_RESIDUE), ("[engine] pid=4410", Fault.UNKNOWN)],
)
def test_a_device_that_is_held_by_a_process_of_the_job_excuses_nobody(before: str, fault: Fault) -> None:
    block = ("=== FAILURES ===", "____ test_b ____", before, BUSY, "=== short test summary info ===")
    end = ("FAILED tests/test_a.py::test_b - RuntimeError: Unable to...", "=== 1 failed in 0.91s ===")
    assert failure_of("=== test session starts ===", *block, *end, "##[error]Process completed").fault is fault


@pytest.mark.parametrize("told", ["✗ FAILED: test_b.py returned exit code 1", "Ran 0 tests in 1.201s"])
def test_a_device_that_an_earlier_program_of_a_suite_may_hold_leaves_open_whose_it_is(told: str) -> None:
    failure = failure_of(
        "Begin (1/2): python3 test_b.py", BUSY[8:], told, "##[error]Process completed with exit code 1."
    )
    assert (failure.fault, failure.evidence[0].text) == (Fault.UNKNOWN, BUSY[8:])


def test_the_exact_rule_speaks_where_a_server_met_a_full_shared_memory() -> None:
    told = "node7:20:22 [0] NCCL WARN Call to posix_fallocate failed : No space left on device"
    raised = "torch.distributed.DistBackendError: NCCL error in: ProcessGroup.cpp:3690, unhandled system error"
    failure = failure_of(
        "=== test session starts ===",
        *("tests/test_a.py::test_b", told, "FAILED", raised, "=== short test summary info ==="),
        *(
            "FAILED tests/test_a.py::test_b - RuntimeError: Process 0 exited with error code 10",
            "=== 1 failed in 9.1s ===",
        ),
        "##[error]Process completed with exit code 1.",
    )
    assert failure.rule is not None
    assert failure.rule.id == "shared-memory-full"


HELD = "ERROR: VRAM usage exceeds threshold (5%) on some GPUs:"


@pytest.mark.parametrize(
    ("before", "fault"),
    [("pip install -r requirements.txt", Fault.GPU_RESIDUE), ("pytest tests/first", Fault.UNKNOWN)],
)
def test_memory_that_a_check_found_held_may_be_of_what_the_job_ran_before(before: str, fault: Fault) -> None:
    check = ("##[group]Run ./ci/vram_clear.sh", "##[endgroup]", HELD, "##[error]Process completed with exit code 1.")
    assert failure_of(f"##[group]Run {before}", "##[endgroup]", *check).fault is fault
