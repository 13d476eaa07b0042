"""How logs come to disk, and what becomes of those that do not."""

from __future__ import annotations

import gc
import gzip
import io
import logging
import time
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.github.conftest import QUICK, REPOSITORY, TOKEN
from tests.github.stub import Answer, Stub, points_to, says
from triage.errors import ProviderError
from triage.model import LogState, MissingLog

if TYPE_CHECKING:
    from pathlib import Path

    from tests.github.conftest import Connect
    from triage.source.protocol import LogSource

LOG = f"/repos/{REPOSITORY}/actions/jobs/9/logs"
ARCHIVE = f"/repos/{REPOSITORY}/actions/runs/7/attempts/1/logs"
BLOB = "/logs/9.txt"
SIGNED = f"{BLOB}?sv=2025&sig=s1gnature"
TEXT = b"2026-09-18T02:30:00.0000000Z one\n2026-09-18T02:30:01.0000000Z two\n"
NO_BLOB = Answer(status=404, headers={"x-ms-error-code": "BlobNotFound"})


def a_job(**fields: Any) -> dict[str, Any]:
    return {
        "id": 9,
        "run_id": 7,
        "run_attempt": 1,
        "name": "test",
        "status": "completed",
        "conclusion": "failure",
        "runner_name": "runner-1",
        "steps": [{"number": 1, "name": "Set up job", "status": "completed", "conclusion": "success"}],
        "completed_at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        **fields,
    }


def text_of(log: LogSource | MissingLog) -> bytes:
    assert not isinstance(log, MissingLog)
    with log.open() as file:
        return file.read()


def missing(log: LogSource | MissingLog) -> MissingLog:
    assert isinstance(log, MissingLog)
    return log


def an_archive(**members: bytes) -> Answer:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.txt", content)
    return Answer(body=buffer.getvalue())


def test_a_log_comes_from_the_store_and_can_be_read_twice(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=TEXT))

    log = connected().log(a_job())

    assert text_of(log) == text_of(log) == TEXT
    assert not isinstance(log, MissingLog)
    assert not log.truncated


def test_the_token_goes_to_the_api_and_not_to_the_store(
    api: Stub, store: Stub, connected: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password pw\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=TEXT))

    connected().log(a_job())

    assert api.asked[0].headers["authorization"].endswith(TOKEN)
    assert "authorization" not in store.asked[0].headers


def test_each_redirect_of_the_store_is_followed_up_to_three_answers(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + "/a"))
    store.on("/a", points_to("/b"))
    store.on("/b", points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=TEXT))

    assert text_of(connected().log(a_job())) == TEXT


def test_a_circle_of_redirects_ends(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + "/a"))
    store.on("/a", points_to("/a"))

    with pytest.raises(ProviderError, match="behind more than 3 redirects"):
        connected().log(a_job())
    assert len(store.asked) == 3


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/x?sig=s1gnature",
        "http://169.254.169.254/latest/meta-data?sig=s1gnature",
        "file:///etc/passwd?sig=s1gnature",
        "https://127.0.0.1@evil.example/?sig=s1gnature",
        "//evil.example/?sig=s1gnature",
    ],
)
@pytest.mark.parametrize("by_store", [False, True])
def test_nobody_sends_us_to_other_hosts(
    api: Stub, store: Stub, connected: Connect, address: str, *, by_store: bool
) -> None:
    api.on(LOG, points_to(store.url + "/a" if by_store else address))
    store.on("/a", points_to(address))

    with pytest.raises(ProviderError, match="which is not asked") as refusal:
        connected().log(a_job())

    assert "s1gnature" not in str(refusal.value)


def test_an_address_that_has_expired_is_asked_for_once_more(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + "/old"), points_to(store.url + SIGNED))
    store.on("/old", Answer(status=403))
    store.on(BLOB, Answer(body=TEXT))

    assert text_of(connected().log(a_job())) == TEXT


