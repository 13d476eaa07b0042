"""The comment on a GitHub that fails in every way that is known."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.fakegithub import Dropped, FakeGitHub, Html, PrimaryLimit, SecondaryLimit, Stale, Status
from tests.fakegithub.faults import Body, Forbidden, Unauthorized
from tests.publish.conftest import report_on
from triage.errors import UsageError
from triage.model import Gap, Repository, Verdict
from triage.publish import CommentSettings, OnWorse
from triage.publish.comment import Pace
from triage.publish.draft import draft_of
from triage.publish.marker import marker_of
from triage.publish.outcome import (
    Failed,
    NotAllowed,
    NotNeeded,
    Published,
    Superseded,
    Unchanged,
    Unknown,
    WouldWrite,
)

if TYPE_CHECKING:
    from tests.fakegithub.faults import Fault
    from tests.publish.conftest import Publisher
    from triage.model import Report

BOT = "github-actions[bot]"
CREATE, EDIT, LIST = "POST */comments", "PATCH */issues/comments/*", "GET */comments"


def later(report: Report, minutes: int = 5) -> Report:
    """The same, told after something more has happened."""
    assert report.as_of is not None
    return replace(report, as_of=report.as_of + timedelta(minutes=minutes))


def body_of(report: Report, *, key: str = "default") -> str:
    draft = draft_of(report, CommentSettings(key=key))
    assert draft is not None
    return draft.body


def test_the_first_report_makes_one_comment_and_looks_again(post: Publisher, fake: FakeGitHub) -> None:
    outcome = post.comment()

    assert isinstance(outcome, Published)
    assert outcome.created
    assert outcome.url.endswith(f"/pull/{post.number}#issuecomment-{post.comments[0]['id']}")
    assert [one["body"] for one in post.comments] == [body_of(report_on())]
    assert post.waits == [Pace().after_create]
    assert len(fake.asked()) == 4  # list, pull request, post, list


def test_the_same_report_again_writes_nothing(post: Publisher) -> None:
    post.comment()
    before = list(post.written)

    outcome = post.comment()

    assert outcome == Unchanged(post.comments[0]["html_url"])
    assert post.written == before


def test_line_breaks_and_blanks_as_github_keeps_them_are_no_difference(post: Publisher, fake: FakeGitHub) -> None:
    fake.comment(post.number, author=BOT, body=body_of(report_on()).replace("\n", "\r\n").rstrip())

    assert isinstance(post.comment(), Unchanged)


def test_a_newer_report_edits_the_comment_in_place(post: Publisher) -> None:
    post.comment()
    first = post.comments[0]["id"]

    outcome = post.comment(later(report_on()))

    assert outcome == Published(post.comments[0]["html_url"])
    assert [one["id"] for one in post.comments] == [first]
    assert post.comments[0]["body"] == body_of(later(report_on()))


def test_an_older_report_that_comes_late_changes_nothing(post: Publisher) -> None:
    post.comment(later(report_on()))

    outcome = post.comment()

    assert isinstance(outcome, Superseded)
    assert post.comments[0]["body"] == body_of(later(report_on()))


def test_of_two_reports_on_the_same_facts_the_one_that_saw_more_stays(post: Publisher) -> None:
    post.comment()
    blind = replace(report_on(), gaps=(*report_on().gaps, Gap("log of job 1", "it has expired meanwhile")))

    outcome = post.comment(blind)

    assert isinstance(outcome, Superseded)
    assert "expired meanwhile" not in post.comments[0]["body"]


def test_a_report_on_a_commit_that_is_no_longer_the_head_is_not_published(post: Publisher, fake: FakeGitHub) -> None:
    fake.state.pulls[post.number]["head"]["sha"] = "d" * 40

    outcome = post.comment()

    assert isinstance(outcome, Superseded)
    assert "has moved on" in outcome.why
    assert post.comments == []


# ---------------------------------------------------------------------------------------------------------------------
# Lost answers


@pytest.mark.parametrize("fault", [Status(status=502, stored=True), Dropped(stored=True)], ids=repr)
def test_a_comment_that_was_stored_though_the_answer_was_lost_is_not_posted_twice(
    post: Publisher, fake: FakeGitHub, fault: Fault
) -> None:
    fake.fail(CREATE, fault)

    outcome = post.comment()

    assert isinstance(outcome, Published)
    assert outcome.url == post.comments[0]["html_url"]
    assert post.written == ["POST"]
    assert len(post.comments) == 1


@pytest.mark.parametrize("fault", [Status(status=500), Status(status=503), Dropped(), Html()], ids=repr)
def test_a_comment_that_was_not_stored_is_posted_again_once_that_is_certain(
    post: Publisher, fake: FakeGitHub, fault: Fault
) -> None:
    fake.fail(CREATE, fault)

    outcome = post.comment()

    assert isinstance(outcome, Published)
    assert len(post.comments) == 1
    assert post.waits[0] >= Pace().lag


def test_a_stored_comment_that_the_list_does_not_show_yet_ends_as_one(post: Publisher, fake: FakeGitHub) -> None:
    """The worst of both: the answer is lost, and the list lags behind for longer than we thought it could."""
    fake.fail(CREATE, Dropped(stored=True))
    fake.fail(LIST, Stale(writes=1), nth=2)

    outcome = post.comment()

    assert isinstance(outcome, Published)
    assert [one["body"] for one in post.comments] == [body_of(report_on())]
    assert post.written == ["POST", "POST", "DELETE"]


def test_a_list_that_lags_behind_hides_our_comment_only_until_the_second_look(
    post: Publisher, fake: FakeGitHub
) -> None:
    post.comment()
    fake.fail(LIST, Stale(writes=1), nth=1)

    post.comment(later(report_on()))

    assert [one["body"] for one in post.comments] == [body_of(later(report_on()))]


def test_an_edit_whose_answer_was_lost_is_found_by_reading_again(post: Publisher, fake: FakeGitHub) -> None:
    post.comment()
    fake.fail(EDIT, Status(status=502, stored=True))

    outcome = post.comment(later(report_on()))

    assert outcome == Published(post.comments[0]["html_url"])
    assert post.written == ["POST", "PATCH"]


def test_a_github_that_never_answers_leaves_a_sentence_and_a_next_run(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail(CREATE, Status(status=502), times=None)

    outcome = post.comment()

    assert isinstance(outcome, Unknown)
    assert "the next run will see to it" in str(outcome)
    assert post.written == ["POST"] * Pace().posts


def test_a_list_that_cannot_be_read_means_that_nothing_is_written(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail(LIST, Status(status=500), times=None)

    outcome = post.comment()

    assert isinstance(outcome, Failed)
    assert post.written == []


def test_a_second_look_that_fails_does_not_take_back_what_was_published(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail(LIST, Forbidden(), nth=2, times=None)

    assert isinstance(post.comment(), Published)


# ---------------------------------------------------------------------------------------------------------------------
# What people and others do


def test_a_comment_deleted_by_hand_is_made_anew_by_the_next_run(post: Publisher, fake: FakeGitHub) -> None:
    post.comment()
    fake.state.comments.clear()

    outcome = post.comment()

    assert isinstance(outcome, Published)
    assert outcome.created
    assert len(post.comments) == 1


def test_a_comment_deleted_between_reading_and_editing_is_made_anew(post: Publisher, fake: FakeGitHub) -> None:
    post.comment()
    fake.state.remember_comments()
    fake.state.comments.clear()
    fake.fail(LIST, Stale(writes=1), nth=1)

    outcome = post.comment(later(report_on()))

    assert isinstance(outcome, Published)
    assert [one["body"] for one in post.comments] == [body_of(later(report_on()))]


@pytest.mark.parametrize("author", ["mallory", "echo[bot]"])
def test_a_forged_marker_is_ignored_whoever_wrote_it(post: Publisher, fake: FakeGitHub, author: str) -> None:
    assert report_on().as_of is not None
    marker = str(marker_of(report_on(), "default"))
    forged = marker.replace(":", ":9", 1)
    fake.comment(post.number, author=author, body=f"{forged}\n\nAll is well, merge it.")

    outcome = post.comment()

    assert isinstance(outcome, Published)
    assert [one["user"]["login"] for one in post.comments] == [author, BOT]


def test_a_marker_that_is_only_quoted_is_no_marker(post: Publisher, fake: FakeGitHub) -> None:
    quoted = f"Look what it said:\n{body_of(report_on())}"
    fake.comment(post.number, author=BOT, body=quoted)

    post.comment()

    assert post.comments[0]["body"] == quoted
    assert len(post.comments) == 2


@pytest.mark.parametrize("key", ["nightly", "default-2", "default.2"])
def test_another_comment_of_the_same_bot_with_another_key_is_left_alone(
    post: Publisher, fake: FakeGitHub, key: str
) -> None:
    fake.comment(post.number, author=BOT, body=body_of(report_on(), key=key))

    post.comment()
    post.comment(later(report_on()), settings=CommentSettings(key=key))

    assert [one["body"] for one in post.comments] == [body_of(later(report_on()), key=key), body_of(report_on())]


def test_a_generation_edited_into_the_future_does_not_lock_us_out(post: Publisher, fake: FakeGitHub) -> None:
    """Who may write can edit the comments of bots."""
    post.comment()
    comment = post.comments[0]
    at = str(marker_of(report_on(), "default")).split(":")[1]
    comment["body"] = comment["body"].replace(f":{at}:", ":99999999999:", 1) + "edited"

    outcome = post.comment()

    assert isinstance(outcome, Published)
    assert post.comments[0]["body"] == body_of(report_on())


@pytest.mark.parametrize("state", ["", "gen=x", "gen=0123456789ab:1:1:1:x", "gen=" + "9" * 300, "verdict=great"])
def test_a_marker_that_makes_no_sense_is_written_anew(post: Publisher, fake: FakeGitHub, state: str) -> None:
    fake.comment(post.number, author=BOT, body=f"<!-- ci-triage v2 key=default {state} -->\n\nhm")

    outcome = post.comment()

    assert isinstance(outcome, Published)
    assert [one["body"] for one in post.comments] == [body_of(report_on())]


def test_our_comment_is_found_behind_three_pages_of_talk(post: Publisher, fake: FakeGitHub) -> None:
    for number in range(250):
        fake.comment(post.number, author="dev-4", body=f"remark {number}")
    fake.comment(post.number, author=BOT, body=body_of(report_on()))

    assert isinstance(post.comment(), Unchanged)
    assert [one.query["page"] for one in fake.asked(LIST)] == ["1", "2", "3"]


def test_duplicates_of_an_earlier_mishap_are_cleaned_up_and_the_newest_of_them_is_kept(
    post: Publisher, fake: FakeGitHub
) -> None:
    oldest = fake.comment(post.number, author=BOT, body=body_of(report_on()))
    fake.comment(post.number, author="dev-4", body="hm")
    newest = body_of(later(report_on(), minutes=9))
    fake.comment(post.number, author=BOT, body=newest)

    outcome = post.comment(later(report_on(), minutes=5))

    assert isinstance(outcome, Superseded)
    assert [one["body"] for one in post.comments] == [newest, "hm"]
    assert post.comments[0]["id"] == oldest
    assert post.written == ["PATCH", "DELETE"]  # never the other way round


# ---------------------------------------------------------------------------------------------------------------------
# Who we are


def test_a_person_is_known_by_the_number_of_the_account(post: Publisher, fake: FakeGitHub) -> None:
    token = fake.add_token("dev-7", is_app=False)
    post.comment(token=token)

    post.comment(later(report_on()), token=token)

    assert [one["user"]["login"] for one in post.comments] == ["dev-7"]


def test_where_graphql_is_not_answered_rest_tells_who_a_person_is(post: Publisher, fake: FakeGitHub) -> None:
    token = fake.add_token("dev-7", is_app=False)
    fake.fail("POST /graphql", Status(status=404), times=None)
    post.comment(token=token)

    post.comment(later(report_on()), token=token)

    assert len(post.comments) == 1
    assert fake.asked("GET /user")


def test_an_app_that_cannot_be_told_who_it_is_learns_it_from_its_own_comment(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail("POST /graphql", Status(status=404), times=None)
    post.comment()

    post.comment(later(report_on()))

    assert [one["body"] for one in post.comments] == [body_of(later(report_on()))]


def test_an_app_that_does_not_know_itself_never_posts_again_on_a_lost_answer(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail("POST /graphql", Status(status=404), times=None)
    fake.fail(CREATE, Dropped(stored=True))

    outcome = post.comment()

    assert isinstance(outcome, Unknown)
    assert len(post.comments) == 1


# ---------------------------------------------------------------------------------------------------------------------
# What may not be


def test_a_token_that_may_only_read_gets_one_clear_sentence(post: Publisher, fake: FakeGitHub) -> None:
    token = fake.add_token(BOT, actions="read", checks="read", contents="read", pull_requests="read")

    outcome = post.comment(token=token)

    assert isinstance(outcome, NotAllowed)
    assert "pull-requests: write" in outcome.why
    assert "\n" not in str(outcome)
    assert post.written == ["POST"]


def test_a_token_that_has_expired_is_not_tried_again(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail(CREATE, Unauthorized(), times=None)

    assert isinstance(post.comment(), NotAllowed)
    assert post.written == ["POST"]


def test_a_locked_conversation_is_named(post: Publisher, fake: FakeGitHub) -> None:
    fake.state.pulls[post.number]["locked"] = True

    outcome = post.comment()

    assert outcome == NotAllowed(f"the conversation of pull request #{post.number} is locked")


def test_a_closed_pull_request_gets_no_new_comment_but_the_old_one_is_kept_right(
    post: Publisher, fake: FakeGitHub
) -> None:
    fake.state.pulls[post.number]["state"] = "closed"
    first = post.comment()
    fake.state.pulls[post.number]["state"] = "open"
    post.comment()
    fake.state.pulls[post.number]["state"] = "closed"

    second = post.comment(later(report_on()))

    assert first == NotNeeded(f"pull request #{post.number} is closed")
    assert isinstance(second, Published)


def test_a_used_up_limit_is_told_and_nothing_is_tried_again(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail(CREATE, PrimaryLimit(resets_in=1_800))

    outcome = post.comment()

    assert isinstance(outcome, Failed)
    assert "request limit is used up" in outcome.why
    assert post.written == ["POST"]


def test_a_short_limit_is_waited_for_and_the_comment_posted(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail(CREATE, SecondaryLimit(retry_after=0))

    assert isinstance(post.comment(), Published)
    assert len(post.comments) == 1


def test_a_report_is_never_published_in_another_repository(post: Publisher) -> None:
    elsewhere = replace(report_on(), repository=Repository(full_name="acme-ml/secret", private=True))

    with pytest.raises(UsageError, match="not published in acme-ml/engine"):
        post.comment(elsewhere)


# ---------------------------------------------------------------------------------------------------------------------
# When to speak


def green(report: Report) -> Report:
    return replace(report, verdict=Verdict.NO_FAILURES, headline="no failed job", jobs=(), causes=(), gaps=())


def test_a_pull_request_that_was_always_green_gets_no_comment(post: Publisher) -> None:
    assert isinstance(post.comment(green(report_on())), NotNeeded)
    assert post.comments == []


def test_a_re_run_that_turns_green_is_told_in_the_comment_that_is_there(post: Publisher) -> None:
    post.comment()

    post.comment(later(green(report_on())))

    assert len(post.comments) == 1
    assert "no failed job" in post.comments[0]["body"]


def test_projects_that_want_to_hear_of_green_do(post: Publisher) -> None:
    assert isinstance(post.comment(green(report_on()), settings=CommentSettings(when_green=True)), Published)


def calm(report: Report) -> Report:
    """The same jobs, none of them the author's."""
    return replace(report, verdict=Verdict.NOT_CAUSED_BY_PR, headline="nothing points at this change")


