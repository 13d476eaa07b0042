"""Where a triage looks, and with which token, follows the habits of `gh` and of Actions."""

from __future__ import annotations

import argparse
from datetime import timedelta

import pytest

from triage.entry.options import DOTCOM_API, add_source, find_target, find_token, looking_back, number, open_reads
from triage.errors import UsageError
from triage.github.reads import LiveReads
from triage.settings import Settings


@pytest.mark.parametrize(
    ("given", "environment", "repository", "api_url"),
    [
        ("acme/engine", {}, "acme/engine", DOTCOM_API),
        ("ghe.acme.test/acme/engine", {}, "acme/engine", "https://ghe.acme.test/api/v3"),
        ("github.com/acme/engine", {}, "acme/engine", DOTCOM_API),
        ("acme.ghe.com/acme/engine", {}, "acme/engine", "https://api.acme.ghe.com"),
        (None, {"GITHUB_REPOSITORY": "acme/engine"}, "acme/engine", DOTCOM_API),
        (
            None,
            {"GITHUB_REPOSITORY": "acme/engine", "GITHUB_API_URL": "https://ghe.acme.test/api/v3"},
            "acme/engine",
            "https://ghe.acme.test/api/v3",
        ),
        (None, {"GH_REPO": "acme/other", "GITHUB_REPOSITORY": "acme/engine"}, "acme/other", DOTCOM_API),
    ],
)
def test_the_repository_comes_from_the_option_and_then_from_the_environment(
    given: str | None, environment: dict[str, str], repository: str, api_url: str
) -> None:
    target = find_target(given, environment)

    assert (target.repository, target.api_url) == (repository, api_url)


@pytest.mark.parametrize("text", ["engine", "a/b/c/d", "acme/en gine", "https://github.com/acme/engine?x"])
def test_what_is_not_a_repository_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match=r"expected .*OWNER/REPO"):
        find_target(text, {})


def test_gh_token_wins_over_github_token() -> None:
    assert find_token({"GH_TOKEN": " mine ", "GITHUB_TOKEN": "other"}) == "mine"


def test_without_a_token_the_error_says_which_variable_to_set() -> None:
    with pytest.raises(UsageError, match="set GITHUB_TOKEN"):
        find_token({"GITHUB_TOKEN": " "})


@pytest.mark.parametrize(("text", "value"), [("17", 17), ("#17", 17)])
def test_numbers_are_taken_with_and_without_the_hash(text: str, value: int) -> None:
    assert number("pull request number")(text) == value


@pytest.mark.parametrize("text", ["", "0", "-3", "1.5", "seventeen", "１７"])
def test_a_run_id_that_is_not_a_number_is_told_so(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not a run id"):
        number("run id")(text)


# --------------------------------------------------------------------------------------------------------------------
# Where logs may lie, and what comparing may cost


def log_hosts_of(*arguments: str) -> tuple[str, ...]:
    """The hosts that a live triage with these arguments fetches logs from, beside GitHub's own."""
    parser = argparse.ArgumentParser()
    add_source(parser)
    reads = open_reads(parser.parse_args(["-R", "ghe.acme.test/acme/engine", *arguments]))
    assert isinstance(reads, LiveReads)
    with reads:
        return reads._logs.blobs.hosts.extra


def test_hosts_that_keep_logs_come_from_the_option_and_then_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GH_TOKEN", "t")
    monkeypatch.delenv("GITHUB_API_URL", raising=False)
    monkeypatch.setenv("TRIAGE_LOG_HOSTS", "store.acme.test")

    assert log_hosts_of() == ("store.acme.test",)
    assert log_hosts_of("--log-hosts", "*.logs.acme.test,s3.acme.test") == ("*.logs.acme.test", "s3.acme.test")
    assert log_hosts_of("--log-hosts", "") == ()


def test_a_variable_that_names_no_hosts_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GH_TOKEN", "t")
    monkeypatch.setenv("TRIAGE_LOG_HOSTS", "https://store.acme.test/")

    with pytest.raises(UsageError, match=r"TRIAGE_LOG_HOSTS: 'https://store\.acme\.test/' is no name of a host"):
        log_hosts_of()


@pytest.mark.parametrize(("given", "requests"), [(None, 7), (3, 3)])
def test_comparing_costs_what_the_settings_allow_or_the_caller(given: int | None, requests: int) -> None:
    limits = looking_back(Settings(look_back_requests=7, look_back_seconds=9, window_days=2), requests=given)

    assert limits is not None
    assert (limits.requests, limits.seconds, limits.window) == (requests, 9, timedelta(days=2))


@pytest.mark.parametrize(("allowed", "given"), [(0, None), (7, 0)])
def test_with_no_requests_nothing_is_compared(allowed: int, given: int | None) -> None:
    assert looking_back(Settings(look_back_requests=allowed), requests=given) is None
