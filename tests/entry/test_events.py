"""What GitHub really sends is read: its own examples, the fields that are null or gone, and those of years ago."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.entry import events
from triage.entry.command.event import Asked, Ignored, read_event
from triage.errors import ProviderError
from triage.source.shapes import run_of, time_of

if TYPE_CHECKING:
    from tests.fakegithub.state import JSON

READ = ("workflow_run.completed", "workflow_run.completed.2021")


@pytest.mark.parametrize("name", sorted(events.DESCRIBED))
def test_each_example_is_as_github_describes_it(name: str) -> None:
    assert events.checked(name, events.example(name))


def test_a_run_is_read_as_github_sends_it() -> None:
    sent = events.example("workflow_run.completed")["workflow_run"]
    run = run_of(sent)

    assert (run.id, run.attempt, run.head_sha) == (sent["id"], 1, sent["head_sha"])
    assert (run.workflow, run.workflow_path) == (".github/workflows/test.yml", ".github/workflows/test.yml")
    assert run.pull_numbers == (), "the example's pull request is into another repository than the run's"


def test_a_run_that_github_sent_years_ago_is_read() -> None:
    run = run_of(events.example("workflow_run.completed.2021")["workflow_run"])

    assert (run.actor, run.workflow_path, run.conclusion, run.is_complete) == ("", "", None, False)


@pytest.mark.parametrize("name", READ)
def test_no_field_of_a_run_but_its_number_is_needed(name: str) -> None:
    sent = events.example(name)["workflow_run"]
    for field in sorted(sent.keys() - {"id"}):
        gone = {key: value for key, value in sent.items() if key != field}

        assert run_of({**sent, field: None}).id == sent["id"], field
        assert run_of(gone).id == sent["id"], field


def test_an_event_without_what_it_is_about_is_one_sentence() -> None:
    event = {**events.example("workflow_run.completed"), "workflow_run": {"id": None}}

    with pytest.raises(ProviderError, match="holds no 'id'"):
        run_of(event["workflow_run"])


def comment_event(name: str = "issue_comment.created", **comment: Any) -> JSON:
    """Return the example as if it were a command on a pull request."""
    event = events.example(name)
    event["issue"]["pull_request"] = {"url": "", "html_url": "", "diff_url": "", "patch_url": ""}
    event["comment"] |= {"body": "/triage help", **comment}
    return event


def read(event: JSON) -> Asked | Ignored:
    at = time_of(event["comment"] or {}, "created_at") or time_of(
        events.example("issue_comment.created")["comment"], "created_at"
    )
    assert at is not None
    return read_event(event, repository=event["repository"]["full_name"], now=at + timedelta(seconds=9))


def test_a_command_is_read_as_github_sends_it() -> None:
    event = comment_event()
    asked = read(event)

    assert isinstance(asked, Asked)
    assert (asked.comment_id, asked.number, asked.line) == (event["comment"]["id"], 1, "/triage help")
    assert (asked.person.login, asked.is_of_the_author) == ("person-a", True)
    assert asked.default_branch == event["repository"]["default_branch"]


def test_a_command_that_was_edited_in_is_none() -> None:
    asked = read(comment_event("issue_comment.edited"))

    assert isinstance(asked, Ignored)
    assert asked.why.startswith("only a new comment")


def test_a_comment_on_an_issue_is_none() -> None:
    event = comment_event()
    del event["issue"]["pull_request"]

    assert read(event) == Ignored("the comment is not on a pull request")


@pytest.mark.parametrize(
    ("place", "field"),
    [
        ("", "comment"),
        ("", "issue"),
        ("", "sender"),
        ("comment", "user"),
        ("comment", "created_at"),
        ("comment", "body"),
    ],
)
def test_what_github_leaves_null_makes_no_command(place: str, field: str) -> None:
    event = comment_event()
    (event[place] if place else event)[field] = None

    assert isinstance(read(event), Ignored)


def test_the_author_of_the_pull_request_may_be_gone() -> None:
    event = comment_event()
    event["issue"]["user"] = None
    asked = read(event)

    assert isinstance(asked, Asked)
    assert not asked.is_of_the_author
