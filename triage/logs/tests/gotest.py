"""Reads `go test`, plain and verbose, and gotestsum: package after package, each with its own verdict at the end."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from triage.logs.tests import go_errors
from triage.logs.tests.failure_blocks import Tally, failure_of, is_boundary, is_hole, is_step_end, number_in
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "go test"


_RESULT = regex(
    r"( *)--- (FAIL|PASS|SKIP|BENCH): ((?:Test|Example|Fuzz|Benchmark)\S*)(?: \([\d.]+ ?s(?:econds)?\))?\s*$"
)
_UNENDED = regex(r"()\S.*--- (FAIL|PASS): ((?:Test|Example|Fuzz)\S*) \([\d.]+s\)$")
_EVENT = regex(r"=== (RUN|CONT|NAME|PAUSE) +(\S+)")
_PACKAGE = regex(r"(ok|FAIL|\?)\s+([\w.~/-]+)\s+(?:\(cached\)|[\d.]+s|\[(build failed|setup failed|no test files)\])")
_SUM_FAILED = regex(r"=== FAIL: (\S+) (\S+)(?: \(re-run \d+\))?(?: \([\d.]+s\)| \(unknown\))?\s*$")
_SUM_DONE = regex(r"DONE (?:\d+ runs, )?(\d+) tests?(?:, (\d+) skipped)?(?:, (\d+) failures?)?(?:, (\d+) errors?)? in ")
_COUNTER = regex(r"#\d\d$")
_TOOL = ("go: ", "# ", "go test ", "=== Errors")


@dataclass(slots=True)
class _Test:
    """One failed test of a package: its verdict's line, and all lines known to be its own."""

    name: str
    verdict: LogLine
    lines: list[LogLine] = field(default_factory=list)


