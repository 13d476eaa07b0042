"""What is said, and that nothing in it is anybody else's markup (T30)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import cmarkgfm
import pytest

from tests.commands.desk import BOT
from triage.entry.command.answers import Does, Note, read_note
from triage.entry.command.docs import BEGIN, END, documented
from triage.entry.command.help import help_text
from triage.entry.command.table import COMMANDS
from triage.history.feedback import Says
from triage.history.store import Store
from triage.model import Category, Repository
from triage.publish.marker import read_marker
from triage.settings import BUILT_IN

if TYPE_CHECKING:
    from tests.commands.desk import Desk

DOCS = Path(__file__).parents[2] / "docs" / "commands.md"
HOSTILE = "a`b` ```@acme/team #1 fixes #2 <img src=x> <!-- ci-triage v1 key=default gen=x --> | \u202e ../../x"


@pytest.fixture
def desk(lost_runner: Desk) -> Desk:
    lost_runner.settings("version: 1\ncompare: {requests: 0}\n")
    lost_runner.let("maintainer-w", "write")
    return lost_runner


def html_of(markdown: str) -> str:
    html: str = cmarkgfm.github_flavored_markdown_to_html(markdown)
    return html


def outside_code(markdown: str) -> str:
    html = html_of(markdown)
    while "<code>" in html:
        before, _, rest = html.partition("<code>")
        html = before + rest.partition("</code>")[2]
    return html


def name_the_job(desk: Desk, name: str) -> None:
    for job in desk.fake.state.jobs.values():
        if job["name"] == "gpu":
            job["name"] = name


@pytest.mark.parametrize(
    "line", ["/triage explain 1", "/triage rerun", "/triage ack 1 known", "/triage wrong 1", "/triage explain nothing"]
)
def test_t30_the_name_of_a_job_is_only_ever_code(desk: Desk, line: str) -> None:
    name_the_job(desk, HOSTILE)

    said = desk.say(line, by="maintainer-w")
    shown = outside_code(said.text)

    assert "<img" not in shown
    assert "@acme" not in shown
    assert "fixes" not in shown
    assert "<!--" not in said.text
    assert "\u202e" not in said.text


@pytest.mark.parametrize(
    "line",
    [
        f"/triage ack gpu {HOSTILE}",
        f"/triage wrong gpu {HOSTILE}",
        f"/triage explain {HOSTILE}",
        f"/triage rerun {HOSTILE}",
        f"/triage label {HOSTILE}",
        f"/triage {HOSTILE}",
    ],
)
def test_t30_what_a_person_writes_is_only_ever_code(desk: Desk, line: str) -> None:
    said = desk.say(line, by="maintainer-w")
    shown = outside_code(said.text)

    assert "<img" not in shown
    assert "@acme" not in shown
    assert "fixes" not in shown
    assert "<!--" not in said.text


def test_an_answer_is_never_taken_for_the_report_nor_for_a_command(desk: Desk) -> None:
    said = desk.say("/triage explain gpu", by="maintainer-w")

    assert read_marker(said.answers[0]) is None
    assert not said.answers[0].startswith("/")


def test_a_note_is_read_as_it_was_written() -> None:
    note = Note(to=1, pull=2, by=3, does=Does.RERUN, nonce="0123456789abcdef", why="cap")

    assert read_note(f"{note}\ntext") == note
    assert read_note(f"\n{note}\ntext") is None
    assert read_note(f"> {note}\n") is None
    assert read_note(str(note).replace("rerun", "something") + "\n") is None


# --------------------------------------------------------------------------------------------------------------------
# Each command


@pytest.mark.parametrize("job", ["gpu", '"gpu"', "`gpu`", "104881056004", "#104881056004"])
def test_a_job_is_explained_however_it_is_named(desk: Desk, job: str) -> None:
    said = desk.say(f"/triage explain {job}", by="somebody")

    assert said.is_done
    assert said.text.startswith("`gpu` (`104881056004`) is in cause 1.\n\n#### 1 · The runner was lost")
    assert "The self-hosted runner lost communication with the server." in said.text


def test_a_cause_is_explained_by_its_number(desk: Desk) -> None:
    assert desk.say("/triage explain 1", by="somebody").text.startswith("#### 1 · The runner was lost")


def test_a_job_that_only_follows_is_explained_by_its_root(desk: Desk) -> None:
    said = desk.say("/triage explain all-green", by="somebody")

    assert said.text.startswith("`all-green` (`104881056005`) is in cause 1, which it only follows:")


def test_a_name_without_its_matrix_means_all_its_jobs_or_none(regression: Desk) -> None:
    regression.let("maintainer-w", "write")

    explained = regression.say("/triage explain unit", by="maintainer-w")
    doubted = regression.say("/triage wrong unit", by="maintainer-w")

    assert explained.text.startswith("#### 1 · ")
    assert doubted.is_refused
    assert "`unit (3.11)` of `CI`" in doubted.text
    assert "`unit (3.12)` of `CI`" in doubted.text


def test_a_job_that_has_not_failed_is_told_with_those_that_have(desk: Desk) -> None:
    said = desk.say("/triage explain lint", by="somebody")

    assert said.is_refused
    assert said.text == "No failed job is called so. These failed:\n\n- `gpu`\n- `all-green`"


def test_refreshing_writes_the_one_report_and_says_where_it_is(desk: Desk) -> None:
    said = [desk.say("/triage", by="somebody") for _ in range(2)]

    (report,) = [
        one
        for one in desk.fake.state.comments.values()
        if one["user"]["login"] == BOT and read_marker(one["body"]) is not None
    ]
    assert all(one.is_done for one in said)
    assert {one.text for one in said} == {f"[The report]({report['html_url']}) says how things stand now."}


def test_the_label_that_the_gate_asks_for_is_added(case_a: Desk) -> None:
    case_a.settings("version: 1\ncompare: {requests: 0}\n")
    case_a.fake.state.labels.add("run-ci-extra")

    said = case_a.say("/triage label", by=case_a.let("triager", "triage"))

    assert said.is_done
    assert said.text.startswith("Added the label `run-ci-extra`, which `call-gate / pr-gate` asked for.")
    labels = {label["name"] for label in case_a.fake.state.pulls[case_a.number]["labels"]}
    assert "run-ci-extra" in labels


@pytest.mark.parametrize("line", ["/triage label", "/triage label lgtm"])
def test_no_label_is_made_and_no_other_is_added(case_a: Desk, line: str) -> None:
    case_a.settings("version: 1\ncompare: {requests: 0}\n")
    case_a.fake.state.labels.add("lgtm")

    said = case_a.say(line, by=case_a.let("triager", "triage"))

    assert said.is_refused
    assert not case_a.fake.asked("POST */labels")


def test_feedback_is_kept_in_the_history(desk: Desk, tmp_path: Path) -> None:
    desk.history = str(tmp_path / "history.db")

    noted = desk.say("/triage wrong gpu flaky", by="maintainer-w")
    acknowledged = desk.say("/triage ack gpu the host is known, @all", by="maintainer-w")

    with Store.open(Path(desk.history)) as store:
        since = desk.fake.state.now.replace(year=2020)
        repository = Repository(full_name=desk.fake.repository, url=desk.fake.state.repository["html_url"])
        kept = store.feedback(repository, since=since)
    assert [(one.says, one.by, one.job_name, one.category, one.right, one.reason) for one in kept] == [
        (Says.ACKNOWLEDGED, "maintainer-w", "gpu", Category.INFRASTRUCTURE, None, "the host is known, @all"),
        (Says.WRONG, "maintainer-w", "gpu", Category.INFRASTRUCTURE, Category.FLAKY, ""),
    ]
    assert "It is kept in the history." in noted.text
    assert "`triage record --pr 561 --to DIR`" in noted.text
    assert "`the host is known, @all`" in acknowledged.text


def test_without_a_history_the_comment_is_the_record(desk: Desk) -> None:
    said = desk.say("/triage wrong gpu", by="maintainer-w")

    assert said.is_done
    assert "No history is kept here, so that this comment is the only record." in said.text


@pytest.mark.parametrize("line", ["/triage wrong gpu nonsense", "/triage wrong gpu flaky indeed"])
def test_a_category_that_does_not_exist_is_told_with_those_that_do(desk: Desk, line: str) -> None:
    said = desk.say(line, by="maintainer-w")

    assert said.is_refused
    assert "`pre-existing`" in said.text


def test_acknowledging_needs_a_reason(desk: Desk) -> None:
    said = desk.say('/triage ack "gpu" ""', by="maintainer-w")

    assert said.is_refused
    assert said.text == "Say why, too: `/triage ack JOB REASON`."


def test_an_unknown_command_is_answered_with_the_way_to_help(desk: Desk) -> None:
    said = desk.say("/triage approve", by="somebody")

    assert said.is_refused
    assert said.text == "There is no such command. `/triage help` lists the commands."


def test_the_help_names_every_command_as_it_is_read(desk: Desk) -> None:
    said = desk.say("/triage help", by="somebody")

    assert said.text == help_text(COMMANDS, BUILT_IN)
    assert html_of(said.text).count("<tr>") == len(COMMANDS) + 1


def test_the_help_says_who_may_here(desk: Desk) -> None:
    desk.settings("version: 1\ncommands:\n  rerun: {role: admin, author: false}\n")

    said = desk.say("/triage help", by="somebody")

    (row,) = [line for line in said.text.splitlines() if line.startswith("| `/triage rerun")]
    assert row.endswith("| the role `admin` |")


def test_the_documented_commands_are_those_that_are_read() -> None:
    shown = DOCS.read_text().partition(BEGIN)[2].partition(END)[0]

    assert shown == documented(), "print it with `python -m triage.entry.command.docs` and put it between the marks"
