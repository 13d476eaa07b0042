"""When no rule and no test runner knows a failure, the lines that look like its error come first."""

from __future__ import annotations

from triage.classify.ending import ending_of
from triage.classify.guesses import error_lines
from triage.classify.view import LogView
from triage.logs import TextSource, read_log
from triage.matching import Scanner
from triage.model import TestReport

SCANNER = Scanner({"nothing": "^this never stands in a log$"})


def guessed(*lines: str) -> list[str]:
    """Return the texts that are guessed to be the error of a log, best first."""
    view = LogView(log=read_log(TextSource("log", "\n".join(lines)), SCANNER), tests=TestReport())
    return [line.text for line in error_lines(view, ending_of(view))]


def progress(count: int) -> list[str]:
    """Return lines of a build that goes well."""
    return [f"[{number}/{count}] building part {number}" for number in range(1, count + 1)]


def test_wrappers_and_marks_of_the_ci_system_are_never_guessed() -> None:
    lines = guessed(
        "$ make check",
        "src/pump.c:12: error: 'flow' undeclared",
        "make[1]: *** [check] Error 2",
        "make: *** [check] Error 2",
        "travis_time:end:0a1b2c3d:start=1,finish=2,duration=1",
        'The command "make check" exited with 2.',
    )

    assert lines == ["src/pump.c:12: error: 'flow' undeclared"]


def test_the_first_error_of_the_last_outburst_comes_first() -> None:
    lines = guessed(
        "$ ./build",
        "error: optional part left out",
        *progress(40),
        "pump.x: error: no such valve",
        "pump.x: error: no such pipe",
        'The command "./build" exited with 1.',
    )

    assert lines[0] == "pump.x: error: no such valve"
    assert "error: optional part left out" in lines


def test_the_last_words_come_first_where_nothing_looks_like_an_error() -> None:
    lines = guessed("$ ./style", *progress(30), "three lines are too long", 'The command "./style" exited with 1.')

    assert lines[0] == "three lines are too long"


def test_the_line_under_the_heading_of_a_failed_test_is_shown_too() -> None:
    lines = guessed(
        "$ ./suite",
        "  parser",
        "    reads numbers:        FAIL (0.06s)",
        "      0x10 was read as 10",
        "    reads words:          OK",
        'The command "./suite" exited with 1.',
    )

    assert lines[:2] == ["    reads numbers:        FAIL (0.06s)", "      0x10 was read as 10"]


def test_a_line_that_is_everywhere_is_no_error() -> None:
    habit = [f"error: cache miss {number}" for number in range(30)]

    lines = guessed("$ ./run", *habit, *progress(20), "ValueError: flow", *habit, 'The command "./run" exited with 1.')

    assert lines[0] == "ValueError: flow"


def test_a_warning_is_the_error_where_the_compiler_says_so() -> None:
    lines = guessed(
        "$ build",
        "src/Pump.hs:38:1: Warning:",
        "    The import of ‘Flow’ is redundant",
        "",
        "<no location info>: ",
        "Failing due to -Werror.",
        "[2 of 2] Compiling Valve",
        'The command "build" exited with 1.',
    )

    assert lines[0] == "src/Pump.hs:38:1: Warning:"


def test_a_long_list_of_complaints_does_not_hide_what_stands_beside_it() -> None:
    complaints = [f"docs/{name}.md:3 line too long" for name in ("a", "b", "c", "d", "e", "f", "g", "h", "i")]

    lines = guessed("$ lint", *complaints, "ERROR config of the linter is broken", 'The command "lint" exited with 1.')

    assert lines[0] == "docs/a.md:3 line too long"
    assert "ERROR config of the linter is broken" in lines


def test_what_a_wrapper_passed_on_above_the_failing_part_is_shown_too() -> None:
    lines = guessed(
        "$ npm install",
        "Error: Cannot find module 'pump'",
        "npm ERR! code ELIFECYCLE",
        'The command "npm install" exited with 0.',
        "$ npm test",
        "nothing to run",
        'The command "npm test" exited with 1.',
    )

    assert lines == ["nothing to run", "Error: Cannot find module 'pump'"]


def test_frames_of_a_stack_are_no_last_words() -> None:
    lines = guessed(
        "$ rake",
        "No Rakefile found",
        "/usr/lib/ruby/bin/rake:27:in `<main>'",
        "    at Object.run (pump.js:3:1)",
        'The command "rake" exited with 1.',
    )

    assert lines == ["No Rakefile found"]


def test_a_program_that_explains_its_options_complained_before_it_did() -> None:
    lines = guessed(
        "$ critic pump.pl",
        "there is nothing here to criticise",
        "Usage:",
        "  critic [--brutal | --gentle] FILE",
        'The command "critic pump.pl" exited with 2.',
    )

    assert lines[0] == "there is nothing here to criticise"


def test_what_went_well_is_no_last_word() -> None:
    lines = guessed("$ build", "the pump is upside down", *progress(9), 'The command "build" exited with 1.')

    assert lines == ["the pump is upside down"]
