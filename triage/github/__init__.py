"""GitHub, live. Importing this costs nothing; connecting loads the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.github.budget import Limits
    from triage.github.reads import LiveReads
    from triage.github.writes import LiveWrites

__all__ = ["connect", "connect_writes"]

DOTCOM = "https://api.github.com"

READING = 0.9
"""Share of a triage's time in which it may ask and read; the rest is for deciding and telling."""


def connect(
    repository: str,
    *,
    token: str | None,
    api_url: str = DOTCOM,
    deadline: float = 300.0,
    blob_hosts: tuple[str, ...] = (),
    progress: Callable[[str], None] | None = None,
    limits: Limits | None = None,
) -> LiveReads:
    """Connect to the API of GitHub or GitHub Enterprise for the reads of one repository; asks nothing yet.

    Args:
        repository: `OWNER/NAME`.
        token: None to ask as nobody, which GitHub allows for public things, 60 times an hour.
        api_url: `https://HOST/api/v3` for GitHub Enterprise Server.
        deadline: Seconds for the triage. Most of them are for what is asked, waits included: see `READING`.
        blob_hosts: More hosts that keep logs, `*` standing for any text.
        progress: Told, in a few words, when GitHub makes us wait.
        limits: How patient to be, and how large a log may be.

    Raises:
        UsageError: The repository or the address is not one, or Python runs without its checks.
    """
    _refuse_without_checks()
    from triage.github.budget import Budget, Limits
    from triage.github.hosts import ApiAddress, BlobHosts
    from triage.github.reads import LiveReads

    api = ApiAddress(api_url.rstrip("/"))
    return LiveReads(
        repository,
        api=api,
        token=token or None,
        hosts=BlobHosts(api, tuple(blob_hosts)),
        budget=Budget(deadline * READING, progress=progress),
        limits=limits or Limits(),
    )


def connect_writes(
    repository: str,
    *,
    token: str,
    api_url: str = DOTCOM,
    deadline: float = 90.0,
    progress: Callable[[str], None] | None = None,
    limits: Limits | None = None,
    own_id: int | None = None,
) -> LiveWrites:
    """Connect for the writes of one repository; asks nothing yet.

    The time for writing is its own: a triage that read until its deadline can still say what it found.

    Args:
        repository: GitHub's own name, `OWNER/NAME`: what was written under an old name would not be sent on.
        token: One that may write comments.
        api_url: As for `connect`.
        deadline: Seconds for everything that is asked, waits for limits included.
        progress: As for `connect`.
        limits: How patient to be.
        own_id: The number of the account that the token writes as, where it is known; else GitHub is asked.

    Raises:
        UsageError: The address is not one, or Python runs without its checks.
    """
    _refuse_without_checks()
    from triage.github.budget import Budget, Limits
    from triage.github.client import Client
    from triage.github.hosts import ApiAddress
    from triage.github.writes import REPEATABLE, LiveWrites

    client = Client(
        api=ApiAddress(api_url.rstrip("/")),
        token=token,
        budget=Budget(deadline, progress=progress),
        limits=limits or Limits(),
        repeatable=REPEATABLE,
    )
    return LiveWrites(repository, client=client, own_id=own_id)


def _refuse_without_checks() -> None:
    if not __debug__:
        # PyGithub's checks of where the token goes are `assert`s, and `python -O` takes them out.
        raise UsageError(
            "triage does not talk to GitHub under `python -O`: it would switch off checks that guard the token"
        )