def test_a_change_for_the_worse_is_an_edit_unless_a_project_wants_more(post: Publisher) -> None:
    post.comment(calm(report_on()))
    first = post.comments[0]["id"]

    post.comment(later(report_on()))

    assert [one["id"] for one in post.comments] == [first]
    assert "@dev" not in post.comments[0]["body"]


def test_a_change_for_the_worse_can_be_a_new_comment_in_place_of_the_old(post: Publisher) -> None:
    settings = CommentSettings(on_worse=OnWorse.NEW_COMMENT)
    post.comment(calm(report_on()), settings=settings)
    first = post.comments[0]["id"]

    post.comment(later(report_on()), settings=settings)
    second = post.comments[0]["id"]
    post.comment(later(report_on(), minutes=9), settings=settings)

    assert first != second
    assert [one["id"] for one in post.comments] == [second]  # as bad as before: edited


def test_a_change_for_the_worse_can_name_the_author_once(post: Publisher) -> None:
    settings = CommentSettings(on_worse=OnWorse.MENTION)
    pull = report_on().pull
    assert pull is not None
    post.comment(calm(report_on()), settings=settings)
    calm_body = post.comments[0]["body"]

    post.comment(later(report_on()), settings=settings)
    alarmed = post.comments[0]["body"]
    again = post.comment(later(report_on()), settings=settings)

    assert f"@{pull.author}" not in calm_body
    assert f"\n@{pull.author}, this has become worse" in alarmed
    assert isinstance(again, Unchanged)


def test_a_dry_run_says_what_would_be_done_and_does_nothing(post: Publisher) -> None:
    new = post.comment(dry_run=True)
    post.comment()
    written = list(post.written)
    edit = post.comment(later(report_on()), dry_run=True)

    assert new == WouldWrite(f"comment on pull request #{post.number}")
    assert edit == WouldWrite(f"edit {post.comments[0]['html_url']}")
    assert post.written == written


def test_the_token_goes_nowhere_but_to_the_api(post: Publisher, fake: FakeGitHub) -> None:
    post.comment()

    assert all(one.authorization for one in fake.asked())
    assert fake.asked(host="blob") == []


def test_an_answer_without_the_comments_number_counts_as_lost(post: Publisher, fake: FakeGitHub) -> None:
    fake.fail(CREATE, Body(change=lambda answer: replace(answer, body={"message": "ok"})))

    assert isinstance(post.comment(), Published)
    assert len(post.comments) == 1