def test_a_store_that_always_refuses_is_an_error_without_its_address(
    api: Stub, store: Stub, connected: Connect
) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(status=403))

    with pytest.raises(ProviderError, match="the store that keeps the job's log answered 403") as refusal:
        connected().log(a_job())

    assert "s1gnature" not in str(refusal.value)
    assert len(api.asked_for(LOG)) == 2


def test_a_store_that_cannot_be_reached_is_an_error_without_its_address(api: Stub, connected: Connect) -> None:
    with Stub() as gone:
        address = gone.url + SIGNED
    api.on(LOG, points_to(address))

    with pytest.raises(ProviderError, match="could not be reached") as refusal:
        connected().log(a_job())

    shown: BaseException | None = refusal.value
    while shown is not None:
        assert "s1gnature" not in f"{shown} {shown!r}"
        shown = shown.__cause__


def test_the_signature_of_an_address_is_never_logged(
    api: Stub, store: Stub, connected: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(status=500), Answer(body=TEXT))

    connected().log(a_job())

    assert "s1gnature" not in caplog.text
    assert TOKEN not in caplog.text


@pytest.mark.parametrize("status", [404, 410])
@pytest.mark.parametrize(
    ("fields", "state", "why"),
    [
        ({"status": "in_progress", "conclusion": None}, LogState.PENDING, "not finished"),
        ({"conclusion": "cancelled", "runner_name": "", "steps": []}, LogState.ABSENT, "no runner ever took"),
        ({"conclusion": "skipped"}, LogState.ABSENT, "skipped"),
    ],
)
def test_the_job_tells_why_there_is_no_log(
    api: Stub, connected: Connect, status: int, fields: dict[str, Any], state: LogState, why: str
) -> None:
    api.on(LOG, says({"message": "Not Found"}, status))

    log = missing(connected().log(a_job(**fields)))

    assert log.state is state
    assert why in log.why


def test_a_log_that_github_calls_gone_has_expired(api: Stub, connected: Connect) -> None:
    api.on(LOG, says({"message": "Server Error"}, 410))

    assert missing(connected().log(a_job())).state is LogState.EXPIRED


def test_an_old_log_that_is_not_found_has_expired(api: Stub, connected: Connect) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=120)

    log = missing(connected().log(a_job(completed_at=f"{long_ago:%Y-%m-%dT%H:%M:%SZ}")))

    assert log.state is LogState.EXPIRED


def test_a_fresh_log_that_the_store_does_not_have_was_never_sent(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, NO_BLOB)

    log = missing(connected().log(a_job()))

    assert log.state is LogState.ABSENT
    assert "the runner was lost" in log.why
    assert len(api.asked) == 1


def test_a_token_that_may_not_read_logs_is_loud(api: Stub, connected: Connect) -> None:
    api.on(LOG, says({"message": "Must have admin rights to Repository."}, 403))

    with pytest.raises(ProviderError, match="it needs the permission `actions: read`"):
        connected().log(a_job())
    assert len(api.asked) == 1


def test_a_web_page_is_no_log(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=b"<html>Sign in</html>", headers={"Content-Type": "text/html; charset=utf-8"}))

    with pytest.raises(ProviderError, match="answered with a web page"):
        connected().log(a_job())


def test_an_empty_log_is_no_log(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=b""))

    assert missing(connected().log(a_job())).why == "GitHub's log of this job is empty"


def test_a_log_that_broke_off_is_fetched_again(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=TEXT[:10], promised=len(TEXT)), Answer(body=TEXT))

    assert text_of(connected().log(a_job())) == TEXT


def test_a_log_that_always_breaks_off_is_kept_and_called_truncated(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=TEXT[:40], promised=len(TEXT)))

    log = connected().log(a_job())

    assert text_of(log) == TEXT[:40]
    assert not isinstance(log, MissingLog)
    assert log.truncated


def test_a_log_beyond_our_size_is_cut_and_called_truncated(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=b"x" * 500_000))

    log = connected(limits=replace(QUICK, log_bytes=100_000)).log(a_job())

    assert len(text_of(log)) == 100_000
    assert not isinstance(log, MissingLog)
    assert log.truncated
    assert len(api.asked_for(LOG)) == 1


