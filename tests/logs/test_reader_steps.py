"""Which step wrote which line: by GitHub's times where they tell, and by the runner's marks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from triage.logs import TextSource, read_log
from triage.matching import Scanner
from triage.model import Conclusion, Log, Step

BEGIN = datetime(2026, 11, 30, 9, 0, 0, tzinfo=UTC)


def at(seconds: float, text: str) -> str:
    """A line as GitHub stores it, so many seconds after `BEGIN`."""
    moment = BEGIN + timedelta(seconds=seconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06}0Z {text}"


def step(
    number: int,
    name: str,
    began: float | None = None,
    ended: float | None = None,
    conclusion: Conclusion | None = Conclusion.SUCCESS,
) -> Step:
    return Step(
        number=number,
        name=name,
        conclusion=conclusion,
        started_at=None if began is None else BEGIN + timedelta(seconds=began),
        completed_at=None if ended is None else BEGIN + timedelta(seconds=ended),
    )


def read(lines: list[str], *steps: Step) -> Log:
    return read_log(TextSource("a log", "\n".join(lines) + "\n"), Scanner({}), steps=steps)


def spans(log: Log) -> list[tuple[int, int, int]]:
    return [(span.number, span.first_line, span.last_line) for span in log.spans]


LINES = [
    at(0.1, "Current runner version: '2.331.0'"),
    at(0.2, "Complete job name: tests"),
    at(1.1, "##[group]Run actions/checkout@v5"),
    at(1.2, "with:"),
    at(1.3, "##[endgroup]"),
    at(1.9, "##[group]Run pip install -r requirements.txt"),
    at(3.5, "Successfully installed pytest"),
    at(4.2, "##[group]Run pytest -v"),
    at(9.0, "FAILED tests/test_a.py::test_a"),
    at(9.1, "##[error]Process completed with exit code 1."),
    at(9.3, "Post job cleanup."),
    at(9.4, "[command]/usr/bin/git version"),
    at(9.8, "Cleaning up orphan processes"),
]
STEPS = (
    step(1, "Set up job", 0, 1),
    step(2, "Run actions/checkout@v5", 1, 1),
    step(3, "Install", 1, 4),
    step(4, "Unit tests", 4, 9, Conclusion.FAILURE),
    step(5, "Upload logs", 9, 9, Conclusion.SKIPPED),
    step(10, "Post Run actions/checkout@v5", 9, 9),
    step(11, "Complete job", 9, 9),
)
RIGHT = [(1, 1, 2), (2, 3, 5), (3, 6, 7), (4, 8, 10), (10, 11, 12), (11, 13, 13)]


def test_steps_are_told_by_their_marks_and_times() -> None:
    log = read(LINES, *STEPS)

    assert spans(log) == RIGHT
    assert [line.step for line in log.lines] == [1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 10, 10, 11]
    assert log.spans[3].name == "Unit tests"


def test_the_order_in_which_steps_are_given_does_not_matter() -> None:
    assert spans(read(LINES, *reversed(STEPS))) == RIGHT


def test_steps_without_times_are_told_by_name_and_order() -> None:
    timeless = tuple(step(each.number, each.name, conclusion=each.conclusion) for each in STEPS)

    assert spans(read(LINES, *timeless)) == RIGHT


def test_lines_without_timestamps_are_told_by_name_and_order() -> None:
    assert spans(read([line.split(" ", 1)[1] for line in LINES], *STEPS)) == RIGHT


def test_a_log_of_which_some_lines_have_no_timestamp_is_told_the_same() -> None:
    ragged = [line.split(" ", 1)[1] if index % 2 else line for index, line in enumerate(LINES)]

    assert spans(read(ragged, *STEPS)) == RIGHT


def test_a_machine_whose_clock_is_wrong_is_told_by_name_where_nothing_failed_at_the_time_of_the_failed_step() -> None:
    named = (*STEPS[:2], step(3, "Run pip install -r requirements.txt", 1, 4), step(4, "Run pytest -v", 4, 9))
    behind = tuple(
        step(each.number, each.name, number * 2 - 100, number * 2 - 98, conclusion)
        for number, each in enumerate((*named, *STEPS[5:]))
        for conclusion in [Conclusion.FAILURE if each.number == 4 else each.conclusion]
    )

    assert spans(read(LINES, *behind)) == RIGHT


def test_a_machine_whose_clock_is_wrong_is_told_by_order_where_each_step_left_one_mark() -> None:
    ragged = tuple(
        step(each.number, each.name, number * 2 - 100, number * 2 - 98, each.conclusion)
        for number, each in enumerate(STEPS)
    )

    assert spans(read(LINES, *ragged)) == RIGHT


def test_a_machine_whose_clock_is_wrong_is_told_by_where_the_mark_of_the_first_action_lies() -> None:
    lines = [*LINES[:6], at(2.5, "##[group]Run echo of an action made of others"), *LINES[6:]]
    behind = tuple(
        step(each.number, each.name, began - 40, ended - 40, each.conclusion)
        for each, began, ended in zip(STEPS, (0, 1, 1, 4, 9, 9, 9), (1, 1, 4, 9, 9, 9, 9), strict=True)
    )

    assert spans(read(lines, *behind)) == [(1, 1, 2), (2, 3, 5), (3, 6, 8), (4, 9, 11), (10, 12, 13), (11, 14, 14)]


def test_what_an_action_does_after_the_job_never_begins_like_a_step_of_the_workflow() -> None:
    lines = [
        *LINES[:8],
        at(9.1, "##[group]Run ./ci/gather.sh"),
        at(13.1, "##[error]Process completed with exit code 1."),
        at(13.2, "Post job cleanup."),
    ]

    log = read(lines, *STEPS[:4], step(10, "Post Run actions/checkout@v5", 9, 14))

    assert spans(log) == [(1, 1, 2), (2, 3, 5), (3, 6, 7), (4, 8, 10), (10, 11, 11)]


def test_an_error_of_another_step_is_not_given_to_the_failed_one_when_its_name_tells_nothing() -> None:
    lines = [*LINES[:7], at(3.6, "##[error]codecov: could not upload"), *LINES[7:9], *LINES[10:]]

    assert spans(read(lines, *STEPS)) == [(1, 1, 2), (2, 3, 5), (3, 6, 8), (4, 9, 10), (10, 11, 12), (11, 13, 13)]


def test_steps_that_share_a_second_are_told_by_name() -> None:
    lines = [
        at(0.1, "Complete job name: tests"),
        at(0.2, "##[group]Run actions/checkout@v5"),
        at(0.3, "##[group]Run actions/setup-python@v6"),
        at(0.4, "##[group]Run make lint"),
        at(0.5, "##[group]Run make test"),
    ]

    log = read(
        lines,
        step(1, "Set up job", 0, 0),
        step(2, "Run actions/checkout@v5", 0, 0),
        step(3, "Set up Python", 0, 0),
        step(4, "Run make lint", 0, 0, Conclusion.SKIPPED),
        step(5, "Run make test", 0, 2),
    )

    assert spans(log) == [(1, 1, 1), (2, 2, 2), (3, 3, 4), (5, 5, 5)]


def test_marks_that_a_program_prints_make_no_steps() -> None:
    lines = [
        *LINES[:8],
        at(5.0, "##[group]Run actions/checkout@v5"),
        at(5.5, "Post job cleanup."),
        at(6.0, "##[group]Run rm -rf /"),
        *LINES[8:],
    ]

    log = read(lines, *STEPS)

    assert spans(log) == [(1, 1, 2), (2, 3, 5), (3, 6, 7), (4, 8, 13), (10, 14, 15), (11, 16, 16)]


def test_an_action_made_of_others_is_one_step() -> None:
    lines = [
        at(1.0, "##[group]Run ./.github/actions/prepare"),
        at(1.2, "##[group]Run actions/setup-node@v6"),
        at(5.0, "##[group]Run npm ci"),
        at(9.1, "##[group]Run npm test"),
    ]

    log = read(lines, step(1, "Prepare", 1, 9), step(2, "Test", 9, 20))

    assert spans(log) == [(1, 1, 3), (2, 4, 4)]


def test_a_step_without_a_mark_is_placed_by_its_time() -> None:
    lines = [
        at(0.1, "Complete job name: tests"),
        at(2.1, "##[group]Checking docker version"),
        at(2.5, "Error response from daemon: cannot remove container"),
        at(8.1, "##[group]Run actions/checkout@v5"),
        at(20.0, "Stop and remove container: x"),
        at(21.5, "Cleaning up orphan processes"),
    ]

    log = read(
        lines,
        step(1, "Set up job", 0, 2),
        step(2, "Initialize containers", 2, 8),
        step(3, "Run actions/checkout@v5", 8, 19),
        step(4, "Stop containers", 20, 21),
        step(5, "Complete job", 21, 21),
    )

    assert spans(log) == [(1, 1, 1), (2, 2, 3), (3, 4, 4), (4, 5, 5), (5, 6, 6)]


def test_a_step_that_ended_well_begins_below_the_error_of_the_step_before_it() -> None:
    lines = [
        at(0.1, "##[group]Run ./boot.sh"),
        at(0.2, "##[endgroup]"),
        at(7.1, "device offline"),
        at(7.2, "##[error]Timeout waiting for the device."),
        at(7.6, "device is shut down"),
    ]
    boot = step(1, "Run ./boot.sh", 0, 7, Conclusion.FAILURE)

    assert spans(read(lines, boot, step(2, "Shut down", 7, 8))) == [(1, 1, 4), (2, 5, 5)]
    assert spans(read(lines, boot, step(2, "Shut down", 7, 8, Conclusion.FAILURE))) == [(1, 1, 2), (2, 3, 5)]


def test_a_step_of_ones_own_may_be_called_like_the_runners() -> None:
    lines = [
        at(1, "##[group]Run make"),
        at(5, "##[group]Run curl -F f=@log https://x.example"),
        at(6, "Post job cleanup."),
    ]

    log = read(
        lines,
        step(1, "Build", 1, 5),
        step(2, "Post the logs", 5, 6),
        step(3, "Post Run actions/checkout@v5", 6, 6),
    )

    assert spans(log) == [(1, 1, 1), (2, 2, 2), (3, 3, 3)]


def test_the_first_error_stands_in_the_step_that_failed() -> None:
    lines = [at(1.1, "##[group]Run git fetch origin"), at(1.5, "##[error]Process completed with exit code 128.")]

    log = read(
        lines,
        step(1, "Versions", 1, 1),
        step(2, "Run actions/checkout@v5", 1, 1, Conclusion.FAILURE),
    )

    assert spans(log) == [(2, 1, 2)]


def test_a_step_that_was_cut_off_keeps_its_lines() -> None:
    lines = [at(1, "##[group]Run make"), at(5, "##[group]Run make test"), at(30, "still running")]

    log = read(lines, step(1, "Run make", 1, 5), step(2, "Run make test", 5, None, None))

    assert spans(log) == [(1, 1, 1), (2, 2, 3)]


def test_without_steps_the_marks_divide_the_log() -> None:
    log = read(LINES)

    assert [(span.number, span.name, span.first_line, span.last_line) for span in log.spans] == [
        (1, "Set up job", 1, 2),
        (2, "Run actions/checkout@v5", 3, 5),
        (3, "Run pip install -r requirements.txt", 6, 7),
        (4, "Run pytest -v", 8, 10),
        (5, "Post job cleanup", 11, 12),
        (6, "Complete job", 13, 13),
    ]


def test_a_log_without_marks_has_no_steps() -> None:
    assert read(["+ make test", "FAILED"]).spans == ()
    assert read(["+ make test", "FAILED"], step(1, "Run make test")).spans == ()


def test_a_job_that_never_started_has_an_empty_log_and_no_steps() -> None:
    assert read_log(TextSource("a log", ""), Scanner({}), steps=STEPS).spans == ()


def test_many_marks_are_placed_in_no_time() -> None:
    lines = [at(number / 10, f"##[group]Run step {number}") for number in range(3000)]
    steps = tuple(step(number, f"Step {number}", number * 3, number * 3 + 3) for number in range(100))

    log = read(lines, *steps)

    assert len(log.spans) > 30
    assert log.spans[0].first_line == 1
