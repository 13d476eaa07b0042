"""The table of small harnesses: how each names a failed test, and how it shows that it was at work."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from triage.regex import regex

if TYPE_CHECKING:
    import re


class Side(Enum):
    """Where the error of a failed test stands, seen from the line that names the test."""

    BELOW = auto()
    ABOVE = auto()
    HERE = auto()


class Harness(NamedTuple):
    """One harness.

    Attributes:
        name: As it stands in `TestFailure.runner`.
        failed: A line that names a failed test; groups `test` and `file`.
        shows: Lines that this harness alone prints when tests failed. One of them must stand in the same step.
        error: Where the error stands.
        ends: A line that ends a failure's block before the next failed test does.
        prints: What stands before each line that the test's own programs wrote.
    """

    name: str
    failed: str
    shows: tuple[str, ...]
    error: Side = Side.BELOW
    ends: re.Pattern[str] | None = None
    prints: re.Pattern[str] | None = None


def _row(
    name: str, failed: str, *shows: str, error: Side = Side.BELOW, ends: str | None = None, prints: str | None = None
) -> Harness:
    return Harness(name, failed, shows, error, regex(ends) if ends else None, regex(prints) if prints else None)


HARNESSES: tuple[Harness, ...] = (
    _row(
        "deno test",
        r"^(?P<test>\S.*?) => (?P<file>\S+?):\d+:\d+$",
        r"^FAILED \| \d+ passed",
        r"^error: Test failed$",
        ends=r"^ FAILURES\b",
    ),
    _row(
        "bun test",
        r"^(?:✗|\(fail\)) (?P<test>.+?)(?: \[[\d.]+ ?m?s\])?$",
        r"^bun test v\d",
        r"^ *[1-9]\d* fail$",
        error=Side.ABOVE,
        ends=r"^(?:✓|✗|\((?:pass|fail|skip|todo)\)|\S+\.[cm]?[jt]sx?:$)",
    ),
    _row(
        "lit",
        r"^(?:FAIL|TIMEOUT|UNRESOLVED|XPASS): (?P<test>.+ :: \S.*?) \(\d+ of \d+\)$",
        r"^\*+ TEST '.*' FAILED \*+$",
        r"^(?:Failed|Timed Out|Unresolved) Tests \(\d+\):$",
        ends=r"^(?:PASS|Failed Tests|Testing Time|Timed Out Tests)",
        prints=r"^# \| ",
    ),
    _row(
        "meson test",
        r"^ *\d+/\d+ (?P<test>\S.*?) +(?:FAIL|TIMEOUT|ERROR|INTERRUPT|UNEXPECTEDPASS) +[\d.]+ ?s\b",
        r"^(?:Timeout|Fail): +[1-9]\d* *$",
        r"^Summary of Failures:",
        error=Side.HERE,
    ),
    _row(
        "boost test",
        r'^(?P<file>[^\s(]+)\(\d+\): (?:fatal )?error: in "(?P<test>[^"]+)": \S',
        r"^\*\*\* \d+ failures? (?:is|are) detected",
        error=Side.HERE,
    ),
    _row(
        "QtTest",
        r"^(?:FAIL!|XPASS) +: (?P<test>\S+\(.*?\))",
        r"^Totals: \d+ passed, [1-9]\d* failed",
        error=Side.HERE,
    ),
    _row(
        "testthat",
        r"^\s*(?:── )?(?:Failure|Error) \('?(?P<file>[^:'()]+\.[rR]):\d+(?::\d+)?'?\): (?P<test>.+?)(?: ─+)?$",
        r"\[ FAIL [1-9]\d* \|",
        ends=r"^\s*\[ FAIL ",
    ),
    _row(
        "Julia Test",
        r"^(?P<test>\S.*?): (?:Error During Test|Test Failed) at (?P<file>\S+?):\d+$",
        r"^Test Summary: +\|",
        ends=r"^(?:Test Summary: |ERROR: LoadError)",
    ),
    _row(
        "Julia testsets in processes",  # as the tests of Julia itself and of its GPU packages are run
        r"^Error in testset (?P<test>\S.*):$",
        r"^Test Summary: +\|",
        ends=r"^(?:Test Summary: |ERROR: LoadError)",
    ),
    _row(
        "Pester",
        r"^\s*\[-\] (?P<test>\S.*?)(?: \d[\d.]*m?s(?: \(.*\))?)?$",
        r"^Tests Passed: \d+, Failed: [1-9]",
        ends=r"^\s*(?:\[\+\]|Tests completed)",
    ),
    _row(
        "hspec",
        r"^ {1,4}\d+\) (?P<test>\S.*)$",
        r"\[✘\]$",
        ends=r"^(?:Randomized|Finished in|\d+ examples?, )",
    ),
    _row("tasty", r"^ +(?P<test>\S.*?): +FAIL(?: \([\d.]+s\))?$", r"^[1-9]\d* out of \d+ tests failed"),
    _row(
        "clojure.test",
        r"^(?:FAIL|ERROR) in \((?P<test>[^)]+)\) \((?P<file>[^:)]+):-?\d+\)",
        r"^(?:[1-9]\d* failures, \d+ errors|0 failures, [1-9]\d* errors)",
        ends=r"^(?:Ran \d+ tests|Testing )",
    ),
    _row(
        "Alcotest",
        r"^[> │]*\[FAIL\] +(?P<test>\S.*?)(?: *│)?$",
        r"^ *[1-9]\d* (?:tests? failed|failures?!)",
        r"^This run has ID",
    ),
    _row("busted", r"^(?:Failure|Error) → (?P<file>\S+) @ \d+$", r"\d+ success(?:es)? / \d+ failures? / \d+ errors?"),
    _row(
        "Zig test",
        r"^error: '(?P<test>[^']+)' (?:failed|leaked|terminated)\b",
        r"\d+ passed.*\b[1-9]\d* failed",
        error=Side.HERE,
    ),
    _row(
        "CppUTest",
        r"^(?P<file>\S+?):\d+: error: Failure in (?P<test>(?:IGNORE_)?TEST\(.*\))$",
        r"^Errors \([1-9]\d* failures?, ",
    ),
    _row(
        "Unity", r"^(?P<file>\S+?):\d+:(?P<test>\w+):FAIL(?:: .*)?$", r"^\d+ Tests [1-9]\d* Failures", error=Side.HERE
    ),
    _row("Check", r"^(?P<file>\S+?):\d+:[FE]:[^:]*:(?P<test>[^:]+):-?\d+: ", r"^\d+%: Checks: \d+", error=Side.HERE),
    _row(
        "Criterion",
        r"^\[FAIL\] (?P<test>\S+::\S+?):? ",
        r"^\[====\] Synthesis: ",
        error=Side.ABOVE,
        ends=r"^\[(?:PASS|RUN )\]",
    ),
    _row("AVA", r"^\s+✘ \[fail\]: (?P<test>\S.*)$", r"^\s+[1-9]\d* tests? failed$"),
    _row("Elm test", r"^✗ (?P<test>\S.*)$", r"^TEST RUN FAILED$"),
    _row("Pest", r"^\s+(?:⨯|FAILED) +(?P<test>\S.*?)(?: +[\d.]+s)?$", r"^\s+Tests: +[1-9]\d* failed"),
    _row(
        "Cucumber",
        r"^(?:\d+\) Scenario: (?P<test>.+?) # (?P<file>\S+?):\d+|cucumber (?P<feature>\S+:\d+) # )",
        r"^\d+ scenarios? \(.*\b[1-9]\d* failed",
    ),
    _row("Bats", r"^ ✗ (?P<test>\S.*)$", r"^\d+ tests?, [1-9]\d* failures?"),
    _row(
        "DejaGnu", r"^(?:FAIL|ERROR|UNRESOLVED): (?P<test>\S.*)$", r"^# of unexpected failures\s+[1-9]", error=Side.HERE
    ),
    _row(
        "Nim unittest",
        r"^\s*\[FAILED\] (?P<test>\S.*)$",
        r"^\s*\[(?:OK|Suite)\] ",
        error=Side.ABOVE,
        ends=r"^\s*\[(?:OK|Suite)\] ",
    ),
    _row(
        "deqp-runner",
        r"^(?P<test>\S+[.@]\S+),(?:Fail|Crash|Timeout|UnexpectedImprovement\(\w+\))$",
        r"^Some failures found:?",
        r"^Pass: \d+,.* Fail: [1-9]",
        error=Side.HERE,
    ),
    _row(
        "Twister",
        r"^(?:ERROR|INFO) +- +(?:\d+/\d+ +)?\S+ +(?P<test>[\w./-]+) +(?:FAILED|ERROR):? "
        r"(?:Failed|Build|CMake|[Uu]nexpected|Timeout|Test\w*)\b",
        r"^INFO +- \d+ of \d+ (?:executed )?test configurations passed",
        ends=r"^(?:INFO|ERROR) +- +(?:\d+/\d+ |\d+ of )",
    ),
    _row("EUnit", r"^(?:in function|module) .*|^%%% .* ==> (?P<test>\S+): FAILED", r"^%%% .* ==> \S+: FAILED"),
)
"""One row a harness."""

ANY_SCRIPT = _row(
    "script",
    r"^\s*(?:\[ *(?:FAIL|FAILED|NOT OK) *\]|(?:FAIL|FAILED|not ok)[: -]+|[✗✘❌×]) *(?P<test>[^\s\d].*)$",
    r"(?i)^\W*(?:[1-9]\d* (?:(?:of|out of|/) ?\d+ )?(?:tests?|checks?|cases?) failed|(?:tests? )?failed: +[1-9]"
    r"|\d+ passed, [1-9]\d* failed|passed: \d+,? failed: [1-9]\d*)",
    error=Side.ABOVE,
    ends=r"^\s*(?:\[ *(?:OK|PASS(?:ED)?|RUN) *\]|(?:PASS|ok)\b|[✓✔✅])",
)
"""Scripts that count tests themselves; asked only where no harness was at work."""

SMALL_HARNESSES = frozenset(row.name for row in (*HARNESSES, ANY_SCRIPT))
"""What `TestFailure.runner` says for them."""
