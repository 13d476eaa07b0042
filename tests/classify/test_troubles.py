"""What every test felt is the machine's where another command of the job proves it; and the same error alone is not."""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Failure, Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
END = "##[error]Process completed with exit code 1.\n"
BLAMED = {Fault.CODE, Fault.UNKNOWN}


def run(command: str, output: str, *env: str) -> str:
    given = "env:\n" + "".join(f"  {line}\n" for line in env) if env else ""
    return f"##[group]Run {command}\n{command}\nshell: /usr/bin/bash -e {{0}}\n{given}##[endgroup]\n{output}"


def failure_of(*steps: str) -> Failure:
    log = read_log(TextSource("job.log", "".join(steps)), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER)


def fault_of(*steps: str) -> Fault:
    return failure_of(*steps).fault


def quoted(failure: Failure) -> str:
    return "\n".join(piece.text for piece in failure.evidence)


def pytest_run(*errors: str, status: str = "FAILED") -> str:
    """A run of pytest that tells of each error in its summary only."""
    lines = "".join(f"{status} tests/test_a.py::test_{number} - {error}\n" for number, error in enumerate(errors))
    return run(
        "pytest",
        "============================= test session starts ==============================\ncollected 9 items\n\n"
        f"=========================== short test summary info ============================\n{lines}"
        f"==================== {len(errors)} failed, 3 passed in 0.10s ====================\n",
    )


# A lost device, felt in a launch

LAUNCH = "torch.AcceleratorError: CUDA error: unspecified launch failure"
XID_79 = "[8213.5] NVRM: Xid (PCI:0000:41:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
NO_HANDLE = "Unable to determine the device handle for GPU0: 0000:41:00.0: Unknown Error\n"
XID_13 = "[8190.1] NVRM: Xid (PCI:0000:41:00): 13, pid=7001, name=python, Graphics SM Warp Exception: Out Of Range\n"


@pytest.mark.parametrize("said", [XID_79, NO_HANDLE])
def test_launches_that_failed_on_a_gpu_that_fell_off_the_bus_are_the_machines(said: str) -> None:
    failure = failure_of(pytest_run(LAUNCH, LAUNCH), END, run("sudo dmesg | tail", said))
    assert failure.fault is Fault.INFRASTRUCTURE
    assert said.strip() in quoted(failure)


def test_tests_after_the_one_that_met_a_lost_gpu_find_no_device() -> None:
    met, after = "RuntimeError: copying back: unknown error (999)", "RuntimeError: CUDA_ERROR_NO_DEVICE (100)"
    assert failure_of(pytest_run(met, after), END, run("sudo dmesg | tail", XID_79)).fault is Fault.INFRASTRUCTURE
    assert fault_of(pytest_run(met, after), END) in BLAMED
    assert fault_of(pytest_run(met, after), END, run("sudo dmesg | tail", XID_13 + XID_79)) in BLAMED


def test_launches_that_failed_may_be_the_kernels_of_the_change() -> None:
    assert fault_of(pytest_run(LAUNCH, LAUNCH), END) in BLAMED


def test_a_driver_that_wrote_down_an_access_out_of_range_excuses_no_launch() -> None:
    assert fault_of(pytest_run(LAUNCH), END, run("sudo dmesg | tail", XID_13 + XID_79)) in BLAMED


@pytest.mark.parametrize("other", ["AssertionError: 2 != 3", "KeyError: 'scale'", "RuntimeError: shapes differ"])
def test_one_test_that_failed_of_something_else_is_blamed(other: str) -> None:
    assert fault_of(pytest_run(LAUNCH, other), END, run("sudo dmesg | tail", XID_79)) is Fault.CODE


def test_a_check_of_the_very_words_is_the_tests_own() -> None:
    checked = f"AssertionError: expected 'ok' but got '{LAUNCH}'"
    assert fault_of(pytest_run(checked), END, run("sudo dmesg | tail", XID_79)) is Fault.CODE


# No device to be seen

NONE_SEEN = "RuntimeError: HIP error: no ROCm-capable device is detected"
SAMPLE = (
    'checkHipErrors() HIP API error = 0100 "no ROCm-capable device is detected" from file <hipInfo.cpp>, line 181.\n'
)


