"""What tests felt of a machine is the machine's when it says so itself, outside of them; and never else."""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
END = "##[error]Process completed with exit code 1.\n"
LOST = "RuntimeError: level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)"
WEDGED = "[81231.20] xe 0000:03:00.0: [drm] CRITICAL: Xe has declared device 0000:03:00.0 as wedged.\n"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\n"
GLOBAL = "[Tue] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task=it.test\n"
SMALL = "[Tue] Out of memory: Killed process 118 (it.test) total-vm:1288120kB, anon-rss:91224kB, file-rss:0kB\n"
LARGE = SMALL.replace("anon-rss:91224kB", "anon-rss:98765432kB")
OF_THE_CGROUP = GLOBAL.replace("CONSTRAINT_NONE", "CONSTRAINT_MEMCG").replace(",global_oom", "")
GO = "?   \tacme/base\t[no test files]\n=== RUN   TestA\nsignal: killed\nFAIL\tacme/it\t41.220s\n"


def run(command: str, output: str) -> str:
    return f"##[group]Run {command}\nshell: /usr/bin/bash -e {{0}}\n##[endgroup]\n{output}"


def pytest_run(*errors: str) -> str:
    lines = "".join(f"FAILED tests/test_a.py::test_{number} - {error}\n" for number, error in enumerate(errors))
    return run(
        "pytest",
        "============================= test session starts ==============================\ncollected 9 items\n\n"
        f"=========================== short test summary info ============================\n{lines}"
        f"==================== {len(errors)} failed, 3 passed in 0.10s ====================\n",
    )


def fault_of(*steps: str) -> Fault:
    log = read_log(TextSource("job.log", "".join(steps)), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER).fault


def test_a_lost_device_that_the_kernel_declares_dead_is_the_machines() -> None:
    assert fault_of(pytest_run(LOST, LOST), run("dmesg", WEDGED), END) is Fault.INFRASTRUCTURE


def test_a_lost_device_may_be_the_kernels_of_the_change() -> None:
    assert fault_of(pytest_run(LOST, LOST), END) is Fault.CODE


def test_one_test_with_an_assertion_of_its_own_is_enough_to_blame_the_code() -> None:
    assert fault_of(pytest_run(LOST, "AssertionError: 2 != 3"), run("dmesg", WEDGED), END) is Fault.CODE


def test_tests_that_never_felt_the_device_are_not_excused_by_a_dead_one() -> None:
    assert fault_of(pytest_run("KeyError: 'weight'"), run("dmesg", WEDGED), END) is Fault.CODE


def test_a_test_that_prints_the_words_of_a_dead_device_excuses_nobody() -> None:
    assert fault_of(pytest_run(f"{LOST}\n{WEDGED.rstrip()}"), END) is Fault.CODE


GTEST_CRASH = (
    "[==========] Running 1 test from 1 test suite.\n[ RUN      ] Gpu.first\n"
    "ERROR! assertGpu: 'system has unsupported display driver / cuda driver combination' (803) in GpuRuntime.h:26\n"
    "run.exe: GpuRuntime.h:26: void assertGpu(): Assertion `code == gpuSuccess' failed.\n"
)


def test_a_crash_on_a_driver_mismatch_that_the_vendors_tool_shows_is_the_machines() -> None:
    assert fault_of(run("nvidia-smi", MISMATCH), run("./gtest", GTEST_CRASH), END) is Fault.INFRASTRUCTURE


def test_a_crash_on_a_driver_mismatch_alone_is_not_excused() -> None:
    assert fault_of(run("./gtest", GTEST_CRASH), END) in {Fault.CODE, Fault.UNKNOWN}


def test_a_small_process_killed_on_a_host_without_memory_is_the_machines() -> None:
    assert fault_of(run("go test ./it", GO), END, run("dmesg", GLOBAL + SMALL)) is Fault.INFRASTRUCTURE


@pytest.mark.parametrize("kernel", [GLOBAL + LARGE, OF_THE_CGROUP + SMALL, GLOBAL, SMALL])
def test_a_process_killed_for_its_own_size_or_in_its_own_limits_is_not_excused(kernel: str) -> None:
    assert fault_of(run("go test ./it", GO), END, run("dmesg", kernel)) in {Fault.CODE, Fault.UNKNOWN}


def test_a_test_that_failed_by_itself_is_not_excused_by_a_host_without_memory() -> None:
    assert fault_of(pytest_run("AssertionError: 2 != 3"), END, run("dmesg", GLOBAL + SMALL)) is Fault.CODE


STALE = "OSError: [Errno 116] Stale file handle: '/mnt/models/9f2b1c'"
SKEWED = (
    "botocore.exceptions.ClientError: An error occurred (RequestTimeTooSkewed) when calling the GetObject operation"
)
NO_DOCKER = (
    "docker.errors.DockerException: Error while fetching server API version: "
    "('Connection aborted.', FileNotFoundError(2, 'No such file or directory'))"
)


