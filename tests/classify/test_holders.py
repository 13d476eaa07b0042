"""Who held a device tells whose failure it is: a process that is older than the job was never its own."""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Failure, Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
BUSY = "RuntimeError: Unable to start backend 'tpu': ABORTED: The TPU is already in use by process with pid 4410."
END = "##[error]Process completed with exit code 1."


def failure_of(*lines: str, stamp: str = "2026-05-04T10:02:07.0000000Z ") -> Failure:
    text = "".join(f"{stamp}{line}\n" for line in lines)
    log = read_log(TextSource("job.log", text), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER)


def suite(*rows: str, stamp: str = "2026-05-04T10:02:07.0000000Z ") -> Failure:
    run = ("##[group]Run python run_suite.py", "##[endgroup]", "Begin (0/3): python3 test_b.py", BUSY)
    return failure_of(*run, *rows, "Ran 1 test in 1.201s", "FAILED (errors=1)", END, stamp=stamp)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("   4410    02:11:12 python -m engine.serve", Fault.GPU_RESIDUE),
        ("   4410  3-02:11:12 python -m engine.serve", Fault.GPU_RESIDUE),
        ("   4410       00:12 python3 test_b.py", Fault.UNKNOWN),
        ("   4411    02:11:12 python -m engine.serve", Fault.UNKNOWN),
    ],
)
def test_a_device_that_an_older_process_holds_was_not_taken_by_this_job(row: str, fault: Fault) -> None:
    assert suite("    PID     ELAPSED CMD", row).fault is fault


@pytest.mark.parametrize(
    ("began", "fault"),
    [
        ("Sun May  3 08:02:11 2026", Fault.GPU_RESIDUE),
        ("Mon May  4 09:40:00 2026", Fault.UNKNOWN),  # older by 22 minutes, or younger: the zone is not said
        ("Mon May  4 10:02:08 2026", Fault.UNKNOWN),
    ],
)
def test_when_a_process_began_tells_its_age_but_for_the_zone_of_the_machine(began: str, fault: Fault) -> None:
    assert suite(f"   4410 {began} python -m engine.serve").fault is fault


def test_the_row_that_proves_it_is_quoted() -> None:
    row = "   4410    02:11:12 python -m engine.serve"
    assert row.strip() in [quote.text.strip() for quote in suite("    PID     ELAPSED CMD", row).evidence]


def test_without_the_job_s_own_times_the_age_of_a_process_proves_nothing() -> None:
    assert suite("    PID     ELAPSED CMD", "   4410    02:11:12 python -m serve", stamp="").fault is Fault.UNKNOWN


TABLE = (
    "| NEURON | NEURON | NEURON |   PCI   |  PID   |      COMMAND      | RUNTIME |",
    "| 0      | 2      | 32 GB  | 00:1e.0 | 90211  | python serve.py   | 2.20.1  |",
)
FREE = (TABLE[0], "| 0      | 2      | 32 GB  | 00:1e.0 |        |                   |         |")
CORES = "2026-May-04 10:02:07.0551 811:860 ERROR  NRT:nrt_allocate_neuron_cores  NeuronCore(s) not available - "
LOOK = ("##[group]Run neuron-ls", "##[endgroup]")
SERVE = ("##[group]Run ./serve.sh", "##[endgroup]")


@pytest.mark.parametrize(
    ("before", "asked", "fault"),
    [
        ((*LOOK, *TABLE), "Requested:2 Available:0", Fault.GPU_RESIDUE),
        ((*LOOK, *FREE), "Requested:2 Available:0", Fault.UNKNOWN),
        ((), "Requested:nc0-nc1 Available:0", Fault.UNKNOWN),
        (("##[group]Run pytest tests/first", "##[endgroup]", *LOOK, *TABLE), "Requested:2 Available:0", Fault.UNKNOWN),
    ],
)
def test_cores_are_somebody_else_s_only_where_a_tool_showed_it_before(
    before: tuple[str, ...], asked: str, fault: Fault
) -> None:
    assert failure_of(*before, *SERVE, CORES + asked, END).fault is fault


def test_a_program_that_asks_for_more_cores_than_there_are_is_not_excused() -> None:
    failure = failure_of(*LOOK, *TABLE, *SERVE, CORES + "Requested:4 Available:2", END)
    assert failure.fault in {Fault.CODE, Fault.UNKNOWN}


RESET = (
    "##[group]Run tt-smi -r 0",
    "##[endgroup]",
    " Error when re-initializing chips!",
    " Chip initialization failed:",
    "   ARC Status: Timeout, 0 out of 1 initialized",
)


@pytest.mark.parametrize(
    ("before", "fault"),
    [
        ("", Fault.INFRASTRUCTURE),
        ("pip install tt-smi", Fault.INFRASTRUCTURE),
        ("pytest tests/kernels", Fault.UNKNOWN),
        ("tt-flash --fw-tar build/update.fwbundle", Fault.UNKNOWN),
    ],
)
def test_a_card_that_does_not_come_back_excuses_only_who_had_not_used_it(before: str, fault: Fault) -> None:
    step = (f"##[group]Run {before}", "##[endgroup]") if before else ()
    assert failure_of(*step, *RESET, END).fault is fault


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("##[error]Only organization members can trigger the benchmark run", Fault.MISSING_LABEL),
        ("User @dev-7 is not allowed to run the GPU tests", Fault.MISSING_LABEL),
        ("User is not authorized to perform deploy:write on the cluster", Fault.UNKNOWN),
    ],
)
def test_a_gate_that_lets_only_some_people_start_a_job_is_told_from_other_refusals(words: str, fault: Fault) -> None:
    assert failure_of("##[group]Run ./gate.sh", "##[endgroup]", words, END).fault is fault


def test_a_test_that_prints_a_refusal_of_the_product_is_not_excused() -> None:
    told = "User is not authorized to trigger this action"
    failure = failure_of(
        "=== test session starts ===",
        "=== FAILURES ===",
        "____ test_b ____",
        f"E       app.Forbidden: {told}",
        "tests/test_a.py:7: Forbidden",
        "---- Captured stdout call ----",
        told,
        "=== short test summary info ===",
        f"FAILED tests/test_a.py::test_b - app.Forbidden: {told}",
        "=== 1 failed in 0.91s ===",
        END,
    )
    assert failure.fault is Fault.CODE
