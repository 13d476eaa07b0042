"""Failed tests out of logs: one small file a test runner, one table, one joined report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.logs.tests import (
    ant,
    bazel,
    behave,
    cargo,
    catch2,
    ctest,
    cypress,
    dart,
    doctest_cpp,
    dotnet,
    exunit,
    gotest,
    gradle,
    gtest,
    jasmine,
    jest,
    junit4,
    karma,
    minitest,
    mocha,
    nextest,
    nodetest,
    phpunit,
    playwright,
    pytest,
    python_crash,
    python_script,
    robot,
    rspec,
    scalatest,
    suites,
    surefire,
    tap,
    testng,
    torch_run_test,
    unittest,
    vitest,
    xctest,
)
from triage.logs.tests.joining import join
from triage.logs.tests.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triage.model import Log, TestReport

__all__ = ["RUNNERS", "TEST_TRIGGERS", "Runner", "read_tests"]

# One row a runner; the order says nothing: whose lines are whose is settled in `joining`.
RUNNERS: tuple[Runner, ...] = (
    Runner(name="pytest", triggers=pytest.TRIGGERS, read=pytest.read),
    Runner(name="unittest", triggers=unittest.TRIGGERS, read=unittest.read),
    Runner(name="gtest", triggers=gtest.TRIGGERS, read=gtest.read),
    Runner(name="catch2", triggers=catch2.TRIGGERS, read=catch2.read),
    Runner(name="doctest", triggers=doctest_cpp.TRIGGERS, read=doctest_cpp.read),
    Runner(name="behave", triggers=behave.TRIGGERS, read=behave.read),
    Runner(name="robot", triggers=robot.TRIGGERS, read=robot.read),
    Runner(name="go test", triggers=gotest.TRIGGERS, read=gotest.read),
    Runner(name="cargo test", triggers=cargo.TRIGGERS, read=cargo.read),
    Runner(name="nextest", triggers=nextest.TRIGGERS, read=nextest.read),
    Runner(name="surefire", triggers=surefire.TRIGGERS, read=surefire.read),
    Runner(name="gradle", triggers=gradle.TRIGGERS, read=gradle.read),
    Runner(name="ant", triggers=ant.TRIGGERS, read=ant.read),
    Runner(name="junit4", triggers=junit4.TRIGGERS, read=junit4.read),
    Runner(name="testng", triggers=testng.TRIGGERS, read=testng.read),
    Runner(name="scalatest", triggers=scalatest.TRIGGERS, read=scalatest.read),
    Runner(name="jest", triggers=jest.TRIGGERS, read=jest.read),
    Runner(name="vitest", triggers=vitest.TRIGGERS, read=vitest.read),
    Runner(name="mocha", triggers=mocha.TRIGGERS, read=mocha.read),
    Runner(name="cypress", triggers=cypress.TRIGGERS, read=cypress.read),
    Runner(name="jasmine", triggers=jasmine.TRIGGERS, read=jasmine.read),
    Runner(name="karma", triggers=karma.TRIGGERS, read=karma.read),
    Runner(name="node:test", triggers=nodetest.TRIGGERS, read=nodetest.read),
    Runner(name="tap", triggers=tap.TRIGGERS, read=tap.read),
    Runner(name="playwright", triggers=playwright.TRIGGERS, read=playwright.read),
    Runner(name="dotnet test", triggers=dotnet.TRIGGERS, read=dotnet.read),
    Runner(name="rspec", triggers=rspec.TRIGGERS, read=rspec.read),
    Runner(name="minitest", triggers=minitest.TRIGGERS, read=minitest.read),
    Runner(name="phpunit", triggers=phpunit.TRIGGERS, read=phpunit.read),
    Runner(name="exunit", triggers=exunit.TRIGGERS, read=exunit.read),
    Runner(name="xctest", triggers=xctest.TRIGGERS, read=xctest.read),
    Runner(name="dart test", triggers=dart.TRIGGERS, read=dart.read),
    Runner(name="suite", triggers=suites.TRIGGERS, read=suites.read, wraps=True),
    Runner(name="run_test.py", triggers=torch_run_test.TRIGGERS, read=torch_run_test.read, wraps=True),
    Runner(name="ctest", triggers=ctest.TRIGGERS, read=ctest.read, wraps=True),
    Runner(name="bazel", triggers=bazel.TRIGGERS, read=bazel.read, wraps=True),
    Runner(name="python-crash", triggers=python_crash.TRIGGERS, read=python_crash.read, only_alone=True),
    Runner(name="python", triggers=python_script.TRIGGERS, read=python_script.read, only_alone=True),
)

TEST_TRIGGERS: Mapping[str, str] = {
    f"test:{runner.name}:{index}": pattern for runner in RUNNERS for index, pattern in enumerate(runner.triggers)
}


def read_tests(log: Log) -> TestReport:
    """Return what all test runners in this log said, joined; an empty report where none showed itself."""
    read = ((runner, runner.read(log.lines)) for runner in RUNNERS)
    return join([(runner, report) for runner, report in read if report is not None])