@dataclass(slots=True)
class _Package:
    """What was written since the last package's verdict."""

    failed: dict[str, _Test] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)
    said: dict[str, list[LogLine]] = field(default_factory=dict)
    crash: list[LogLine] = field(default_factory=list)
    rest: list[LogLine] = field(default_factory=list)
    top_level: int = 0
    verbose: bool = False
    first: int = -1


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what `go test` said in these lines; None where it did not run."""
    if not any_line_has(
        lines, "--- FAIL: ", "FAIL\t", "ok  \t", "=== RUN", "=== FAIL: ", "panic: test timed out", "?   \t"
    ):
        return None
    reader = _Reader(lines)
    for index in range(len(lines)):
        reader.read_line(index)
    return reader.report()


class _Reader:
    """Keeps the package that is running, and the test in it that is writing."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self._lines = lines
        self._package = _Package()
        self._strays: dict[str, _Test] = {}  # failed in packages that are good: printed, or of one that ran beside it
        self._current = ""
        self._depth = -1  # below a verdict: how deep it stands, and so what is deeper is the test's; else -1
        self._builds: dict[str, list[LogLine]] = {}
        self._build = ""
        self._start = -1
        self._settled: list[TestFailure] = []
        self._unended: list[tuple[int, int]] = []
        self._not_run: list[str] = []
        self._tally = Tally()
        self._counted: int | None = None
        self._seen = False
        self._ran_some = False

    def read_line(self, index: int) -> None:
        """Read the line at this index."""
        line = self._lines[index]
        text = line.text
        if is_hole(self._lines, index):
            self._current, self._depth, self._build, self._start = "", -1, "", -1
        self._find_start(index)
        if text.startswith("==="):
            self._read_event(index, text)
        elif "--- " in text and (result := _RESULT.match(text) or _UNENDED.match(text)):
            self._read_result(index, result)
        elif package := _PACKAGE.match(text):
            self._end_package(index, package)
        elif done := _SUM_DONE.match(text):
            self._seen = True
            self._counted = max(0, number_in(done[1]) - number_in(done[2]))
        elif is_step_end(text):
            self._end_step(index)
        else:
            self._read_output(index)

    def _find_start(self, index: int) -> None:
        """Note the first line that tests may have written: not the platform's, a shell's, or the go command's own."""
        text = self._lines[index].text
        if is_boundary(text, "go test", "gotestsum"):
            self._start = -1
        elif self._start < 0 and text.strip() and not text.startswith(_TOOL) and not self._is_of_build(text):
            self._start = index

    def _read_event(self, index: int, text: str) -> None:
        listed = _SUM_FAILED.match(text)
        event = _EVENT.match(text)
        if listed:
            self._seen = True
            name = f"{listed[1]}.{_bare(listed[2])}"
            test = self._package.failed.setdefault(name, _Test(name, self._lines[index]))
            test.verdict, test.lines = self._lines[index], []
            self._current, self._depth = name, 0
        elif event:
            self._begin(index)
            self._package.verbose, self._package.crash = True, []
            self._current, self._depth = _bare(event[2]), -1
            self._package.said.setdefault(self._current, [])

    def _read_result(self, index: int, result: re.Match[str]) -> None:
        indent, verdict, name = result.groups()
        package = self._package
        self._begin(index)
        name = _bare(name)
        package.crash = []  # tests go on: what looked like the end of the process was only printed
        if not indent:
            package.top_level += verdict != "SKIP"
        if verdict == "FAIL":
            test = _Test(name, self._lines[index], package.said.pop(name, []))
            package.failed[name] = test
            package.passed.discard(name)
            self._current, self._depth = name, len(indent)
        else:
            package.passed.add(name)
            self._current, self._depth = "", -1

    def _read_output(self, index: int) -> None:
        package, line = self._package, self._lines[index]
        text = line.text
        if package.crash or go_errors.begins_crash(self._lines[index : index + 12]):
            package.crash.append(line)
        elif self._depth >= 0 and self._belongs(text):
            package.failed[self._current].lines.append(line)
        elif self._current in package.said and self._depth < 0:
            package.said[self._current].append(line)
        else:
            self._depth = -1
            self._read_loose(line)

    def _belongs(self, text: str) -> bool:
        """Whether a line below a failed test's verdict is the test's: deeper than it, or an example's output."""
        if text.startswith((" " * (self._depth + 1), "\t")) or not text.strip():
            return True
        return self._current.startswith("Example") and not text.startswith(("FAIL", "PASS", "exit status"))

    def _read_loose(self, line: LogLine) -> None:
        text = line.text
        if text.startswith("# "):
            self._build = text.removeprefix("# ").partition(" ")[0]
            self._builds[self._build] = [line]
        elif self._is_of_build(text):
            self._builds[self._build].append(line)
        elif text.strip():
            self._build = ""
            self._package.rest.append(line)

    def _is_of_build(self, text: str) -> bool:
        """Whether a line below `# package` is still of the compiler or of `go vet`."""
        return bool(self._build) and (text.startswith(("\t", "vet: ", "note: ")) or go_errors.is_compile_error(text))

    def _begin(self, index: int) -> None:
        self._seen = True
        if self._package.first < 0:
            self._package.first = self._start if self._start >= 0 else index

    def _end_package(self, index: int, found: re.Match[str]) -> None:
        verdict, name, no_build = found.groups()
        package = self._package
        self._seen = True
        if no_build in {"build failed", "setup failed"}:
            self._settled.append(self._unbuilt(index, name))
            self._not_run.append(f"the tests of {name} never ran: {no_build}")
        elif verdict == "FAIL":
            self._begin(index)
            package.failed = package.failed or self._strays
            self._settled += self._failures_of(name, self._lines[index])
        if no_build is None:
            self._ran_some = True
            self._note_counts()
        if package.first >= 0:
            self._tally.wrote(self._lines[package.first].number, self._lines[index].number)
        if verdict == "ok" and package.passed and self._settled:
            self._mark_flaky({f"{name}.{test}" for test in package.passed})
        self._strays = {**self._strays, **package.failed} if verdict == "ok" else {}
        self._package = _Package()
        self._current, self._depth, self._start = "", -1, -1

    def _mark_flaky(self, passed: set[str]) -> None:
        """A package ran again and is good: what had failed in it is flaky."""
        self._settled = [replace(one, outcome=Outcome.FLAKY) if one.id in passed else one for one in self._settled]

    def _note_counts(self) -> None:
        if self._package.verbose:
            failed = sum("/" not in name for name in self._package.failed)
            self._tally.add(passed=max(0, self._package.top_level - failed), failed=failed)

    def _end_step(self, index: int) -> None:
        """The step is over: what failed in a package without a verdict, failed."""
        if self._package.failed or go_errors.is_crash(self._package.crash):
            self._settled += self._failures_of("", self._lines[index - 1])
        if self._package.first >= 0:
            self._tally.wrote(self._lines[self._package.first].number, self._lines[index - 1].number)
        if self._package.failed:
            known = max(line.number for test in self._package.failed.values() for line in (test.verdict, *test.lines))
            self._unended.append((known + 1, self._lines[index - 1].number))
        self._package = _Package()
        self._current, self._depth, self._start = "", -1, -1

    def _failures_of(self, name: str, verdict: LogLine) -> list[TestFailure]:
        package = self._package
        parents = {name[:at] for name in package.failed for at, letter in enumerate(name) if letter == "/"}
        # A test may have failed only because tests inside it did.
        leaves = [one for one in package.failed.values() if one.name not in parents or go_errors.says_why(one.lines)]
        found = [_failure(test, name) for test in leaves]
        if go_errors.is_crash(package.crash):
            return [*found, self._crashed(name, found.pop() if found and _is_near(found[-1], package.crash) else None)]
        if not found and name:
            told = go_errors.told_by_last_words(package.rest, verdict)
            block = [line for line in package.rest if line.number >= told.line] or [verdict]
            found = [failure_of(block, told, test_id=name, runner=NAME, outcome=Outcome.ERROR)]
        return found

    def _crashed(self, package: str, failed: TestFailure | None) -> TestFailure:
        crash = self._package.crash
        told, test, timed_out = go_errors.told_by_crash(crash)
        name = failed.id if failed else _full(package, test or self._current)
        outcome = Outcome.TIMED_OUT if timed_out else Outcome.FAILED if failed else Outcome.CRASHED
        made = failure_of(crash, told, test_id=name or "go test", runner=NAME, outcome=outcome)
        return replace(made, first_line=min(made.first_line, failed.first_line) if failed else made.first_line)

    def _unbuilt(self, index: int, name: str) -> TestFailure:
        errors = self._builds.get(name) or (list(self._builds.values())[-1] if self._builds else [])
        told = go_errors.told_by_compiler(errors)
        file = told.frames[0].path if told.frames else None
        block = errors or [self._lines[index]]
        return failure_of(block, told, test_id=name, runner=NAME, outcome=Outcome.NOT_COLLECTED, file=file)

    def report(self) -> TestReport | None:
        """Return what was read, at the end of the log."""
        if self._lines:
            self._end_step(len(self._lines))
        if not self._seen:
            return None
        ran = self._counted if self._counted is not None else self._tally.ran
        if ran is None and self._not_run and not self._ran_some:
            ran = 0
        return TestReport(
            runners=(NAME,),
            ran=ran,
            passed=self._tally.passed if self._counted is None else None,
            failures=keep_last(self._settled),
            not_run=tuple(dict.fromkeys(self._not_run)),
            line_ranges=tuple(self._tally.ranges),
            unended=tuple(self._unended),
        )


def _bare(name: str) -> str:
    """Return a test's name without the counter that makes a repeated one different."""
    return _COUNTER.sub("", name)


def _full(package: str, test: str) -> str:
    return f"{package}.{test}" if package and test else test or package


def _is_near(failure: TestFailure, crash: Sequence[LogLine]) -> bool:
    """Whether a crash was written right below the verdict of the test that caused it."""
    return 0 <= crash[0].number - failure.last_line <= 1


def _failure(test: _Test, package: str) -> TestFailure:
    block = sorted({line.number: line for line in (test.verdict, *test.lines)}.values(), key=lambda line: line.number)
    told = go_errors.told_by_test(test.lines, go_errors.folder_of(package))
    return failure_of(block, told, test_id=_full(package, test.name), runner=NAME)