def test_that_no_program_sees_a_gpu_does_not_say_whose_doing_it_is() -> None:
    failure = failure_of(run("hipInfo.exe", SAMPLE), pytest_run(NONE_SEEN, NONE_SEEN), END)
    assert failure.fault is Fault.UNKNOWN
    assert SAMPLE.strip() in quoted(failure)


# A runtime's own words on a broken device, among the output of tests

SYNC = "RuntimeError: ACL stream synchronize failed"
HEARTBEAT = "Device[1] lost heartbeat.[FUNC:SyncTask][FILE:direct_hwts_engine.cc][LINE:407]\n"
KFD = "ROCk module is loaded\nUnable to open /dev/kfd read-write: Invalid argument\n"
LOST = "RuntimeError: level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)"
WEDGED = "[81231.207781] xe 0000:03:00.0: [drm] device wedged, needs recovery\n"
CAME_BACK = "[81231.207781] xe 0000:03:00.0: [drm] device wedged, but recovered through reset\n"


def said_in_tests(said: str, *errors: str) -> str:
    """A run of pytest among whose output `said` stands."""
    return pytest_run(*errors).replace("collected 9 items\n", f"collected 9 items\n{said}")


@pytest.mark.parametrize(
    ("error", "said"),
    [(SYNC, HEARTBEAT), ("AssertionError: hipErrorNoDevice", KFD)],
)
def test_a_device_that_its_runtime_calls_broken_excuses_tests_that_felt_it(error: str, said: str) -> None:
    failure = failure_of(said_in_tests(said, error), END)
    assert failure.fault is Fault.INFRASTRUCTURE
    assert said.splitlines()[-1] in quoted(failure)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (SYNC, ""),
        ("AssertionError: hipErrorNoDevice", ""),
        (LOST, WEDGED),
        (LOST, XID_79),
        ("AssertionError: expected hipSuccess but got hipErrorNoDevice", KFD),
        ("AssertionError: tensors differ", HEARTBEAT),
        ("RuntimeError: npu kernel wrote 3 rows too many", HEARTBEAT),
    ],
)
def test_without_the_runtimes_words_or_of_another_error_tests_are_blamed(error: str, said: str) -> None:
    assert fault_of(said_in_tests(said, error), END) in BLAMED


@pytest.mark.parametrize(("said", "fault"), [(WEDGED, Fault.INFRASTRUCTURE), (CAME_BACK, Fault.CODE)])
def test_a_wedged_device_that_came_back_by_its_reset_was_hung_by_a_kernel(said: str, fault: Fault) -> None:
    assert fault_of(pytest_run(LOST), END, run("sudo dmesg | tail", said)) is fault


def test_a_test_that_failed_of_its_own_beside_a_lost_heartbeat_is_blamed() -> None:
    assert fault_of(said_in_tests(HEARTBEAT, SYNC, "KeyError: 'scale'"), END) is Fault.CODE


# A device that is there and broken, and a program that says only that it sees none

NOT_READY = "UserWarning: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized\n"
UNSEEN = "RuntimeError: No CUDA GPUs are available\n"


def test_a_gpu_that_the_driver_did_not_start_is_why_the_program_sees_none() -> None:
    failure = failure_of(run("nvidia-smi -L", NOT_READY), run("python bench.py", UNSEEN), END)
    assert failure.fault is Fault.INFRASTRUCTURE
    assert NOT_READY.strip() in quoted(failure)


def test_a_program_that_sees_no_gpu_on_a_machine_that_may_have_none_is_looked_at() -> None:
    told = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
    assert fault_of(run("nvidia-smi || true", told), run("python bench.py", UNSEEN), END) in BLAMED
    assert fault_of(run("python bench.py", UNSEEN), END) in BLAMED
    back = NOT_READY + "GPU reset done, all devices are back\nGPU was reset\n"
    assert fault_of(run("nvidia-smi -L", back), run("python bench.py", UNSEEN), END) in BLAMED


NO_NEURON = "2026-May-02 10:00:07.0606  28:28  ERROR  NRT:nrt_init  Unable to determine Neuron Driver version.\n"


