"""What a vendor's tool showed before the job ran anything tells whose memory it was; what it showed later does not."""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
NVIDIA = (
    "| NVIDIA-SMI 570.133.20   Driver Version: 570.133.20   CUDA Version: 12.8 |\n"
    "| N/A   40C    P0    104W /  700W |    64102MiB /  81559MiB |      0%      Default |\n"
)
NVIDIA_FREE = NVIDIA.replace("64102MiB", "    4MiB")
NVIDIA_APPS = "pid, process_name, used_gpu_memory [MiB]\n88120, ffmpeg, 6122 MiB\n90177, ffmpeg, 2412 MiB\n"
ROCM = (
    "============================ ROCm System Management Interface ============================\n"
    "GPU[0]\t\t: GPU Memory Allocated (VRAM%): 0\nGPU[1]\t\t: GPU Memory Allocated (VRAM%): 93\n"
)
NPU = (
    "| npu-smi 24.1.0                  Version: 24.1.0                                    |\n"
    "| 0     910B3    | OK     | 93.2    44    0    / 0    |\n"
    "| 0              | 0000:C1:00.0  | 0    0    / 0    60112/ 65536         |\n"
)
UNBALANCED = "RuntimeError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes.\n"
BARE = "[h264_nvenc @ 0x5618] OpenEncodeSessionEx failed: out of memory (10): (no details)\n"
TOO_LITTLE = "ValueError: Free memory on device cuda:0 (15.65/79.18 GiB) on startup is less than desired GPU memory\n"
UNLISTED = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.18 GiB "
    "of which 1.20 GiB is free. Including non-PyTorch memory, this process has 6.00 GiB memory in use.\n"
)
TOO_MUCH = UNLISTED.replace("allocate 2.00 GiB", "allocate 96.00 GiB")
END = "##[error]Process completed with exit code 1.\n"


def run(command: str, output: str) -> str:
    return f"##[group]Run {command}\nshell: /usr/bin/bash -e {{0}}\n##[endgroup]\n{output}"


def fault_of(*steps: str) -> Fault:
    text = "".join(steps) + END
    log = read_log(TextSource("job.log", text), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER).fault


NVIDIA_QUERY = "index, name, memory.used [MiB], memory.total [MiB]\n0, NVIDIA H200, 130011 MiB, 143771 MiB\n"
NPU_PROCESSES = (
    "| npu-smi 24.1.0                  Version: 24.1.0                                    |\n"
    "| 0       0                 | 3918122       | python3.11               | 59873                   |\n"
)
NPU_PROCESSES_ALONE = (
    "| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |\n"
    "| 0       0                 | 3918122       | python3.11               | 59873                   |\n"
)
NPU_PROCESS_ROWS = (
    "NPU ID                         : 0\n"
    "Process id:3918122              Process name:python3.11     Process memory(MB):59873\n"
)
XPU = "| Device ID | 0 |\n| GPU Memory Used (MiB) | 60112 |\n"

XPU_PS = "PID    Command    DeviceID    SHR    MEM\n90211    python3    0    0    41871244\n"
XPU_DUMP = "Timestamp, DeviceId, GPU Memory Used (MiB)\n21:10:41.000,    0, 41511.80\n"
ROCM_VRAM = "GPU[0]\t\t: VRAM Total Memory (B): 206141652992\nGPU[0]\t\t: VRAM Total Used Memory (B): 191792363520\n"
AMD = "GPU: 0\n    MEM_USAGE:\n        TOTAL_VRAM: 196592 MB\n        USED_VRAM: 150233 MB\n"
GAUDI = (
    "| HL-SMI Version:                              hl-1.22.1-fw-61.4.2.1          |\n"
    "| N/A   34C   N/A   221W / 600W |  95389MiB / 98304MiB |     0%           N/A |\n"
)
NVIDIA_PROCESSES = (
    "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n"
    "|    0   N/A  N/A           90211      C   python3                              71330MiB |\n"
)
MUSA = "mthreads-gmi:1.14.0    Driver Version:2.7.0\n| 0    MTT S4000  | 61% | 40123MiB(49152MiB) |\n"


