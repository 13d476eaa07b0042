"""Where a triage looks, and with which token, follows the habits of `gh` and of Actions."""

from __future__ import annotations

import argparse

import pytest

from triage.entry.options import DOTCOM_API, find_target, find_token, number
from triage.errors import UsageError


@pytest.mark.parametrize(
    ("given", "environment", "repository", "api_url"),
    [
        ("acme/engine", {}, "acme/engine", DOTCOM_API),
        ("ghe.acme.test/acme/engine", {}, "acme/engine", "https://ghe.acme.test/api/v3"),
        ("github.com/acme/engine", {}, "acme/engine", DOTCOM_API),
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