@pytest.mark.parametrize(
    "below",
    [
        "Compiler status PASS\nTraceback (most recent call last):\nValueError: shape (3, 4) is not (4, 3)\n",
        "built 41 graphs\nsrc/graph.py:41: error: Incompatible types in assignment\n",
    ],
)
def test_a_driver_that_a_compiler_does_without_excuses_no_error_below(below: str) -> None:
    assert fault_of(run("python compile.py", NO_NEURON + below), END) in BLAMED
    assert fault_of(run("python compile.py", NO_NEURON), pytest_run("AssertionError: 2 != 3"), END) is Fault.CODE


@pytest.mark.parametrize("error", ["RuntimeError: No XPU devices are available.", NONE_SEEN])
def test_tests_that_see_no_device_at_all_leave_open_whose_doing_it_is(error: str) -> None:
    assert fault_of(pytest_run(error, error), END) is Fault.UNKNOWN
    assert fault_of(pytest_run(error, "AssertionError: 2 != 3"), END) is Fault.CODE


def test_a_device_of_a_wrong_number_is_the_tests_mistake() -> None:
    assert fault_of(pytest_run("RuntimeError: CUDA error: invalid device ordinal"), END) is Fault.CODE


# Names that do not resolve

AGAIN = "socket.gaierror: getaddrinfo EAI_AGAIN downloads.acme-models.org"
UPLOAD = run("curl -sSO https://github.com/acme/kit/releases/x", "curl: (6) Could not resolve host: github.com\n")
UPLOAD_FAILED = UPLOAD + "##[error]Process completed with exit code 6.\n"


def test_names_that_resolve_in_no_other_step_either_are_the_machines() -> None:
    failure = failure_of(pytest_run(AGAIN, AGAIN), END, UPLOAD_FAILED)
    assert failure.fault is Fault.INFRASTRUCTURE
    assert "EAI_AGAIN" in quoted(failure)
    assert "Could not resolve host: github.com" in quoted(failure)


def test_a_name_that_only_the_tests_cannot_resolve_is_blamed() -> None:
    assert fault_of(pytest_run(AGAIN, AGAIN), END) in BLAMED


def test_words_on_names_that_nobody_minded_excuse_no_test() -> None:
    # A job that is kept from the network always says so somewhere; a test that now wants the network is the change's.
    assert fault_of(UPLOAD, pytest_run(AGAIN), END) in BLAMED


def test_a_service_of_the_jobs_own_is_no_name_of_the_world() -> None:
    assert fault_of(pytest_run("socket.gaierror: getaddrinfo ENOTFOUND redis"), END, UPLOAD_FAILED) in BLAMED
    assert fault_of(pytest_run("Error: getaddrinfo ENOTFOUND redis.svc.local"), END, UPLOAD_FAILED) in BLAMED


# A server that was never started

REFUSED = "ConnectionError: HTTPConnectionPool(host='127.0.0.1', port=9042): Max retries exceeded with url: /ready"
LIMIT = "Error response from daemon: toomanyrequests: You have reached your unauthenticated pull rate limit.\n"
PODS = "".join(f"default   ledger-{number}   0/1   Pending   0   40s\n" for number in range(40))
MAKE_FAILED = "make: *** [Makefile:12: up] Error 1\n##[error]Process completed with exit code 2.\n"


def test_a_server_whose_image_was_not_given_is_missing_by_the_registry() -> None:
    failure = failure_of(run("make up", LIMIT + PODS + MAKE_FAILED), pytest_run(REFUSED, REFUSED), END)
    assert failure.fault is Fault.INFRASTRUCTURE
    assert "toomanyrequests" in quoted(failure)


@pytest.mark.parametrize(
    "said",
    [
        LIMIT + PODS,  # nobody minded
        LIMIT + "Status: Downloaded newer image for acme/ledger:3\n" + PODS + MAKE_FAILED,
        LIMIT + PODS + "Error: values.yaml: key 'replicas' is no number\n" + MAKE_FAILED,
        PODS + MAKE_FAILED,
    ],
)
def test_a_server_that_did_not_start_for_another_reason_is_looked_at(said: str) -> None:
    assert fault_of(run("make up", said), pytest_run(REFUSED, REFUSED), END) in BLAMED


def test_a_check_that_failed_beside_tests_without_their_server_is_blamed() -> None:
    tests = pytest_run(REFUSED, "AssertionError: assert 3 == 4")
    assert fault_of(run("make up", LIMIT + MAKE_FAILED), tests, END) in BLAMED


