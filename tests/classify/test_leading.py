"""The line that is quoted first says what is wrong; what only names a place, counts or follows from it stands below."""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)


def first_of(command: str, output: str) -> str:
    text = f"##[group]Run {command}\n##[endgroup]\n{output}\n##[error]Process completed with exit code 1.\n"
    log = read_log(TextSource("job.log", text), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER).evidence[0].text.strip()


CMAKE = """\
CMake Error at CMakeLists.txt:9 (find_package):
  By not providing FindHeron.cmake in CMAKE_MODULE_PATH this project

  has asked CMake to find a package configuration file provided by "Heron\""""
NPM = """\
npm error code ERESOLVE
npm error ERESOLVE could not resolve
npm error
npm error While resolving: heron@1.2.0"""
GIT = """\
error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)
error: 3016 bytes of body are still expected
fetch-pack: unexpected disconnect while reading sideband packet
fatal: early EOF
fatal: fetch-pack: invalid index-pack output"""
PIP = """\
ERROR: Could not find a version that satisfies the requirement heron==9.9 (from versions: 1.0, 1.1)
ERROR: No matching distribution found for heron==9.9"""
XCODE = """\
xcodebuild: error: Could not resolve package dependencies:
  package 'heron' is using Swift tools version 6.2.0 but the installed version is 6.1.0"""
XCTEST = """\
Wing error: Failed to load the library of shaders
error: Process '/Applications/Xcode.app/Contents/Developer/usr/bin/xctest' exited with unexpected signal code 11"""
ESLINT = """\
/w/heron/src/wing.ts
  5:37  error  Unable to resolve path to module '@heron/types'  import/no-unresolved

✖ 1 problem (1 error, 0 warnings)"""
NPM_WORKSPACE = """\
[!] (plugin typescript) TypeError: Cannot read properties of undefined (reading 'ES2015')
npm error Lifecycle script `build` failed with error:
npm error workspace heron@0.9.2
npm error location /w/heron"""
SPRING = """\
java.lang.IllegalStateException: Failed to load ApplicationContext for [WebMergedContextConfiguration@5b1f]
Caused by: org.springframework.beans.factory.NoSuchBeanDefinitionException: No qualifying bean of type 'heron.Wing'"""
OCAML = """\
File "src/nest.ml", line 12, characters 55-68:
12 |   assert_equal (Wing.span ~scope name)
                     ^^^^^^^^^
Error: Unbound value Wing.span"""
HEX = """\
** (exit) exited in: GenServer.call(:hex_fetcher, {:await, {:tarball, "hexpm", "heron", "0.36.3"}}, 120000)
    ** (EXIT) time out"""
DOCTEST = """\
┌ Error: doctest failure in src/heron.jl:44-49
│ 1.0
└ @ Documenter ~/.julia/packages/Documenter/src/utilities/utilities.jl:47
ERROR: LoadError: `makedocs` encountered an error [:doctest] -- terminating build before rendering.
Stacktrace:"""
UNEQUAL = """\
=== test session starts ===
tests/test_wing.py F
=== FAILURES ===
____ test_fold ____
    def test_fold():
>       assert_allclose(fold(), 1.0)
E       AssertionError:
E       Not equal to tolerance rtol=1e-05, atol=1e-05
tests/test_wing.py:7: AssertionError
=== short test summary info ===
FAILED tests/test_wing.py::test_fold - AssertionError:
=== 1 failed in 0.91s ==="""
GTEST = """\
[==========] Running 1 test from 1 test suite.
[ RUN      ] Wing.Folds
terminate called after throwing an instance of 'std::out_of_range'
  what():  vector::_M_range_check: __n (which is 7) >= this->size() (which is 4)
run.sh: line 3:  4410 Aborted                 (core dumped) ./build/heron_test"""
BAD_ALLOC = """\
terminate called after throwing an instance of 'std::bad_alloc'
  what():  std::bad_alloc"""
