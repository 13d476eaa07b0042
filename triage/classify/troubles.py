"""What the machine itself says, outside of all tests, of a trouble that tests only felt.

A device that is lost, a name that does not resolve, a browser that is not there may be the doing of the change. When
the kernel, the driver, the vendor's tool or another command says in the same log that the machine or the network is
broken, it was not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from triage.classify.signs import PLAIN, look_at
from triage.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from triage.classify.story import Story
    from triage.model import LogLine, TestFailure
    from triage.rules.match import Match


class Trouble(NamedTuple):
    """Something that tests feel, and that a command outside of them may show to be the machine's.

    Attributes:
        said: Rules on words outside of tests that prove it.
        felt: Rules on errors of a test that it explains; a bad kernel or a wrong setting explains some, too.
        words: Errors of a test that it explains and that no rule of their own knows.
        proof: What such words must hold besides.
        mended: What takes them back when it stands between them and the tests; with it, only words above count.
        denied: What shows anywhere in the log that the program did it itself.
        elsewhere: Whether only words count that made another part of the job fail, too.
        spreads: Whether it may also be why a server did not come up, or a test died without a word.
        inside: Whether such words count inside of tests, too: only the device's runtime writes them.
    """

    said: frozenset[str]
    felt: frozenset[str] = frozenset()
    words: re.Pattern[str] | None = None
    proof: re.Pattern[str] | None = None
    mended: re.Pattern[str] | None = None
    denied: re.Pattern[str] | None = None
    elsewhere: bool = False
    spreads: bool = False
    inside: bool = False


BROKEN_DEVICE = Trouble(
    felt=frozenset(
        {
            "device-lost",
            "gaudi-found-no-free-device",
            "no-gpu-visible",
            "gpu-lost",
            "gpu-memory-broken",
            "npu-did-not-start",
            "nvidia-driver-mismatch",
        }
    ),
    said=frozenset(
        {"device-unhealthy", "gpu-lost", "gpu-memory-broken", "nvidia-driver-mismatch", "no-gpu-on-the-machine"}
    ),
    spreads=True,
)

LOST_IN_A_LAUNCH = Trouble(
    # The test after the one that met it finds no device any more.
    felt=BROKEN_DEVICE.felt,
    words=regex(
        r"\bunspecified launch failure\b|\bCUDA error: (?:unknown|initialization) error\b"
        r"|\bunknown error \((?:30|999)\)"
        r"|\bCUDA_ERROR_(?:LAUNCH_FAILED|UNKNOWN)\b|\bcudaError(?:LaunchFailure|Unknown)\b"
        r"|\bCUDA-capable devices? (?:is|are) busy or unavailable\b"
    ),
    said=frozenset({"gpu-lost"}),
    proof=regex(r"\bNVRM: |(?i:\bfallen off the bus|\bGPU is lost|\bunable to determine the device handle)"),
    # A kernel that reads where it may not fails to launch, too; the driver then writes that down as well.
    denied=regex(r"\bNVRM: Xid \(PCI:[^)]*\): (?:13|31|69)\b"),
)

LOST_BEFORE = Trouble(
    felt=frozenset({"device-lost"}),
    # What a device that is lost answers to everything that is asked of it then.
    words=regex(
        r"\b(?:UR|PI|ZE)_(?:RESULT_)?ERROR_(?:DEVICE_LOST|OUT_OF_(?:RESOURCES|(?:DEVICE|HOST)_MEMORY)|UNINITIALIZED|UNKNOWN)\b"
    ),
    said=frozenset({"device-lost"}),
    mended=regex(
        r"(?i)\b(?:GPU|XPU|NPU|device|driver) (?:was |is |has been )?(?:reset|recovered|restored|reloaded|back)\b"
    ),
)
"""Lost before the first test: none of the tests can have done it."""

TOLD_BY_RUNTIME = Trouble(
    felt=BROKEN_DEVICE.felt,
    words=regex(
        r"(?i:\b(?:ACL|NPU|aclrt\w*|rt[A-Z]\w*|device|stream|event) ?(?:stream|device|event)? ?synchroni[sz]\w* "
        r"(?:\w+ ){0,2}failed)"
        r"|\bNPU function error: .*\berror code is (?:507010|507054|507899)\b"
    ),
    said=frozenset({"device-unhealthy", "no-gpu-on-the-machine", "npu-did-not-start"}),
    # What the kernel writes is a line of its own log, which a test may print; these the runtime says in its process.
    proof=regex(
        r"\bDevice\[\d+\] lost heartbeat\.\[FUNC:|\breason=\[?lost heartbeat\]?\[FUNC:"
        r"|\(E39009\): Failed to connect the device|\bopen device \d+ failed, runtime result = 507033\.\[FUNC:"
        r"|/dev/kfd read-write: (?:Invalid argument|No such device|Input/output error|Connection timed out)"
    ),
    inside=True,
)
"""What the runtime itself says of a device that does not answer: a program that only asks wrongly is told neither."""

_HOST = r"(?:[\w-]+\.)+(?!(?:local|internal|svc|test|invalid|example|localhost|lan|docker)\b)[a-z]{2,}\b"
_UNKNOWN = (
    r"(?:[Nn]ame or service not known|[Tt]emporary failure in name resolution|NameResolutionError|getaddrinfo failed"
    r"|nodename nor servname provided|[Nn]o such host is known|failed to lookup address information)"
)

NO_NAMES = Trouble(
    words=regex(
        rf"\bgetaddrinfo (?:EAI_AGAIN|ENOTFOUND) {_HOST}|\bUnknownHostException: {_HOST}"
        rf"|\b[Cc]ould not resolve host(?:name)?:? '?{_HOST}|(?:host='|://|host name \"){_HOST}.*{_UNKNOWN}"
        rf"|\blookup {_HOST}(?: on \S+)?: (?:server misbehaving|i/o timeout|no such host|[Tt]emporary failure)"
    ),
    said=frozenset({"dns-down"}),
    elsewhere=True,  # in a job that is kept from the network, some command always says so, and nobody minds
)
"""A name without a dot is a service of the job's own."""

