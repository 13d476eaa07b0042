"""When two failures are the same failure, and when they only look alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.model import Signature, TestFailure
from triage.signature import VERSION, is_wrapper, normalise, signature_of_line, signature_of_rule, signature_of_test

SAME = [
    (
        "RuntimeError: GPU 0 uses 4.65 GiB (no other compute processes; self pid=911977 holds 0.00 GiB)",
        "RuntimeError: GPU 3 uses 71.2 GiB (no other compute processes; self pid=4711 holds 0.00 GiB)",
    ),
    (
        "Error: 'docker pull rocm/sgl-dev:v0.5.19-rocm10-mi30x-20260917' cannot reach the registry",
        "Error: 'docker pull rocm/sgl-dev:v0.5.19-rocm10-mi30x-20260918' cannot reach the registry",
    ),
    (
        "No space left on device : '/home/runner/actions-runner/cached/_diag/Worker_20260815-012414-utc.log'",
        "No space left on device : '/home/runner/actions-runner/cached/_diag/Worker_20260902-233001-utc.log'",
    ),
    (
        "#8 14.02 gpg: keyserver receive failed: Cannot assign requested address",
        "#12 9.51 gpg: keyserver receive failed: Cannot assign requested address",
    ),
    (
        "E       torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1002.00 MiB. GPU 1 has a total capacity",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity",
    ),
    (
        "/home/runner/work/course/course/src/test/java/HelloWorldTest.java:14: error: cannot find symbol",
        "/home/ci/actions-runner-2/_work/course/course/src/test/java/HelloWorldTest.java:19: error: cannot find symbol",
    ),
    (
        r"D:\a\game\game\src\cfg.cpp(41,5): error C2065: 'foo': undeclared identifier",
        r"C:\a\game\game\src\cfg.cpp(57,12): error C2065: 'foo': undeclared identifier",
    ),
    (
        "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/pytest-of-runner/pytest-0/popen-gw3/data.json'",
        "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/pytest-of-ci/pytest-12/data.json'",
    ),
    (
        "OSError: cannot write /tmp/tmpab12cd34/model.bin",
        "OSError: cannot write /tmp/tmp9_xyz0ab/model.bin",
    ),
    (
        "##[error]API limit, request ID 5841:12068:2A62DF:B7984D:68F7A08C and timestamp 2026-08-21 15:02:36 UTC.",
        "##[error]API limit, request ID 1C41:33C07:9E11DF:A1984D:68E0A001 and timestamp 2026-09-01 03:12:06 UTC.",
    ),
    (
        "[rank1]:[E NCCL.cpp:563] [Rank 1] Watchdog caught collective operation timeout, ran for 60033 milliseconds",
        "[rank3]:[E NCCL.cpp:563] [Rank 3] Watchdog caught collective operation timeout, ran for 60071 milliseconds",
    ),
    (
        "dial tcp 198.51.100.81:443: i/o timeout on host gpu-node-07",
        "dial tcp 203.0.113.9:443: i/o timeout on host gpu-node-11",
    ),
    (
        "AttributeError: <engine.pool.Pool object at 0x7f3c1a2b4d50> has no attribute 'end_layer'",
        "AttributeError: <engine.pool.Pool object at 0x7ffe00aa1c10> has no attribute 'end_layer'",
    ),
    (
        "requests.exceptions.HTTPError: 503 for url: https://hub.example/api/models/x?token=abc&n=1",
        "requests.exceptions.HTTPError: 503 for url: https://hub.example/api/models/x?n=2",
    ),
    (
        "ConnectionError: server at http://127.0.0.1:34567/health did not answer",
        "ConnectionError: server at http://127.0.0.1:41003/health did not answer",
    ),
    ("lock held by 550e8400-e29b-41d4-a716-446655440000", "lock held by 123e4567-e89b-12d3-a456-426614174000"),
    (
        "merge of fae22971ab757405a1ccdae087866ba0c91ce904 conflicts",
        "merge of 0a44ba7841725637a19e28fa30b79a866c81b0a6 conflicts",
    ),
    ("Timeout waiting for emulator after 25m0s", "Timeout waiting for emulator after 31m12.5s"),
    (
        'File "/opt/hostedtoolcache/Python/3.11.7/x64/lib/python3.11/site-packages/torch/module.py", line 1553: boom',
        'File "/usr/local/lib/python3.11/dist-packages/torch/module.py", line 1501: boom',
    ),
]

DIFFERENT = [
    ("error[E0308]: mismatched types", "error[E0277]: mismatched types"),
    ("src/a.ts(41,5): error TS2322: not assignable", "src/a.ts(41,5): error TS2345: not assignable"),
    ("src/a.py:10: error: cannot find symbol", "src/b.py:10: error: cannot find symbol"),
    ("Could not resolve host: github.com", "Could not resolve host: index.example.net"),
    ("Get https://proxy.golang.org/x: timeout", "Get https://registry.npm.example/x: timeout"),
    ("The requested URL returned error: 500", "The requested URL returned error: 404"),
    ("assert 401 == 200", "assert 500 == 200"),
    ("AssertionError: 125.5 not greater than 150", "AssertionError: 12.5 not greater than 150"),
    ("KeyError: 'meta_info'", "KeyError: 'usage'"),
    ("received signal 9 while compiling", "received signal 11 while compiling"),
    (
        "mat1 and mat2 shapes cannot be multiplied (1x14336 and 2048x2048)",
        "mat1 and mat2 shapes cannot be multiplied (1x4096 and 2048x2048)",
    ),
    ("No matching distribution found for dask==2023.10.0", "No matching distribution found for dask==2024.1.0"),
    ("cannot load model Qwen2.5-7B", "cannot load model Qwen2.5-14B"),
    ("Windows error 0x80070005 in setup", "Windows error 0x80070020 in setup"),
    ("Coverage for lines (98%) does not meet threshold", "Coverage for lines (71%) does not meet threshold"),
    ("libcuda.so.11 cannot be opened", "libcuda.so.12 cannot be opened"),
    ("nvidia-cublas-cu12==12.4.5.8 conflicts", "nvidia-cublas-cu12==12.6.4.1 conflicts"),
    (
        "AttributeError: 'NoneType' object has no attribute 'shape'",
        "AttributeError: 'NoneType' object has no attribute 'dtype'",
    ),
    ("linker: undefined symbol __std_find_trivial_4", "linker: undefined symbol __std_find_trivial_8"),
    ("Failed to initialize container mysql:8", "Failed to initialize container mysql:9"),
]

WRAPPERS = [
    "##[error]Process completed with exit code 1.",
    "Process completed with exit code 137",
    "Exception: retry() exceed maximum number of retries.",
    "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
    "make: *** [Makefile:12: test] Error 2",
    "make[2]: *** [CMakeFiles/x.dir/build.make:76: x.o] Error 1",
    "make: *** Waiting for unfinished jobs....",
    "ninja: build stopped: subcommand failed.",
    "npm ERR! code ELIFECYCLE",
    "npm ERR! errno 1",
    "npm error Lifecycle script `test` failed with error:",
    "npm ERR! A complete log of this run can be found in:",
    " ELIFECYCLE  Command failed with exit code 1.",
    "error Command failed with exit code 1.",
    "Command failed",
    "FAILED (errors=1)",
    "FAILED (failures=2, skipped=1)",
    "The operation was canceled.",
    "##[error]The operation was canceled.",
    "subprocess.CalledProcessError: Command '['git', 'clone']' returned non-zero exit status 128.",
    "##[error]The process '/usr/bin/git' failed with exit code 128",
    "ERROR: Job failed: exit code 1",
    'The command "npm test" exited with 1.',
    "Done. Your build exited with 1.",
    "Finished: FAILURE",
    "Traceback (most recent call last):",
    "During handling of the above exception, another exception occurred:",
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "Error: 'docker pull rocm/sgl-dev:v0.5.19' failed after 6 attempts",
    "✗ FAILED: test_vision.py returned exit code 1",
    "Fail. Time elapsed: 616.07s",
    "===== 3 failed, 5 passed in 1.51s =====",
    "3 failed, 5 passed in 1.51s",
    "Ran 1 test in 45.250s",
    "BUILD FAILED in 3m 2s",
    "error: aborting due to 3 previous errors",
    "error: could not compile `x` (lib) due to 2 previous errors",
    "[2026-05-14 16:49:46] Subprocess scheduler_0 (pid=922727) crashed with exit code -11.",
    "Killed",
    "exit status 1",
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_failure_on_another_day_and_machine_is_equal(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)
    assert signature_of_line(one) == signature_of_line(other) is not None


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_failures_that_only_look_alike_stay_different(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize("line", WRAPPERS)
def test_a_line_that_only_says_that_something_failed_makes_no_signature(line: str) -> None:
    assert is_wrapper(line)
    assert signature_of_line(line) is None


@pytest.mark.parametrize(
    "line",
    ["", "   ", "Error:", "FAILED", "##[error]", "E   AssertionError", "12345678", "error: 3", "----", "Test failed"],
)
def test_nothing_makes_no_signature(line: str) -> None:
    assert signature_of_line(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "KeyError: 'meta_info'",
        "Segmentation fault",
        "No space left on device",
        "curl: (22) The requested URL returned error: 502 Bad Gateway",
        "Hash Sum mismatch",
        "nvcc fatal: out of memory",
        "FAILED tests/test_api.py::test_login - assert 401 == 200",
    ],
)
def test_a_line_that_says_what_broke_makes_one(line: str) -> None:
    assert signature_of_line(line) == Signature("line", (normalise(line),), VERSION)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("python/sglang/srt/mem_cache/common.py:87: boom", "python/sglang/srt/mem_cache/common.py:<line>: boom"),
        ("/__w/engine/engine/tests/test_a.py is missing", "tests/test_a.py is missing"),
        ("see https://hub.example/a/b?sig=abc", "see https://hub.example/a/b?<query>"),
        ("a\tb   c ", "a b c"),
        ("exit code 137", "exit code 137"),
        ("HTTP 503 from index.example.net", "HTTP 503 from index.example.net"),
        ("utf-8 and x86-64 and sha-256", "utf-8 and x86-64 and sha-256"),
        ("python3.11 on ubuntu-24.04", "python3.11 on ubuntu-24.04"),
    ],
)
def test_what_tells_failures_apart_is_kept(text: str, normal: str) -> None:
    assert normalise(text) == normal


def test_a_long_text_counts_up_to_a_limit() -> None:
    assert normalise("boom " * 1000) == normalise("boom " * 2000)


@given(st.text(max_size=200))
def test_normalising_any_text_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


_WORDS = st.sampled_from(
    [word for pair in (*SAME, *DIFFERENT) for text in pair for word in text.split()]
    + [
        "/tmp/",
        "<n>",
        "<tmp>/x1/",
        "https://a@b",
        "?x",
        "line",
        "pid",
        "12",
        ":",
        "on host",
        "rank",
        "3",
        "2026-01-01",
        "10:11:12",
    ]
)


@given(st.lists(st.tuples(_WORDS, st.sampled_from([" ", "", ":", "/", "-"])), max_size=12))
def test_normalising_anything_put_together_twice_changes_nothing(words: list[tuple[str, str]]) -> None:
    text = "".join(word + mark for word, mark in words)

    assert normalise(normalise(text)) == normalise(text)


def test_a_test_is_known_by_its_id_its_exception_and_its_message() -> None:
    failure = TestFailure(
        id="tests/a.py::test_x", runner="pytest", exception="KeyError", message="'meta_info' after 3.2s"
    )

    assert signature_of_test(failure) == Signature(
        "test", ("tests/a.py::test_x", "KeyError", "'meta_info' after <duration>"), VERSION
    )


@pytest.mark.parametrize(
    ("exception", "message"),
    [
        (None, ""),
        ("AssertionError", ""),
        ("Exception", "retry() exceed maximum number of retries."),
        ("SystemExit", "1"),
        ("RuntimeError", "Engine core initialization failed. See root cause above."),
        ("AssertionError", "False is not true"),
        ("AssertionError", "assert False"),
    ],
)
def test_a_test_that_does_not_say_why_it_failed_has_no_signature(exception: str | None, message: str) -> None:
    assert signature_of_test(TestFailure(id="a", runner="pytest", exception=exception, message=message)) is None


def test_a_rule_is_known_by_what_it_captured() -> None:
    one = signature_of_rule("disk-full", {"path": "/tmp/tmpab12cd34/x.bin", "device": "sda1"})
    other = signature_of_rule("disk-full", {"device": "sda1", "path": "/tmp/tmp77zz00aa/x.bin"})

    assert one == other
    assert one == Signature("rule", ("disk-full", "device=sda1", "path=<tmp>/<name>/x.bin"), VERSION)
    assert signature_of_rule("disk-full", {}) == Signature("rule", ("disk-full",), VERSION)
