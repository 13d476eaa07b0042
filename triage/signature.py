"""What must be equal for two failures to be the same failure.

What differs between two runs of one failure (times, ids, machines, places) becomes a fixed word; everything else stays,
numbers that were compared above all: two failures that only look alike must not excuse each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.model import Signature
from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from triage.model import TestFailure

VERSION = 1
"""Signatures of different versions are never compared. A change of any table here is a new version."""

MAX_CHARS = 2000
"""How much of a text counts."""

_MOST_ROUNDS = 10  # one and the look that nothing is left do nearly always

# Groups of what varies: what a text must hold for a group to be worth trying, then what varies and the word in its
# place. In this order: what contains something else comes before it. Words in brackets hold no digit, so that no row
# matches what another one wrote.
_Rows = tuple[tuple[str, str], ...]

_FRONT: _Rows = (
    # What tools put in front of a line that is an error anyway, or behind it.
    (r"^(?:##\[\w+\]|::(?:error|warning)[^:]*::|#\d+ (?:\d+\.\d+ )?|\[\w+\d+\]:)\s*", ""),
    (r"\[ *\d{1,3}%\]$", ""),
    (r"\b(ERRO|WARN|FATA|INFO|DEBU)\[\d{4,}\]", r"\1"),
)
_ADDRESSES: _Rows = (
    # Who asked, and with what, varies; the host does not.
    (r"(https?://)[^\s/@\"'<>]{1,200}@", r"\1"),
    (r"(https?://[^\s?\"'<>]{1,500})\?[^\s\"'<>)]+", r"\1?<query>"),
)
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_TIMES: _Rows = (
    (r"\b\d{4}[-/]\d\d[-/]\d\d[T _]\d\d[:-]\d\d[:-]\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?", "<time>"),
    (r"(?<!\d)\d{8}[-T_]\d{6}Z?\b", "<time>"),
    (
        (
            rf"\b(?:[A-Z][a-z]{{2}},? )?(?:\d{{1,2}} )?{_MONTH}(?: \d{{1,2}})? (?:\d{{4}} )?"
            r"\d\d:\d\d:\d\d(?: (?:UTC|GMT))?(?: \d{4})?"
        ),
        "<time>",
    ),
    (r"\b20\d\d-\d\d-\d\d\b", "<date>"),
    (r"(?<![\w:.])(?:\d\d-\d\d )?\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?![\w:])", "<time>"),
)
_IDS: _Rows = (
    (r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<uuid>"),
    (
        (
            r"(?i)\b((?:request|trace|correlation|session|transaction|activity|operation)[ _-]?id)\b"
            r"([\"']?[ :=]+)[\w:.+/=-]+"
        ),
        r"\1\2<id>",
    ),
    # 0x8……. and 0xC……. are codes of Windows, and short ones are flags.
    (r"\b0x(?![0-9a-fA-F]{1,4}\b|[8cC][0-9a-fA-F]{7}\b)[0-9a-fA-F]{3,16}\b", "<address>"),
    (r"\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,128}\b|\b(?=[0-9]*[A-F])(?=[A-F]*[0-9])[0-9A-F]{12,128}\b", "<hash>"),
)
_DIRECTORIES: _Rows = (
    # Of the checkout.
    (r"/home/[^/\s]{1,80}/(?:actions-runner[^/\s]{0,40}/)?_?work/[^/\s]{1,100}/[^/\s]{1,100}/", ""),
    (r"(?<![\w.])/(?:[\w.-]{1,60}/){0,5}_work/[^/\s]{1,100}/[^/\s]{1,100}/", ""),
    (r"/Users/runner/work/[^/\s]{1,100}/[^/\s]{1,100}/", ""),
    (r"\b[A-Za-z]:[\\/]a[\\/][^\\/\s]{1,100}[\\/][^\\/\s]{1,100}[\\/]", ""),
    (r"(?<![\w.])/(?:__w|builds|home/travis/build)/[^/\s]{1,100}/[^/\s]{1,100}/", ""),
    (r"(?<![\w.])/(?:github/workspace|var/(?:lib/)?jenkins/workspace/[^/\s]{1,100})/", ""),
    (r"(?<![\w.])/[\w-]{0,30}workspace/", ""),
    # Of temporary files.
    (r"(?<![\w.])(?:/private)?/var/folders/\w{1,40}/\w{1,60}/T/", "<tmp>/"),
    (r"(?<![\w.>])(?:/private)?/(?:var/tmp|tmp|dev/shm)/", "<tmp>/"),
    (r"(?i)\b[A-Z]:\\Users\\[^\\\s]{1,80}\\AppData\\Local\\Temp\\", r"<tmp>\\"),
    (r"<tmp>/pytest-of-[^/\s]{1,80}/pytest-(?:\d+|current)/(?:popen-gw\d+/)?", "<tmp>/"),
    (r"<tmp>/(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[\w.-]{6,80}(?=/)", "<tmp>/<name>"),
    # Of installed packages, and of people.
    (r"(?<![\w.-])(?:/[^\s:\"'()\[\]]{1,300})?/(?:site|dist)-packages/", "site-packages/"),
    (r"(?<![\w.-])/[^\s:\"'()\[\]]{1,300}/lib/python\d\.\d{1,2}/", "lib/python/"),
    (r"(?<![\w.])/(?:home|Users)/[^/\s]{1,80}/|(?<![\w.])/root/", "~/"),
    (r"(?i)\b[A-Z]:\\Users\\[^\\\s]{1,80}\\", r"~\\"),
)
_MADE_UP: _Rows = (
    (r"\btmp(?:\.[A-Za-z0-9]{6,12}|(?=\w*\d)[a-z0-9_]{6,12})\b", "<name>"),
    (r"\.tmp[A-Za-z0-9]{6}\b", "<name>"),
    (r"\b(pip-(?:req-build|install|build-env|unpack|wheel|metadata|[a-z]+-metadata))-[a-z0-9_]{8}\b", r"\1-<name>"),
)
_MACHINES: _Rows = (
    (r"\bfv-az\d+-\d+\b|\brunnervm\w+\b|\bip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:\.[\w.-]+)?", "<host>"),
    (r"(?i)\b((?:host ?name|on host|machine name|runner name|node name)[ :=]+['\"]?)[\w.-]+", r"\1<host>"),
    # Not what jobs are called, such as `test-2-gpu`: a machine's number stands last.
    (r"\b(?:[a-z][a-z0-9]*-)*(?:runner|host|worker|machine|agent|builder)(?:-[a-z0-9]+)*-\d{1,5}\b(?!-)", "<host>"),
    (r"\b(?:[a-z][a-z0-9]*-)*(?:node|vm|gpu|ci|pool)-(?:\d{2,5}|[a-z0-9]+-\d{2,5})\b(?!-)", "<host>"),
    (r"\[(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}\](?::\d{2,5}\b)?", "<ip>"),
    (r"\b(127\.0\.0\.1|0\.0\.0\.0|localhost):\d{2,5}\b", r"\1:<port>"),
    (r"(?<![\w.=-])(?!127\.0\.0\.1\b|0\.0\.0\.0\b)(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?(?![\w.-])", "<ip>"),
)
_NUMBERS: _Rows = (
    # Which of many.
    (
        (
            r"(?i)\b(pid|ppid|tid|process|thread|rank|shard|worker|device|gpu|attempt|retry|port|goroutine|partition|replica"
            r"|slot|stream id|seqnum|line|lines|column|col|char|offset)((?:[ =:#]|\bid\b| number ){1,4})\d+\b"
        ),
        r"\1\2<n>",
    ),
    (r"\b((?i:rank|gpu|gw|cuda:|hip:|xpu:|npu:|worker[-_]|shard[-_]|scheduler_)|TP|DP|PP|EP)\d{1,4}\b", r"\1<n>"),
    # How long, how much.
    (r"\b(?:\d+h ?)?\d+m ?\d+(?:\.\d+)?s\b|\b\d+h ?\d+m\b", "<duration>"),
    (
        r"(?<![\w.])\d+(?:\.\d+)? ?(?:[nuµm]?s|(?:milli|micro|nano)?seconds?|secs?|mins?|minutes?|hrs?|hours?)\b",
        "<duration>",
    ),
    (r"(?<![\w.])\d+(?:\.\d+)? ?(?:[KMGTPkmg]i?B|[Bb]ytes)\b(?:/s)?", "<size>"),
    # Where in a file.
    (r"(\.[A-Za-z]\w{0,9}):\d+(?::\d+)?(?:-\d+(?::\d+)?)?(?!\w)", r"\1:<line>"),
    (r"(\.[A-Za-z]\w{0,9})\(\d+(?:,\d+)?\)", r"\1(<line>)"),
    (r"^\d+:\d+(?=\s)", "<line>"),
    # Too long to mean anything.
    (r"(?<![\w.])\d{7,}\b|(?<=[-_])\d{7,}\b", "<n>"),
)
_VARYING: tuple[tuple[str, _Rows], ...] = (
    (r"^[#:\[]|\[", _FRONT),
    ("://", _ADDRESSES),
    (r"\d", _TIMES),
    (r"\d|(?i:id)", _IDS),
    (r"[/\\]", _DIRECTORIES),
    ("tmp|pip-", _MADE_UP),
    (r"\d|(?i:name|host)", _MACHINES),
    (r"\d", _NUMBERS),
)
_PYTEST_MARGIN = regex(r"^\s*E {2,}")
_TABLE = tuple((regex(needed), tuple((regex(pattern), word) for pattern, word in rows)) for needed, rows in _VARYING)

# Lines that only say that something failed, in lower case, as they are once normalised. Whoever prints them does not
# know what broke, so two of them are never the same failure.
_WRAPPERS: tuple[str, ...] = (
    (
        r"(?:.* )?(?:failed|exited|returned|terminated|finished|died|crashed|exits?|completed)(?: with)?(?: a)?"
        r"(?: non-zero)?(?: exit)? (?:code|status|value|exit value|error code)[: ]*-?\d+\b.{0,40}"
    ),
    r"(?:.* )?exited with -?\d+\.?",
    r"(?:\w+: )*(?:exit|return) ?(?:code|status)[ :=]*-?\d+",
    r"(?:.*\b)?retry\(\) exceed maximum number of retries.*",
    r".*\b(?:failed|gave up|giving up) after \d+ (?:attempts?|tries|retries)\b.{0,20}",
    r".*engine core initialization failed.*|.*see (?:the )?root cause above.*",
    r"(?:g?make|gmake)(?:\[\d+\])?: (?:\*\*\* (?:\[|waiting)|target .* not remade).*|ninja: build stopped: .*",
    r"(?:npm (?:err!|error) ?)?(?:code elifecycle|errno \d+|exit status \d+|lifecycle script .*|failed at the .*)",
    r"(?:npm (?:err!|error) ?)?(?:command (?:failed|sh -c).*|a complete log of this run.*|test failed\..*)",
    r"npm (?:err!|error) this is probably not a problem with npm.*|(?:error )?(?:elifecycle )?command failed\b.{0,60}",
    r"failed \((?:(?:failures|errors|skipped|expected failures|unexpected successes)=\d+(?:, )?)+\)",
    r"=* ?\d+ (?:failed|passed|errors?|skipped)\b.*|ran \d+ tests? in .*",
    r"(?:error: )?the (?:operation|job|run|workflow|step) was cancell?ed\.?",
    r"build failed\b.*|failure: build failed.*|> task .* failed|execution failed for task .*",
    r".*marked build as failure.*|finished: failure|done\. your build exited.*|script returned exit.*",
    r"(?:\[error\] )?failed to execute goal .*|.*there (?:were|are) (?:test failures|failing tests).*",
    r"error: (?:aborting due to|could not compile|test failed, to rerun|recipe `.*` failed|job failed).*",
    r"traceback \(most recent call last\):|during handling of the above exception.*",
    r"the above exception was the direct cause.*|root cause \(first observed failure\):?",
    r"(?:\w+\.)*(?:childfailederror|processraisedexception)\b.*",
    r"(?:[✗✖x] )?fail(?:ed)?[.:!]?(?: time elapsed: .*)?|-?\d+",
    r"(?:some |the )?(?:tests?|checks?|jobs?|build|lint|step) failed[.!]?",
    r"(?:subprocess\.)?calledprocesserror: .*|error: (?:the )?process '.*' failed\b.*",
    r"killed|terminated|aborted(?: \(core dumped\))?|system ?exit:? ?-?\d*|keyboardinterrupt",
)
_WRAPPER = regex("|".join(f"(?:{pattern})" for pattern in _WRAPPERS))

# Words that say no more than that something failed.
_EMPTY_WORDS = regex(
    r"<\w+>|\b(?:an?|the|in|of|on|at|to|is|was|has|have|been|with|error|errors|err|failed|failure|failures|fail|fatal"
    r"|exception|warning|test|tests|assertion|assertionerror|runtimeerror|valueerror|exit|code|status|unknown|see|log"
    r"|logs|above|below|for|details|more|information|please|occurred|unexpected|something|went|wrong|and|or|not|it)\b"
    r"|[\W\d_]+"
)
_LEAST_LETTERS = 6

# An assertion of which only the outcome is known: one test has many.
_OUTCOME_ONLY = regex(
    r"(?:assertionerror: )?(?:assert )?(?:not )?(?:true|false|none)(?: (?:is|==|!=)(?: not)? (?:true|false|none))?"
)

# Exceptions that say nothing without their message.
_BARE = frozenset({"", "AssertionError", "Error", "Exception", "RuntimeError", "SystemExit", "Failed", "ValueError"})


def normalise(text: str) -> str:
    """Replace what differs between two runs of one failure by fixed words.

    Doing it twice changes nothing. Looks at the first `MAX_CHARS` characters.
    """
    text = " ".join(_PYTEST_MARGIN.sub("", text[:MAX_CHARS]).split())
    for _ in range(_MOST_ROUNDS):
        before = text
        for needed, rows in _TABLE:
            if needed.search(text):
                for pattern, word in rows:
                    text = pattern.sub(word, text)
        text = " ".join(text.split())
        if text == before:
            break
    return text


def is_wrapper(text: str) -> bool:
    """Whether a line only says that something failed, such as an exit code or a summary."""
    return _is_wrapper(normalise(text))


def signature_of_test(failure: TestFailure) -> Signature | None:
    """Test id, exception type and normalised message; None where the test says nothing of why it failed.

    A message that only wraps counts as none: the same test fails in many ways behind the same wrapper.
    """
    message = normalise(failure.message)
    exception = failure.exception or ""
    if _is_bare(message) and exception.rpartition(".")[2] in _BARE:
        return None
    return Signature("test", (failure.id, exception, message), VERSION)


def signature_of_rule(rule_id: str, captures: Mapping[str, str]) -> Signature:
    """Rule id and its normalised captures, by their names."""
    return Signature("rule", (rule_id, *_named(sorted(captures.items()))), VERSION)


def signature_of_line(text: str) -> Signature | None:
    """The normalised line; None for wrappers, bare exit codes and lines of which nothing is left."""
    line = normalise(text)
    if _is_wrapper(line) or _says_nothing(line):
        return None
    return Signature("line", (line,), VERSION)


def _named(captures: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"{name}={normalise(text)}" for name, text in captures)


def _is_bare(message: str) -> bool:
    return not message or _is_wrapper(message) or _OUTCOME_ONLY.fullmatch(message.lower()) is not None


def _is_wrapper(line: str) -> bool:
    return _WRAPPER.fullmatch(line.lower()) is not None


def _says_nothing(line: str) -> bool:
    return len(_EMPTY_WORDS.sub("", line.lower())) < _LEAST_LETTERS