CARGO = """\
     Running unittests src/lib.rs (target/debug/deps/heron-1f2a)

running 1 test

thread 'wing::folds' has overflowed its stack
fatal runtime error: stack overflow
error: test failed, to rerun pass `--lib`

Caused by:
  process didn't exit successfully: `target/debug/deps/heron-1f2a` (signal: 6, SIGABRT: process abort signal)"""

NO_COMPILER = """\
CMake Error at /usr/share/cmake-3.28/Modules/CMakeTestCUDACompiler.cmake:59 (message):
  The CUDA compiler
    "/usr/local/cuda/bin/nvcc"
  is not able to compile a simple test program.
  It fails with the following output:
    Run Build Command(s): /usr/bin/ninja -v cmTC_1a2b3
    nvcc fatal   : Unsupported gpu architecture 'compute_52'
    ninja: build stopped: subcommand failed."""
JULIA = """\
wing: Error During Test at /w/heron/test/wing.jl:9
  Got exception outside of a @test
  the feather is bent, and cannot be folded
  Stacktrace:
    [1] error(s::String)
ERROR: LoadError: Some tests did not pass: 0 passed, 0 failed, 1 errored, 0 broken."""
CONFTEST = """\
ImportError while loading conftest '/w/heron/tests/conftest.py'.
tests/conftest.py:4: in <module>
    import heron._C
ImportError: /w/heron/heron/_C.so: undefined symbol: _ZN5heron4foldEi"""
SNAPSHOT = """\
FAIL src/wing.test.js
  ● wing › folds

    expect(received).toMatchSnapshot()

    Snapshot name: `wing folds 1`

    - Snapshot  - 1
    + Received  + 1

Tests:       1 failed, 4 passed, 5 total"""
RSPEC = """\
Failures:

  1) Wing folds
     Failure/Error: expect(wing.feathers).to eq(48)

       expected: 48
            got: 50

       (compared using ==)
     # ./spec/wing_spec.rb:12

Finished in 0.2 seconds (files took 0.4 seconds to load)
3 examples, 1 failure"""
TESTIFY = """\
=== RUN   TestFold
    wing_test.go:14:
        \tError Trace:\t/w/heron/wing_test.go:14
        \tError:      \tNot equal:
        \t            \texpected: 48
        \t            \tactual  : 50
        \tTest:       \tTestFold
--- FAIL: TestFold (0.00s)
FAIL
FAIL\theron/wing\t0.020s"""
RANKS = """\
[rank3]: ValueError: feathers (12) must be divisible by wings (8)
[rank0]:[E911 02:07:08.4 PG.cpp:7] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=15)
[rank4]:[E911 02:07:08.5 PG.cpp:7] [Rank 4] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=15)"""
HUB = """\
============================= test session starts ==============================
E   huggingface_hub.errors.HfHubHTTPError: 429 Client Error: Too Many Requests for url: https://huggingface.co/api/models/a/b
=========================== short test summary info ============================
ERROR tests/test_wing.py::test_a - OSError: We couldn't connect to 'https://huggingface.co' to load the files
========================= 1 error in 9.10s ========================="""
BAZEL = """\
ERROR: [Designcheck 1-3] Timing failed. Slack is -0.310 ns.
Target //wing:bitstream failed to build
Use --verbose_failures to see the command lines of failed build steps.
FAILED: Build did NOT complete successfully"""


