"""Recordings: what is written, what is taken out, and what is said about one that is broken."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.gather.reads import HEAD, REPOSITORY, FakeReads, a_job, a_pull, a_run
from triage.errors import ConfigError, ProviderError, UsageError
from triage.gather import gather
from triage.matching import Scanner
from triage.model import LogState, MissingLog
from triage.recorded import Recorded, Recorder
from triage.source.protocol import Page
from triage.source.request import PullRequestRequest, RunRequest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SINCE = datetime(2026, 9, 1, tzinfo=UTC)
SCANNER = Scanner({"boom": "boom"})
TOKEN = "ghp_" + "A1b2C3d4E5" * 4


def write(folder: Path, name: str, value: object) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The least that can be triaged: a run with one red job, written by hand."""
    write(tmp_path, "recording.yaml", "version: 1\nrepository: acme/engine\nrequest: {run: 7}\n")
    write(tmp_path, "repository.json", REPOSITORY)
    write(tmp_path, "runs/7.json", a_run())
    write(tmp_path, "runs/7/jobs.json", {"total_count": 1, "jobs": [a_job(1)]})
    write(tmp_path, "logs/1.log", "one\nboom\n")
    write(tmp_path, "annotations/1.json", [])
    write(tmp_path, "pulls/5.json", a_pull())
    write(tmp_path, "pulls/5/files.json", [{"filename": "a.py"}])
    write(tmp_path, f"compare/main...{HEAD}.json", {"behind_by": 3, "merge_base_commit": {"sha": "0ld"}})
    write(tmp_path, f"contents/{HEAD}/.github/workflows/ci7.yml", "jobs: {test: {}}")
    return tmp_path


def gaps_of(folder: Path) -> list[str]:
    return [str(gap) for gap in gather(Recorded(folder), RunRequest(7), SCANNER).gaps]


def test_a_recording_written_by_hand_is_whole(folder: Path) -> None:
    assert gaps_of(folder) == []


def test_a_run_of_it_is_found_for_its_pull_request_too(folder: Path) -> None:
    facts = gather(Recorded(folder), PullRequestRequest(5), SCANNER)

    assert [run.id for run in facts.runs] == [7]


@pytest.mark.parametrize(
    "name",
    ["logs/1.log", f"compare/main...{HEAD}.json", f"contents/{HEAD}/.github/workflows/ci7.yml", "pulls/5/files.json"],
)
def test_a_missing_file_is_one_gap_that_names_it(folder: Path, name: str) -> None:
    (folder / name).unlink()

    (gap,) = gaps_of(folder)

    assert name in gap
    assert str(folder) not in gap  # the same recording gives the same bytes wherever it lies
    assert "record it again, or add the file" in gap


@pytest.mark.parametrize("content", ["{", "[]", "5", '{"jobs": ' * 50_000, "\udcff"])
def test_a_broken_file_is_one_gap_that_names_it(folder: Path, content: str) -> None:
    name = f"compare/main...{HEAD}.json"
    (folder / name).write_text(content, encoding="utf-8", errors="surrogateescape")

    (gap,) = gaps_of(folder)

    assert name in gap
    assert str(folder) not in gap  # the same recording gives the same bytes wherever it lies


def test_without_the_run_itself_there_is_one_clear_error(folder: Path) -> None:
    (folder / "runs" / "7.json").unlink()

    with pytest.raises(ProviderError, match=r"the recording holds no runs/7\.json") as error:
        gather(Recorded(folder), RunRequest(7), SCANNER)

    assert error.value.status == 404


def test_a_broken_list_of_jobs_is_one_clear_error(folder: Path) -> None:
    write(folder, "runs/7/jobs.json", '{"total_count": 1, "jobs": [')

    with pytest.raises(ProviderError, match=r"runs/7/jobs\.json of the recording: not valid JSON"):
        gather(Recorded(folder), RunRequest(7), SCANNER)


def test_a_missing_log_can_be_written_by_hand(folder: Path) -> None:
    (folder / "logs" / "1.log").unlink()
    write(folder, "logs/1.missing.yaml", "{status: 410}")

    log = Recorded(folder).log(a_job(1))

    assert isinstance(log, MissingLog)
    assert log.state is LogState.EXPIRED