@pytest.mark.parametrize(
    "table",
    [
        *(NVIDIA, NVIDIA_APPS, NVIDIA_QUERY, NVIDIA_PROCESSES, ROCM, ROCM_VRAM, AMD, NPU, NPU_PROCESSES),
        *(NPU_PROCESSES_ALONE, NPU_PROCESS_ROWS, XPU, XPU_PS, XPU_DUMP, GAUDI, MUSA),
    ],
)
@pytest.mark.parametrize("error", [UNBALANCED, BARE, TOO_LITTLE, UNLISTED])
def test_memory_held_before_the_job_began_is_residue(table: str, error: str) -> None:
    assert fault_of(run("smi", table), run("./first_pixel", error)) is Fault.GPU_RESIDUE


def test_the_name_of_a_repository_starts_no_server() -> None:
    checkout = "##[group]Run actions/checkout@v4\nwith:\n  repository: acme/serve\n  ref: server\n##[endgroup]\n"
    assert fault_of(checkout, run("smi", NVIDIA), run("./first_pixel", BARE)) is Fault.GPU_RESIDUE


@pytest.mark.parametrize("error", [UNBALANCED, BARE, TOO_LITTLE, UNLISTED])
def test_a_device_that_was_free_excuses_nobody(error: str) -> None:
    assert fault_of(run("smi", NVIDIA_FREE), run("./first_pixel", error)) in {Fault.CODE, Fault.UNKNOWN}


@pytest.mark.parametrize("error", [UNBALANCED, BARE, TOO_LITTLE, UNLISTED])
@pytest.mark.parametrize(
    "command",
    [
        "pytest tests/unit",
        "nohup ./engine serve",
        "python3 -m engine.api",
        "docker run -d engine",
        "go test ./...",
        "./a &",
    ],
)
def test_memory_held_after_the_job_had_run_something_may_be_its_own(command: str, error: str) -> None:
    steps = (run(command, "done\n"), run("smi", NVIDIA), run("./first_pixel", error))
    assert fault_of(*steps) in {Fault.CODE, Fault.UNKNOWN}


def test_too_little_memory_for_the_first_program_of_a_job_is_residue() -> None:
    assert fault_of(run("./install.sh", "done\n"), run("pytest tests", TOO_LITTLE)) is Fault.GPU_RESIDUE


@pytest.mark.parametrize(
    "before",
    [
        "tests/test_a.py::test_b PASSED [ 10%]\n",
        "INFO Starting to load model acme/tiny\n",
        "INFO GPU KV cache size: 81,920 tokens\n",
    ],
)
def test_too_little_memory_after_an_own_program_had_begun_may_be_its_own(before: str) -> None:
    assert fault_of(run("pytest tests", before + TOO_LITTLE)) is Fault.CODE


def test_a_table_that_was_printed_after_the_error_excuses_nobody() -> None:
    assert fault_of(run("./first_pixel", UNBALANCED + NVIDIA)) in {Fault.CODE, Fault.UNKNOWN}


def test_the_last_table_before_the_job_counts() -> None:
    steps = (run("smi", NVIDIA), run("./reset.sh", NVIDIA_FREE), run("./first_pixel", UNBALANCED))
    assert fault_of(*steps) in {Fault.CODE, Fault.UNKNOWN}


def test_a_request_that_no_device_could_meet_is_the_codes() -> None:
    assert fault_of(run("smi", NVIDIA), run("./first_pixel", TOO_MUCH)) is Fault.CODE


@pytest.mark.parametrize(
    "error",
    [
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n",
        "fatal error: out of memory\n",
    ],
)
def test_memory_of_the_host_is_not_the_devices(error: str) -> None:
    assert fault_of(run("smi", NVIDIA), run("./first_pixel", error)) in {Fault.CODE, Fault.UNKNOWN}


def test_a_server_that_did_not_come_up_for_want_of_memory_tells_why() -> None:
    tests = (
        "============================= test session starts ==============================\ncollected 1 item\n\n"
        f"(EngineCore pid=21) ERROR [core.py:9] {TOO_LITTLE}"
        "FAILED tests/test_a.py::test_b - RuntimeError: Engine core initialization failed. See root cause above.\n"
        "=========================== 1 failed in 9.10s ============================\n"
    )
    assert fault_of(run("smi", NVIDIA), run("pytest tests", tests)) is Fault.GPU_RESIDUE
    assert fault_of(run("smi", NVIDIA_FREE), run("pytest tests", tests)) is Fault.CODE


