"""The table of test runners: what their lines look like, and which file reads them.

The patterns stand here and not with the readers, so that a log is scanned before any reader is loaded: only the
readers whose lines show in it are.
"""

from __future__ import annotations

from triage.logs.tests.runner import Runner

# One row a runner; the order says nothing: whose lines are whose is settled in `joining`.
RUNNERS: tuple[Runner, ...] = (
    Runner(
        name="pytest",
        module="pytest",
        always=True,
        triggers=(
            r"^=+ (?:test session starts|FAILURES|ERRORS|short test summary info) =+",
            r"^(?:FAILED|ERROR|SUBFAILED\S*) \S+(?:::|\.py)",
            r"^\S+::.* (?:FAILED|ERROR|RERUN)",
            r"^\[gw[0-9]+\] .*(?:FAILED|ERROR|RERUN) ",
            r"^E   ",
            r"^_+ .*[^_ ].* _+$",
            r"^=* ?(?:no tests ran|[0-9]+ (?:passed|failed|errors?|skipped|deselected)\b.*) in [0-9.]+ ?s",
            r"^INTERNALERROR> ",
            r"^ImportError while loading conftest ",
            r"crashed while running '",
        ),
    ),
    Runner(
        name="unittest",
        module="unittest",
        triggers=(
            r"^Ran [0-9]+ tests? in ",
            r"^(?:ERROR|FAIL): \S+(?: \(|$)",
            r"^FAILED \((?:failures|errors|unexpected successes|skipped)=",
            r"^NO TESTS RAN",
            r" \.\.\. (?:ERROR|FAIL)$",
            r"^={70}$",
        ),
    ),
    Runner(
        name="gtest",
        module="gtest",
        triggers=(
            r"\[==========\] ",
            r"\[  FAILED  \] ",
            r"\[  PASSED  \] ",
            r"\[ RUN      \] ",
            r"[.(:][0-9]+\)?: (?:Failure|error: )",
        ),
    ),
    Runner(
        name="catch2",
        module="catch2",
        triggers=(
            r"^test cases: +[0-9]+ \|",
            r"^All tests passed \([0-9]+ assertions? in [0-9]+ test cases?\)",
            r"^\S+[:(][0-9]+\)?: FAILED:",
            r"^No tests ran$",
        ),
    ),
    Runner(
        name="doctest",
        module="doctest_cpp",
        triggers=(
            r"^\[doctest\] test cases: ",
            r"^TEST CASE:  ",
            r": (?:FATAL )?ERROR: (?:CHECK|REQUIRE|test case )",
        ),
    ),
    Runner(
        name="behave",
        module="behave",
        triggers=(
            r"^Failing scenarios:",
            r"^[0-9]+ scenarios? passed, [0-9]+ failed",
            r"^ *Assertion Failed: ",
        ),
    ),
    Runner(
        name="robot",
        module="robot",
        triggers=(r" \| FAIL \|$", r"^[0-9]+ (?:critical )?tests?(?: total)?, [0-9]+ passed, [0-9]+ failed"),
    ),
    Runner(
        name="go test",
        module="gotest",
        triggers=(
            r"^ *--- FAIL: ",
            r"^(?:FAIL|ok  |\?   )\t",
            r"^panic: ",
            r"^fatal error: ",
            r"^=== RUN ",
            r"^=== FAIL: ",
            r"^DONE (?:[0-9]+ runs, )?[0-9]+ tests?",
        ),
    ),
    Runner(
        name="cargo test",
        module="cargo",
        triggers=(
            r"^running [0-9]+ tests?$",
            r"^test result: ",
            r"^test .+ \.\.\. FAILED$",
            r"^---- .+ stdout ----$",
            r"^error: (?:doc)?test failed, to rerun pass",
        ),
    ),
    Runner(
        name="nextest",
        module="nextest",
        triggers=(
            r"^ +Nextest run ID ",
            r"^ +Starting [0-9]+ tests? across ",
            r"^ +(?:FAIL|FLAKY|FLKY-FL|TRY|SIG|ABORT|TIMEOUT|TMT|LEAK-FAIL)[A-Z0-9/ -]* \[",
            r"^ +Summary \[",
        ),
    ),
    Runner(
        name="surefire",
        module="surefire",
        triggers=(
            r"^(?:\[[A-Z]+\] +)?T E S T S *$",
            r"Tests run: *[0-9]+, *Failures: *[0-9]+, *Errors: *[0-9]+",
            r"<<< (?:FAILURE|ERROR)!",
            r"^(?:\[[A-Z]+\] +)?(?:Failed tests|Tests in error|Flakes|Crashed tests): *",
            r"The forked VM terminated without",
        ),
    ),
    Runner(
        name="gradle",
        module="gradle",
        triggers=(
            r"^(?:> Task )?:(?:[\w.-]+:)*\w*[tT]est\w*(?: FAILED)?$",
            r"^[\w.$]+ > .+ FAILED$",
            r"^[0-9]+ tests? completed, [0-9]+ failed",
            r"^BUILD (?:SUCCESSFUL|FAILED) in ",
        ),
    ),
    Runner(
        name="ant",
        module="ant",
        triggers=(
            r"^ *\[junit\w*\] Testcase: .+(?:FAILED|ERROR)$",
            r"^ *\[junit\w*\] Test(?:suite)?:? .+",
            r"^ *\[junit\w*\] Tests run: [0-9]+, Failures: [0-9]+",
        ),
    ),
    Runner(
        name="junit4",
        module="junit4",
        triggers=(
            r"^JUnit version [0-9]",
            r"^There (?:was|were) [0-9]+ failures?:$",
            r"^FAILURES!!!$",
            r"^OK \([0-9]+ tests?\)$",
            r"^Tests run: [0-9]+, +Failures: [0-9]+$",
        ),
    ),
    Runner(
        name="testng",
        module="testng",
        triggers=(
            r"^\[TestNG\] Running:",
            r"^FAILED(?: CONFIGURATION)?: ",
            r"^Total tests run: [0-9]+, ",
        ),
    ),
    Runner(
        name="scalatest",
        module="scalatest",
        triggers=(
            r"\*\*\* FAILED \*\*\*",
            r"^(?:\[\w+\] )?==> X ",
            r"^(?:\[\w+\] )?Test [\w.$]+ failed: ",
            r"^(?:\[\w+\] )?Tests: succeeded [0-9]+, failed [0-9]+",
            r"^(?:\[\w+\] )?(?:Passed|Failed|Error): Total [0-9]+, ",
        ),
    ),
    Runner(
        name="jest",
        module="jest",
        triggers=(
            r"^ ?FAIL +\S+\.[a-z]+(?: \([0-9.]+ ?m?s\))?$",
            r"^  ● ",
            r"^Test Suites: ",
            r"^Tests: .+ total",
        ),
    ),
    Runner(
        name="vitest",
        module="vitest",
        triggers=(
            r"^ *(?:RUN|DEV) +v[0-9]+\.",
            r"^ FAIL  \S",
            r"^ *Test Files  ",
            r"^⎯+ (?:Failed (?:Suites|Tests)|Unhandled )",
        ),
    ),
    Runner(
        name="mocha",
        module="mocha",
        triggers=(r"^ +[0-9]+ passing(?: \(|$)", r"^ +[0-9]+ failing$"),
    ),
    Runner(
        name="cypress",
        module="cypress",
        triggers=(
            r"^ +\(Run Starting\)",
            r"^ +Running:  \S",
            r"^ +[0-9]+ failing$",
            r"^ +\(Attempt [0-9]+ of [0-9]+\) ",
            r"^ +\(Run Finished\)",
        ),
    ),
    Runner(
        name="jasmine",
        module="jasmine",
        triggers=(r"^[0-9]+ specs?, [0-9]+ failures?", r"^Failures: ?$"),
    ),
    Runner(
        name="karma",
        module="karma",
        triggers=(
            (
                r"^(?:Chrome|Chromium|HeadlessChrome|Firefox|Safari|Mobile Safari|Edge|MS Edge|IE|Opera|PhantomJS"
                r"|Android|Electron|jsdom|Samsung)[^()]*\([^)]*\) .+ FAILED$"
            ),
            r"Executed [0-9]+ of [0-9]+ ",
        ),
    ),
    Runner(
        name="node:test",
        module="nodetest",
        triggers=(
            r"^ℹ (?:tests|pass|fail) [0-9]+",
            r"^✖ failing tests:",
            r"^ *not ok [0-9]+",
            r"^# (?:tests|fail) [0-9]+",
        ),
    ),
    Runner(
        name="tap",
        module="tap",
        triggers=(
            r"^TAP version [0-9]+",
            r"^ *not ok [0-9]+",
            r"^1\.\.[0-9]+",
            r"^# (?:tests|pass|fail) +[0-9]+",
            r"^Result: (?:PASS|FAIL)$",
            r"^Test Summary Report$",
        ),
    ),
    Runner(
        name="playwright",
        module="playwright",
        triggers=(
            r"^Running [0-9]+ tests? using [0-9]+ workers?",
            r"^  [0-9]+\) (?:\[.+\] › )?.+:[0-9]+:[0-9]+ › .+ ─+$",
            r"^  [0-9]+ (?:failed|flaky|did not run|passed)(?: \(.+\))?$",
        ),
    ),
    Runner(
        name="dotnet test",
        module="dotnet",
        triggers=(
            r"^ *(?:Failed|failed|X) [\w.]+.* [\[(][<0-9]",
            r"^(?:Passed|Failed)!  +- Failed: ",
            r"^Total tests: [0-9]+",
            r"^Test Run (?:Failed|Aborted|Successful)\.",
            r"^The active [Tt]est [Rr]un was aborted",
            r"^ *Test Count: [0-9]+, ",
            r"^\[xUnit\.net [0-9:.]+\] .+ \[FAIL\]",
            r"^[0-9]+\) (?:Failed|Error) : ",
        ),
    ),
    Runner(
        name="rspec",
        module="rspec",
        triggers=(
            r"^ *[0-9]+ examples?, [0-9]+ failures?",
            r"^Failures:$",
            r"^rspec \S+:[0-9]+ # ",
            r"^An error occurred (?:while loading|in an? `)",
        ),
    ),
    Runner(
        name="minitest",
        module="minitest",
        triggers=(
            r"^[0-9]+ (?:runs|tests), [0-9]+ assertions, [0-9]+ failures",
            r"^ +[0-9]+\) (?:Failure|Error):$",
            r"^(?:Failure|Error): test",
            r"^Run options: .*--seed",
        ),
    ),
    Runner(
        name="phpunit",
        module="phpunit",
        triggers=(
            r"^PHPUnit [0-9]+\.",
            r"^There (?:was|were) [0-9]+ (?:errors?|failures?):$",
            r"^(?:FAILURES|ERRORS)!$",
            r"^Tests: [0-9]+, Assertions: [0-9]+",
            r"^OK \([0-9]+ tests?, [0-9]+ assertions?\)",
        ),
    ),
    Runner(
        name="exunit",
        module="exunit",
        triggers=(
            r"^ +[0-9]+\) (?:test|property|doctest) .+ \([A-Z][\w.]*\)$",
            r"^(?:[0-9]+ doctests?, )?(?:[0-9]+ propert(?:y|ies), )?[0-9]+ tests?, [0-9]+ failures?",
        ),
    ),
    Runner(
        name="xctest",
        module="xctest",
        triggers=(
            r"^.+: error: (?:-\[)?[\w.]+[ .]\w+\]? : ",
            r"^Test Case '.+' failed \(",
            r"^\s*Executed [0-9]+ tests?, with ",
            r"^[✘􀢄] Test .+ (?:recorded an issue|failed after)",
            r"^ *✗ test\w+, ",
        ),
    ),
    Runner(
        name="dart test",
        module="dart",
        triggers=(
            r"^[0-9:]+ \+[0-9]+.*: .+ \[E\]$",
            r"^[0-9:]+ \+[0-9]+.*: (?:Some tests failed\.|All tests passed!)$",
        ),
    ),
    Runner(
        name="suite",
        module="suites",
        triggers=(
            r"^(?:Begin|End) \([0-9]+/[0-9]+\):",
            r"^(?:✗ )?(?:FAILED|TIMEOUT): \S+ (?:returned exit code|after )",
            r"^(?:✓ )?PASSED on retry",
            r"^(?:Fail|Success)\. Time elapsed: ",
            r"^\[CI Retry\] ",
        ),
        wraps=True,
    ),
    Runner(
        name="run_test.py",
        module="torch_run_test",
        triggers=(
            r"^\S+ [0-9]+/[0-9]+ failed!",
            r"^Running \S+ [0-9]+/[0-9]+ \.\.\.",
            r"^(?:FAILED CONSISTENTLY|The following tests failed)",
        ),
        wraps=True,
    ),
    Runner(
        name="ctest",
        module="ctest",
        triggers=(
            r"^ *(?:[0-9]+/[0-9]+ )?Test +#[0-9]+: .*\*\*\*",
            r"^Test project ",
            r"% tests passed, [0-9]+ tests? failed out of [0-9]+",
            r"^The following tests FAILED:",
        ),
        wraps=True,
    ),
    Runner(
        name="bazel",
        module="bazel",
        triggers=(
            r"^(?:@[^/ ]*)?//\S+ +(?:\(cached\) +)?(?:FAILED|TIMEOUT|FLAKY|NO STATUS|REMOTE FAILURE)",
            r"^(?:FAIL|TIMEOUT|FLAKY): (?:@[^/ ]*)?//",
            r"^=+ Test output for (?:@[^/ ]*)?//",
            r"^Executed [0-9]+ out of [0-9]+ tests?",
        ),
        wraps=True,
    ),
    Runner(
        name="harness",
        module="harness",
        triggers=(
            r"^FAILED \| [0-9]+ passed",
            r"^error: Test failed$",
            r"^(?:✗|\(fail\)) ",
            r"^(?:FAIL|TIMEOUT|UNRESOLVED|XPASS): .+ :: .* \([0-9]+ of [0-9]+\)$",
            r"^ *[0-9]+/[0-9]+ .* (?:FAIL|TIMEOUT|ERROR|INTERRUPT) +[0-9.]+ ?s\b",
            r"^\*\*\* [0-9]+ failures? (?:is|are) detected",
            r"^FAIL!  : ",
            r"\[ FAIL [1-9]",
            r"^.*: (?:Error During Test|Test Failed) at ",
            r"^Error in testset ",
            r"^\s*\[-\] ",
            r"\[✘\]$",
            r"^Randomized with seed [0-9]+$",
            r"^[1-9][0-9]* out of [0-9]+ tests failed",
            r"^(?:FAIL|ERROR) in \(",
            r"\[FAIL(?:ED)?\] ",
            r"\[ +(?:FAIL|FAILED|NOT OK) +\]",
            r"^(?:Failure|Error) → ",
            r"^error: '.*' (?:failed|leaked|terminated)",
            r"error: Failure in (?:IGNORE_)?TEST\(",
            r"^[0-9]+ Tests [1-9][0-9]* Failures",
            r"^[0-9]+%: Checks: [0-9]+",
            r"✘ \[fail\]: ",
            r"^TEST RUN FAILED$",
            r"^\s+Tests: +[1-9][0-9]* failed",
            r"^[0-9]+ scenarios? \(.*\b[1-9][0-9]* failed",
            r"^ ✗ ",
            r"^# of unexpected failures",
            r"^%%% .* ==> .*: FAILED",
            r"^Some failures found:?",
            r"^Pass: [0-9]+,.* Fail: [1-9]",
            r"test configurations passed \(",
            r"(?i)^\W*[1-9][0-9]* (?:(?:of|out of|/) ?[0-9]+ )?(?:tests?|checks?|cases?) failed",
            r"(?i)^\W*(?:(?:tests? )?failed: +[1-9]|[0-9]+ passed, [1-9][0-9]* failed|passed: [0-9]+,? failed: [1-9])",
        ),
        only_alone=True,
    ),
    Runner(
        name="python-crash",
        module="python_crash",
        triggers=(r"Fatal Python error: ",),
        only_alone=True,
    ),
    Runner(
        name="python",
        module="python_script",
        triggers=(r"Traceback \(most recent call last\):",),
        only_alone=True,
    ),
)
