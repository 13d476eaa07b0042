"""Reads what Maven's Surefire and Failsafe print, with retries of failed tests (`Flakes:`) and forks that died."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from triage.logs.tests import jvm
from triage.logs.tests.failure_blocks import Tally, Told, block_end, failure_of, is_hole, number_in, output_end
from triage.logs.tests.reporting import any_line_has, keep_last
from triage.model import Outcome, TestReport
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from triage.model import LogLine, TestFailure

NAME = "surefire"


_LEVEL = regex(r"(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,+]*Z?\]? +)?\[(?:ERROR|INFO|WARNING|WARN|DEBUG)\] ?")
_COUNTS = regex(r"Tests run: *(\d+), *Failures: *(\d+), *Errors: *(\d+)(?:, *Skipped: *(\d+))?(.*)")
_OF_CLASS = regex(r"--? in ([\w$.]+)")
_BLOCK = regex(r"Time elapsed: [\d.,]+ s(?:ec)? +<<< (?:FAILURE|ERROR)!")
_SECTION = regex(r"(Failures|Failed tests|Errors|Tests in error|Flakes|Crashed tests): *(.*)")
_RUNNING = regex(r"Running ((?:[a-z_][\w$]*\.)+[A-Z][\w$]*|TestSuite)\s*$")
_ATTEMPT = regex(r" *Run \d+: (.*)")
_METHOD_OF_CLASS = regex(r"([\w$]++)(?:[\[{][^(]*)?\(([\w$.]+)\)(?:: *(.*))?$")
# `StoreTest.adds:4 two and two`, `StoreTest>Base.hangs:7->inner:9 » TestTimedOut …`, `StoreTest.adds » Error`.
_ENTRY = regex(r" *([\w$.]+)(?:>[\w$.]+)?[.>]([\w$]+)[^: »]{0,200}(?::\d+(?:->[\w$.:<>]+)*| (?=»)|$) *(.*)")
_NAME = regex(r"[\w$.]+\.[\w$]+")

# Types that the results print without `»` when the test itself threw them; `Exception` is cut off.
_BARE_TYPES = frozenset(
    {"IllegalState", "IllegalArgument", "NullPointer", "Runtime", "ClassCast", "UnsupportedOperation"}
)


@dataclass(slots=True, kw_only=True)
class _Entry:
    """A failed test in the results, which give one shortened line for each attempt."""

    test_id: str
    section: str
    said: LogLine
    words: str = ""


@dataclass(slots=True)
class _Module:
    """What one run of the plugin said, up to its own counts."""

    blocks: list[TestFailure] = field(default_factory=list)
    entries: list[_Entry] = field(default_factory=list)
    test_class: str = ""
    section: str = ""
    started: int = -1


def read(lines: Sequence[LogLine]) -> TestReport | None:
    """Return what the plugin said in these lines, all modules joined; None where it did not run."""
    if not any_line_has(lines, "T E S T S", "Tests run:", "<<< FAILURE!", "<<< ERROR!", "The forked VM terminated"):
        return None
    reader = _Reader(lines)
    reader.read()
    if not reader.seen:
        return None
    return TestReport(
        runners=(NAME,),
        ran=reader.tally.ran,
        passed=reader.tally.passed,
        failures=keep_last(reader.settled),
        line_ranges=tuple(reader.tally.ranges),
    )


class _Reader:
    """Reads module after module: blocks of failed tests, the results, the counts that decide, Maven's own verdict."""

    def __init__(self, lines: Sequence[LogLine]) -> None:
        self._lines = lines
        self._module = _Module()
        self._of_build: list[TestFailure] = []
        self._crash: LogLine | None = None
        self.seen = False
        self.settled: list[TestFailure] = []
        self.tally = Tally()

    def read(self) -> None:
        index = 0
        while index < len(self._lines):
            if is_hole(self._lines, index):
                self._module.section = ""
            index = self._read_line(index)
        started = self._module.started
        self._end_module(output_end(self._lines, started) if started >= 0 else 0, failed=True)
        self._end_build(success=False)

    def _read_line(self, index: int) -> int:
        text = _plain(self._lines[index].text)
        block = _name_of_block(text)
        if block:
            return self._read_block(index, block)
        counts = _COUNTS.match(text) if text.startswith("Tests run:") else None
        if counts:
            self._read_counts(index, counts)
        elif text.strip() == "T E S T S":
            self._begin(index)
        elif text.startswith(("BUILD SUCCESS", "BUILD FAILURE")):
            self._end_module(index, failed=True)
            self._end_build(success=text.startswith("BUILD SUCCESS"))
        elif text.startswith(("##[error]Process completed", "##[group]Run ")):
            self._end_module(index - 1, failed=True)
            self._end_build(success=False)  # a later build is another one
        elif "The forked VM terminated without" in text:
            self.seen = True
            self._crash = self._lines[index]
        else:
            self._read_results(index, text)
        return index + 1

    def _begin(self, index: int) -> None:
        self.seen = True
        if self._module.started < 0:
            self._module.started = index

    def _read_block(self, index: int, name: str) -> int:
        self._begin(index)
        end = block_end(self._lines, index, _ends_block)
        block = self._lines[index:end]
        test_id, of_class = _full_name(name, self._module.test_class)
        owner = test_id if of_class else test_id.rpartition(".")[0]
        told = jvm.told_by(block[1:], owner)
        timed_out = (told.exception or "").endswith(("TestTimedOutException", ".TimeoutException"))
        outcome = Outcome.ERROR if of_class else Outcome.TIMED_OUT if timed_out else Outcome.FAILED
        file = jvm.file_of_class(owner, told.frames)
        failure = failure_of(block, told, test_id=test_id, runner=NAME, outcome=outcome, file=file)
        self._module.blocks.append(failure)
        return end

    def _read_counts(self, index: int, counts: re.Match[str]) -> None:
        module, rest = self._module, counts[5]
        if "Time elapsed" in rest:
            self._begin(index)
            of_class = _OF_CLASS.search(rest)
            module.test_class = of_class[1] if of_class else module.test_class
            return
        if module.started < 0 and not module.entries:
            return  # another runner's words
        self.seen = True
        ran, failures, errors, skipped = (number_in(counts[number]) for number in range(1, 5))
        self.tally.add(passed=max(0, ran - failures - errors - skipped), failed=failures + errors)
        self._end_module(index, failed=failures + errors > 0)

    def _read_results(self, index: int, text: str) -> None:
        module = self._module
        section = _SECTION.match(text)
        if section:
            module.section, text = section[1], section[2]
        elif running := _RUNNING.match(text):
            module.section = ""
            module.test_class = running[1]
            module.started = index if module.started < 0 else module.started
        if not module.section or not text.strip():
            return
        if module.section == "Crashed tests":
            self._read_crashed(text.strip())
        else:
            self._read_entry(self._lines[index], text)

    def _read_crashed(self, name: str) -> None:
        if self._crash is not None and _NAME.fullmatch(name):
            told = Told(message=_plain(self._crash.text), line=self._crash.number)
            crashed = failure_of(
                [self._crash], told, test_id=name, runner=NAME, outcome=Outcome.CRASHED, file=jvm.file_of_class(name)
            )
            self.settled.append(crashed)

    def _read_entry(self, line: LogLine, text: str) -> None:
        """Read one line of the results: a failed test, or an attempt of the one named above."""
        entries, section = self._module.entries, self._module.section
        attempt = _ATTEMPT.match(text)
        if attempt:
            if entries and attempt[1].strip() != "PASS":
                entries[-1].said, entries[-1].words = line, _words_of(attempt[1])
            return
        old = _METHOD_OF_CLASS.match(text.strip())
        if old:
            entries.append(_Entry(test_id=_old_name(old), section=section, said=line, words=old[3] or ""))
        elif not text.startswith(" ") and _NAME.match(text):
            test_id, _ = _full_name(text.strip(), "")
            entries.append(_Entry(test_id=test_id, section=section, said=line))
        elif found := _ENTRY.match(text):
            test_id = f"{found[1].partition('>')[0]}.{found[2]}"
            entries.append(_Entry(test_id=test_id, section=section, said=line, words=found[3]))

    def _end_module(self, index: int, *, failed: bool) -> None:
        """Settle what failed by the module's counts: where they say that nothing did, only flakes are left."""
        module = self._module
        flaky = {entry.test_id for entry in module.entries if entry.section == "Flakes"}
        known = {_short_class(one.id) for one in module.blocks}
        found = module.blocks + [_from(entry) for entry in module.entries if _short_class(entry.test_id) not in known]
        marked = [replace(one, outcome=Outcome.FLAKY) if _is_named(one.id, flaky) else one for one in found]
        self._of_build += [one for one in marked if failed or one.outcome is Outcome.FLAKY]
        if module.started >= 0:
            self.tally.wrote(self._lines[module.started].number, self._lines[index].number)
        self._module = _Module()

    def _end_build(self, *, success: bool) -> None:
        """Settle by Maven's verdict: where the build is good, it was told to ignore failed tests."""
        self.settled += [one for one in self._of_build if not success or one.outcome is Outcome.FLAKY]
        self._of_build = []


