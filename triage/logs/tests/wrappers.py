"""Which exceptions only pass on that something went wrong: policy, as tables."""

from __future__ import annotations

import re

from triage.regex import regex

# By the last part of the type's name: the type itself says that the reason is elsewhere.
_WRAPPER_TYPES = frozenset(
    {
        "BaseExceptionGroup",
        "BrokenProcessPool",
        "CalledProcessError",
        "ChildFailedError",
        "EngineDeadError",
        "ExceptionGroup",
        "MultiError",
        "ProcessExitedException",
        "ProcessRaisedException",
        "RayTaskError",
        "RemoteError",
        "RetryError",
        "RetriesExceeded",
        "SystemExit",
        "TooManyRetries",
    }
)

# What such an exception says: that something was tried or ended, and not why. One pass over the message each.
_WRAPPER_WORDS = regex(
    r"\bretr(?:y|ies|ied|ying)\b|\bg(?:ave|iving) up\b|\bafter \d+ (?:attempts?|tries|retries|times)\b"
    r"|\ball (?:\d+ )?(?:attempts|tries) failed\b|\bmax(?:imum)?[ _](?:number of )?(?:attempts|tries)\b"
    r"|\b(?:due to|because of) (?:a|the) (?:previous|above) (?:error|exception)"
    r"|\bsee (?:the )?(?:above|logs?|output|root cause)\b|\bcheck (?:the )?(?:\w+ )?logs?\b"
    r"|\bcheck if there are relevant logs\b"
    r"|\b(?:exited|exit|failed|terminated|died|finished) with (?:return|exit|non-?zero|signal|code|status|error code)"
    r"|\bterminated with the following error"
    r"|\bnon-?zero exit (?:status|code)\b|\bexit ?code:? -?\d+|\bdied (?:during|unexpectedly|before)\b"
    r"|\bprocess(?:es)? (?:died|exited|crashed|is dead|are dead)\b|\bfailed to (?:start|launch|parse \w+ output)\b"
    r"|\b(?:exited|died|terminated) unexpectedly\b|\binitiali[sz]ation failed\b|\broot cause\b"
    r"|\bdid not (?:answer|respond|become ready|start)\b|\bunhandled errors? in a TaskGroup\b"
    r"|^error building extension\b",
    re.IGNORECASE,
)

# Where such an exception quotes the words of the one that it passes on.
_QUOTED = regex(r"\bfailed with (?:error|exception):? ['\"](.{8,})['\"], please check\b")

# Types that a mistake in code raises and a broken machine does not: only these are believed when they are found in the
# output of a test, beside a wrapper that hides the reason.
_MISTAKES = frozenset(
    {
        "ArithmeticError",
        "AssertionError",
        "AttributeError",
        "IndentationError",
        "IndexError",
        "KeyError",
        "LookupError",
        "ModuleNotFoundError",
        "NameError",
        "NotImplementedError",
        "RecursionError",
        "SyntaxError",
        "TypeError",
        "UnboundLocalError",
        "UnicodeDecodeError",
        "UnicodeEncodeError",
        "ValidationError",
        "ValueError",
        "ZeroDivisionError",
    }
)

# How a client sees that its server died. It explains nothing as long as the server is its own.
_LOST_SERVER = frozenset(
    {
        "APIConnectionError",
        "ClientConnectorError",
        "ConnectError",
        "ConnectionError",
        "ConnectionRefusedError",
        "ConnectionResetError",
        "RemoteDisconnected",
        "RemoteProtocolError",
        "ServerDisconnectedError",
        "URLError",
    }
)
_LOCAL = regex(r"127\.0\.0\.1|localhost|\[::1\]|0\.0\.0\.0")
_SOME_HOST = regex(r"host=|://|[Nn]ame or service not known|resolve")

_ASSERTIONS = frozenset(
    {
        "AssertionError",
        "AssertionFailedError",
        "ComparisonFailure",
        "DocTestFailure",
        "Failed",
        "Failure",
    }
)


def short_name(exception: str) -> str:
    """Return the last part of a type's dotted name."""
    return exception.rsplit(".", 1)[-1]


def is_wrapper(exception: str, message: str) -> bool:
    """Whether this exception only says that something failed, not what."""
    name = short_name(exception)
    if name in _WRAPPER_TYPES:
        return True
    if is_assertion(exception):
        return False
    return (not message and name in {"Exception", "RuntimeError"}) or passes_on(message)


def passes_on(message: str) -> bool:
    """Whether the words only say that something was tried or ended, and not why."""
    quoted = _QUOTED.search(message)
    return _WRAPPER_WORDS.search(quoted[1] if quoted else message) is not None


def hides_cause(exception: str, message: str) -> bool:
    """Whether the reason may stand in what the test printed: a wrapper, or the loss of a server of its own."""
    if is_wrapper(exception, message):
        return True
    if short_name(exception) not in _LOST_SERVER:
        return False
    return _LOCAL.search(message) is not None or _SOME_HOST.search(message) is None


def is_mistake(exception: str) -> bool:
    """Whether this type is raised by mistakes in code and hardly by anything else."""
    return short_name(exception) in _MISTAKES


def is_assertion(exception: str) -> bool:
    """Whether a test's own check raised it."""
    return short_name(exception) in _ASSERTIONS
