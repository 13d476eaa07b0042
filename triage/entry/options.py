"""Options that several commands share, and what they mean."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from triage.errors import ConfigError, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from triage.history.lookback import Limits
    from triage.history.store import Store
    from triage.model import Gap
    from triage.rules import RuleSet
    from triage.source import Reads

FORMATS = ("text", "json", "markdown")
DOTCOM_API = "https://api.github.com"
MOST_REQUESTS = 40
NARROWEST, WIDEST = 60, 160

_REPOSITORY = re.compile(r"^(?:(?P<host>[A-Za-z0-9.:-]+)/)?(?P<name>[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)$")
_REMOTE = re.compile(
    r"^(?:https?://(?:[^@/]*@)?|ssh://git@|git@)(?P<host>[^/:]+)[:/](?P<name>[^/]+/[^/]+?)(?:\.git)?/?$"
)


@dataclass(frozen=True, slots=True)
class Target:
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


def add_comparing(parser: argparse.ArgumentParser) -> None:
    """Add what says with what failures are compared: `--history` and `--look-back`."""
    parser.add_argument(
        "--history",
        metavar="URL|none",
        help="where to keep what was seen: a file, sqlite:///…, postgresql://… or none "
        "(default: a file of your own; none with --recorded)",
    )
    parser.add_argument(
        "--look-back",
        metavar="REQUESTS",
        type=_requests,
        default=MOST_REQUESTS,
        help="how many requests to spend at most on comparing with the default branch and other pull requests; "
        f"0 compares with nothing (default: {MOST_REQUESTS})",
    )


def _requests(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of requests: expected 0 or more")
    return int(text)


def looking_back(arguments: argparse.Namespace) -> Limits | None:
    """Return what comparing may cost; None to compare with nothing."""
    from triage.history.lookback import Limits

    return Limits(requests=arguments.look_back) if arguments.look_back else None


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
    from triage.rules import builtin_rules, load_rules

    built_in = builtin_rules()
    path: Path | None = arguments.rules
    if path is None:
        return built_in
    return load_rules(read_text(path, "rules file"), str(path)).before(built_in)


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
    return connect(target.repository, token=find_token(os.environ), api_url=target.api_url, progress=progress)


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
    return DOTCOM_API if host == "github.com" else f"https://{host}/api/v3"


def _remote_url() -> str:
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