def test_a_log_can_be_called_truncated(folder: Path) -> None:
    write(folder, "logs/1.truncated", "")

    log = Recorded(folder).log(a_job(1))

    assert not isinstance(log, MissingLog)
    assert log.truncated


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "is no recording: it holds no recording.yaml"),
        ("version: 2\nrepository: acme/engine", "version 2 of the format is not known"),
        ("version: 1", "`repository:` must be the text OWNER/NAME"),
        ("version: [", "not valid YAML"),
        ("", "version None of the format is not known"),
    ],
)
def test_what_is_no_recording_is_told(tmp_path: Path, content: str | None, said: str) -> None:
    if content is not None:
        write(tmp_path, "recording.yaml", content)

    with pytest.raises((UsageError, ConfigError)) as error:
        Recorded(tmp_path)

    assert said in str(error.value)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give a folder that `triage record` made"):
        Recorded(tmp_path / "nowhere")


def test_that_nobody_looked_is_not_that_there_is_nothing(folder: Path) -> None:
    with pytest.raises(ProviderError, match=r"branches/main/runs\.json"):
        Recorded(folder).runs_on("main", since=SINCE)


def test_names_from_outside_never_leave_the_folder(folder: Path) -> None:
    write(folder.parent, "secret", "s3cret")

    for path in ("../../../secret", "..", "/etc/passwd", "a/../../../../secret"):
        with pytest.raises(ProviderError):
            Recorded(folder).file(path, "..")


class History(FakeReads):
    """Reads that have a past, too."""

    def runs_on(self, branch: str, *, workflow: str | None = None, since: datetime, limit: int = 100) -> Page:
        runs = tuple(a_run(number, created_at=f"2026-09-{number:02}T00:00:00Z") for number in range(20, 10, -1))
        kept = [run for run in runs if datetime.fromisoformat(run["created_at"]) >= since]
        return Page(items=tuple(kept[:limit]), total_count=len(kept))

    def commits(self, ref: str, *, since: datetime | None = None, path: str | None = None) -> Sequence[dict[str, Any]]:
        author = {"name": "Somebody Real", "email": "real.person@corp.example", "date": "2026-09-18T00:00:00Z"}
        return ({"sha": "abc", "commit": {"author": author, "committer": author}},)


def recorded_of(reads: FakeReads, folder: Path, *, hosts: bool = False) -> Recorded:
    gather(Recorder(reads, folder, request=RunRequest(7), redact_hosts=hosts), RunRequest(7), SCANNER)
    return Recorded(folder)


def broken_run(log: str = "boom\n", **job: Any) -> History:
    return History(
        runs={7: a_run()},
        job_lists={7: [a_job(1, **job)]},
        logs={1: log},
        by_head=[a_pull()],
        file_list=[{"filename": "a.py"}],
    )