@pytest.mark.parametrize("error", [STALE, SKEWED, NO_DOCKER])
def test_errors_that_only_a_machine_raises_speak_for_the_tests_they_failed(error: str) -> None:
    assert fault_of(pytest_run(error, error), END) is Fault.INFRASTRUCTURE
    assert fault_of(pytest_run(error, "AssertionError: 2 != 3"), END) is Fault.CODE
    assert fault_of(pytest_run(f"AssertionError: assert '{error}' == ''"), END) is Fault.CODE


def test_a_model_that_the_hub_answered_with_an_error_for_is_the_hubs() -> None:
    failed = "OSError: Can't load the configuration of 'acme/tiny'. If you were trying to load it from the hub, check"
    answer = "HTTP Error 504 thrown while requesting HEAD https://huggingface.co/acme/tiny/resolve/main/config.json\n"
    told = pytest_run(failed).replace("collected 9 items\n", f"collected 9 items\n{answer}")
    assert fault_of(told, END) is Fault.INFRASTRUCTURE
    assert fault_of(pytest_run(failed), END) is Fault.CODE


EVICTED = "[monitor] pod ci-4711 phase=Failed reason=Evicted message=The node had condition: [DiskPressure].\n"
CANCELLED = "##[error]The operation was canceled.\n"
KILLED = "##[error]Process completed with exit code 137.\n"
SESSION = "============================= test session starts ==============================\ncollected 9 items\n\n"


@pytest.mark.parametrize("end", [CANCELLED, KILLED])
def test_an_evicted_job_was_taken_its_machine(end: str) -> None:
    assert fault_of(run("./train.sh", "step 1\n"), end, run("events", EVICTED)) is Fault.INFRASTRUCTURE
    assert fault_of(run("pytest", f"{SESSION}tests/test_a.py::test_b PASSED\n{EVICTED}"), end) is Fault.INFRASTRUCTURE


def test_an_evicted_pod_explains_no_ordinary_failure() -> None:
    assert fault_of(run("./train.sh", "TypeError: a\n"), END, run("events", EVICTED)) in {Fault.CODE, Fault.UNKNOWN}


def test_a_test_that_failed_before_the_eviction_is_told() -> None:
    assert fault_of(pytest_run("AssertionError: 2 != 3"), KILLED, run("events", EVICTED)) is Fault.CODE


def test_a_kill_without_words_of_the_cluster_is_not_excused() -> None:
    assert fault_of(run("./train.sh", "step 1\n"), KILLED) is Fault.CODE


STOPPED = "##[error]Process completed with exit code 143.\n"
BROKEN_OFF = "============================= test session starts ==============================\ncollected 2 items\n\n"
RUNNING = "tests/test_a.py::test_one PASSED       [ 50%]\ntests/test_a.py::test_two \n"
SHUTDOWN = "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped.\n"


def test_who_told_a_step_to_stop_in_the_middle_of_a_test_is_not_known_from_its_exit_code() -> None:
    assert fault_of(run("pytest -v", BROKEN_OFF + RUNNING), STOPPED) is Fault.UNKNOWN
    assert fault_of(run("pytest -v", BROKEN_OFF + RUNNING), END) is Fault.CODE


def test_the_runner_may_say_who_told_it() -> None:
    assert fault_of(run("pytest -v", BROKEN_OFF + RUNNING + SHUTDOWN), STOPPED) is Fault.INFRASTRUCTURE


def test_a_test_that_failed_before_the_step_was_stopped_is_blamed() -> None:
    failed = BROKEN_OFF + "tests/test_a.py::test_one FAILED       [ 50%]\ntests/test_a.py::test_two \n"
    assert fault_of(run("pytest -v", failed), STOPPED) is Fault.CODE


NODE_LOST = "slurmstepd: error: *** STEP 71223.0 ON gpu-07 CANCELLED AT 2026-11-03T07:20:55 DUE TO NODE FAILURE ***\n"
KILLED = "build.sh: line 213:  4171 Killed                  python setup.py bdist_wheel\n"
END_KILLED = "##[error]Process completed with exit code 137.\n"


def test_a_step_that_began_after_a_node_was_lost_was_not_killed_by_that() -> None:
    assert fault_of(run("srun bench", NODE_LOST + "copied 1 of 2\n"), run("build.sh", KILLED), END_KILLED) in {
        Fault.CODE,
        Fault.UNKNOWN,
    }
    assert fault_of(run("srun build.sh", NODE_LOST + KILLED), END_KILLED) is Fault.INFRASTRUCTURE
