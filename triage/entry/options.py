"""Options that several commands share, and what they mean."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from triage.errors import ConfigError, Problem, UsageError
from triage.regex import regex
from triage.settings import LOOK_BACK_REQUESTS, MOST_FILES, PLACE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from triage.history.lookback import Limits
    from triage.history.store import Store
    from triage.model import Gap
    from triage.rules import RuleSet
    from triage.settings import Settings
    from triage.source import Reads

FORMATS = ("text", "json", "markdown")
DOTCOM_API = "https://api.github.com"
NARROWEST, WIDEST = 60, 160
LOG_HOSTS = "TRIAGE_LOG_HOSTS"

_REPOSITORY = regex(r"^(?:(?P<host>[A-Za-z0-9.:-]+)/)?(?P<name>[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)$")
_REMOTE = regex(r"^(?:https?://(?:[^@/]*@)?|ssh://git@|git@)(?P<host>[^/:]+)[:/](?P<name>[^/]+/[^/]+?)(?:\.git)?/?$")


class Target(NamedTuple):
    """A repository and the API that serves it."""

    repository: str
    api_url: str


def add_format(parser: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> None:
    """Add `--format`."""
    parser.add_argument("--format", choices=formats, default="text", help="how to print the report (default: text)")


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add `--rules`."""
    parser.add_argument(
        "--rules",
        metavar="FILE",
        type=Path,
        help="more rules, asked before the built-in ones; the file is checked first",
    )


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add what says where the facts come from: `-R` and `--recorded`."""
    parser.add_argument(
        "-R",
        "--repo",
        metavar="[HOST/]OWNER/REPO",
        help="the repository (default: GITHUB_REPOSITORY, else the checkout's remote)",
    )
    parser.add_argument(
        "--recorded", metavar="DIR", type=Path, help="read a recording made by `triage record`, without network"
    )
    parser.add_argument(
        "--log-hosts",
        metavar="HOSTS",
        type=_log_hosts,
        help="hosts that keep the logs of a GitHub Enterprise Server, such as store.acme.example or "
        f"*.logs.acme.example, with commas between them (default: {LOG_HOSTS})",
    )


def _log_hosts(text: str) -> tuple[str, ...]:
    from triage.github.hosts import read_hosts

    try:
        return read_hosts(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def log_hosts(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the hosts that keep logs beside GitHub's own, as the environment names them.

    Raises:
        UsageError: What stands there names no hosts.
    """
    from triage.github.hosts import read_hosts

    try:
        return read_hosts(environment.get(LOG_HOSTS, ""))
    except ValueError as error:
        raise UsageError(f"{LOG_HOSTS}: {error}") from error


def add_comparing(parser: argparse.ArgumentParser) -> None:
    """Add what says with what failures are compared: `--history` and `--look-back`."""
    parser.add_argument(
        "--history",
        metavar="URL|none",
        help="where to keep what was seen: a file, sqlite:///…, postgresql://… or none "
        f"(default: a file of your own, whatever {PLACE} says; none with --recorded)",
    )
    parser.add_argument(
        "--look-back",
        metavar="REQUESTS",
        type=_requests,
        help="how many requests to spend at most on comparing with the default branch and other pull requests; "
        f"as many again, at most {MOST_FILES}, for files that failing tests import; 0 compares with nothing "
        f"(default: as {PLACE} says, else {LOOK_BACK_REQUESTS})",
    )


