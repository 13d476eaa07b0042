"""Which exception of a chain is the cause, and which lines belong to a traceback."""

from __future__ import annotations

import pytest

from tests.logs.tests_python.log_text import lines_of
from triage.logs.tests.source_paths import is_installed, relative_path
from triage.logs.tests.traceback import Root, read_chains, root_of

CAUSE = "The above exception was the direct cause of the following exception:"
CONTEXT = "During handling of the above exception, another exception occurred:"


def root_in(text: str) -> Root:
    (chain,) = read_chains(lines_of(text))
    return root_of(chain)


def linked(first: str, sentence: str, second: str) -> str:
    """Print two exceptions as Python does."""
    frame = '  File "/home/runner/work/shop/shop/shop/net.py", line {}, in get\n    raise\n'
    header = "Traceback (most recent call last):\n"
    return f"{header}{frame.format(3)}{first}\n\n{sentence}\n\n{header}{frame.format(9)}{second}\n"


@pytest.mark.parametrize(
    ("first", "sentence", "second", "cause"),
    [
        # A wrapper of any kind says nothing by itself.
        ("KeyError: 'meta_info'", CONTEXT, "Exception: retry() exceed maximum number of retries.", "KeyError"),
        ("TypeError: no", CONTEXT, "shop.ServiceDown: gave up after 4 attempts", "TypeError"),
        ("ValueError: no", CONTEXT, "tenacity.RetryError: RetryError[<Future at 0x7f>]", "ValueError"),
        (
            "ZeroDivisionError: no",
            CONTEXT,
            "RuntimeError: Engine core initialization failed. See root cause above.",
            "Z",
        ),
        # Often the first is an expected one, and the second is the failure.
        ("KeyError: 'cached'", CONTEXT, "AssertionError: the total is 3, not 4", "AssertionError"),
        ("FileNotFoundError: [Errno 2] no", CONTEXT, "shop.ConfigError: key 'port' is no number", "shop.ConfigError"),
        # `raise … from …` names its cause, but for a check of the test's own.
        ("OSError: [Errno 28] No space left on device", CAUSE, "shop.SaveError: could not save", "OSError"),
        ("ValueError: 12", CAUSE, "AssertionError: expected a fallback", "AssertionError"),
        # A second that repeats the first says more: the host.
        (
            "socket.gaierror: [Errno -2] Name or service not known",
            CAUSE,
            "NameResolutionError: host='localhsot': [Errno -2] Name or service not known",
            "NameResolutionError",
        ),
        (
            "ValueError: Expecting value",
            CONTEXT,
            "requests.JSONDecodeError: Expecting value",
            "requests.JSONDecodeError",
        ),
    ],
)
def test_the_cause_is_what_the_last_exception_only_passes_on(
    first: str, sentence: str, second: str, cause: str
) -> None:
    root = root_in(linked(first, sentence, second))

    assert root.raised.type.startswith(cause)
    assert (root.wrapper is not None) == first.startswith(root.raised.type)


def test_the_frames_of_a_cause_come_after_those_that_led_to_its_wrapper() -> None:
    root = root_in(linked("KeyError: 'x'", CONTEXT, "Exception: retry() exceed maximum number of retries."))

    assert [frame.line for frame in root.frames] == [9, 3]


def test_the_first_real_error_of_a_group_is_its_cause() -> None:
    log = """
          + Exception Group Traceback (most recent call last):
          |   File "/home/runner/work/fetcher/fetcher/run_smoke.py", line 5, in <module>
          |     asyncio.run(gather())
          | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
          +-+---------------- 1 ----------------
            | Traceback (most recent call last):
            |   File "/home/runner/work/fetcher/fetcher/fetcher.py", line 9, in two
            |     await sleep(5)
            | asyncio.exceptions.CancelledError
            +---------------- 2 ----------------
            | Traceback (most recent call last):
            |   File "/home/runner/work/fetcher/fetcher/fetcher.py", line 6, in one
            |     n = int(header)
            | ValueError: invalid literal for int() with base 10: '12;q=1'
            +------------------------------------
        done
    """

    root = root_in(log)

    assert root.raised.type == "ValueError"
    assert root.raised.line == 14
    assert root.wrapper is not None
    assert root.wrapper.type == "ExceptionGroup"
    assert [frame.line for frame in root.frames] == [5, 6]


def test_groups_inside_groups_end() -> None:
    rails = "\n".join("  " * depth + "  + Exception Group Traceback (most recent call last):" for depth in range(300))

    assert read_chains(lines_of(rails)) == ()


