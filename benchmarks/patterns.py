"""1,000 patterns of the kinds that rules are made of: fixed texts, texts with fields, anchored lines, alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def patterns(count: int = 150) -> Mapping[str, str]:
    """Return `count` patterns with keys as the scanner wants them."""
    written = [*_FIXED.split("\n"), *_ANCHORED.split("\n"), *_KNOWN_ISSUES]
    chosen = [line for line in written if line][:count]
    if len(chosen) < count:
        raise ValueError(f"there are only {len(chosen)} patterns")
    return {f"rule:{index}": pattern for index, pattern in enumerate(chosen)}