def _requests(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of requests: expected 0 or more")
    return int(text)


def looking_back(settings: Settings, *, requests: int | None = None) -> Limits | None:
    """Return what comparing may cost; None to compare with nothing.

    Args:
        settings: The repository's.
        requests: What the caller says in place of them.
    """
    from triage.history.lookback import Limits

    most = settings.look_back_requests if requests is None else requests
    window = timedelta(days=settings.window_days)
    return Limits(requests=most, seconds=settings.look_back_seconds, window=window) if most else None


@contextmanager
def open_history(arguments: argparse.Namespace) -> Iterator[Store | Gap | None]:
    """Open the history store that the caller named, else the user's own; a recording is read without one.

    Raises:
        UsageError: what was named is no store.
    """
    from triage.history.opening import OFF, open_store
    from triage.model import Gap

    choice = arguments.history or (OFF if arguments.recorded is not None else None)
    store = open_store(choice)
    try:
        yield store
    finally:
        if store is not None and not isinstance(store, Gap):
            store.close()


def load_rules(arguments: argparse.Namespace) -> RuleSet:
    """Load the built-in rules, and the caller's before them.

    Raises:
        UsageError: the file cannot be read.
        ConfigError: the file is not a right rules file; every mistake is told.
    """
    from triage.rules import builtin_rules

    own = load_own_rules(arguments)
    return builtin_rules() if own is None else own.before(builtin_rules())


def load_own_rules(arguments: argparse.Namespace) -> RuleSet | None:
    """Load the caller's rules; None when none were given.

    Raises:
        UsageError: the file cannot be read.
        ConfigError: the file is not a right rules file; every mistake is told.
    """
    from triage.rules import load_rules

    path: Path | None = arguments.rules
    return None if path is None else load_rules(read_text(path, "rules file"), str(path))


def read_text(path: Path, what: str) -> str:
    """Read a file that a person named.

    Raises:
        UsageError: there is no such file, or it cannot be read.
        ConfigError: it is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(Problem(str(path), 1, error.start + 1, f"this {what} is not UTF-8 text")) from error
    except OSError as error:
        raise UsageError(f"cannot read the {what} {path}: {error.strerror or error}") from error


def open_reads(arguments: argparse.Namespace, *, progress: Callable[[str], None] | None = None) -> Reads:
    """Open the recording the caller named, else GitHub.

    Raises:
        UsageError: no repository or no token could be found, and how to give one.
    """
    if arguments.recorded is not None:
        from triage.recorded import Recorded

        return Recorded(arguments.recorded)
    from triage.github import connect

    target = find_target(arguments.repo, os.environ)
    return connect(
        target.repository,
        token=find_token(os.environ),
        api_url=target.api_url,
        blob_hosts=log_hosts(os.environ) if arguments.log_hosts is None else arguments.log_hosts,
        progress=progress,
    )


def find_target(given: str | None, environment: Mapping[str, str]) -> Target:
    """Find the repository: from `-R`, from the environment, else from the checkout's remote.

    Raises:
        UsageError: none of them names one.
    """
    api_url = environment.get("GITHUB_API_URL") or DOTCOM_API
    text = given or environment.get("GH_REPO") or environment.get("GITHUB_REPOSITORY")
    if text:
        found = _REPOSITORY.match(text)
        if found is None:
            raise UsageError(f"{text!r} is not a repository; expected [HOST/]OWNER/REPO, such as acme/engine")
        return Target(found["name"], _api_of(found["host"]) if found["host"] else api_url)
    remote = _REMOTE.match(_remote_url())
    if remote is None:
        raise UsageError("no repository: give -R OWNER/REPO, set GITHUB_REPOSITORY, or run in a checkout of one")
    return Target(remote["name"], environment.get("GITHUB_API_URL") or _api_of(remote["host"]))


def _api_of(host: str) -> str:
    if host == "github.com":
        return DOTCOM_API
    return f"https://api.{host}" if host.endswith(".ghe.com") else f"https://{host}/api/v3"


def _remote_url() -> str:
    import subprocess

    git = shutil.which("git")
    if git is None:
        return ""
    answer = subprocess.run(  # noqa: S603  fixed words, no shell
        [git, "remote", "get-url", "origin"], capture_output=True, text=True, check=False
    )
    return answer.stdout.strip()


def find_token(environment: Mapping[str, str]) -> str:
    """Find the token; `GH_TOKEN` wins over `GITHUB_TOKEN`, as in `gh`.

    Raises:
        UsageError: there is none.
    """
    token = (environment.get("GH_TOKEN") or environment.get("GITHUB_TOKEN") or "").strip()
    if not token:
        raise UsageError(
            "no token: set GITHUB_TOKEN (or GH_TOKEN) to one that may read actions, checks and pull requests; "
            "`--recorded DIR` needs none"
        )
    return token


def output_width() -> int:
    """Return how many columns the report may use: the terminal's, 100 when there is none."""
    columns = shutil.get_terminal_size(fallback=(100, 24)).columns
    return max(NARROWEST, min(WIDEST, columns))


def wants_colour(environment: Mapping[str, str]) -> bool:
    """Whether to colour: on a terminal, unless `NO_COLOR` says otherwise."""
    return sys.stdout.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def number(what: str) -> Callable[[str], int]:
    """Return a parser of positive whole numbers that says what was expected."""

    def parse(text: str) -> int:
        digits = text.lstrip("#")
        if not digits.isascii() or not digits.isdigit() or int(digits) == 0:
            raise argparse.ArgumentTypeError(f"{text!r} is not a {what}: expected a positive whole number")
        return int(digits)

    return parse
