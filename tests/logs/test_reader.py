"""What a raw log becomes: text, numbers, times, and the lines that patterns hit."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.logs import BytesSource, TextSource, read_log
from triage.matching import Scanner, clean_line
from triage.model import Log, LogLine

NOTHING = Scanner({})
STAMP = "2026-11-30T11:26:03.0611977Z"
AT = datetime(2026, 11, 30, 11, 26, 3, 61197, tzinfo=UTC)


def texts(raw: bytes) -> list[str]:
    return [line.text for line in read_log(BytesSource("a log", raw), NOTHING).lines]


def test_a_timestamp_becomes_the_time_of_its_line() -> None:
    log = read_log(TextSource("a log", f"\ufeff{STAMP} first\n{STAMP} \n{STAMP}\nplain\n"), NOTHING)

    assert log == Log(
        lines=(LogLine(1, "first", AT), LogLine(2, "", AT), LogLine(3, "", AT), LogLine(4, "plain", None)),
        total_lines=4,
    )


def test_a_timestamp_that_a_program_printed_stays_text() -> None:
    log = read_log(TextSource("a log", f"{STAMP} {STAMP} ##[error]of another job"), NOTHING)

    assert log.lines == (LogLine(1, f"{STAMP} ##[error]of another job", AT),)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("[2026-11-30T11:26:03Z] ##[error]broken", "##[error]broken"),
        ("[2026-11-30T11:26:03.061Z] + make", "+ make"),
        ("2026-11-30T11:26:03.061197Z 01E make: no", "make: no"),
        ("2026-11-30T11:26:03.061197Z 00O+ goes on", " goes on"),
        ("[2026-11-30T11:26:03Z]", ""),
    ],
)
def test_the_timestamps_of_other_platforms_are_timestamps(raw: str, text: str) -> None:
    log = read_log(TextSource("a log", f"{raw}\n{raw}\n"), NOTHING)

    assert [line.text for line in log.lines] == [text, text]
    assert all(
        line.at is not None and line.at.replace(microsecond=0) == AT.replace(microsecond=0) for line in log.lines
    )


def test_the_time_of_day_that_jenkins_puts_before_every_line_is_taken_off() -> None:
    log = read_log(
        TextSource("a log", "11:26:03  + make\n11:26:03\n11:26:04  make: no\n11:26:05  Finished: FAILURE\n"), NOTHING
    )

    assert [line.text for line in log.lines] == ["+ make", "", "make: no", "Finished: FAILURE"]
    assert all(line.at is None for line in log.lines)


def test_the_time_of_day_is_taken_off_though_jenkins_says_something_before_the_pipeline_starts() -> None:
    before = ["Pull request #31 updated", "Obtained Jenkinsfile"]
    pipeline = ["[Pipeline] node", "[Pipeline] {", "+ make"]
    raw = "".join(f"{line}\n" for line in [*before, *(f"08:00:01  {line}" for line in pipeline)])

    assert texts(raw.encode()) == [*before, *pipeline]


def test_times_of_day_that_a_program_printed_on_some_lines_stay_text() -> None:
    log = read_log(TextSource("a log", "11:26:03  open\nmake: no\n11:26:04  shut\n11:26:05  open\n"), NOTHING)

    assert [line.text for line in log.lines] == ["11:26:03  open", "make: no", "11:26:04  shut", "11:26:05  open"]


def test_a_time_in_brackets_that_a_program_printed_behind_the_platforms_own_stays_text() -> None:
    log = read_log(TextSource("a log", f"{STAMP} [2026-11-30T11:26:03Z] ##[error]of another job"), NOTHING)

    assert log.lines == (LogLine(1, "[2026-11-30T11:26:03Z] ##[error]of another job", AT),)


def test_a_timestamp_that_is_no_date_gives_no_time() -> None:
    log = read_log(TextSource("a log", "2026-99-30T11:26:03.0611977Z text"), NOTHING)

    assert log.lines == (LogLine(1, "text", None),)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"colour \x1b[31mred\x1b[0m", "colour red"),
        (b"10%\r99%\r100%\r", "100%"),
        (b"windows\r", "windows"),
        (b"\xff\xfebroken", "��broken"),
        (b"N\x00U\x00L", "NUL"),
        (b"bell\x07 \x0c\x7f", "bell "),
        ("C1 \u009b31m\u0085".encode(), "C1 31m"),
        ("right \u202eto\u202c left\u2066\u2069".encode(), "right to left"),
        ("zero\u200bwidth\u2060\ufeff\u00ad".encode(), "zerowidth"),
        (b"tab\tand  blanks ", "tab\tand  blanks "),
        ("naïve ✗ 日本 🎉".encode(), "naïve ✗ 日本 🎉"),
        ("tag\U000e0041\U000e007f".encode(), "tag"),
    ],
)
def test_nothing_invisible_is_left_in_a_line(raw: bytes, text: str) -> None:
    assert texts(raw + b"\n") == [text]


@pytest.mark.parametrize(
    "forged",
    ["\u200b##[error]Process completed", "\u202e##[group]Run pytest", "\x07##[error]x", "\ufeff\ufeff##[error]x"],
)
def test_invisible_text_in_front_never_makes_a_mark_of_the_runner(forged: str) -> None:
    log = read_log(TextSource("a log", f"{STAMP} {forged}\n"), Scanner({"error": r"^##\[error\]"}))

    assert not log.lines[0].text.startswith("##[")
    assert "##[" in log.lines[0].text
    assert log.hits == {}
    assert log.spans == ()


def test_a_look_alike_letter_makes_no_mark() -> None:
    log = read_log(TextSource("a log", "##[еrror]with a Cyrillic letter\n"), Scanner({"error": r"^##\[error\]"}))

    assert log.hits == {}
    assert log.lines[0].text == "##[еrror]with a Cyrillic letter"


def test_a_long_line_is_cut_for_people_after_what_patterns_see() -> None:
    raw = b"x" * 5000 + b"needle" + b"y" * 5000 + b"beyond\nshort\n"

    log = read_log(BytesSource("a log", raw), Scanner({"near": "needle", "far": "beyond"}))

    assert [len(line.text) for line in log.lines] == [2000, 5]
    assert log.hits == {"near": (1,)}


def test_lines_of_other_systems_read_as_plain_text() -> None:
    raw = (
        b"travis_fold:start:worker_info\r\x1b[0K\x1b[33;1mWorker information\x1b[0m\r\n"
        b"section_end:1664922631:a\r\x1b[0Ksection_start:1664922631:b\r\x1b[0K\x1b[36;1mGetting source\x1b[0;m\r\n"
        b"[Pipeline] { (Test)\r\n"
        b"+ make test\n"
    )

    log = read_log(BytesSource("a log", raw), NOTHING)

    assert [line.text for line in log.lines] == [
        "Worker information",
        "Getting source",
        "[Pipeline] { (Test)",
        "+ make test",
    ]
    assert log.spans == ()


def test_an_empty_log_has_no_lines() -> None:
    assert read_log(BytesSource("a log", b""), NOTHING) == Log(lines=(), total_lines=0)


def test_a_last_line_without_an_end_counts() -> None:
    assert texts(b"one\ntwo") == ["one", "two"]
    assert texts(b"one\ntwo\n") == ["one", "two"]
    assert texts(b"one\n\n") == ["one", ""]


def test_hits_are_told_by_raw_line_number() -> None:
    raw = f"{STAMP} quiet\n{STAMP} \x1b[31mFAILED\x1b[0m a::b\nquiet\nFAILED c::d\n"

    log = read_log(TextSource("a log", raw), Scanner({"failed": r"^FAILED (?P<test>\S+)", "quiet": "quiet"}))

    assert log.hits == {"failed": (2, 4), "quiet": (1, 3)}


def test_a_download_that_ended_early_says_so() -> None:
    log = read_log(BytesSource("a log", b"half a l", truncated=True), NOTHING)

    assert log.truncated
    assert log.complete


@given(st.binary(max_size=400))
def test_any_bytes_become_numbered_lines_without_control_characters(raw: bytes) -> None:
    log = read_log(BytesSource("a log", raw), NOTHING)

    assert [line.number for line in log.lines] == list(range(1, log.total_lines + 1))
    assert log.total_lines == raw.count(b"\n") + (not raw.endswith(b"\n") and raw != b"")
    for line in log.lines:
        assert line.text.isprintable() or all(
            char == "\t" or not char.isascii() or char.isprintable() for char in line.text
        )


@given(st.lists(st.text(alphabet="ab \t✗é", max_size=20), max_size=30))
def test_the_text_of_a_line_is_what_patterns_see(lines: list[str]) -> None:
    log = read_log(TextSource("a log", "\n".join(lines)), NOTHING)

    assert [line.text for line in log.lines] == [clean_line(line.encode()).decode() for line in lines][
        : log.total_lines
    ]
