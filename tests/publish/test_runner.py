"""What a step leaves for the Actions runner."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import pytest

from tests.fakegithub import Status
from tests.publish.conftest import report_on
from tests.render.samples import all_green, case_a, many_causes, still_running
from triage.publish import RunnerFiles
from triage.publish.runner import MOST_SUMMARY_BYTES, outputs_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakegithub import FakeGitHub
    from tests.publish.conftest import Publisher
    from triage.model import Report


MANY = many_causes(600)


def files_in(folder: Path) -> RunnerFiles:
    return RunnerFiles(summary=folder / "summary.md", output=folder / "output", temporary=folder)


def read_outputs(text: str) -> dict[str, str]:
    """Read the file as the runner does."""
    found, lines = {}, iter(text.splitlines())
    for line in lines:
        name, _, delimiter = line.partition("<<")
        found[name] = "\n".join(iter(lines.__next__, delimiter))
    return found


def test_the_runner_is_known_by_its_variables(tmp_path: Path) -> None:
    environment = {
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "RUNNER_TEMP": str(tmp_path),
    }

    assert RunnerFiles.from_environment(environment) == files_in(tmp_path)
    assert RunnerFiles.from_environment({"GITHUB_OUTPUT": ""}) == RunnerFiles()


def test_summary_and_report_are_there_whatever_becomes_of_the_comment(
    post: Publisher, fake: FakeGitHub, tmp_path: Path
) -> None:
    fake.fail("*", Status(status=500), times=None)

    result = post(files=files_in(tmp_path))

    assert "### CI triage" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    outputs = read_outputs((tmp_path / "output").read_text(encoding="utf-8"))
    assert outputs["comment-url"] == ""
    assert outputs["verdict"] == "caused-by-pr"
    assert result.sentences[0].endswith("; the step summary has the report")


def test_the_summary_is_written_before_anything_is_asked(post: Publisher, fake: FakeGitHub, tmp_path: Path) -> None:
    class Watching(RunnerFiles):
        asked_before: int = -1

        def write_summary(self, report: Report) -> str:
            Watching.asked_before = len(fake.asked())
            return super().write_summary(report)

    post(files=Watching(summary=tmp_path / "summary.md"))

    assert Watching.asked_before == 0
    assert len(fake.asked()) > 0


def test_all_outputs_of_a_published_report_are_there(post: Publisher, tmp_path: Path) -> None:
    post(files=files_in(tmp_path))

    outputs = read_outputs((tmp_path / "output").read_text(encoding="utf-8"))
    report = json.loads((tmp_path / "ci-triage-report.json").read_text(encoding="utf-8"))
    assert outputs == {
        "verdict": "caused-by-pr",
        "counts-json": json.dumps(report["counts"], separators=(",", ":")),
        "comment-url": post.comments[0]["html_url"],
        "report-path": str(tmp_path / "ci-triage-report.json"),
        "partial": "true" if report_on().gaps else "false",
    }


def test_a_dry_run_leaves_no_file(post: Publisher, tmp_path: Path) -> None:
    post(files=files_in(tmp_path), dry_run=True)

    assert list(tmp_path.iterdir()) == []


def test_what_was_in_the_summary_stays(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    (tmp_path / "summary.md").write_text("## Build\n", encoding="utf-8")

    assert files.write_summary(case_a()) == ""
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").startswith("## Build\n### CI triage")


@pytest.mark.parametrize("used", [0, 300_000, 800_000, 1_000_000, MOST_SUMMARY_BYTES - 10])
def test_a_summary_never_grows_beyond_what_github_takes(tmp_path: Path, used: int) -> None:
    (tmp_path / "summary.md").write_bytes(b"x" * used)

    trouble = files_in(tmp_path).write_summary(MANY)

    assert (tmp_path / "summary.md").stat().st_size < MOST_SUMMARY_BYTES
    assert bool(trouble) == ((tmp_path / "summary.md").stat().st_size == used)


def test_a_folder_that_cannot_be_written_to_is_a_sentence(tmp_path: Path) -> None:
    gone = files_in(tmp_path / "gone")

    assert "could not be written" in gone.write_summary(case_a())
    assert "could not be written" in gone.write_outputs({"verdict": "unknown"})
    assert gone.write_report(case_a()) is None


@pytest.mark.parametrize(
    "payload", ["a\nEOF\nverdict=no-failures", "a\nd1\nverdict<<d1\nno-failures\nd1", "d1 d2", "\n", "a\r\nd1\r\n"]
)
def test_no_value_can_set_another_output(tmp_path: Path, payload: str) -> None:
    tokens = (f"d{number}" for number in itertools.count(1))

    files_in(tmp_path).write_outputs({"note": payload, "verdict": "unknown"}, new_token=lambda: next(tokens))

    text = (tmp_path / "output").read_bytes().decode()
    first, second = text.split("\n", 1)[0].removeprefix("note<<"), text.rstrip("\n").rsplit("\n", 1)[1]
    assert first not in payload
    assert text == f"note<<{first}\n{payload}\n{first}\nverdict<<{second}\nunknown\n{second}\n"


def test_delimiters_are_new_each_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        RunnerFiles(output=tmp_path / name).write_outputs({"verdict": "unknown"})

    assert (tmp_path / "a").read_bytes() != (tmp_path / "b").read_bytes()


def test_a_report_that_is_not_finished_is_partial() -> None:
    assert outputs_of(still_running())["partial"] == "true"
    assert outputs_of(all_green())["partial"] == "false"
    assert json.loads(outputs_of(case_a())["counts-json"])["jobs"]["infrastructure"] > 0
