"""How a line looks that states an error, that only passes one on, or that says nothing: policy, as tables.

Nothing here blames anybody. The words are those of compilers, linters, test harnesses and shells of many languages,
never of one project.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from triage.logs.said import is_grave, said
from triage.matching import Outlines, Scanner
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from triage.model import LogLine

OUTLINES = Path(__file__).parent / "outlines.json"
"""What is known ahead of the patterns here, which `python -m triage.classify.compile` writes."""

LONGEST = 300
"""Characters of a line that are looked at: what states an error says so early."""

PLAIN, SOUNDING = 5, 3
"""Weight from which a line states an error, and from which it only sounds like one."""

SIGNS: tuple[tuple[int, str], ...] = (
    # A test harness names a failed test.
    (7, r"^\s*(?:not ok \d+\b|--- FAIL: |\[FAIL(?:ED)?\] |\[-\] |FAIL(?:ED|URE)?: |[✗✘✖●] \S)"),
    (7, r"^\S.*(?: {2}|\.{3} ?|\t|: | \| ?)\[? ?(?:FAIL(?:ED|URE)?|ERROR|✖ Failed) ?\]?(?: \(\S+\))?!*$"),
    (7, r"^\s+\S.*(?: {2}|\.{3} ?|\t|: | \| ?)\[? ?FAIL(?:ED|URE)? ?\]?(?: \(\S+\))?!*$"),
    (7, r"^(?:FAIL|ERROR) in \("),
    (7, r"\d [<>]=? -?\d\S* FAIL(?:ED)?$"),
    (7, r"^\s*(?:Found errors? in|Caught exception in) "),
    (7, r"^\s*\d+[).] (?:Failure|Error|Failed)\b"),
    # A compiler or linter names a place.
    (6, r"^\S.*[:(]\d+(?:[:,.-]\d+)*\)?:? *(?:fatal |syntax |type |internal compiler )?(?i:error)\b"),
    (6, r"^(?:\S+: )?(?:internal compiler |fatal |syntax )?(?:error|ERROR|Error)(?:\[\w+\])?:"),
    (6, r"^[\w./\\+-]+\.\w{1,10}[:(]\d+(?:[:,]\d+)?\)?:? \S"),
    # A program dies of an exception.
    (6, r"^\s*(?:E  +)?(?:\w+[./:]+)*[A-Z]\w*(?:Error|Exception|Failure|Fault|Panic|Interrupt)(?: \[\w+\])?(?::|$)"),
    (6, r"^\s*(?:E  +)?(?:\w+\.)*(?:exceptions?|errors?)\.(?:\w+\.)*[A-Z]\w*: \S"),
    (6, r"^thread '.*' panicked at"),
    (6, r"\bError Code \d+: |^Memory access fault by GPU|^(?:malloc|free|realloc|munmap_chunk)\(\): "),
    (6, r"^(?:panic: |Uncaught |Unhandled |Caused by: |\*\* \(|Exception: |Exception in )"),
    (6, r"terminate called|[Ss]egmentation fault|SEGFAULT|SegFault|core dumped"),
    (6, r"[Aa]ssertion .*failed|failed assertion "),
    (6, r"^[┌\[] Error: |^\s*⨯ (?:[\w-]+ ){1,3}failed\b"),
    (6, r"^! (?:LaTeX|Package|Undefined|Missing|Emergency|Extra|Illegal|Too many|Argument|Paragraph)"),
    (5, r"^\s*(?:\w+ )?(?:##\[error\]|\[error\]|\[ERROR\]|ERROR\b|FATAL\b|fatal:|E:|CRITICAL\b)"),
    (5, r"^\s*(?:[Ee]xpected|[Aa]ctual|[Gg]ot|[Ww]anted|[Rr]eceived) *[:=]"),
    (5, r"\b[Ee]xpected\b.*\b(?:but|got|actual|found|to (?:be|equal|match|have))\b"),
    (5, r"^npm (?:ERR!|error) \S"),
    (5, r"^At \S+:\d+ char:\d+"),
    (5, r"^Traceback \(most recent"),
    (5, r"^\S+: (?:line )?\d+: .*(?:not found|No such file|denied|unbound|error)"),
    (5, r"^(?:diff --git |Files \S+ and \S+ differ|\S+ differ: |Binary files )"),
    (4, r"(?i)\b(?:could not|couldn't|cannot|can't|unable to|failed to|no such file|not found|undefined|denied)\b"),
    (4, r"(?i)\b(?:unknown|unexpected|illegal|invalid)\b"),
    (4, r"\b(?:FAIL|FAILED|FAILURE|ERROR|ABORTED|BROKEN)\b"),
    (3, r"(?i)\b(?:errors?|fail(?:s|ed|ure|ures|ing)?|fatal|exception|abort(?:ed|ing)?|killed|timed? ?out)\b"),
    (3, r"(?i)\b(?:mismatch|broken|not allowed|differs?)\b"),
    (3, r"(?i)\b(?:must|should)(?: not|n't)? (?:be|have|match|contain|start|end|use)\b"),
    (3, r"[✗✘❌✖⨯]"),
)
"""Weight and look of lines that state errors; the heaviest that fits counts."""

HARMLESS: tuple[str, ...] = (
    r"(?i)\b(?:0|no) (?:\w+ )?(?:errors?|failures?|failed|failing)\b",
    r"(?i)\b(?:fail(?:ed|ures?|s)?|errors?)[:=] *0\b",
    r"(?i)\bwarn(?:ing)?s?\b|\bdeprecat",
    r"(?i)\berror[_-]?(?:count|rate|message)\b|\berrors?\.\w+$",
    r"^\s*(?:\+ |\$ |# |// |> )",
    r"(?i)\b(?:retry(?:ing)?|ignored|ignoring)\b",
    r"-Werror|if-no-files-found|continue-on-error|fail-fast",
)
"""Lines that only sound like an error."""

PROGRESS: tuple[str, ...] = (
    r"\b(?:PASSED|passed|PASS)\b|\.\.\. *ok\b|\bOK(?: \(.*\))?$",
    r"^\s*(?:ok \d+|\[\+\]|[✓✔√]|\d+ passing)",
    r"^\s*(?i:downloading|installing|compiling|copying|checking|fetching|skipping|unpacking|generating|running)\b",
    r"^\[ *\d+(?: of \d+|/\d+|%)\]",
    r"^(?:\[notice\]|##\[(?:notice|debug)\]|Requirement already satisfied)",
    r"^\s*(?:inflating:|Get:|GEN|CC|INFO|DEBUG|\[INFO\]|\[debug\]|\[info\])",
    r"^(?:\[[\w.-]+\] )?(?:[IW]\d{4} \d\d:\d\d:\d\d|[IW] [\w./-]+:\d+\] |\[[VIW]:\w+:)",
    r"^(?:\[[\w.-]+\] )?[\w.:-]+ - (?:INFO|DEBUG|WARNING) - ",
)
"""Lines that tell of something that went well."""

WRAPPERS: tuple[str, ...] = (
    r"(?:\bmake(?:\.exe)?|make\[\d+\]): (?:\*\*\* |Leaving |Entering )",
    r"^\S*[Mm]akefile\S*:\d+: recipe for target ",
    r"^npm (?:ERR!|error) (?:code (?:ELIFECYCLE|\d)|errno|syscall|spawn|file|path|cwd|argv)",
    r"^npm (?:ERR!|error) (?:node|npm |Linux|Darwin|Windows)",
    r"^npm (?:ERR!|error) (?:Lifecycle|command|Test failed|A complete log|This is|There is|Exit status)",
    r"^npm (?:ERR!|error) *(?:$|  |Failed at|Make sure|Tell|You can|Or if|not with|Please|If you)",
    r"^npm (?:ERR!|error) *(?:\S+@\S+ )?\S+: `",
    r"^(?:lerna ERR!|gyp ERR!|yarn run|error Command failed|info Visit https://yarnpkg)",
    r'^The command "',
    r"^exit \d+$",
    r"^Done\. Your build exited",
    r"^##\[error\]Process completed",
    r"(?i)\b(?:exit(?:ed)?|failed|returned|terminated|finished|ended)(?: with)?(?: exit)? (?:code|status):? ?\(?-?\d",
    r"(?i)\bnon-?zero exit\b",
    r"^(?:ninja: build stopped|error: (?:aborting due to|could not compile|test failed, to rerun))",
    r"^(?:\[ERROR\] )?(?:-> \[Help|Re-run Maven|For more information about|To see the full stack|After correcting)",
    r"^\[ERROR\] *$",
    r"^(?:(?:BUILD|TESTS?) FAIL(?:ED|URE)S?\b|FAILURE: Build failed)",
    r"^(?:\* (?:What went wrong|Try|Get more help)|> Run with --)",
    r"^(?:rake aborted|Tasks: TOP|\(See full trace|Execution halted|Command exited|Aborting\.?$)",
    r"^(?:[\w-]+ ){0,3}(?i:build|tests?|lint(?:ing)?|check(?:s|ing)?|step|task|job) (?:has |have )?(?i:failed)[.!]?$",
    r"\b(?:See|see|check) (?:the )?root cause\b|^WorkerProc |\bChildFailedError\b|\(exitcode: -?\d+\) local_rank: ",
    r"\b(?:[Ee]ngine core|[Oo]rchestrator|[Ww]orker|[Ss]erver) (?:initialization|startup) failed\b",
    r"\b(?:hit|encountered|caught|raised) an? (?:fatal |unhandled |unexpected )?(?:exception|error|issue)[.:]?$",
    r"\b(?:[Ee]ngine ?[Cc]ore|[Ss]cheduler|[Ss]erver|[Ww]orker)(?: process(?:es)?)? (?:failed to start|is dead|died)\b",
    r"collect2: error: ld returned|linker command failed",
    r"^(?:ERROR: Job failed|Uploading artifacts|ERROR: No matching files|Error: Command failed)",
    r"\.{2,} ?failed\.?$",
    r"^Test suite \S+: FAIL",
    r"^(?:FAILED|ERROR): Build did NOT complete successfully",
    r"^cabal: (?:Tests failed|Failed to build)",
    r"^\s*(?:FAILED \(\w+=\d|(?i:failed|failures?|errors?|fail|tests? failed):? +\d+\b)",
    r"^\s*(?:\d+ out of \d+|passed \d+|\d+ passed|Ran \d+|Tests run:|\d+ (?:tests?|examples?|specs?|scenarios?)\b)",
    r"^\s*\d+ (?:\w+ )?(?i:failed|failures?|errors?|failing|problems?)\b.{0,40}$",
)
"""Lines that pass on that something failed, and not what: what failed stands above them."""

MACHINERY: tuple[str, ...] = (
    r"^(?:travis_(?:fold|time|nanoseconds|cmd)\b|section_(?:start|end):|##\[(?:group|endgroup|section|command)\])",
    r"^\[Pipeline\] |^Setting status of [0-9a-f]{7,40} to \w+|^Cleaning up project directory and file based variables",
    r"^[\W_]*$",
    r"^\s+(?:at|from) \S+",
    r"^\s*\S+:\d+:in [`']",
    r'^\s*File "[^"]+", line \d+',
    r"^\+ {3,}",
    r"^(?:\$ |\+{1,3} \S|> \S+@\S+ \S+|Picked up _?JAVA|shell: /)",
)
"""Lines that a CI system or a shell writes round commands, and rules of dashes."""

WARNING = r"^[\w./\\+-]+\.\w{1,10}[:(]\d+(?:[:,.-]\d+)*\)?: ?(?i:warning)\b"
STRICT = r"(?i)(?:due to|because of|enabled by) [`'‘]?-Werror|warnings? (?:being )?treated as errors?"
"""A compiler's warning at a place, and the line by which it makes an error of the warnings above."""