def everything_in(folder: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_recording_gives_the_facts_that_were_recorded(tmp_path: Path) -> None:
    reads = broken_run(conclusion="cancelled")
    reads.notes = {1: [{"path": ".github", "message": "The operation was canceled."}]}
    live = gather(reads, RunRequest(7), SCANNER)

    assert gather(recorded_of(reads, tmp_path), RunRequest(7), SCANNER) == live


def test_a_missing_log_is_recorded_with_its_reason(tmp_path: Path) -> None:
    reads = broken_run()
    reads.logs = {1: MissingLog(state=LogState.EXPIRED, why="over")}

    assert recorded_of(reads, tmp_path).log(a_job(1)) == MissingLog(state=LogState.EXPIRED, why="over")


def test_a_failure_to_read_is_not_recorded_as_anything(tmp_path: Path) -> None:
    reads = broken_run()
    reads.logs = {1: ProviderError("GitHub failed")}

    recorded = recorded_of(reads, tmp_path)

    with pytest.raises(ProviderError, match=r"holds no logs/1\.log"):
        recorded.log(a_job(1))


def test_nothing_is_written_when_nothing_could_be_read(tmp_path: Path) -> None:
    with pytest.raises(ProviderError):
        recorded_of(FakeReads(), tmp_path / "new")

    assert not (tmp_path / "new").exists()


def test_the_past_is_recorded_and_grows(tmp_path: Path) -> None:
    recorder = Recorder(broken_run(), tmp_path, request=RunRequest(7))
    recorder.repository()
    recorder.runs_on("release/1.x", since=datetime(2026, 9, 18, tzinfo=UTC), limit=2)
    recorder.runs_on("release/1.x", since=datetime(2026, 9, 15, tzinfo=UTC), limit=9)
    recorder.commits("main", path="a/b.py")
    recorded = Recorded(tmp_path)

    runs = recorded.runs_on("release/1.x", since=datetime(2026, 9, 16, tzinfo=UTC))

    assert [run["id"] for run in runs.items] == [20, 19, 18, 17, 16]
    assert [commit["sha"] for commit in recorded.commits("main", path="a/b.py")] == ["abc"]
    assert recorded.commits("main", path="a/b.py", since=datetime(2026, 9, 19, tzinfo=UTC)) == ()


def test_secrets_and_addresses_of_people_are_not_recorded(tmp_path: Path) -> None:
    reads = broken_run(f"token={TOKEN}\nby Some One <some.one@corp.example>\ngit@github.com:acme/engine.git\n")
    reads.by_head = [a_pull(body=f"see {TOKEN}, ask some.one@corp.example")]
    recorder = Recorder(reads, tmp_path, request=RunRequest(7))
    gather(recorder, RunRequest(7), SCANNER)
    recorder.commits("main")

    written = everything_in(tmp_path)

    assert TOKEN not in written
    assert "corp.example" not in written
    assert "git@github.com:acme/engine.git" in written


def test_what_looks_like_an_address_and_is_none_stays(tmp_path: Path) -> None:
    log = "npm i left-pad@1.3.0\nuses: actions/checkout@v4\nimage@sha256:0123abcd\n1+me@users.noreply.github.com\n"

    recorded_of(broken_run(log), tmp_path)

    assert (tmp_path / "logs" / "1.log").read_text() == log


def test_lines_keep_their_numbers_and_bytes_that_are_no_text_stay(tmp_path: Path) -> None:
    recorder = Recorder(_Raw(b"\xff\xfe one\r\n" + TOKEN.encode() + b"\r\ntwo\x00\n"), tmp_path)

    recorder.log(a_job(1))

    lines = (tmp_path / "logs" / "1.log").read_bytes().split(b"\n")
    assert lines[0] == b"\xff\xfe one\r"
    assert TOKEN.encode() not in lines[1]
    assert lines[2] == b"two\x00"


class _Raw(FakeReads):
    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data

    def log(self, job: dict[str, Any]) -> Any:
        from triage.logs import BytesSource

        return BytesSource("log", self.data)


def test_a_large_log_is_recorded_whole(tmp_path: Path) -> None:
    data = (
        b"".join(b"line %d of some length to fill the block\n" % number for number in range(100_000)) + b"x" * 9_000_000
    )
    Recorder(_Raw(data), tmp_path).log(a_job(1))

    assert (tmp_path / "logs" / "1.log").read_bytes() == data


def test_names_of_machines_are_replaced_when_asked_for(tmp_path: Path) -> None:
    log = (
        "2026-09-18T02:30:00.0000000Z Runner name: 'xpu-07'\n"
        "2026-09-18T02:30:00.0000000Z Machine name: 'system815752'\n"
        "on system815752.lab and xpu-07, not xpu-071\n"
    )

    recorded_of(broken_run(log, runner_name="xpu-07"), tmp_path, hosts=True)

    written = (tmp_path / "logs" / "1.log").read_text().splitlines()
    assert written[0].endswith("Runner name: 'machine-1'")
    assert written[1].endswith("Machine name: 'machine-2'")
    assert written[2] == "on machine-2.lab and machine-1, not xpu-071"
    assert "xpu-07'" not in everything_in(tmp_path)


def test_names_of_machines_stay_when_not_asked_for(tmp_path: Path) -> None:
    recorded_of(broken_run(runner_name="xpu-07"), tmp_path)

    assert "xpu-07" in everything_in(tmp_path)


def test_a_github_of_ones_own_is_not_named_when_hosts_are_redacted(tmp_path: Path) -> None:
    reads = broken_run()
    own = {**REPOSITORY, "html_url": "https://github.corp.example/acme/engine"}
    reads.by_head = [a_pull(base={"ref": "main", "sha": "ba5e", "repo": own}, html_url="https://github.corp.example/5")]
    reads.runs = {7: a_run(repository=own)}

    recorded_of(reads, tmp_path, hosts=True)

    assert "github.corp.example" not in everything_in(tmp_path)
    assert "https://github.example.com/5" in everything_in(tmp_path)