@pytest.mark.parametrize(
    ("command", "output", "first"),
    [
        ("cmake -B build", NO_COMPILER, "nvcc fatal   : Unsupported gpu architecture 'compute_52'"),
        ("julia --project -e 'using Pkg; Pkg.test()'", JULIA, "the feather is bent, and cannot be folded"),
        ("pytest tests", CONFTEST, CONFTEST.splitlines()[-1]),
        ("npx jest", SNAPSHOT, "● wing › folds"),
        ("bundle exec rspec", RSPEC, "Failure/Error: expect(wing.feathers).to eq(48)"),
        ("go test ./...", TESTIFY, "expected: 48"),
        ("torchrun train.py", RANKS, RANKS.splitlines()[0]),
        ("pytest tests", HUB, HUB.splitlines()[1]),
        ("bazel build //wing:bitstream", BAZEL, BAZEL.splitlines()[0]),
        ("cmake -B build", CMAKE, "By not providing FindHeron.cmake in CMAKE_MODULE_PATH this project"),
        ("npm ci", NPM, "npm error ERESOLVE could not resolve"),
        ("git fetch", GIT, "error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)"),
        ("pip install -r requirements.txt", PIP, "ERROR: No matching distribution found for heron==9.9"),
        ("./build/heron_test", GTEST, "what():  vector::_M_range_check: __n (which is 7) >= this->size() (which is 4)"),
        ("./build/heron_test", BAD_ALLOC, "terminate called after throwing an instance of 'std::bad_alloc'"),
        (
            "xcodebuild test",
            XCODE,
            "package 'heron' is using Swift tools version 6.2.0 but the installed version is 6.1.0",
        ),
        ("swift test", XCTEST, "Wing error: Failed to load the library of shaders"),
        ("npx eslint .", ESLINT, ESLINT.splitlines()[1].strip()),
        ("npm run build --workspaces", NPM_WORKSPACE, NPM_WORKSPACE.splitlines()[0]),
        ("mvn verify", SPRING, SPRING.splitlines()[1]),
        ("pytest", UNEQUAL, "E       Not equal to tolerance rtol=1e-05, atol=1e-05"),
        ("cargo test", CARGO, "fatal runtime error: stack overflow"),
        ("dune build", OCAML, "Error: Unbound value Wing.span"),
        ("mix deps.get", HEX, HEX.splitlines()[0]),
        ("julia docs/make.jl", DOCTEST, "┌ Error: doctest failure in src/heron.jl:44-49"),
    ],
)
def test_what_says_most_leads(command: str, output: str, first: str) -> None:
    assert first_of(command, output) == first


def first_of_action(*lines: str) -> str:
    text = "\n".join(("##[group]Run acme/ship@v1", "##[endgroup]", *lines))
    log = read_log(TextSource("job.log", f"{text}\n"), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER).evidence[0].text


OWN_WORDS = "##[error]Unable to ship the heron: the nest answered nothing in 5 tries"


@pytest.mark.parametrize(
    "before",
    [
        "Getting action download info",
        "- failed-herons (ID: 1275403381, Size: 88, Expected Digest: undefined)",
        "Attempt 5 of 5 failed. Retrying request in 3000 ms...",
        "[notice] A new release of errorlib is available",
    ],
)
def test_an_actions_own_words_on_its_failure_come_before_what_it_said_on_its_way(before: str) -> None:
    assert first_of_action(before, OWN_WORDS) == OWN_WORDS


def test_what_the_runner_fails_of_comes_before_what_it_tried_again() -> None:
    unknown = "Unable to resolve action `acme/ship@v9`, unable to find version `v9`"
    tried = f"##[warning]Failed to resolve action download info. Error: {unknown}"
    assert (
        first_of_action(tried, "##[warning]Retrying in 28.02 seconds", f"##[error]{unknown}") == f"##[error]{unknown}"
    )


def test_an_error_that_was_stated_comes_before_the_actions_words_on_it() -> None:
    error = "wing.c:12:3: fatal: the feather is bent"
    assert first_of_action(error, OWN_WORDS) == error


def test_words_that_only_say_that_it_failed_come_last() -> None:
    assert first_of_action("Unknown option: --fly", "##[error]Action failed") == "Unknown option: --fly"


def test_a_test_that_was_running_is_named_where_nothing_states_an_error() -> None:
    output = "==== test session starts ====\ncollected 2 items\n\ntests/test_a.py::test_one \nreading the nest ..."
    assert first_of("pytest -v", output) == "tests/test_a.py::test_one"


def test_what_a_worker_raised_comes_before_the_words_that_only_pass_on_how_it_ended() -> None:
    cause = "[rank1]:E0412 08:01:02.000003 911 torch/testing/_internal/common_distributed.py:733] TypeError: no wing"
    ended = "RuntimeError: Process 1 exited with error code 10 and exception:"
    output = (
        f"tests/test_a.py::test_b\n{cause}\nFAILED\n=== FAILURES ===\n____ test_b ____\n{ended}\n"
        f"=== short test summary info ===\nFAILED tests/test_a.py::test_b - {ended}\n=== 1 failed in 1.20s ==="
    )
    assert first_of("pytest tests", output) == cause