# A browser that is not there

MISSING = "Error: BrowserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium-1140/chrome"
BROKE_OFF = (
    "Error: Download failed: server returned code 503 body ''. URL: https://cdn.playwright.dev/builds/chromium.zip\n"
    "Failed to install browsers\nError: Failed to download Chromium 130.0 (playwright build v1140), caused by\n"
)
INSTALLED = "Chromium 130.0 (playwright build v1140) downloaded to /root/.cache/ms-playwright/chromium-1140\n"


def test_a_browser_whose_download_broke_off_is_not_the_tests() -> None:
    failure = failure_of(run("playwright install || true", BROKE_OFF), pytest_run(MISSING, MISSING), END)
    assert failure.fault is Fault.INFRASTRUCTURE
    assert "503" in quoted(failure)


def test_a_browser_that_nobody_tried_to_download_is_missing_by_the_change() -> None:
    assert fault_of(pytest_run(MISSING, MISSING), END) is Fault.CODE


def test_a_browser_that_another_mirror_gave_is_missing_for_another_reason() -> None:
    assert fault_of(run("playwright install", BROKE_OFF + INSTALLED), pytest_run(MISSING), END) is Fault.CODE


def test_a_browser_that_no_server_has_is_the_changes() -> None:
    gone = BROKE_OFF.replace("503", "404")
    assert fault_of(run("playwright install || true", gone), pytest_run(MISSING), END) is Fault.CODE


# Errors that the summary cuts off

FULL = (
    "================================== FAILURES ====================================\n"
    "_____________________________ test_a[half-128-128] _____________________________\n"
    "tests/test_a.py:19: in test_a\n    x = make(device)\n"
    "E   RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 803: {error}\n"
    "=========================== short test summary info ============================\n"
    "FAILED tests/test_a.py::test_a[half-128-128] - RuntimeError: Unexpected error from cudaG...\n"
    "FAILED tests/test_b.py::test_b - {other}\n2 failed in 9.80s\n"
)
MISMATCH = "system has unsupported display driver / cuda driver combination"
NVML = "Failed to initialize NVML: Driver/library version mismatch\n"


def test_an_error_cut_off_is_the_one_that_stands_in_full() -> None:
    told = FULL.format(error=MISMATCH, other="RuntimeError: Unexpected error from cudaG...")
    failure = failure_of(run("nvidia-smi || true", NVML), run("pytest -q", "FF [100%]\n" + told), END)
    assert failure.fault is Fault.INFRASTRUCTURE
    assert NVML.strip() in quoted(failure)
    assert MISMATCH in quoted(failure)


@pytest.mark.parametrize(
    "other", ["RuntimeError: shape '[2, 3]' is inval...", "AssertionError: Tensors are n...", "R..."]
)
def test_an_error_cut_off_that_begins_otherwise_is_its_own(other: str) -> None:
    told = FULL.format(error=MISMATCH, other=other)
    assert fault_of(run("nvidia-smi || true", NVML), run("pytest -q", "FF [100%]\n" + told), END) is Fault.CODE


# A full disk

ENOSPC = "OSError: [Errno 28] No space left on device: '/tmp/pytest-of-ci/pytest-0'"
FULL_ROW = "/dev/nvme0n1p1  484G  484G   12M 100% /\n"
DF = run("df -h /", "Filesystem      Size  Used Avail Use% Mounted on\n" + FULL_ROW)
CHECKOUT = run("actions/checkout@v5", "HEAD is now at 1a2b3c4\n")


def test_a_disk_that_was_full_before_the_job_ran_anything_is_shown() -> None:
    failure = failure_of(CHECKOUT, DF, pytest_run(ENOSPC, ENOSPC, status="ERROR"), END)
    assert failure.fault is Fault.INFRASTRUCTURE
    assert FULL_ROW.strip() in quoted(failure)


def test_a_disk_that_was_full_only_after_a_build_is_not_shown_as_proof() -> None:
    failure = failure_of(CHECKOUT, run("make", "ok\n"), DF, pytest_run(ENOSPC, status="ERROR"), END)
    assert FULL_ROW.strip() not in quoted(failure)


# Tests that were never built

