"""The part of a log that failed is found before anything in it is believed."""

from __future__ import annotations

from triage.classify.ending import Outcome, ending_of
from triage.classify.view import LogView
from triage.logs import TextSource, read_log
from triage.matching import Scanner
from triage.model import Conclusion, Job, JobId, RunId, Step, TestReport

SCANNER = Scanner({"nothing": "^this never stands in a log$"})


def view_of(*lines: str) -> LogView:
    return LogView(log=read_log(TextSource("log", "\n".join(lines)), SCANNER), tests=TestReport())


def text_of_failing_part(view: LogView, job: Job | None = None) -> list[str]:
    section = ending_of(view, job).failing
    return [line.text for line in view.between(section.first, section.last)]


def test_the_step_that_ended_with_an_exit_code_is_the_failing_part() -> None:
    view = view_of(
        "##[group]Run pip install -r requirements.txt",
        "ERROR: a frightening line of a step that ended well",
        "##[endgroup]",
        "##[group]Run pytest",
        "##[endgroup]",
        "1 failed",
        "##[error]Process completed with exit code 1.",
        "Post job cleanup.",
    )

    part = text_of_failing_part(view)

    assert part[0] == "##[group]Run pytest"
    assert part[-1] == "##[error]Process completed with exit code 1."


def test_on_travis_the_command_that_failed_is_the_failing_part() -> None:
    view = view_of(
        "$ npm install",
        "npm WARN deprecated",
        'The command "npm install" exited with 0.',
        "$ npm test",
        "1) it adds",
        'The command "npm test" exited with 1.',
        "Done. Your build exited with 1.",
    )

    assert text_of_failing_part(view) == ["$ npm test", "1) it adds", 'The command "npm test" exited with 1.']


def test_what_travis_tried_again_is_one_command() -> None:
    lines = [
        "$ sudo apt-get update",
        "E: Failed to fetch the index",
        'The command "sudo apt-get update" failed. Retrying, 2 of 3.',
        "E: Failed to fetch the index",
        'The command "sudo apt-get update" failed 3 times.',
        "travis_time:end:0a1b2c3d:start=1,finish=2,duration=1",
        'The command "sudo apt-get update" failed and exited with 100 during .',
    ]

    assert text_of_failing_part(view_of("$ docker pull postgres", *lines, "Your build has been stopped.")) == lines


def test_a_build_that_exited_with_0_passed_whatever_it_printed() -> None:
    view = view_of("FATAL: everything is lost", "Done. Your build exited with 0.")

    assert ending_of(view).outcome is Outcome.PASSED


def test_a_job_that_gitlab_calls_succeeded_passed() -> None:
    assert ending_of(view_of("ERROR: no", "Job succeeded")).outcome is Outcome.PASSED


def test_the_steps_that_github_calls_failed_outrank_every_text() -> None:
    view = view_of(
        "2026-09-18T08:00:00.0000000Z ##[group]Run make lint",
        "2026-09-18T08:00:01.0000000Z ##[error]Process completed with exit code 2.",
        "2026-09-18T08:00:10.0000000Z ##[group]Run make test",
        "2026-09-18T08:00:11.0000000Z assertion failed",
        "2026-09-18T08:00:12.0000000Z ##[error]Process completed with exit code 1.",
    )
    begun = [line.at for line in view.log.lines]
    steps = (
        Step(number=2, name="Run make lint", conclusion=Conclusion.SUCCESS, started_at=begun[0], completed_at=begun[1]),
        Step(number=3, name="Run make test", conclusion=Conclusion.FAILURE, started_at=begun[2], completed_at=begun[4]),
    )
    job = Job(id=JobId(1), run_id=RunId(1), run_attempt=1, name="test", conclusion=Conclusion.FAILURE, steps=steps)
    source = TextSource(
        "log", "\n".join(f"{line.at:%Y-%m-%dT%H:%M:%S}.0000000Z {line.text}" for line in view.log.lines)
    )
    with_steps = LogView(log=read_log(source, SCANNER, steps=steps), tests=TestReport())

    assert "assertion failed" in text_of_failing_part(with_steps, job)
    assert "##[group]Run make lint" not in text_of_failing_part(with_steps, job)


def test_a_log_that_says_nothing_of_its_end_is_looked_at_whole() -> None:
    ending = ending_of(view_of("one", "two"))

    assert ending.outcome is Outcome.UNSAID
    assert (ending.failing.first, ending.failing.last) == (1, 2)


