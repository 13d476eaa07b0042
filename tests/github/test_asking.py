"""What GitHub answers, and what the person in front of the terminal is told about it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from tests.github.conftest import REPOSITORY, TOKEN
from tests.github.stub import Answer, Stub, points_to, says
from triage.errors import ProviderError, RateLimited, UsageError
from triage.github import connect
from triage.github.budget import Limits

if TYPE_CHECKING:
    from tests.github.conftest import Connect

RUN = f"/repos/{REPOSITORY}/actions/runs/7"
JOBS = f"{RUN}/jobs"
LIMIT_MESSAGE = {"message": "API rate limit exceeded for installation ID 1."}


def a_job(number: int) -> dict[str, object]:
    return {"id": number, "run_id": 7, "run_attempt": 1, "name": f"job {number}", "status": "completed"}


def page_of_jobs(numbers: range, total: int, link: str = "") -> Answer:
    body = {"total_count": total, "jobs": [a_job(number) for number in numbers]}
    return says(body, 200, Link=link) if link else says(body)


def failing(reads_run: object) -> ProviderError:
    assert callable(reads_run)
    with pytest.raises(ProviderError) as caught:
        reads_run(7)
    return caught.value


def test_a_run_comes_as_github_gave_it(api: Stub, connected: Connect) -> None:
    api.on(RUN, says({"id": 7, "name": "CI", "new_field": [1]}))

    assert connected().run(7) == {"id": 7, "name": "CI", "new_field": [1], "url": f"/repos/{REPOSITORY}/actions/runs/7"}


def test_every_request_names_the_version_of_the_api_it_was_written_for(api: Stub, connected: Connect) -> None:
    api.on(RUN, says({"id": 7}))

    connected().run(7)

    assert api.asked[0].headers["x-github-api-version"] == "2022-11-28"


def test_the_api_of_an_enterprise_server_is_asked_below_its_own_path(api: Stub, connected: Connect) -> None:
    api.on(f"/api/v3{RUN}", says({"id": 7}))

    assert connected(prefix="/api/v3").run(7)["id"] == 7


def test_jobs_of_all_attempts_come_from_all_pages(api: Stub, connected: Connect) -> None:
    link = '<https://elsewhere.example/next>; rel="next"'
    api.on(
        JOBS,
        page_of_jobs(range(100), 230, link),
        page_of_jobs(range(100, 200), 230, link),
        page_of_jobs(range(200, 230), 230),
    )

    page = connected().jobs(7)

    assert [job["id"] for job in page.items] == list(range(230))
    assert page.is_whole
    assert [asked.query["page"] for asked in api.asked] == [["1"], ["2"], ["3"]]
    assert all(asked.query["filter"] == ["all"] and asked.query["per_page"] == ["100"] for asked in api.asked)


def test_a_list_shorter_than_github_counts_says_so(api: Stub, connected: Connect) -> None:
    api.on(JOBS, page_of_jobs(range(30), 41))

    assert not connected().jobs(7).is_whole


def test_a_job_that_moved_over_the_edge_of_a_page_is_given_once(api: Stub, connected: Connect) -> None:
    link = '<https://elsewhere.example/next>; rel="next"'
    api.on(JOBS, page_of_jobs(range(100), 101, link), page_of_jobs(range(99, 101), 101))

    assert [job["id"] for job in connected().jobs(7).items] == list(range(101))


def test_after_a_rename_lists_are_asked_for_under_the_new_name(api: Stub, connected: Connect) -> None:
    api.on(RUN, Answer(status=301, headers={"Location": f"{api.url}/repositories/1/actions/runs/7"}))
    api.on("/repositories/1/actions/runs/7", says({"id": 7, "repository": {"full_name": "acme/motor"}}))
    api.on("/repos/acme/motor/actions/runs/7/jobs", page_of_jobs(range(2), 2))
    reads = connected()

    reads.run(7)

    assert reads.jobs(7).is_whole


def test_a_run_that_does_not_exist_is_told_with_its_repository(api: Stub, connected: Connect) -> None:
    error = failing(connected().run)

    assert error.status == 404
    assert str(error) == (
        'GitHub has not found run 7 of acme/engine (404) ("Not Found"): there is none, or the token may not see it'
    )


def test_a_wrong_token_is_told_with_the_variable_that_holds_it(api: Stub, connected: Connect) -> None:
    api.on(RUN, says({"message": "Bad credentials"}, 401))

    error = failing(connected().run)

    assert error.status == 401
    assert "wrong or has expired; set GITHUB_TOKEN (or GH_TOKEN)" in str(error)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_without_a_token_the_way_to_give_one_is_told(api: Stub, connected: Connect, status: int) -> None:
    api.on(RUN, says({"message": "No"}, status))

    error = failing(connected(token=None).run)

    assert "no token was given: set GITHUB_TOKEN (or GH_TOKEN)" in str(error)
    assert "authorization" not in api.asked[0].headers


def test_a_missing_permission_is_named_and_not_asked_for_again(api: Stub, connected: Connect) -> None:
    api.on(JOBS, says({"message": "Resource not accessible by integration"}, 403))

    error = failing(connected().jobs)

    assert error.status == 403
    assert '("Resource not accessible by integration"): it needs the permission `actions: read`' in str(error)
    assert len(api.asked) == 1


def test_a_limit_that_lasts_an_hour_is_told_at_once_with_its_end(api: Stub, connected: Connect) -> None:
    reset = int(time.time()) + 3600
    api.on(RUN, says(LIMIT_MESSAGE, 403, X_RateLimit_Remaining="0", X_RateLimit_Reset=str(reset)))
    reads = connected()
    began = time.monotonic()

    error = failing(reads.run)

    assert isinstance(error, RateLimited)
    assert error.resets_at is not None
    assert abs(error.resets_at.timestamp() - reset) <= 2
    assert f"until {error.resets_at:%Y-%m-%d %H:%M:%S} UTC" in str(error)
    assert time.monotonic() - began < 5


def test_once_limited_github_is_not_asked_again(api: Stub, connected: Connect) -> None:
    reset = int(time.time()) + 3600
    api.on(RUN, says(LIMIT_MESSAGE, 403, X_RateLimit_Remaining="0", X_RateLimit_Reset=str(reset)))
    reads = connected()

    failing(reads.run)
    again = failing(reads.jobs)

    assert isinstance(again, RateLimited)
    assert len(api.asked) == 1


def test_a_limit_that_ends_soon_is_waited_for(api: Stub, connected: Connect) -> None:
    reset = int(time.time())
    told: list[str] = []
    api.on(
        RUN,
        says(LIMIT_MESSAGE, 403, X_RateLimit_Remaining="0", X_RateLimit_Reset=str(reset)),
        says({"id": 7}),
    )

    assert connected(progress=told.append).run(7)["id"] == 7
    assert told == ["GitHub limits our requests: waiting 1 s"]


@pytest.mark.parametrize("status", [403, 429, 503])
@pytest.mark.parametrize("seconds", ["86400", "9" * 30])
def test_a_wait_of_a_day_is_refused(api: Stub, connected: Connect, status: int, seconds: str) -> None:
    api.on(RUN, says({"message": "slow down"}, status, Retry_After=seconds))
    began = time.monotonic()

    error = failing(connected().run)

    assert isinstance(error, RateLimited)
    assert time.monotonic() - began < 5


def test_a_wait_of_a_second_is_obeyed(api: Stub, connected: Connect) -> None:
    api.on(RUN, says({"message": "slow down"}, 429, Retry_After="1"), says({"id": 7}))
    began = time.monotonic()

    connected().run(7)

    assert time.monotonic() - began >= 1


def test_a_secondary_limit_without_a_time_is_refused_when_a_minute_is_too_long(api: Stub, connected: Connect) -> None:
    api.on(RUN, says({"message": "You have exceeded a secondary rate limit. Please wait."}, 403))

    assert isinstance(failing(connected(deadline=20).run), RateLimited)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_trouble_is_not_noticed(api: Stub, connected: Connect, status: int) -> None:
    api.on(RUN, says({"message": "oops"}, status), says({"message": "oops"}, status), says({"id": 7}))
    reads = connected()

    assert reads.run(7)["id"] == 7
    assert reads.requests_made == 3


def test_a_lasting_trouble_is_told_with_its_status(api: Stub, connected: Connect) -> None:
    api.on(RUN, says({"message": "oops"}, 502))
    reads = connected()

    error = failing(reads.run)

    assert str(error) == (
        "GitHub kept failing to give run 7 of acme/engine; try again later, see https://www.githubstatus.com (502)"
    )
    assert error.status == 502
    assert reads.requests_made == len(api.asked) == 5


def test_a_comment_is_never_written_twice_by_a_retry(api: Stub, connected: Connect) -> None:
    path = f"/repos/{REPOSITORY}/issues/1/comments"
    api.on(path, says({"message": "oops"}, 502), says({"id": 1}, 201))

    with connected().client.requester() as requester, pytest.raises(Exception, match="502"):
        requester.requestJsonAndCheck("POST", path, input={"body": "hello"})

    assert len(api.asked) == 1


def test_an_edit_is_tried_again(api: Stub, connected: Connect) -> None:
    path = f"/repos/{REPOSITORY}/issues/comments/1"
    api.on(path, says({"message": "oops"}, 502), says({"id": 1}))

    with connected().client.requester() as requester:
        requester.requestJsonAndCheck("PATCH", path, input={"body": "hello"})

    assert len(api.asked) == 2


def test_a_web_page_in_place_of_an_answer_is_told(api: Stub, connected: Connect) -> None:
    api.on(RUN, Answer(body=b"<html>Sign in</html>", headers={"Content-Type": "text/html"}))

    assert "is the API address right?" in str(failing(connected().run))


@pytest.mark.parametrize("body", [b"", b"null", b'"text"', b"[]"])
def test_an_answer_that_is_no_object_is_told(api: Stub, connected: Connect, body: bytes) -> None:
    api.on(RUN, Answer(body=body))

    assert "something else than GitHub's API" in str(failing(connected().run))


def test_an_answer_without_its_list_is_told(api: Stub, connected: Connect) -> None:
    api.on(JOBS, says({"total_count": 3}))

    assert "something else than GitHub's API" in str(failing(connected().jobs))


def test_an_answer_that_broke_off_is_asked_for_again(api: Stub, connected: Connect) -> None:
    whole = json.dumps({"id": 7}).encode()
    api.on(RUN, Answer(body=whole[:4], promised=len(whole)), says({"id": 7}))

    assert connected().run(7)["id"] == 7


@pytest.mark.parametrize("answer", [Answer(body=b'{"id": 7, "na'), Answer(body=b'{"id"', promised=400)])
def test_an_answer_that_always_breaks_off_is_told(api: Stub, connected: Connect, answer: Answer) -> None:
    api.on(RUN, answer)

    assert "GitHub's answer for run 7 of acme/engine" in str(failing(connected().run))


@pytest.mark.parametrize("body", [b"[1]", b'{"message": 5}', b"<html>no</html>", b"", b"{"])
@pytest.mark.parametrize("status", [400, 403, 404, 429, 451])
def test_an_error_that_is_not_shaped_like_githubs_is_told(
    api: Stub, connected: Connect, status: int, body: bytes
) -> None:
    api.on(RUN, Answer(status=status, body=body))

    assert "run 7 of acme/engine" in str(failing(connected().run))


def test_json_that_nests_without_end_is_told(api: Stub, connected: Connect) -> None:
    api.on(RUN, Answer(body=b'{"a":' + b"[" * 200_000))

    assert "is broken" in str(failing(connected().run))


def test_a_server_that_is_not_there_is_told() -> None:
    with Stub() as gone:
        address = gone.url
    with connect(REPOSITORY, token=TOKEN, api_url=address, limits=Limits(retries=1, first_pause=0.01)) as reads:
        assert "could not be reached; is the network up?" in str(failing(reads.run))


def test_no_request_is_begun_after_the_deadline(api: Stub, connected: Connect) -> None:
    api.on(RUN, says({"id": 7}))

    error = failing(connected(deadline=0).run)

    assert "took too long" in str(error)
    assert api.asked == []


def test_a_redirect_of_the_api_to_another_host_is_not_followed(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(RUN, Answer(status=301, headers={"Location": store.url.replace("127.0.0.1", "localhost") + RUN}))

    assert "pointed elsewhere" in str(failing(connected().run))
    assert store.asked == []


@pytest.mark.parametrize(
    "answer",
    [
        says({"message": f"token {TOKEN} is bad"}, 401),
        says({"message": f"token {TOKEN} may not"}, 403),
        says({"message": f"{TOKEN}"}, 418),
        Answer(body=b"<html>"),
        points_to("https://elsewhere.example/"),
    ],
)
def test_the_token_stands_in_no_error(api: Stub, connected: Connect, answer: Answer) -> None:
    api.on(RUN, answer)
    reads = connected()

    error = failing(reads.run)

    assert TOKEN not in str(error)
    assert TOKEN not in repr(reads.client)


def test_githubs_words_are_kept_short_and_plain(api: Stub, connected: Connect) -> None:
    api.on(RUN, says({"message": "no\x1b[31m\nway\u202e " + "x" * 1000}, 422))

    said = str(failing(connected().run))

    assert len(said) < 300
    assert said.isprintable()


@pytest.mark.parametrize("name", ["engine", "acme/engine/extra", "acme/../other", "", "acme/en gine"])
def test_what_is_no_repository_is_told_before_anything_is_asked(name: str) -> None:
    with pytest.raises(UsageError, match="expected OWNER/NAME"):
        connect(name, token=TOKEN)


def test_commits_without_pull_requests_are_no_error(api: Stub, connected: Connect) -> None:
    api.on(f"/repos/{REPOSITORY}/commits/abc/pulls", says({"message": "No commit found for SHA: abc"}, 422))

    assert connected().pulls_of_commit("abc").items == ()


def test_files_are_counted_against_the_pull_request(api: Stub, connected: Connect) -> None:
    api.on(f"/repos/{REPOSITORY}/pulls/5", says({"number": 5, "changed_files": 3}))
    api.on(f"/repos/{REPOSITORY}/pulls/5/files", says([{"filename": "a"}, {"filename": "b"}]))
    reads = connected()

    reads.pull(5)

    assert not reads.files(5).is_whole


def test_a_file_is_read_at_a_commit_and_its_absence_is_none(api: Stub, connected: Connect) -> None:
    there = f"/repos/{REPOSITORY}/contents/.github/workflows/ci.yml"
    api.on(there, says({"encoding": "base64", "content": "bmFtZTog\nw6Q=\n"}))
    reads = connected()

    assert reads.file(".github/workflows/ci.yml", "abc") == "name: ä"
    assert reads.file("nothing.yml", "abc") is None
    assert api.asked_for(there)[0].query["ref"] == ["abc"]


def test_a_folder_is_not_taken_for_a_file(api: Stub, connected: Connect) -> None:
    api.on(f"/repos/{REPOSITORY}/contents/docs", says({"type": "submodule"}))

    with pytest.raises(ProviderError, match="no file that GitHub gives as text"):
        connected().file("docs", "abc")


def test_runs_of_a_branch_stop_at_the_limit(api: Stub, connected: Connect) -> None:
    from datetime import UTC, datetime

    path = f"/repos/{REPOSITORY}/actions/workflows/ci.yml/runs"
    api.on(path, says({"total_count": 900, "workflow_runs": [{"id": number} for number in range(20)]}))

    page = connected().runs_on("main", workflow="ci.yml", since=datetime(2026, 9, 1, tzinfo=UTC), limit=20)

    assert len(page.items) == 20
    assert not page.is_whole
    assert len(api.asked) == 1
    assert api.asked[0].query["created"] == [">=2026-09-01T00:00:00Z"]
