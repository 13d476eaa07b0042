"""What a line says behind what programs put in front of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.logs.said import is_grave, said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("(EngineCore pid=31) ERROR 10-30 05:48:54 [core.py:779] KeyError: 'w2'", "KeyError: 'w2'"),
        ("(Worker rank=2 pid=31) ERROR 06-17 06:11:34 [executor.py:492] OSError: no", "OSError: no"),
        ("(pid=31, ip=10.1.0.4) ValueError: no", "ValueError: no"),
        ("[rank3]: TypeError: no", "TypeError: no"),
        ("[rank3]:E0414 03:14:55.102000 411 engine/tune.py:2210] OutOfResources", "OutOfResources"),
        ("[1,0]<stderr>: MPI_ABORT was invoked", "MPI_ABORT was invoked"),
        ("[2026-09-12 09:41:22 TP0] IndexError: no", "IndexError: no"),
        ("2026-05-05 12:00:00,123 - engine - ERROR - it broke", "it broke"),
        ("ERROR    engine.core:core.py:33 it broke", "it broke"),
        ("db-1  | FATAL:  no such role", "FATAL:  no such role"),
        ("node7:202:235 [0] misc/shm.cc:88 NCCL WARN Error: failed to extend", "Error: failed to extend"),
        ("2026-10-20 16:42:45.123456: E external/xla/pjrt/client.cc:563] no device", "no device"),
        ("[rank1]:[E414 03:14:55.102000 ProcessGroupNCCL.cpp:563] it hangs", "it hangs"),
        ("[2026-05-05 12:00:00,123 E 411 411] (raylet) node_manager.cc:3219: a worker died", "a worker died"),
        ("[2026-05-05 12:00:00.123] [engine] [error] it broke", "it broke"),
        ("12:00:00.123 [main] ERROR shop.Pool - it broke", "ERROR shop.Pool - it broke"),
        ('time="2026-05-05T12:00:00Z" level=error msg="it broke"', 'it broke"'),
        (":1:rocdevice.cpp :2875: 51268 us: [pid:90 tid:0x7f] it broke", "it broke"),
        ("E0414 03:14:55.102000       1 server.go:22] it broke", "it broke"),
        ("2026-10-20 16:42:45.70 [E:onnxruntime:Default, trt.h:58 log] no kernel", "no kernel"),
    ],
)
def test_who_spoke_when_and_how_gravely_is_taken_off(line: str, words: str) -> None:
    assert said(line) == words


@pytest.mark.parametrize(
    "line",
    [
        "INFO 10-30 05:48:54 [core.py:779] error budget: 3",
        "W0912 08:14:22.118000 2214 engine/tune.py:1558] not enough units",
        "I external/xla/pjrt/client.cc:563] a device that failed is back",
        "[12/611] Building CXX object pool.o",
        "[ 90%] Building CXX object pool.o",
        "[FAIL] rejects an empty host",
        "[Errno 24]: Too many open files",
        "   12 | let x = 3;",
        "error: no such file",
        "[rank3]: ",
    ],
)
def test_what_tells_of_no_error_or_is_the_error_stays(line: str) -> None:
    assert said(line) == line


@given(st.text(max_size=80))
def test_what_is_left_is_the_end_of_the_line(line: str) -> None:
    assert line.endswith(said(line))
    assert bool(said(line).strip()) == bool(line.strip())


@pytest.mark.parametrize(
    ("line", "grave"),
    [
        ("node7:202:235 [0] misc/shm.cc:88 NCCL WARN Call to connect timed out", True),
        ("(EngineCore pid=31) ERROR 10-30 05:48:54 [core.py:779] it broke", True),
        ("[Booster] [Fatal] [CUDA] no device is detected", True),
        ("(EngineCore pid=31) ERROR 10-30 05:48:54 [core.py:779]     self.worker.init()", False),
        ("(EngineCore pid=31) INFO 10-30 05:48:54 [core.py:779] it broke", False),
        ("[rank3]: TypeError: no", False),
    ],
)
def test_a_line_is_grave_where_its_program_says_so(line: str, *, grave: bool) -> None:
    assert is_grave(line) is grave