def test_a_command_of_several_lines_ends_where_travis_begins_to_repeat_it() -> None:
    view = view_of(
        "$ npm install",
        'The command "npm install" exited with 0.',
        "pump: too slow",
        'The command "case $KIND in',
        "  pump) ./run ;;",
        "esac",
        '" exited with 1.',
        "travis_fold:start:cache.2",
        "cache uploaded",
        "Done. Your build exited with 1.",
    )

    assert text_of_failing_part(view) == ["pump: too slow", 'The command "case $KIND in']


def test_a_command_of_several_lines_that_exited_with_0_did_not_fail() -> None:
    view = view_of(
        'The command "case $KIND in',
        "  pump) ./run ;;",
        'esac" exited with 0.',
        "$ ./check",
        "pump: too slow",
        'The command "./check" exited with 1.',
    )

    assert text_of_failing_part(view) == ["$ ./check", "pump: too slow", 'The command "./check" exited with 1.']


def test_what_travis_does_after_the_script_is_no_part_of_what_failed() -> None:
    view = view_of("pump: too slow", "travis_fold:start:cache.2", "cache uploaded", "Done. Your build exited with 1.")

    assert text_of_failing_part(view) == ["pump: too slow", "travis_fold:start:cache.2"]


def test_a_travis_log_that_breaks_off_failed_in_its_last_command() -> None:
    view = view_of("travis_fold:end:install", "$ set -e", "$ ./otp build", "Building ... failed.", "*** Failed ***")

    ending = ending_of(view)

    assert ending.outcome is Outcome.UNSAID
    assert text_of_failing_part(view) == ["$ ./otp build", "Building ... failed.", "*** Failed ***"]
    assert ending.sections[-1].first == 1


def test_a_job_of_buildkite_failed_with_its_command() -> None:
    view = view_of("[2026-09-18T08:00:00Z] $ make", "[2026-09-18T08:00:01Z] 🚨 Error: The command exited with status 2")

    assert ending_of(view).outcome is Outcome.FAILED


def test_what_an_action_says_on_several_lines_belongs_to_the_failing_part() -> None:
    view = view_of(
        "##[group]Run octo/sign@v1",
        "##[endgroup]",
        "signing kit.tar.gz",
        "##[error]InternalError: error fetching the entry",
        "FetchError: network timeout",
        "Post job cleanup.",
        "cleaning up after the cache",
    )

    assert text_of_failing_part(view)[-1] == "FetchError: network timeout"


def test_what_stands_under_an_exit_code_is_of_the_next_step() -> None:
    view = view_of(
        "##[group]Run make",
        "##[endgroup]",
        "broken",
        "##[error]Process completed with exit code 2.",
        "a line of something else",
    )

    assert text_of_failing_part(view)[-1] == "##[error]Process completed with exit code 2."


FAILED_JOB = Job(id=JobId(1), run_id=RunId(1), run_attempt=1, name="audit", conclusion=Conclusion.FAILURE)
SILENT = (
    "##[group]Run ./prepare.sh",
    "##[endgroup]",
    "curl: (22) The requested URL returned error: 503",
    "got it from the mirror",
    "##[group]Run acme/audit-action@v2",
    "##[endgroup]",
    "##[command]/usr/bin/docker run --rm acme/audit",
    "error[unmaintained]: heron is unmaintained",
    "##[group]Run actions/upload-artifact@v4",
    "##[endgroup]",
    "Artifact audit has been successfully uploaded!",
    "Post job cleanup.",
)


def test_the_program_of_a_container_fails_a_job_without_a_mark() -> None:
    ending = ending_of(view_of(*SILENT), FAILED_JOB)

    assert ending.outcome is Outcome.FAILED
    assert text_of_failing_part(view_of(*SILENT), FAILED_JOB)[0] == "##[group]Run acme/audit-action@v2"


def test_a_step_that_states_no_error_is_not_taken_for_the_one_that_failed() -> None:
    assert ending_of(view_of(*SILENT[:4], *SILENT[8:]), FAILED_JOB).outcome is Outcome.PASSED


def test_a_job_of_which_nobody_says_that_it_failed_passed_when_it_ends_quietly() -> None:
    assert ending_of(view_of(*SILENT)).outcome is Outcome.PASSED
