"""A GitHub that runs on this machine, and the builder of the recorded runs it serves."""

from tests.fakegithub.answers import Answer, Logged, Token
from tests.fakegithub.faults import (
    Body,
    Cut,
    Drip,
    Dropped,
    Elsewhere,
    Forbidden,
    Gone,
    GzipBomb,
    Html,
    PrimaryLimit,
    SecondaryLimit,
    Stale,
    Status,
    TooMany,
    Unauthorized,
    WrongLength,
)
from tests.fakegithub.server import FakeGitHub
from tests.fakegithub.state import State, StoredLog, blank

__all__ = [
    "Answer",
    "Body",
    "Cut",
    "Drip",
    "Dropped",
    "Elsewhere",
    "FakeGitHub",
    "Forbidden",
    "Gone",
    "GzipBomb",
    "Html",
    "Logged",
    "PrimaryLimit",
    "SecondaryLimit",
    "Stale",
    "State",
    "Status",
    "StoredLog",
    "Token",
    "TooMany",
    "Unauthorized",
    "WrongLength",
    "blank",
]
