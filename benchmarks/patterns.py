"""Sets of patterns to measure with, by name.

`built-in`   all that is looked for in every log: the built-in rules and the marks of the test runners
`rules:N`    N rules: built-in ones from all over the file, and beyond these known issues of a repository
`short:N`    N short patterns of a few forms, the easiest there are for any engine: each is one text with a field
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_FIXED = """
No space left on device
Could not resolve host: \\S+
Connection reset by peer
TLS handshake timeout
toomanyrequests: .*rate limit
manifest unknown: manifest unknown
unexpected EOF while reading from the registry
failed to convert whiteout file
cannot remove container .*could not kill container
Cannot connect to the Docker daemon at \\S+
nvidia-container-cli: initialization error: \\S+
Failed to initialize NVML: Driver/library version mismatch
CUDA error: (?P<error>[a-z -]+)
CUDA_ERROR_[A-Z_]+
uncorrectable ECC error
no CUDA-capable device is detected
GPU\\(s\\) still not idle after waiting \\d+s
CUDA out of memory\\. Tried to allocate (?P<size>[\\d.]+ [KMG]iB)
hipErrorOutOfMemory|HIP out of memory
UR_RESULT_ERROR_DEVICE_LOST
NCCL error: unhandled \\w+ error
Watchdog caught collective operation timeout
The runner has received a shutdown signal
The self-hosted runner lost communication with the server
The job has exceeded the maximum execution time
429 (?:Client Error: )?Too Many Requests
50[234] (?:Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)
Read timed out\\. \\(read timeout=[\\d.]+\\)
Max retries exceeded with url: (?P<url>\\S+)
Hash Sum mismatch
Temporary failure in name resolution
RPC failed; (?:curl|HTTP) \\d+
early EOF|fetch-pack: unexpected disconnect
Cache service responded with 5\\d\\d
Segmentation fault \\(core dumped\\)
(?:Out of memory: Killed|oom-kill:|OOMKilled)
slurmstepd: error: Detected \\d+ oom-kill event
Resource temporarily unavailable
Too many open files
certificate has expired|certificate verify failed
Missing required label '(?P<label>[^']+)'
Fast-fail: skipping . root cause job\\(s\\): (?P<jobs>.+)
Canceling since a higher priority waiting request for .+ exists
"""

_ANCHORED = """
^FAILED (?P<test>\\S+::\\S+)
^ERROR (?P<test>\\S+::\\S+)
^=+ (?:FAILURES|ERRORS) =+$
^E   +(?P<type>[A-Z]\\w+(?:Error|Exception)): (?P<message>.+)
^--- FAIL: (?P<test>\\S+)
^FAIL:? (?P<test>\\S+)
^panic: (?P<message>.+)
^thread '(?P<test>[^']+)' panicked at
^error(?:\\[(?P<code>E\\d{4})\\])?: (?P<message>.+)
^npm (?:ERR!|error) code (?P<code>E[A-Z0-9_]+)
^##\\[error\\](?P<message>.+)
^\\[  FAILED  \\] (?P<test>[\\w/.]+)
^\\s+\\d+\\) (?P<test>.+) failed$
^make(?:\\[\\d+\\])?: \\*\\*\\* \\[(?P<target>[^]]+)\\] Error \\d+
^fatal: (?P<message>.+)
^E: Failed to fetch (?P<url>\\S+)
^ERROR: No matching distribution found for (?P<name>\\S+)
^ninja: build stopped: (?P<why>.+)
^(?P<type>(?:\\w+\\.)*\\w+(?:Error|Exception)): (?P<message>.+)
^\\S+\\.(?:c|cc|cpp|h|cu):\\d+:\\d+: (?:fatal )?error: (?P<message>.+)
"""

_THINGS = (
    *(
        "checkpoint",
        "socket",
        "device",
        "scheduler",
        "artifact",
        "licence server",
        "volume",
        "mirror",
        "broker",
        "lease",
    ),
    *("snapshot", "endpoint", "partition", "tunnel", "keyring", "replica", "fabric", "gateway", "bucket", "cursor"),
    *(
        "daemon",
        "fixture",
        "emulator",
        "simulator",
        "toolchain",
        "sysroot",
        "submodule",
        "manifest",
        "registry",
        "queue",
    ),
    *("worker", "tracker", "session", "channel", "context", "stream", "handle", "fence", "beacon", "roster"),
)

# What a repository adds for itself: known issues, each with its own fixed text.
_KNOWN_ISSUES = tuple(
    f"{verb} {thing} (?P<name>\\S+) {ending}"
    for ending in ("after \\d+ attempts", "on host \\S+", "\\(code \\d+\\)", "during start-up", "in phase \\w+")
    for thing in _THINGS
    for verb in ("Failed to load", "Could not open", "Lost connection to", "Timed out waiting for", "Refused to bind")
)


def patterns(name: str) -> Mapping[str, str]:
    """Return the patterns of a set, with keys as the scanner wants them; marks of the reader are not among them.

    Raises:
        ValueError: there is no such set.
    """
    if name == "built-in":
        return _built_in()
    kind, _, count = name.partition(":")
    if kind not in _SETS or not count.isdecimal() or not int(count):
        raise ValueError(f"there is no set of patterns `{name}`; give built-in, rules:N or short:N")
    return _SETS[kind](int(count))


def _built_in() -> Mapping[str, str]:
    from triage.classify import make_scanner
    from triage.rules import builtin_rules

    return make_scanner(builtin_rules()).patterns


def _rules(count: int) -> Mapping[str, str]:
    from triage.rules import RuleSet, builtin_rules

    built_in = builtin_rules().rules
    few = min(count, len(built_in))
    spread = tuple(built_in[place * len(built_in) // few] for place in range(few))
    return {**RuleSet(rules=spread, sha="").patterns(), **_numbered(_KNOWN_ISSUES, count - few)}


def _short(count: int) -> Mapping[str, str]:
    written = [line for line in (*_FIXED.split("\n"), *_ANCHORED.split("\n"), *_KNOWN_ISSUES) if line]
    return _numbered(written, count)


def _numbered(written: Sequence[str], count: int) -> Mapping[str, str]:
    if len(written) < count:
        raise ValueError(f"there are only {len(written)} patterns")
    return {f"rule:{index}": pattern for index, pattern in enumerate(written[:count])}


_SETS: Mapping[str, Callable[[int], Mapping[str, str]]] = {"rules": _rules, "short": _short}