def _plain(text: str) -> str:
    """Cut Maven's level off, and the time that some builds print before it."""
    found = _LEVEL.match(text)
    return text[found.end() :] if found else text


def _ends_block(text: str) -> bool:
    if _LEVEL.match(text):
        return True
    return text.startswith(("Running ", "Tests run:", "Results")) or _name_of_block(text) != ""


def _name_of_block(text: str) -> str:
    """Return the test that a block is of: `adds(com.acme.StoreTest)  Time elapsed: 0.2 s  <<< FAILURE!`; else ""."""
    if "<<< " not in text or text.startswith("Tests run:"):
        return ""
    name, _, rest = text.partition("Time elapsed:")
    name = name.strip(" -")
    # A bracket begins parameters: before them there would be no name.
    return name if not name.startswith(("[", "{", "(")) and _BLOCK.match(f"Time elapsed:{rest}") else ""


def _full_name(name: str, test_class: str) -> tuple[str, bool]:
    """Return class and method without parameters, whichever way they were printed, and whether it is a class alone."""
    old = _METHOD_OF_CLASS.match(name)
    if old:
        return _old_name(old), False
    short = re.split(r"[\[{( ]", name, maxsplit=1)[0]
    if short == test_class or ("." in short and short.rpartition(".")[2][:1].isupper()):
        return short, True
    return (short if "." in short or not test_class else f"{test_class}.{short}"), False


def _old_name(found: re.Match[str]) -> str:
    """Return the name of `adds(com.acme.StoreTest)`."""
    return f"{found[2]}.{found[1]}"


def _words_of(attempt: str) -> str:
    found = _ENTRY.match(attempt)
    return found[3] if found else attempt


def _short_class(test_id: str) -> str:
    """Return the class's own name: of an id, the last part that begins with a capital letter."""
    return next((part for part in reversed(test_id.split(".")) if part[:1].isupper()), test_id)


def _is_named(test_id: str, names: set[str]) -> bool:
    return any(test_id == name or test_id.endswith(f".{name}") for name in names)


def _from(entry: _Entry) -> TestFailure:
    """Build a failure of which only the results are left; `» TestTimedOut words` names a type without its package."""
    exception, words = None, entry.words
    if words.startswith("»"):
        exception, _, words = words.removeprefix("»").strip().partition(" ")
    elif words.partition(" ")[0] in _BARE_TYPES:
        exception, _, words = words.partition(" ")
    told = Told(message=words or exception or "", line=entry.said.number, exception=exception)
    owner = entry.test_id.rpartition(".")[0]
    return failure_of([entry.said], told, test_id=entry.test_id, runner=NAME, file=jvm.file_of_class(owner))
