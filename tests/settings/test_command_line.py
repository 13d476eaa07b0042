"""The command line judges as the repository's default branch says, or as local files do."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakegithub import FakeGitHub
from tests.fakegithub.build import RUNS
from triage.entry.cli import main
from triage.history.keeping import reader_of
from triage.rules import builtin_rules, load_rules
from triage.settings import PLACE, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Capture = pytest.CaptureFixture[str]

CASE = RUNS / "regression"
PULL = "583"
OFFLINE = ("--history", "none", "--look-back", "0")
RULE = """\
version: 1
rules:
- id: acme-tokens
  title: Known of old
  fault: unknown
  line: 'AssertionError: '
  where: anywhere
  examples:
    match: ['▶ AssertionError: 3 != 4']
    no_match: [{why: it only says so, log: no AssertionError}]
"""
OWN_RULES = load_rules(RULE, ".github/own.yml").before(builtin_rules()).sha


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    with FakeGitHub.from_recording(CASE) as running:
        for name in ("GH_TOKEN", "GH_REPO", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("GITHUB_TOKEN", running.token)
        monkeypatch.setenv("GITHUB_API_URL", running.api_url)
        monkeypatch.setenv("GITHUB_REPOSITORY", running.repository)
        yield running


def tip(fake: FakeGitHub) -> str:
    return str(next(iter(fake.state.compare.values()))["base_commit"]["sha"])


def on_main(fake: FakeGitHub, text: str, path: str = PLACE) -> None:
    """Put a file on the default branch."""
    fake.state.contents[tip(fake), path] = text.encode()


def report(capsys: Capture, *arguments: str) -> tuple[dict[str, Any], str]:
    """Triage; return the report and what was said."""
    assert main(["pr", PULL, "--format", "json", *arguments]) == 0
    said = capsys.readouterr()
    return json.loads(said.out), said.err


def test_a_live_triage_reads_them_at_one_commit_in_one_request_more(fake: FakeGitHub, capsys: Capture) -> None:
    on_main(fake, "version: 1\njobs: {gates: [may-run]}\n")
    told, _ = report(capsys, *OFFLINE)
    with_settings = len(fake.requests)
    without, _ = report(capsys, *OFFLINE, "--no-settings")

    assert (told["tool"]["settings_sha"], "settings_sha" in without["tool"]) == (tip(fake), False)
    assert [one.query["ref"] for one in fake.asked(f"GET */contents/{PLACE}")] == [tip(fake)]
    assert with_settings - (len(fake.requests) - with_settings) == 1


def test_every_mistake_is_told_and_the_report_has_a_gap(fake: FakeGitHub, capsys: Capture) -> None:
    on_main(fake, "version: 1\ncoment: {}\njobs:\n  gates: [7]\n")
    told, said = report(capsys, *OFFLINE)

    assert [line.split(": ")[1] for line in said.splitlines()] == [f"{PLACE}:2:1", f"{PLACE}:4:11"]
    assert any(gap.startswith(f"`{PLACE}:2:1`: the file has no key `coment`") for gap in told["gaps"])


def test_a_recording_holds_what_it_was_judged_by_and_gives_the_same_bytes(
    fake: FakeGitHub, capsys: Capture, tmp_path: Path
) -> None:
    on_main(fake, "version: 1\nrules: {files: [.github/own.yml]}\ncompare: {requests: 20}\n")
    on_main(fake, RULE, ".github/own.yml")
    assert main(["record", "--pr", PULL, "--to", str(tmp_path / "kept")]) == 0
    assert main(["pr", PULL, "--format", "json", "--history", "none"]) == 0
    live = capsys.readouterr().out.partition("\n")[2]
    assert main(["pr", PULL, "--format", "json", "--recorded", str(tmp_path / "kept")]) == 0

    assert json.loads(live)["tool"]["rules_sha"] == OWN_RULES
    assert capsys.readouterr().out == live


def test_a_local_file_is_tried_with_the_rules_beside_it(fake: FakeGitHub, capsys: Capture, tmp_path: Path) -> None:
    on_main(fake, "version: 7\n")
    folder = tmp_path / ".github"
    folder.mkdir()
    (folder / "triage.yml").write_text("version: 1\nrules: {files: [.github/own.yml]}\n", encoding="utf-8")
    (folder / "own.yml").write_text(RULE, encoding="utf-8")
    told, said = report(capsys, *OFFLINE, "--settings", str(folder / "triage.yml"))

    assert (told["tool"]["rules_sha"], said) == (OWN_RULES, "")
    assert not fake.asked(f"GET */contents/{PLACE}")


def test_the_callers_own_rules_come_before_those_of_the_repository(
    fake: FakeGitHub, capsys: Capture, tmp_path: Path
) -> None:
    on_main(fake, "version: 1\nrules: {files: [.github/own.yml]}\n")
    on_main(fake, RULE, ".github/own.yml")
    (tmp_path / "mine.yml").write_text(RULE.replace("acme", "mine"), encoding="utf-8")
    told, _ = report(capsys, *OFFLINE, "--rules", str(tmp_path / "mine.yml"))

    mine, theirs = load_rules(RULE.replace("acme", "mine"), "mine"), load_rules(RULE, "theirs")
    assert told["tool"]["rules_sha"] == mine.before(theirs.before(builtin_rules())).sha


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("version: 1\nwhat: 1\njobs: {gates: []}\n", ["triage.yml:2:1", "triage.yml:3:15"]),
        ("version: 1\nrules: {files: [.github/none.yml]}\n", ["cannot read the rules file", "triage.yml names it"]),
    ],
)
def test_a_local_file_that_is_wrong_ends_the_command_before_anything_is_asked(
    fake: FakeGitHub, capsys: Capture, tmp_path: Path, settings: str, said: list[str]
) -> None:
    (tmp_path / "triage.yml").write_text(settings, encoding="utf-8")

    assert main(["pr", PULL, *OFFLINE, "--settings", str(tmp_path / "triage.yml")]) == 2
    told = capsys.readouterr().err
    assert [one in told for one in said] == [True, True]
    assert fake.requests == []


def test_a_posted_comment_is_the_one_that_the_settings_name(fake: FakeGitHub, capsys: Capture) -> None:
    on_main(fake, "version: 1\ncomment: {key: nightly, verify_after_seconds: 1}\n")
    report(capsys, *OFFLINE, "--post")

    assert [" key=nightly " in comment["body"] for comment in fake.state.comments.values()] == [True]


def test_where_comments_are_switched_off_none_is_posted_and_it_is_said_how(fake: FakeGitHub, capsys: Capture) -> None:
    on_main(fake, "version: 1\ncomment: {when: off}\n")
    _, said = report(capsys, *OFFLINE, "--post")

    assert (fake.state.comments, "with --no-settings there is one all the same" in said) == ({}, True)


def test_a_sync_reads_logs_as_a_triage_of_the_repository_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with FakeGitHub.from_recording(RUNS / "fails-on-main") as fake:
        for name, value in (("TOKEN", fake.token), ("API_URL", fake.api_url), ("REPOSITORY", fake.repository)):
            monkeypatch.setenv(f"GITHUB_{name}", value)
        fake.state.commits["main", ""] = [next(iter(fake.state.compare.values()))["base_commit"]]
        on_main(fake, "version: 1\njobs: {gates: [may-run]}\n")
        assert main(["history", "sync", "--days", "3000", "--history", str(tmp_path / "history.db")]) == 0

    with closing(sqlite3.connect(tmp_path / "history.db")) as history:
        readers = history.execute("SELECT DISTINCT reader FROM triage_failure").fetchall()
    assert readers == [(reader_of(builtin_rules(), Settings(gates=("may-run",))),)]