NO_BROWSER = Trouble(
    words=regex(
        r"\bExecutable doesn.t exist at \S*(?:playwright|puppeteer|\.cache)|\bCould not find (?:Chrom(?:e|ium)|Firefox)"
        r" \((?:ver|rev)|\bCould not find (?:expected browser|browser revision)|\bthe Cypress binary is missing"
        r"|\bNo version of Cypress is installed|\bElectron failed to install correctly"
    ),
    said=frozenset({"node-download"}),
    mended=regex(
        r"\b(?:downloaded|extracted|installed) (?:to|in|at) [/\\A-Z~]|\bSuccessfully (?:downloaded|installed)"
    ),
)

NO_SERVER = Trouble(
    felt=frozenset({"local-server-gone"}),
    said=frozenset({"registry-rate-limit", "registry-unreachable", "image-layer-broken", "docker-daemon-down"}),
    # It came after all, or the server did.
    mended=regex(
        r"^(?:\S+ )?Status: (?:Downloaded newer image|Image is up to date)"
        r"|\bContainer \S+ +(?:Started|Running|Healthy)\b"
        r"|(?i:\b(?:listening (?:on|at)|server (?:has |is )?(?:started|ready|running)|is up and running)\b)"
    ),
    elsewhere=True,
)
"""The step that was to start the servers had failed, and the job went on (`if: always()`)."""

NO_DEVICE = Trouble(felt=frozenset({"no-gpu-visible"}), said=frozenset({"no-gpu-visible"}), spreads=True)
"""No program sees one, in tests or outside: that rule leaves open whose doing it is, and so does the answer."""

TROUBLES = (BROKEN_DEVICE, TOLD_BY_RUNTIME, LOST_IN_A_LAUNCH, LOST_BEFORE, NO_NAMES, NO_BROWSER, NO_SERVER, NO_DEVICE)
"""Asked in this order."""


def said_of(story: Story, trouble: Trouble, tests: Sequence[TestFailure]) -> Match | None:
    """Return what proves a trouble outside of all tests; None when nothing does."""
    if trouble.denied is not None and any(trouble.denied.search(line.text) for line in story.view.log.lines):
        return None
    said = [match for match in (story.shown if trouble.inside else story.outside_tests) if _proves(match, trouble)]
    if trouble.elsewhere:
        said = [match for match in said if _broke_another_part(story, match, tests)]
    if trouble.mended is None:
        return next(iter(said), None)
    first = min((test.first_line for test in tests), default=story.view.log.total_lines)
    last = next((match for match in reversed(said) if match.line.number < first), None)
    if last is None:
        return None
    between = story.view.between(last.line.number + 1, first)
    return None if any(trouble.mended.search(line.text) for line in between) else last


def _proves(match: Match, trouble: Trouble) -> bool:
    return match.rule.id in trouble.said and (trouble.proof is None or bool(trouble.proof.search(match.line.text)))


def _broke_another_part(story: Story, match: Match, tests: Sequence[TestFailure]) -> bool:
    """Whether another command than the tests' own ended as failed below these words, and stated no other error."""
    number, view = match.line.number, story.view
    explained = {line.number for other in story.shown if other.rule.id == match.rule.id for line in other.lines}
    for look in look_at(view.between(number + 1, number + _ENDS_WITHIN)):
        line = look.line
        if line.text.startswith("##[group]"):
            return False
        if line.text.startswith("##[error]"):
            begin = view.begin_of(number)
            return not any(begin <= test.error_line <= line.number for test in tests)
        if look.weight >= PLAIN and not look.wraps and line.number not in explained and line.number - number > _NEAR:
            return False
    return False


_ENDS_WITHIN, _NEAR = 80, 20
"""Lines until the command's end; and those among which whatever is said is said of the same."""


def proof_of(story: Story, match: Match, tests: Sequence[TestFailure]) -> tuple[LogLine, ...]:
    """Return the words outside of tests that prove what a test's own error says of the machine, to be shown with it."""
    said = (said_of(story, trouble, tests) for trouble in TROUBLES if match.rule.id in trouble.felt & trouble.said)
    return tuple(found.line for found in said if found is not None)