class Look(NamedTuple):
    """How a line looks.

    Attributes:
        weight: How much it looks like the statement of an error: 0 to 7.
        sign: The row of `SIGNS` that gave the weight: lines with the same one tell the same kind of thing.
        progress: Whether it tells of something that went well.
        wraps: Whether it only passes on that something failed.
        idle: Whether a CI system or a shell wrote it round a command, or nothing is in it.
    """

    line: LogLine
    weight: int = 0
    sign: int = -1
    progress: bool = False
    wraps: bool = False
    idle: bool = False


def look_at(lines: Sequence[LogLine]) -> Iterator[Look]:
    """Say how each line looks."""
    found: dict[int, list[str]] = {}
    block = "\n".join(said(line.text)[:LONGEST] for line in lines).encode("utf-8", "replace")
    for index, key in _scanner().scan_block(block):
        found.setdefault(index, []).append(key)
    strict = [index for index, keys in found.items() if "strict" in keys]
    for index, line in enumerate(lines):
        yield _look(line, found.get(index, ()), is_strict=any(0 < at - index <= _STRICT_REACH for at in strict))


_STRICT_REACH = 12
"""Lines between a warning and the line that makes an error of it."""


def _look(line: LogLine, keys: Sequence[str], *, is_strict: bool) -> Look:
    kinds = {key.partition(":")[0] for key in keys}
    if "wrapper" in kinds or "machinery" in kinds:
        return Look(line, wraps="wrapper" in kinds, idle="machinery" in kinds)
    if "warning" in kinds and is_strict:
        return Look(line, weight=PLAIN + 1)
    if "harmless" in kinds or "progress" in kinds:
        return Look(line, progress="progress" in kinds)
    rows = [int(key) for key in keys if key.isdigit()]
    row = max(rows, key=lambda row: (SIGNS[row][0], -row), default=-1)
    weight = SIGNS[row][0] if rows else 0
    return Look(line, weight=PLAIN if weight < PLAIN and is_grave(line.text) else weight, sign=row)


@lru_cache(maxsize=1)
def _scanner() -> Scanner:
    known = Outlines(OUTLINES.read_bytes()) if OUTLINES.is_file() else Outlines()
    return Scanner(patterns(), outlines=known.of(patterns().values()))


def patterns() -> Mapping[str, str]:
    """Return all patterns here: signs by their row, the others by their table and their place in it."""
    tables = {"harmless": HARMLESS, "progress": PROGRESS, "wrapper": (*WRAPPERS, STRICT), "machinery": MACHINERY}
    named = {f"{name}:{place}": pattern for name, table in tables.items() for place, pattern in enumerate(table)}
    signs = {str(row): sign for row, (_, sign) in enumerate(SIGNS)}
    return {**signs, **named, "warning": WARNING, "strict": STRICT}


_NUMBERS = regex(r"\d+")


def shape_of(text: str) -> str:
    """What lines of one kind have in common: the text without its numbers."""
    return _NUMBERS.sub("0", text[:LONGEST]).strip()