@pytest.mark.parametrize(
    "margin",
    ["[rank0]: ", "INTERNALERROR> ", "(EngineCore pid=911) ERROR 06-09 07:31:42 [core.py:1104] ", "    "],
)
def test_a_traceback_is_read_whatever_stands_before_its_lines(margin: str) -> None:
    log = "\n".join(
        margin + text
        for text in (
            "Traceback (most recent call last):",
            '  File "/home/runner/work/shop/shop/shop/net.py", line 3, in get',
            "    return shelf[name]",
            "           ~~~~~^^^^^^",
            "KeyError: 'b'",
        )
    )

    root = root_in(f"start\n{log}\nend")

    assert (root.raised.type, root.raised.message, root.raised.first_line, root.raised.line) == (
        "KeyError",
        "'b'",
        2,
        6,
    )


def test_a_margin_with_a_running_time_is_a_margin() -> None:
    log = """
        #10 18.23 Traceback (most recent call last):
        #10 18.24   File "/home/runner/work/shop/shop/setup.py", line 4, in <module>
        #10 18.24     version()
        #10 19.31 LookupError: no version
    """

    assert root_in(log).raised.type == "LookupError"


def test_lines_of_another_rank_between_those_of_a_traceback_do_not_belong_to_it() -> None:
    log = """
        [rank0]: Traceback (most recent call last):
        [rank0]:   File "/home/runner/work/engine/engine/run.py", line 3, in main
        [rank1]: Traceback (most recent call last):
        [rank1]:   File "/home/runner/work/engine/engine/run.py", line 9, in main
        [rank0]:     step()
        [rank1]: ValueError: rank one
        [rank0]: RuntimeError: rank zero
    """

    root = root_in(log)

    assert root.raised.message == "rank zero"
    assert [frame.line for frame in root.frames] == [3]


def test_a_traceback_that_is_cut_off_has_no_exception() -> None:
    log = """
        Traceback (most recent call last):
          File "/home/runner/work/shop/shop/run.py", line 3, in main
        ##[error]The operation was canceled.
        KeyError: 'of something else'
    """

    assert read_chains(lines_of(log)) == ()


def test_a_message_goes_on_only_where_its_first_line_announces_more() -> None:
    frame = 'Traceback (most recent call last):\n  File "/home/runner/work/shop/shop/run.py", line 3, in main\n'

    more = root_in(f"{frame}RuntimeError: GPU not idle before setUpClass:\n  GPU 0 uses 4.65 GiB\n\nother")
    no_more = root_in(f"{frame}AssertionError: Tensor-likes are not close!\nMismatched elements: 1 / 65536\n")

    assert more.raised.message == "GPU not idle before setUpClass: GPU 0 uses 4.65 GiB"
    assert no_more.raised.message == "Tensor-likes are not close!"


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("/home/runner/work/shop/shop/tests/test_a.py", "tests/test_a.py"),
        ("/opt/actions-runner/_work/shop/shop/shop/net.py", "shop/net.py"),
        ("/__w/shop/shop/shop/net.py", "shop/net.py"),
        ("D:\\a\\shop\\shop\\tests\\test_a.py", "tests/test_a.py"),
        ("/github/workspace/shop/net.py", "shop/net.py"),
        ("/home/travis/build/acme/shop/shop/net.py", "shop/net.py"),
        ("/engine/test/registered/test_a.py", "test/registered/test_a.py"),
        ("./tests/test_a.py", "tests/test_a.py"),
        ("tests/test_a.py", "tests/test_a.py"),
        ("/usr/lib/python3.12/socket.py", "/usr/lib/python3.12/socket.py"),
    ],
)
def test_paths_count_from_the_checkout_where_it_can_be_told(path: str, relative: str) -> None:
    assert relative_path(path) == relative


@pytest.mark.parametrize(
    "path",
    [
        "/opt/venv/lib/python3.12/site-packages/torch/cuda/__init__.py",
        "../../../../../opt/hostedtoolcache/Python/3.11.7/x64/lib/python3.11/json/decoder.py",
        "/usr/lib/python3/dist-packages/yaml/__init__.py",
        "C:\\hostedtoolcache\\windows\\Python\\3.11.9\\x64\\Lib\\socket.py",
        "<frozen importlib._bootstrap>",
        "<string>",
        "/home/runner/work/shop/shop/.venv/lib/python3.11/site-packages/pip/_vendor/urllib3/response.py",
        "/usr/bin/torchrun",
    ],
)
def test_installed_code_is_no_code_of_the_repository(path: str) -> None:
    assert is_installed(path)
