"""Threats T5, T16, T17 and T20: what is left of text that others wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render.hostile import hostile_text
from triage.render.foreign_text import NAMELESS, UNSEEN, shortened, shown_address, shown_line, shown_name


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("    indented by four", "    indented by four"),
        ("\tindented by a tab", "    indented by a tab"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://evil.example\x1b\\text\x1b]8;;\x1b\\", "text"),
        ("\x1bPdevice\x1b\\text", "text"),
        ("\x1b]0;an open sequence hides nothing", "0;an open sequence hides nothing"),
        ("a\x1b", "a"),
        ("user\u202egnp.exe", "usergnp.exe"),
        ("zero\u200bwidth\ufeff\u2060", "zerowidth"),
        ("soft\xadhyphen", "softhyphen"),
        ("tag\U000e0041\U000e0042", "tag"),
        ("half\ud800", "half\ufffd"),
        ("one\r\ntwo\nthree\u2028four\x85five", "one two three four five"),
        ("bell\x07 null\x00", "bell null"),
        ("trailing  ", "trailing"),
        ("größe 温度 🙂", "größe 温度 🙂"),
    ],
)
def test_a_line_keeps_what_can_be_seen_and_nothing_else(raw: str, shown: str) -> None:
    assert shown_line(raw) == shown


@given(hostile_text(), st.integers(1, 300))
def test_whatever_it_was_it_is_one_short_line_that_can_be_seen_and_encoded(text: str, limit: int) -> None:
    line = shown_line(text, limit=limit)

    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert not UNSEEN.search(line)
    assert line.encode().decode() == line


@given(hostile_text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert shown_line(shown_line(text)) == shown_line(text)


def test_a_secret_that_an_escape_sequence_splits_is_masked() -> None:
    token = "ghp_" + "a1B2" * 9

    assert token not in shown_line(f"token {token[:10]}\x1b[0m{token[10:]}")
    assert "ghp_" not in shown_line(f"token {token[:10]}\x1b[0m{token[10:]}")


def test_a_secret_at_the_end_of_a_cut_line_is_masked_before_it_is_cut() -> None:
    token = "ghp_" + "a1B2" * 9

    assert "ghp_" not in shown_line("x" * 480 + " " + token)


def test_a_line_of_many_megabytes_is_cleaned_in_no_time() -> None:
    assert len(shown_line("\x1b]" * 5_000_000)) == 0
    assert len(shown_line("x" * 20_000_000)) == 500


@pytest.mark.parametrize("nothing", ["", "  ", "\u200b", "\x1b[0m", "\n"])
def test_a_name_of_which_nothing_can_be_seen_is_said_to_be_no_name(nothing: str) -> None:
    assert shown_name(nothing) == NAMELESS


def test_a_name_has_no_runs_of_spaces() -> None:
    assert shown_name("  a \t  b\n c ") == "a b c"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "https://github.com/o/r/actions/runs/1/job/2#step:4:34",
            "https://github.com/o/r/actions/runs/1/job/2#step:4:34",
        ),
        ("https://blob.example/log?sig=secret&se=1", "https://blob.example/log"),
        ("https://github.com/o/r/x?sig=secret#step:1:2", "https://github.com/o/r/x#step:1:2"),
        ("http://127.0.0.1:8080/o/r/actions/runs/1", "http://127.0.0.1:8080/o/r/actions/runs/1"),
        ("https://user:pass@github.com/o/r", ""),
        ("javascript:alert(1)", ""),
        ("https://github.com/a b", ""),
        ("https://github.com/\x1b[31m", ""),
        ("https://github.com/x)y", ""),
        ("https://github.com/" + "x" * 1_000, ""),
        ("", ""),
    ],
)
def test_an_address_is_plain_and_without_its_query_or_it_is_not_shown(url: str, shown: str) -> None:
    assert shown_address(url) == shown


def test_what_is_cut_ends_in_an_ellipsis() -> None:
    assert shortened("abcdef", limit=4) == "abc…"
    assert shortened("abcd", limit=4) == "abcd"