ROWS = "GPU[0]\t\t: GPU Memory Allocated (VRAM%): 99\nGPU[1]\t\t: GPU Memory Allocated (VRAM%): 0\n"
EMPTIED = ROWS.replace("99", "0")
NOTHING_OF_ITS_OWN = (
    "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 6.50 GiB. GPU 0 has a total capacity of 251.98 GiB "
    "of which 1.59 GiB is free. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved\n"
)
MUCH_IS_FREE = NOTHING_OF_ITS_OWN.replace("1.59 GiB is free", "240.10 GiB is free")


def test_rows_without_a_heading_say_whose_memory_it_was() -> None:
    assert fault_of(run("rocm-smi", ROWS), run("./bench", NOTHING_OF_ITS_OWN)) is Fault.GPU_RESIDUE


def test_the_last_row_of_a_device_counts() -> None:
    assert fault_of(run("rocm-smi", ROWS + EMPTIED), run("./bench", NOTHING_OF_ITS_OWN)) in {Fault.CODE, Fault.UNKNOWN}


def test_memory_held_of_another_device_does_not_explain_one_that_is_free() -> None:
    assert fault_of(run("rocm-smi", ROWS), run("./bench", MUCH_IS_FREE)) in {Fault.CODE, Fault.UNKNOWN}


def test_rows_after_a_test_began_prove_nothing() -> None:
    steps = run("python tests/run_all.py", "test 1\n"), run("rocm-smi", ROWS), run("./bench", NOTHING_OF_ITS_OWN)
    assert fault_of(*steps) in {Fault.CODE, Fault.UNKNOWN}


STARTUP = (
    "ValueError: Free memory on device (17.1/22.0 GiB) on startup is less than desired GPU memory utilization (0.9, "
    "19.8 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.\n"
)
PASSED = "tests/test_a.py::test_b PASSED [ 10%]\n"


@pytest.mark.parametrize(
    ("held", "error", "fault"),
    [
        ("5010MiB / 22528MiB", STARTUP, Fault.GPU_RESIDUE),
        ("1010MiB / 22528MiB", STARTUP, Fault.CODE),  # the rest came after it
        ("5010MiB / 22528MiB", STARTUP.replace("0.9, 19.8", "1.0, 22.1"), Fault.CODE),  # too much for a free one, too
    ],
)
def test_a_little_that_was_held_before_is_residue_where_it_is_just_what_is_missing(
    held: str, error: str, fault: Fault
) -> None:
    table = NVIDIA.replace("64102MiB /  81559MiB", held)
    assert fault_of(run("smi", table), run("pytest tests", PASSED + error)) is fault


@pytest.mark.parametrize("table", [NVIDIA, NVIDIA_PROCESSES, NVIDIA_QUERY])
def test_what_the_first_command_of_a_step_shows_was_there_before_the_next(table: str) -> None:
    step = f"##[group]Run nvidia-smi\nnvidia-smi\npytest tests\nshell: /usr/bin/bash -e {{0}}\n##[endgroup]\n{table}"
    assert fault_of(step + "collecting the tests\n" + BARE) is Fault.GPU_RESIDUE


def test_what_a_later_command_of_a_step_shows_may_be_of_the_one_before() -> None:
    step = "##[group]Run ./serve &\n./serve &\nnvidia-smi\nshell: /usr/bin/bash -e {0}\n##[endgroup]\n"
    assert fault_of(step + NVIDIA + BARE) is not Fault.GPU_RESIDUE


def test_a_look_below_other_output_of_the_step_proves_nothing() -> None:
    step = "##[group]Run nvidia-smi\nnvidia-smi\n./serve &\nnvidia-smi\nshell: /usr/bin/bash -e {0}\n##[endgroup]\n"
    assert fault_of(step + NVIDIA_FREE + "loading the model\n" + NVIDIA + BARE) is not Fault.GPU_RESIDUE


def test_a_version_of_python_that_is_asked_for_runs_nothing() -> None:
    before = run("uv venv --python 3.12", "Using CPython 3.12.11\n")
    assert fault_of(before, run("smi", NVIDIA), run("./first_pixel", BARE)) is Fault.GPU_RESIDUE
