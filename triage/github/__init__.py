"""GitHub, live. Importing this costs nothing; connecting loads the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.github.budget import Limits
    from triage.github.reads import LiveReads

__all__ = ["connect"]

DOTCOM = "https://api.github.com"


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
        deadline: Seconds for everything that is asked, waits included.
        blob_hosts: More hosts that keep logs, `*` standing for any text.
        progress: Told, in a few words, when GitHub makes us wait.
        limits: How patient to be, and how large a log may be.

    Raises:
        UsageError: The repository or the address is not one, or Python runs without its checks.
    """
    if not __debug__:
        # PyGithub's checks of where the token goes are `assert`s, and `python -O` takes them out.
        raise UsageError(
            "triage does not talk to GitHub under `python -O`: it would switch off checks that guard the token"
        )
    from triage.github.budget import Budget, Limits
    from triage.github.hosts import ApiAddress, BlobHosts
    from triage.github.reads import LiveReads

    api = ApiAddress(api_url.rstrip("/"))
    return LiveReads(
        repository,
        api=api,
        token=token or None,
        hosts=BlobHosts(api, tuple(blob_hosts)),
        budget=Budget(deadline, progress=progress),
        limits=limits or Limits(),
    )
