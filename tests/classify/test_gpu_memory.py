"""Whose GPU memory it was is arithmetic on the figures of the error."""

from __future__ import annotations

import pytest

from triage.classify.gpu_memory import read_memory_error
from triage.classify.view import LogView
from triage.model import Fault, Log, LogLine, TestReport


def view_of(*texts: str) -> LogView:
    lines = tuple(LogLine(number, text) for number, text in enumerate(texts, start=1))
    return LogView(log=Log(lines=lines, total_lines=len(lines)), tests=TestReport())


def fault_of(*texts: str) -> Fault | None:
    view = view_of(*texts)
    reading = read_memory_error(view.log.lines, view)
    return reading.fault if reading else None


FOREIGN = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 MiB. GPU 0 has a total capacity of 139.80 GiB "
    "of which 13.56 MiB is free. Process 620 has 139.11 GiB memory in use. Including non-PyTorch memory, this process "
    "has 682.00 MiB memory in use."
)
OWN = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 139.80 GiB "
    "of which 3.29 GiB is free. Including non-PyTorch memory, this process has 136.51 GiB memory in use."
)
BUSY = "[gpu-guard] waiting for GPU memory to drop below threshold: gpu0 80.2%"
TOO_LITTLE = (
    "ValueError: Free memory on device cuda:0 (15.65/79.18 GiB) on startup is less than desired GPU memory "
    "utilization (0.9, 71.26 GiB)."
)


def test_memory_that_another_process_holds_is_residue() -> None:
    assert fault_of(FOREIGN) is Fault.GPU_RESIDUE


def test_memory_that_the_process_itself_holds_is_the_code() -> None:
    assert fault_of(OWN) is Fault.CODE


def test_another_process_that_the_job_itself_started_excuses_nothing() -> None:
    assert fault_of("INFO: Started server process [620]", FOREIGN) is Fault.CODE


def test_tests_that_run_side_by_side_may_hold_each_others_memory() -> None:
    assert fault_of("8 workers [120 items]", FOREIGN) is Fault.CODE


def test_a_request_that_would_not_fit_on_an_empty_device_is_the_code() -> None:
    too_much = FOREIGN.replace("Tried to allocate 64.00 MiB", "Tried to allocate 256.00 GiB")

    assert fault_of(too_much) is Fault.CODE


def test_a_device_that_was_busy_before_any_test_is_residue() -> None:
    assert fault_of(BUSY, TOO_LITTLE) is Fault.GPU_RESIDUE


def test_too_little_free_memory_alone_may_be_an_earlier_engine_of_the_same_test() -> None:
    assert fault_of(TOO_LITTLE) is Fault.CODE


def test_a_device_found_busy_after_tests_had_run_may_be_their_leftover() -> None:
    assert fault_of("tests/test_engine.py::test_first PASSED", BUSY, TOO_LITTLE) is Fault.CODE


@pytest.mark.parametrize(
    ("holders", "fault"),
    [
        ("no other compute processes; self pid=911977 holds 0.00 GiB", Fault.GPU_RESIDUE),
        ("pid=668502 68.84 GiB", Fault.GPU_RESIDUE),
        ("no other compute processes; self pid=911977 holds 4.60 GiB", Fault.CODE),
    ],
)
def test_an_idle_gate_names_who_holds_the_device(holders: str, fault: Fault) -> None:
    assert fault_of(f"GPU 0 uses 4.65 GiB ({holders})") is fault


def test_an_error_without_figures_is_not_judged() -> None:
    assert fault_of("RuntimeError: CUDA error: out of memory") is None


BY_ALLOCATOR = (
    "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 12.00 GiB. GPU 5 has a total capacity of 191.98 GiB "
    "of which 10.92 GiB is free. Of the allocated memory 1.50 GiB is allocated by PyTorch, and 0 bytes is reserved by "
    "PyTorch but unallocated."
)
NOT_CLEAR = "VRAM still not clear after attempt 3 (GPU 5: 94%)"


def test_memory_that_a_check_found_before_any_test_is_not_the_process_that_met_it() -> None:
    assert fault_of(NOT_CLEAR, BY_ALLOCATOR) is Fault.GPU_RESIDUE


@pytest.mark.parametrize(
    "texts",
    [
        (BY_ALLOCATOR,),
        ("tests/test_a.py::test_one PASSED", NOT_CLEAR, BY_ALLOCATOR),
        (BY_ALLOCATOR, NOT_CLEAR),
        (NOT_CLEAR, BY_ALLOCATOR.replace("memory 1.50 GiB", "memory 180.50 GiB")),
    ],
    ids=["no check", "a test had run", "a check afterwards", "it held the memory itself"],
)
def test_figures_of_the_allocator_alone_excuse_nobody(texts: tuple[str, ...]) -> None:
    assert fault_of(*texts) is Fault.CODE


POOL = (
    "$ julia --project -e 'using Pkg; Pkg.test()'",
    "  0: NVIDIA L4 (sm_89, 11.250 MiB / 22.500 GiB available)",
    "wing: Error During Test at /w/heron/test/wing.jl:9",
    "  Out of GPU memory trying to allocate 8.000 MiB",
    "  Effective GPU memory usage: 99.95% (22.490 GiB/22.500 GiB)",
    "  Memory pool usage: 0 bytes (0 bytes reserved)",
)


def test_a_card_that_was_full_while_julias_pool_is_empty_is_residue() -> None:
    assert fault_of(*POOL) is Fault.GPU_RESIDUE


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "$ nohup ./serve --port 80"),
        (1, "  0: NVIDIA L4 (sm_89, 22.250 GiB / 22.500 GiB available)"),
        (2, "      From worker 2:    wing: Error During Test at /w/heron/test/wing.jl:9"),
        (3, "  Out of GPU memory trying to allocate 64.000 GiB"),
        (5, "  Memory pool usage: 21.910 GiB (22.406 GiB reserved)"),
    ],
)
def test_a_card_that_the_job_may_have_filled_excuses_no_test_of_julia(number: int, text: str) -> None:
    assert fault_of(*POOL[:number], text, *POOL[number + 1 :]) is not Fault.GPU_RESIDUE


WAITED = "[GPU Memory Monitor] Timeout: GPU 0, 1 did not meet the memory condition after 120.0 seconds"


def test_a_wait_for_memory_before_any_test_that_ended_in_vain_shows_a_busy_device() -> None:
    assert fault_of(WAITED, TOO_LITTLE) is Fault.GPU_RESIDUE


@pytest.mark.parametrize(
    "before", ["tests/test_a.py .F.. [ 40%]", "FAILED tests/test_a.py::test_b - OSError", "2 failed in 3 s"]
)
def test_a_wait_for_memory_after_tests_excuses_nobody(before: str) -> None:
    assert fault_of(before, WAITED, TOO_LITTLE) is Fault.CODE