def test_of_lines_that_say_the_same_of_several_things_the_first_leads() -> None:
    fetched = [f"E: Release file for http://nest.example/{name}/InRelease is not valid yet" for name in ("a", "b", "c")]
    output = "\n".join(f"{line} (invalid for another 5h 12min 3s)." for line in fetched)
    assert first_of("apt-get update", output).startswith(fetched[0])


def test_of_a_table_of_states_the_last_one_leads() -> None:
    states = ("DRAM Status: Timeout, 4 out of 4 initialized", "ARC Status: Timeout, 0 out of 1 initialized")
    output = "Reading the board\n" + "\n".join(f"  {state}" for state in states)
    assert first_of("tt-smi -r 0", output).startswith("ARC Status")


def test_of_a_solvers_search_the_first_refusal_leads() -> None:
    refused = "[__1] rejecting: aeson-2.2.3.0 (conflict: wing => aeson>=1.5 && <2.2)"
    output = (
        "Resolving dependencies...\nError: [Cabal-7107]\nCould not resolve dependencies:\n"
        f"[__0] trying: wing-0.9.2 (user goal)\n[__1] next goal: aeson (dependency of wing)\n{refused}\n"
        "[__2] rejecting: base-4.20.0.0/installed-inplace (conflict: aeson => base>=4.9 && <4.19)"
    )
    assert first_of("cabal build", output) == refused


def test_what_stands_under_the_call_that_failed_in_r_leads() -> None:
    output = 'Error in `expect_wing("a", b)`: \n  could not find function "expect_wing"\nCalls: run\nExecution halted'
    assert first_of("Rscript tests/all.R", output) == 'could not find function "expect_wing"'


def test_what_a_test_printed_leads_where_its_runner_names_only_the_place() -> None:
    output = (
        "> Task :it:test\n\nQueueIT > initializationError FAILED\n"
        "    java.lang.IllegalStateException at DockerClientProviderStrategy.java:277\n\n"
        "java.lang.IllegalStateException: Could not find a valid Docker environment. Please see logs\n\n"
        "1 test completed, 1 failed\n\n> Task :it:test FAILED"
    )
    assert first_of("./gradlew :it:test", output).startswith("java.lang.IllegalStateException: Could not find")


def test_the_step_of_an_image_that_failed_leads_and_not_a_cache_that_was_never_written() -> None:
    failed = '#13 ERROR: failed to calculate checksum of ref k3::p1: "/config/nest.conf": not found'
    output = (
        "#12 ERROR: failed to configure registry cache importer: ghcr.io/acme/wing:buildcache: not found\n"
        f"#13 [stage-1 5/8] COPY config/nest.conf /etc/\n{failed}\n------"
    )
    assert first_of("docker buildx build .", output) == failed


NCCL = """\
[rank2]: torch.distributed.DistBackendError: NCCL error in: /w/NCCLUtils.hpp:268, unhandled system error
[rank2]: ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.
[rank2]: Last error:
[rank2]: Error while creating shared memory segment /dev/shm/nccl-1YsMbG (size 7340384)"""
DESYNC = """\
[rank3]:[E504 ProcessGroupNCCL.cpp:683] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=212)
[rank3]:[E504 ProcessGroupNCCL.cpp:1830] [PG ID 4 Rank 3] Desync report:
[rank3]: \t - [3] joined but didn't finish collective #212 (count from 1)
Fatal Python error: Aborted"""


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (NCCL, "[rank2]: Error while creating shared memory segment /dev/shm/nccl-1YsMbG (size 7340384)"),
        (DESYNC, "[rank3]: \t - [3] joined but didn't finish collective #212 (count from 1)"),
    ],
)
def test_the_reason_that_a_library_gives_under_its_own_heading_stands_first(output: str, reason: str) -> None:
    assert first_of("torchrun --nproc-per-node 4 train.py", output) == reason
