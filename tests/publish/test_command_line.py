"""`triage pr N --post` and `triage run RUN_ID --post`, from the command line to GitHub and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.fakegithub import FakeGitHub
from tests.fakegithub.build import RUNS
from triage.entry.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CASE = RUNS / "regression"
BOT = "github-actions[bot]"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeGitHub]:
    with FakeGitHub.from_recording(CASE) as running:
        for name in ("GH_TOKEN", "GH_REPO", "GITHUB_ACTIONS"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("GITHUB_TOKEN", running.token)
        monkeypatch.setenv("GITHUB_API_URL", running.api_url)
        monkeypatch.setenv("GITHUB_REPOSITORY", running.repository)
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
        monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
        monkeypatch.setenv("RUNNER_TEMP", str(tmp_path))
        yield running


def number_of(fake: FakeGitHub) -> str:
    return str(next(iter(fake.state.pulls)))


def run_of(fake: FakeGitHub) -> str:
    head = fake.state.pulls[int(number_of(fake))]["head"]["sha"]
    return str(next(run["id"] for run in fake.state.runs.values() if run["head_sha"] == head))


OFFLINE = ["--history", "none", "--look-back", "0"]


def test_a_report_is_printed_posted_once_and_told_on_stderr(
    fake: FakeGitHub, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first = main(["pr", number_of(fake), "--post", "--format", "json", *OFFLINE])
    printed = capsys.readouterr()
    second = main(["run", run_of(fake), "--post", *OFFLINE])
    again = capsys.readouterr()

    (comment,) = fake.state.comments.values()
    assert (first, second) == (0, 0)
    assert json.loads(printed.out)["schema"] == "triage/1"
    assert printed.err == f"triage: commented: {comment['html_url']}\n"
    assert again.err == f"triage: the comment says this already: {comment['html_url']}\n"
    assert comment["body"].startswith("<!-- ci-triage v1 key=default gen=")
    assert "### CI triage" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert comment["html_url"] in (tmp_path / "output").read_text(encoding="utf-8")


def test_a_forks_read_only_token_gets_the_summary_one_sentence_and_exit_0(
    fake: FakeGitHub, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = fake.add_token(BOT, actions="read", checks="read", contents="read", pull_requests="read")
    monkeypatch.setenv("GITHUB_TOKEN", token)

    code = main(["pr", number_of(fake), "--post", *OFFLINE])

    said = capsys.readouterr()
    assert code == 0
    assert "CI triage" in said.out
    assert said.err == (
        f"triage: not published: this token may not comment on pull request #{number_of(fake)}: that needs "
        "`pull-requests: write`, which runs of forks never have; the step summary has the report\n"
    )
    assert (tmp_path / "summary.md").stat().st_size > 0
    assert fake.state.comments == {}


def test_a_dry_run_writes_nothing_anywhere(
    fake: FakeGitHub, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = main(["pr", number_of(fake), "--dry-run", *OFFLINE])

    assert code == 0
    assert capsys.readouterr().err == f"triage: would comment on pull request #{number_of(fake)}\n"
    assert fake.state.comments == {}
    assert not (tmp_path / "summary.md").exists()


def test_fail_on_is_answered_after_the_comment_is_there(fake: FakeGitHub, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["pr", number_of(fake), "--post", "--fail-on", "regression", *OFFLINE])

    assert code == 1
    assert len(fake.state.comments) == 1


def test_a_run_is_told_with_all_others_of_its_pull_request(capsys: pytest.CaptureFixture[str]) -> None:
    """One run alone would hide in the comment what the other four found."""
    code = main(["run", "35296443077", "--recorded", str(RUNS / "case-a"), "--dry-run", "--format", "json", *OFFLINE])

    said = capsys.readouterr()
    assert code == 0
    assert len(json.loads(said.out)["runs"]) == 5
    assert said.err.startswith("triage: would write our comment on pull request #39471")


def test_without_post_a_run_stays_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "35296443077", "--recorded", str(RUNS / "case-a"), "--format", "json", *OFFLINE])

    said = capsys.readouterr()
    assert len(json.loads(said.out)["runs"]) == 1
    assert said.err == ""


def test_posting_from_a_recording_is_refused_with_the_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["pr", "39471", "--recorded", str(RUNS / "case-a"), "--post"])

    assert code == 2
    assert "add --dry-run, or leave out one of them" in capsys.readouterr().err


HOSTILE = ["--recorded", str(RUNS / "hostile-log"), *OFFLINE]


def hostile_pull() -> str:
    return next(path.stem for path in (RUNS / "hostile-log" / "pulls").glob("*.json"))


@pytest.mark.parametrize("format_name", ["text", "markdown"])
def test_in_actions_the_runner_obeys_nothing_that_a_log_says(
    format_name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")

    main(["pr", hostile_pull(), "--format", format_name, *HOSTILE])

    first, *within, last = capsys.readouterr().out.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert first == f"::stop-commands::{token}"
    assert last == f"::{token}::"
    assert len(token) >= 32
    assert not any(token in line for line in within)


def test_annotations_go_where_they_do_not_mix_with_the_report(
    fake: FakeGitHub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_TOKEN", fake.add_token(BOT, actions="read", contents="read", pull_requests="read"))

    main(["pr", number_of(fake), "--post", "--format", "json", *OFFLINE])

    said = capsys.readouterr()
    assert json.loads(said.out)["schema"] == "triage/1"
    commands = [line.partition(" ")[0] for line in said.err.splitlines() if line.startswith("::")]
    assert set(commands) <= {"::error", "::warning", "::notice"}
    assert commands