def test_a_compressed_transfer_is_undone(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=gzip.compress(TEXT * 1000), headers={"Content-Encoding": "gzip"}))

    assert text_of(connected().log(a_job())) == TEXT * 1000


def test_a_compressed_bomb_is_cut_at_our_size(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=gzip.compress(b"\0" * 50_000_000), headers={"Content-Encoding": "gzip"}))

    log = connected(limits=replace(QUICK, log_bytes=1_000_000)).log(a_job())

    assert len(text_of(log)) == 1_000_000


def test_a_compressed_transfer_that_is_damaged_keeps_what_came(api: Stub, store: Stub, connected: Connect) -> None:
    packed = gzip.compress(TEXT * 1000)
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=packed[: len(packed) // 2], headers={"Content-Encoding": "gzip"}))

    log = connected().log(a_job())

    assert not isinstance(log, MissingLog)
    assert log.truncated


def test_a_server_that_drips_does_not_hold_us(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=TEXT * 100, seconds_a_byte=0.05))
    reads = connected(deadline=1)
    began = time.monotonic()

    log = reads.log(a_job())

    assert time.monotonic() - began < 3
    assert not isinstance(log, MissingLog)
    assert log.truncated


def test_logs_leave_the_disk_when_they_were_read(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=TEXT))
    reads = connected()

    log = reads.log(a_job())
    folder = reads._logs.folder
    kept = list(folder.iterdir())
    del log
    gc.collect()

    assert len(kept) == 1
    assert list(folder.iterdir()) == []


def test_closing_leaves_nothing_behind(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + SIGNED))
    store.on(BLOB, Answer(body=TEXT))
    reads = connected()
    log = reads.log(a_job())

    reads.close()

    assert not reads._logs.folder.exists()
    assert not isinstance(log, MissingLog)


def test_when_single_logs_fail_the_archive_of_the_run_is_asked_once(api: Stub, store: Stub, connected: Connect) -> None:
    jobs = [a_job(), a_job(id=10, name="lint / check")]
    api.on(f"/repos/{REPOSITORY}/actions/runs/7/jobs", says({"total_count": 2, "jobs": jobs}))
    api.on(LOG, points_to(store.url + "/broken"))
    api.on(f"/repos/{REPOSITORY}/actions/jobs/10/logs", points_to(store.url + "/broken"))
    api.on(ARCHIVE, points_to(store.url + "/archive.zip"))
    store.on("/broken", Answer(status=500))
    store.on("/archive.zip", an_archive(**{"0_test": TEXT, "1_lint  check": b"lint\n"}))
    reads = connected()
    reads.jobs(7)

    assert text_of(reads.log(jobs[0])) == TEXT
    assert text_of(reads.log(jobs[1])) == b"lint\n"
    assert len(api.asked_for(ARCHIVE)) == 1


def test_an_archive_that_does_not_help_leaves_the_first_error(api: Stub, store: Stub, connected: Connect) -> None:
    api.on(LOG, points_to(store.url + "/broken"))
    api.on(ARCHIVE, points_to(store.url + "/archive.zip"))
    store.on("/broken", Answer(status=500))
    store.on("/archive.zip", Answer(body=b"no archive"))

    with pytest.raises(ProviderError, match="answered 500"):
        connected().log(a_job())


def test_many_broken_jobs_come_in_one_archive(api: Stub, store: Stub, connected: Connect) -> None:
    jobs = [a_job(id=100 + number, name=f"shard {number}") for number in range(4)]
    api.on(f"/repos/{REPOSITORY}/actions/runs/7/jobs", says({"total_count": 4, "jobs": jobs}))
    api.on(ARCHIVE, points_to(store.url + "/archive.zip"))
    store.on("/archive.zip", an_archive(**{f"{number}_shard {number}": b"%d\n" % number for number in range(4)}))
    reads = connected(limits=replace(QUICK, archive_from=3))
    reads.jobs(7)

    texts = [text_of(reads.log(job)) for job in jobs]

    assert texts == [b"0\n", b"1\n", b"2\n", b"3\n"]
    assert reads.requests_made == 2