GONE = "ERROR: /w/net/BUILD:14:11: Compiling net/dial.cc failed: (Exit 34): UNAVAILABLE: io exception\n"
COMPILER = "ERROR: /w/net/BUILD:30:11: Compiling net/retry.cc failed: (Exit 1): gcc failed: error executing command\n"
TARGETS = (
    "ERROR: Build did NOT complete successfully\n//base:fmt_test          (cached) PASSED in 0.4s\n"
    "//net:dial_test          FAILED TO BUILD\nExecuted 5 out of 9 tests: 5 tests pass and 1 fails to build.\n"
)


def test_a_build_that_lost_its_remote_server_fails_no_test() -> None:
    failure = failure_of(run("bazel test //...", GONE + TARGETS), END)
    assert failure.fault is Fault.INFRASTRUCTURE
    assert "(Exit 34)" in quoted(failure)


@pytest.mark.parametrize("said", [COMPILER, GONE + COMPILER, GONE + "x\n" * 60 + COMPILER, ""])
def test_a_build_that_the_compiler_ended_is_the_changes(said: str) -> None:
    assert fault_of(run("bazel test //...", said + TARGETS), END) in BLAMED


def test_a_test_that_failed_beside_one_that_was_not_built_is_blamed() -> None:
    targets = TARGETS.replace("//base:fmt_test          (cached) PASSED", "//base:fmt_test          FAILED")
    assert fault_of(run("bazel test //...", GONE + targets), END) is Fault.CODE


# Scripts that report on other jobs

NEEDS = 'NEEDS: {"lint":{"result":"success","outputs":{}},"gpu-unit":{"result":"failure","outputs":{}}}'


def dies(error: str) -> str:
    return (
        f'Traceback (most recent call last):\n  File "/w/relay/ci/gate.py", line 31, in <module>\n    main()\n{error}\n'
    )


@pytest.mark.parametrize(
    "error",
    [
        "AssertionError: required job 'gpu-unit' finished with result 'failure'",
        "RuntimeError: gpu-unit failed",
        "Exception: not all jobs succeeded: 1 failed",
    ],
)
def test_a_script_that_dies_of_another_jobs_result_only_reports_it(error: str) -> None:
    failure = failure_of(run("python ci/gate.py", dies(error), NEEDS), END)
    assert (failure.fault, failure.roots) == (Fault.CASCADE, ("gpu-unit",))


@pytest.mark.parametrize("error", ["KeyError: 'gpu-unit'", "ValueError: parsing the report failed", "TypeError: x"])
def test_a_script_that_dies_of_its_own_mistake_does_not(error: str) -> None:
    assert fault_of(run("python ci/gate.py", dies(error), NEEDS), END) is Fault.CODE


def test_a_script_that_was_given_no_results_does_not_report() -> None:
    error = dies("AssertionError: required job 'gpu-unit' finished with result 'failure'")
    assert fault_of(run("python ci/gate.py", error), END) in BLAMED
    assert fault_of(run("python ci/gate.py", error, NEEDS.replace("failure", "success")), END) in BLAMED


# An NPU that does not start

NOT_STARTED = (
    "(EngineCore pid=412) RuntimeError: NPU function error: c10_npu::SetDevice(device_id_), error code is 507033\n"
    "[ERROR] 2026-02-19-11:14:58 (PID:412, Device:0, RankID:-1) ERR00100 PTA call acl api failed\n"
    "[Error]: Failed to start the device.\n"
)
OPERATOR = (
    "(EngineCore pid=412) RuntimeError: NPU function error: call aclnnAdd failed, error code is 561002\n"
    "[ERROR] 2026-02-19-11:14:58 (PID:412, Device:0, RankID:-1) ERR00100 PTA call acl api failed\n"
)


@pytest.mark.parametrize(("said", "fault"), [(NOT_STARTED, Fault.INFRASTRUCTURE), (OPERATOR, Fault.CODE)])
def test_what_a_library_adds_to_an_npu_that_does_not_start_blames_no_kernel(said: str, fault: Fault) -> None:
    missed = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"
    tests = "".join(f"FAILED tests/test_a.py::test_{number} - {missed}\n" for number in range(2))
    session = (
        f"============ test session starts ============\n{said}{tests}============ 2 failed in 9.10s ============\n"
    )
    assert fault_of(run("pytest", session), END) is fault
