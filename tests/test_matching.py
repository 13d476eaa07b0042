"""Patterns on lines: what is refused, and that a block tells the same as its lines one by one."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.matching import (
    Scanner,
    check_pattern,
    clean_block,
    clean_line,
    find,
    split_stamp,
)
from triage.matching.cleaning import MAX_LINE_BYTES

STAMP = "2026-11-30T11:26:03.0611977Z"

# ---------------------------------------------------------------------------------------------------------------
# What may be written


@pytest.mark.parametrize(
    "pattern",
    [
        "No space left on device",
        r"^FAILED (?P<test>\S+::\S+)",
        r"(?i)^error: (?P<what>.+)$",
        r"^(?i)fatal",
        r"a{2,1000}b|c$",
        r"[^^]x",
        r"[]^]x",
        r"\^x",
        r"\Qa^b\E",
        r"✗ FAILED: .* returned exit code \d+",
        r"(?:OOMKilled|oom-kill:)",
    ],
)
def test_a_pattern_of_the_dialect_is_accepted(pattern: str) -> None:
    assert check_pattern(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "construct", "rewrite"),
    [
        ("a(?=b)", "look-ahead `(?=…)`", "capture only the part you want"),
        ("a(?!b)", "negative look-ahead", "a pattern of its own"),
        ("(?<=a)b", "look-behind", "match the text before"),
        ("(?<!a)b", "negative look-behind", "a pattern of its own"),
        ("(?>a)b", "atomic group", "(?:…)"),
        (r"(a)\1", r"back reference `\1`", "loosely"),
        ("(?P<n>a)(?P=n)", "back reference `(?P=…)`", "loosely"),
        (r"(?<n>a)\k<n>", r"back reference `\k<…>`", "loosely"),
        ("a++b", "possessive `++`", "write `+`"),
        ("a{2,3}+b", "possessive `{2,3}+`", "write `{2,3}`"),
        (r"a\Z", r"`\Z`", "write `$`"),
        (r"a\z", r"`\z`", "write `$`"),
        (r"\Aa", r"`\A`", "write `^`"),
        ("(?x) a b", "flag `(?x)`", "without blanks"),
        ("(?m)^a", "flag `(?m)`", "leave it out"),
        ("(?#why)a", "comment", "beside the pattern"),
        ("a|^b", "`^` at offset 2", "a second pattern"),
        ("(^a|b)", "`^` at offset 1", "a second pattern"),
        ("a{1001}", "count `{1001}`", "at most 1000"),
        ("(a{100}){100}", "{100}", "more than 1000"),
        (r"a\nb", r"`\n`", "one pattern for each line"),
        ("a\nb", "line break", "one pattern for each line"),
        (r"\bfoo\h", r"`\h`", r"[ \t]"),
    ],
)
def test_a_construct_that_cannot_be_is_named_with_a_rewrite(pattern: str, construct: str, rewrite: str) -> None:
    reason = check_pattern(pattern)

    assert reason is not None
    assert construct in reason
    assert rewrite in reason


@pytest.mark.parametrize("pattern", ["", "a*", "^", "$", "^$", r"\b", "(?:a|)", "x?", r"\B"])
def test_a_pattern_that_matches_no_text_is_refused(pattern: str) -> None:
    reason = check_pattern(pattern)

    assert reason is not None
    assert "no text" in reason


@pytest.mark.parametrize("pattern", ["[", "(a", "a)", "a**", "[z-a]", r"\p{Nope}", "(?P<a"])
def test_what_re2_itself_refuses_is_told_in_its_words(pattern: str) -> None:
    reason = check_pattern(pattern)

    assert reason is not None
    assert "RE2" in reason


@given(st.text(alphabet=r"ab^$\[](){}?*+|.,:<>=!PQEZnsd0123", max_size=20))
def test_a_checked_pattern_always_compiles_alone_and_in_a_set(pattern: str) -> None:
    if check_pattern(pattern) is None:
        list(Scanner({"it": pattern}, sifts_after=0).scan_block(b"ab"))
        find(pattern, "ab")


# ---------------------------------------------------------------------------------------------------------------
# One line


def test_find_gives_the_named_groups_that_took_part() -> None:
    pattern = r"^error(?:\[(?P<code>E\d+)\])?: (?P<what>.+)"

    assert find(pattern, "error[E0308]: mismatched types") == {"code": "E0308", "what": "mismatched types"}
    assert find(pattern, "error: ✗ boom") == {"what": "✗ boom"}
    assert find(pattern, "an error: boom") is None
    assert find("boom", "an error: boom") == {}


def test_a_pattern_that_would_backtrack_for_hours_takes_no_time() -> None:
    began = time.perf_counter()

    assert find("(a+)+$", "a" * 5000 + "!") is None
    assert list(Scanner({"it": "(a+)+$"}).scan_block(b"a" * 5000 + b"!")) == []
    assert time.perf_counter() - began < 2


# ---------------------------------------------------------------------------------------------------------------
# Cleaning


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        (b"\x1b[31mError\x1b[0m: no", b"Error: no"),
        (b"\x1b[1;38;5;196mE\x1b[0K\x1b[2J", b"E"),
        (b"\x1b]0;title\x07text", b"text"),
        (b"\x1b]8;;https://x.example\x1b\\link\x1b]8;;\x1b\\!", b"link!"),
        (b"\x1b(Bok\x1b=\x1b7", b"ok"),
        (b"cut \x1b[3", b"cut "),
        (b"lone \x1b", b"lone "),
        (b" 10%\r 50%\r100% done", b"100% done"),
        (b"wiped\rdone\r          \r", b"done"),
        (b"windows\r", b"windows"),
        (b"travis_fold:start:a\r\x1b[0K\x1b[33;1mWorker\x1b[0m", b"Worker"),
        (b"section_end:1:a\r\x1b[0Ksection_start:1:b\r\x1b[0K\x1b[36;1mGetting source\x1b[0;m\r", b"Getting source"),
        (b"E\x00R\x00R\x00", b"ERR"),
        (b"spin \x08\x08ner", b"spin ner"),
        (b"tab\tstays", b"tab\tstays"),
        (b"broken \xff\xfe utf-8", "broken �� utf-8".encode()),
        (b"\xef\xbb\xbf" + STAMP.encode() + b" text", b"text"),
        (STAMP.encode() + b" old\rnew", b"new"),
        (STAMP.encode(), b""),
        (STAMP.encode() + b" ", b""),
        (f"{STAMP} {STAMP} nested".encode(), f"{STAMP} nested".encode()),
        (b"2026-11-30T11:26:03Z other clock", b"2026-11-30T11:26:03Z other clock"),
    ],
)
def test_a_line_is_cleaned_to_what_a_reader_would_have_seen(raw: bytes, cleaned: bytes) -> None:
    assert clean_line(raw) == cleaned


def test_a_line_is_cut_between_characters() -> None:
    cleaned = clean_block(b"x" + "é".encode() * MAX_LINE_BYTES + b"\nshort")

    first, second = cleaned.split(b"\n")
    assert len(first) == MAX_LINE_BYTES - 1
    assert first.decode().startswith("xéé")
    assert second == b"short"


@given(st.binary(max_size=300))
def test_cleaning_never_loses_a_line_and_is_done_once(raw: bytes) -> None:
    cleaned = clean_block(raw)

    assert cleaned.count(b"\n") == raw.count(b"\n")
    assert b"\x1b" not in cleaned
    cleaned.decode()


# ---------------------------------------------------------------------------------------------------------------
# Blocks

PATTERNS = {
    "anchored": r"^err",
    "anchored-i": r"(?i)^Err\w*: (?P<what>.+)",
    "alternatives": r"^warn|fail$",
    "end": r"fail(?:ed)?$",
    "anything": r"a.*z",
    "negated": r"a[^b]+c",
    "blank": r"err\s+x",
    "word": r"\berr\b",
    "inside": r"\Berr",
    "digits": r"\d{4}-\d\d-\d\dT",
    "not-ascii": r"✗ .é",
    "mark": r"^##\[error\]",
    "stamp": r"^2026",
    "class": r"[^\w ]{2}x",
    "long": r"x{500}",
    "dot-first": r"^.z",
}

_PIECES = st.sampled_from(
    [
        "err",
        "Error: ",
        "warn",
        "fail",
        "failed",
        "a",
        "b",
        "c",
        "z",
        "x",
        " ",
        "\t",
        "✗ xé",
        "##[error]",
        "2026-11-30",
        f"{STAMP} ",
        STAMP,
        "\ufeff",
        "\x1b[31m",
        "\x1b[0m",
        "\x1b]0;t\x07",
        "\x1b",
        "\r",
        "\r\n",
        "\n",
        "\x00",
        "\x08",
        "\u200b",
        "x" * 600,
        "y" * 9000,
    ]
).map(str.encode)
_RAW = st.lists(st.one_of(_PIECES, st.binary(max_size=3)), max_size=40).map(b"".join)


@given(_RAW)
def test_a_block_is_cleaned_as_its_lines_are_one_by_one(raw: bytes) -> None:
    assert clean_block(raw) == b"\n".join(clean_block(line) for line in raw.split(b"\n"))


def naive(raw: bytes) -> list[tuple[int, str]]:
    """Each line alone, each pattern alone, with another engine."""
    found = []
    for index, line in enumerate(raw.split(b"\n")):
        text = clean_line(line).decode()
        found += [(index, key) for key, pattern in PATTERNS.items() if _python(pattern).search(text)]
    return found


def _python(pattern: str) -> re.Pattern[str]:
    # RE2 reads \b, \w, \d and \s as ASCII, and its $ is the very end.
    return re.compile(pattern.replace("$", r"\Z"), re.ASCII)


@pytest.mark.parametrize("sifts_after", [0, 1_000_000])
@given(raw=_RAW)
def test_a_block_tells_the_same_as_its_lines_one_by_one(sifts_after: int, raw: bytes) -> None:
    assert list(Scanner(PATTERNS, sifts_after=sifts_after).scan_block(raw)) == naive(raw)


def test_lines_far_down_a_large_block_keep_their_numbers() -> None:
    lines = [f"{STAMP} line {index}" for index in range(5000)]
    lines[17] += " failed"
    lines[4321] = f"{STAMP} \x1b[31merr 1\x1b[0m"

    found = list(Scanner(PATTERNS).scan_block("\r\n".join(lines).encode()))

    assert found == [(17, "end"), (4321, "anchored"), (4321, "word")]


def test_a_scanner_without_patterns_finds_nothing() -> None:
    assert list(Scanner({}).scan_block(b"anything\nat all")) == []


def test_a_wider_scanner_finds_both_and_is_made_once() -> None:
    scanner = Scanner({"one": "err"})

    wider = scanner.including({"two": "warn"})

    assert list(wider.scan_block(b"warn\nerr")) == [(0, "two"), (1, "one")]
    assert scanner.including({"two": "warn"}) is wider
    assert list(scanner.scan_block(b"warn")) == []


def test_a_pattern_nobody_checked_is_refused_by_the_scanner() -> None:
    scanner = Scanner({"it": "a(?=b)"})

    with pytest.raises(ValueError, match="cannot be compiled"):
        list(scanner.scan_block(b"ab"))


def test_a_block_says_which_keys_it_holds() -> None:
    scanner = Scanner({"one": "err", "two": "warn"})

    assert scanner.look(b"an err\n").keys == {"one"}
    assert scanner.look(b"nothing\n").keys == frozenset()


def test_keys_come_in_the_order_of_the_patterns() -> None:
    patterns = {f"key {number}": f"word{number} " for number in reversed(range(30))}
    block = b"".join(b"word%d \n" % number for number in range(30))

    assert tuple(Scanner(patterns).look(block).keys) == tuple(patterns)


def test_a_stamp_is_taken_off_once() -> None:
    assert split_stamp(f"{STAMP} {STAMP} x".encode()) == (STAMP.encode(), f"{STAMP} x".encode())
    assert split_stamp(b"\xef\xbb\xbfplain") == (b"", b"plain")
