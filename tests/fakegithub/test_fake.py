"""The fake GitHub behaves as GitHub does: what other tests rely on."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import requests

from tests.fakegithub import (
    Answer,
    Body,
    Cut,
    Dropped,
    Elsewhere,
    FakeGitHub,
    GzipBomb,
    Html,
    PrimaryLimit,
    Stale,
    Status,
    StoredLog,
    TooMany,
    WrongLength,
    objects,
)
from tests.fakegithub.schema import UNDOCUMENTED, Drift, check

if TYPE_CHECKING:
    from collections.abc import Iterator

CASE_A = Path(__file__).parent.parent / "fixtures" / "runs" / "case-a"
REPOSITORY = "/repos/acme-ml/engine"
PULL = 39471
HEAD = "5f0c1de4b7a90c3e2d81f6a5940be7c1d3286f0a"
BASE_RUN = 35296443070
RESIDUE_JOB = 110443070021
STARVED_JOB = 110443070023


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub.from_recording(CASE_A) as running:
        yield running


def ask(fake: FakeGitHub, path: str, *, method: str = "GET", token: str | None = "", **more: Any) -> requests.Response:
    signed = {"Authorization": f"token {fake.token if token == '' else token}"} if token is not None else {}
    headers = {**signed, **more.pop("headers", {})}
    return requests.request(
        method, f"{fake.api_url}{REPOSITORY}{path}", headers=headers, allow_redirects=False, timeout=10, **more
    )


def test_a_list_comes_in_pages_that_lead_to_one_another(fake: FakeGitHub) -> None:
    first = ask(fake, f"/actions/runs/{BASE_RUN}/jobs", params={"per_page": 20})
    second = requests.get(first.links["next"]["url"], headers=dict(first.request.headers), timeout=10)

    assert first.json()["total_count"] == 34
    assert [len(page.json()["jobs"]) for page in (first, second)] == [20, 14]
    assert "next" not in second.links
    assert "/repositories/" in first.links["next"]["url"]


def test_runs_are_found_by_commit_branch_status_and_time(fake: FakeGitHub) -> None:
    at_head = ask(fake, "/actions/runs", params={"head_sha": HEAD}).json()
    on_main = ask(
        fake, "/actions/workflows/pr-test-xpu.yml/runs", params={"branch": "main", "created": ">=2026-09-17T12:00:00Z"}
    ).json()
    failed = ask(fake, "/actions/runs", params={"branch": "main", "status": "failure"}).json()

    assert {run["name"] for run in at_head["workflow_runs"]} == {
        "PR Test (Base)", "PR Test (Extra)", "PR Test (AMD)", "PR Test (XPU)", "PR Test (MLX)",
    }  # fmt: skip
    assert [run["id"] for run in on_main["workflow_runs"]] == [35301744417, 35293008114, 35280391127]
    assert {run["conclusion"] for run in failed["workflow_runs"]} == {"failure"}


def test_addresses_in_answers_lead_back_to_the_fake(fake: FakeGitHub) -> None:
    job = ask(fake, f"/actions/jobs/{RESIDUE_JOB}").json()

    assert job["url"].startswith(fake.api_url)
    assert requests.get(job["check_run_url"], headers={"Authorization": f"token {fake.token}"}, timeout=10).ok


def test_a_log_lies_at_the_blob_host_behind_a_signed_address(fake: FakeGitHub) -> None:
    answer = ask(fake, f"/actions/jobs/{RESIDUE_JOB}/logs")
    log = requests.get(answer.headers["Location"], timeout=10)

    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(f"{fake.blob_url}/logs/")
    assert "GPU 0 uses 4.65 GiB" in log.text


def test_the_address_of_a_log_dies_and_cannot_be_guessed(fake: FakeGitHub) -> None:
    fake.link_seconds = 0.0
    late = requests.get(ask(fake, f"/actions/jobs/{RESIDUE_JOB}/logs").headers["Location"], timeout=10)
    guessed = requests.get(f"{fake.blob_url}/logs/{RESIDUE_JOB}?sig=guess", timeout=10)

    assert (late.status_code, guessed.status_code) == (403, 403)
    assert "AuthenticationFailed" in late.text


def test_the_blob_host_takes_no_token_of_githubs(fake: FakeGitHub) -> None:
    address = ask(fake, f"/actions/jobs/{RESIDUE_JOB}/logs").headers["Location"]

    answer = requests.get(address, headers={"Authorization": f"token {fake.token}"}, timeout=10)

    assert answer.status_code == 401


def test_a_job_that_never_ran_has_an_address_with_nothing_behind_it(fake: FakeGitHub) -> None:
    address = ask(fake, f"/actions/jobs/{STARVED_JOB}/logs").headers["Location"]

    blob = requests.get(address, timeout=10)

    assert blob.status_code == 404
    assert blob.headers["x-ms-error-code"] == "BlobNotFound"


def test_an_expired_log_is_gone_at_the_api_already(fake: FakeGitHub) -> None:
    fake.state.logs[RESIDUE_JOB] = StoredLog(status=410)

    assert ask(fake, f"/actions/jobs/{RESIDUE_JOB}/logs").status_code == 410
    assert ask(fake, "/actions/jobs/1/logs").status_code == 404


def test_a_runs_logs_come_in_one_archive(fake: FakeGitHub) -> None:
    address = ask(fake, "/actions/runs/35296443088/attempts/1/logs").headers["Location"]

    names = zipfile.ZipFile(io.BytesIO(requests.get(address, timeout=10).content)).namelist()

    assert "0_call-gate  pr-gate.txt" in names
    assert "3_pr-test-extra-amd-finish.txt" in names


def test_a_wrong_token_is_told_from_a_token_that_may_not(fake: FakeGitHub) -> None:
    weak = fake.add_token("reader[bot]", contents="read")

    wrong = ask(fake, "/actions/runs", token="ghp_wrong")
    forbidden = ask(fake, "/actions/runs", token=weak)

    assert (wrong.status_code, wrong.json()["message"]) == (401, "Bad credentials")
    assert (forbidden.status_code, forbidden.json()["message"]) == (403, "Resource not accessible by integration")
    assert forbidden.headers["X-Accepted-GitHub-Permissions"] == "actions=read"


def test_a_stranger_reads_public_things_but_no_logs(fake: FakeGitHub) -> None:
    assert ask(fake, f"/actions/runs/{BASE_RUN}", token=None).status_code == 200
    assert ask(fake, f"/actions/jobs/{RESIDUE_JOB}/logs", token=None).status_code == 403


def test_a_private_repository_does_not_exist_for_strangers(fake: FakeGitHub) -> None:
    fake.state.repository["private"] = True

    assert ask(fake, "", token=None).status_code == 404
    assert ask(fake, "").status_code == 200


def test_a_repository_that_moved_says_where_it_is(fake: FakeGitHub) -> None:
    fake.state.old_names.add("acme/engine")
    headers = {"Authorization": f"token {fake.token}"}

    moved = requests.get(f"{fake.api_url}/repos/acme/engine/pulls/{PULL}", headers=headers, timeout=10)

    assert moved.history[0].status_code == 301
    assert moved.json()["number"] == PULL


def test_only_the_newest_attempt_of_each_job_is_the_latest(fake: FakeGitHub) -> None:
    again = ask(fake, "/actions/runs/35296443077/rerun-failed-jobs", method="POST")
    latest = ask(fake, "/actions/runs/35296443077/jobs").json()["jobs"]
    everything = ask(fake, "/actions/runs/35296443077/jobs", params={"filter": "all"}).json()["jobs"]

    assert again.status_code == 201
    assert {job["name"]: job["run_attempt"] for job in latest}["stage-a-test-1-gpu-xpu"] == 2
    assert len(everything) == len(latest) + 3
    assert ask(fake, "/actions/runs/35296443077").json()["status"] == "queued"
    assert ask(fake, "/actions/runs/35296443077/attempts/1").json()["conclusion"] == "failure"


def test_a_run_that_runs_or_is_old_cannot_be_run_again(fake: FakeGitHub) -> None:
    ask(fake, f"/actions/jobs/{RESIDUE_JOB}/rerun", method="POST")
    running = ask(fake, f"/actions/runs/{BASE_RUN}/rerun", method="POST")
    fake.state.now = fake.state.now.replace(month=12)
    old = ask(fake, "/actions/runs/35296443077/rerun", method="POST")

    assert (running.status_code, running.json()["message"]) == (403, "This workflow is already running")
    assert "over a month ago" in old.json()["message"]


def test_comments_are_made_listed_edited_and_deleted_by_their_author(fake: FakeGitHub) -> None:
    made = ask(fake, f"/issues/{PULL}/comments", method="POST", json={"body": "one"}).json()
    edited = ask(fake, f"/issues/comments/{made['id']}", method="PATCH", json={"body": "two"}).json()
    listed = ask(fake, f"/issues/{PULL}/comments").json()
    gone = ask(fake, f"/issues/comments/{made['id']}", method="DELETE")

    assert made["user"]["login"] == "github-actions[bot]"
    assert (edited["body"], edited["updated_at"] > edited["created_at"]) == ("two", True)
    assert [comment["body"] for comment in listed] == ["two"]
    assert (gone.status_code, ask(fake, f"/issues/{PULL}/comments").json()) == (204, [])


def test_a_comment_can_be_too_long(fake: FakeGitHub) -> None:
    answer = ask(fake, f"/issues/{PULL}/comments", method="POST", json={"body": "x" * 65_537})

    assert answer.status_code == 422
    assert "too long" in answer.text


def test_a_comment_on_a_pull_request_needs_more_than_the_issues_permission(fake: FakeGitHub) -> None:
    token = fake.add_token("x[bot]", issues="write")

    assert ask(fake, f"/issues/{PULL}/comments", method="POST", token=token, json={"body": "x"}).status_code == 403


def test_the_same_reaction_is_given_once(fake: FakeGitHub) -> None:
    comment = fake.comment(PULL, author="maintainer-a", body="/triage")
    path = f"/issues/comments/{comment}/reactions"

    codes = [ask(fake, path, method="POST", json={"content": "eyes"}).status_code for _ in range(2)]

    assert codes == [201, 200]
    assert [one["content"] for one in ask(fake, path).json()] == ["eyes"]


def test_labels_are_added_and_taken_away(fake: FakeGitHub) -> None:
    ask(fake, f"/issues/{PULL}/labels", method="POST", json={"labels": ["run-ci-extra"]})
    ask(fake, f"/issues/{PULL}/labels/kv-cache", method="DELETE")

    pull = ask(fake, f"/pulls/{PULL}").json()

    assert [label["name"] for label in pull["labels"]] == ["run-ci", "run-ci-extra"]


def test_a_check_run_keeps_what_its_maker_says(fake: FakeGitHub) -> None:
    annotation = {"path": "a.py", "start_line": 3, "end_line": 3, "annotation_level": "notice", "message": "here"}
    body = {"name": "triage", "head_sha": HEAD, "output": {"title": "t", "summary": "s", "annotations": [annotation]}}
    made = ask(fake, "/check-runs", method="POST", json=body).json()
    done = ask(fake, f"/check-runs/{made['id']}", method="PATCH", json={"conclusion": "neutral"}).json()

    assert (done["status"], done["conclusion"], done["output"]["summary"]) == ("completed", "neutral", "s")
    assert ask(fake, f"/check-runs/{made['id']}/annotations").json()[0]["message"] == "here"


@pytest.mark.parametrize(
    ("role", "folded"), [("admin", "admin"), ("maintain", "write"), ("triage", "read"), ("read", "read")]
)
def test_the_old_permission_folds_roles(fake: FakeGitHub, role: str, folded: str) -> None:
    fake.state.roles["somebody"] = role

    answer = ask(fake, "/collaborators/somebody/permission").json()

    assert (answer["role_name"], answer["permission"]) == (role, folded)


def test_nobody_knows_somebody_who_does_not_exist(fake: FakeGitHub) -> None:
    fake.state.ghosts.add("nobody")

    assert ask(fake, "/collaborators/nobody/permission").status_code == 404
    assert ask(fake, "/collaborators/anybody/permission").json()["role_name"] == "read"


def test_requests_are_counted_down_to_none(fake: FakeGitHub) -> None:
    fake.rate_limit = 2

    answers = [ask(fake, f"/pulls/{PULL}") for _ in range(3)]

    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["1", "0", "0"]
    assert [answer.status_code for answer in answers] == [200, 200, 403]
    assert "rate limit" in answers[-1].json()["message"]


def test_what_has_not_changed_is_free(fake: FakeGitHub) -> None:
    first = ask(fake, f"/pulls/{PULL}")
    second = ask(fake, f"/pulls/{PULL}", headers={"If-None-Match": first.headers["ETag"]})

    assert second.status_code == 304
    assert second.headers["X-RateLimit-Remaining"] == first.headers["X-RateLimit-Remaining"]


def test_every_request_is_in_the_log(fake: FakeGitHub) -> None:
    address = ask(fake, f"/actions/jobs/{RESIDUE_JOB}/logs", params={"x": "1"}).headers["Location"]
    requests.get(address, timeout=10)

    (api,) = fake.asked("GET */logs")
    (blob,) = fake.asked(host="blob")

    assert (api.query, api.status, api.authorization) == ({"x": "1"}, 302, f"token {fake.token}")
    assert (blob.path, blob.status, blob.authorization) == (f"/logs/{RESIDUE_JOB}", 200, None)


# --------------------------------------------------------------------------------------------------------------------
# The fault plan


def test_a_fault_takes_the_nth_request_and_then_lets_the_others_pass(fake: FakeGitHub) -> None:
    fake.fail(f"GET */pulls/{PULL}", Status(status=502), nth=2, times=2)

    codes = [ask(fake, f"/pulls/{PULL}").status_code for _ in range(4)]

    assert codes == [200, 502, 502, 200]


@pytest.mark.parametrize("fault", [Status(status=502, stored=True), Dropped(stored=True)])
def test_a_write_can_be_done_and_its_answer_lost(fake: FakeGitHub, fault: Any) -> None:
    fake.fail("POST *", fault)

    with pytest.raises(requests.RequestException):
        ask(fake, f"/issues/{PULL}/comments", method="POST", json={"body": "x"}).raise_for_status()

    assert [comment["body"] for comment in ask(fake, f"/issues/{PULL}/comments").json()] == ["x"]


def test_a_write_can_be_lost(fake: FakeGitHub) -> None:
    fake.fail("POST *", Status(status=502))

    answer = ask(fake, f"/issues/{PULL}/comments", method="POST", json={"body": "x"})

    assert (answer.status_code, fake.state.comments) == (502, {})


def test_a_list_can_lag_behind_a_write(fake: FakeGitHub) -> None:
    fake.fail(f"GET */issues/{PULL}/comments", Stale(writes=1))
    ask(fake, f"/issues/{PULL}/comments", method="POST", json={"body": "x"})

    seen = [len(ask(fake, f"/issues/{PULL}/comments").json()) for _ in range(2)]

    assert seen == [0, 1]


@pytest.mark.parametrize("fault", [Cut(at=1_000), WrongLength(by=50)])
def test_a_log_can_break_off(fake: FakeGitHub, fault: Any) -> None:
    fake.fail("BLOB /logs/*", fault)
    address = ask(fake, f"/actions/jobs/{RESIDUE_JOB}/logs").headers["Location"]

    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        requests.get(address, timeout=10)


def test_a_recorded_log_can_be_cut(fake: FakeGitHub) -> None:
    whole = fake.state.logs[RESIDUE_JOB]
    fake.state.logs[RESIDUE_JOB] = StoredLog(path=whole.path, cut=True)
    address = ask(fake, f"/actions/jobs/{RESIDUE_JOB}/logs").headers["Location"]

    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        requests.get(address, timeout=10)


def test_limits_say_when_to_come_back_or_do_not(fake: FakeGitHub) -> None:
    fake.fail("GET *", PrimaryLimit(resets_in=60))
    fake.fail("GET *", TooMany(retry_after=7), nth=1)
    fake.fail("GET *", TooMany())

    primary, told, untold = (ask(fake, f"/pulls/{PULL}") for _ in range(3))

    assert (primary.status_code, primary.headers["X-RateLimit-Remaining"]) == (403, "0")
    assert (told.status_code, told.headers["Retry-After"]) == (429, "7")
    assert (untold.status_code, untold.headers.get("Retry-After")) == (429, None)


def test_answers_can_be_of_another_kind_or_from_elsewhere(fake: FakeGitHub) -> None:
    fake.fail("GET *", Html())
    fake.fail("GET *", Elsewhere(location="https://example.com/"))

    html, elsewhere = (ask(fake, f"/pulls/{PULL}") for _ in range(2))

    assert (html.status_code, html.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert (elsewhere.status_code, elsewhere.headers["Location"]) == (302, "https://example.com/")


def test_a_small_body_can_unpack_to_a_large_one(fake: FakeGitHub) -> None:
    fake.fail("BLOB *", GzipBomb(megabytes=5))
    address = ask(fake, f"/actions/jobs/{RESIDUE_JOB}/logs").headers["Location"]

    packed = requests.get(address, timeout=10, stream=True).raw.read(decode_content=False)

    assert len(packed) < 20_000
    assert len(gzip.decompress(packed)) == 5_000_000


def test_a_body_can_be_changed_on_its_way(fake: FakeGitHub) -> None:
    fake.fail("GET *", Body(change=lambda answer: Answer(body={**answer.body, "title": None})))

    assert ask(fake, f"/pulls/{PULL}").json()["title"] is None


# --------------------------------------------------------------------------------------------------------------------
# GitHub's own description


def test_an_answer_github_would_not_give_fails_the_test_that_got_it() -> None:
    fake = FakeGitHub.from_recording(CASE_A)
    del fake.state.pulls[PULL]["labels"]

    with pytest.raises(Drift, match="labels"), fake:
        ask(fake, f"/pulls/{PULL}")


def test_undocumented_answers_are_known_by_name() -> None:
    for name in UNDOCUMENTED:
        check(Answer(body={}, undocumented=name), "Job")

    with pytest.raises(Drift, match="made-up"):
        check(Answer(body={}, undocumented="made-up"), "Job")


def test_a_list_must_be_a_list_and_an_object_an_object() -> None:
    label = objects.label("acme-ml/engine", "run-ci")

    check(Answer(body=[label]), "[Label]")
    check(Answer(body=label), "Label")
    with pytest.raises(Drift):
        check(Answer(body=label), "[Label]")
