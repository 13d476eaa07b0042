"""Pieces of patterns: whatever a pattern matches holds one of its pieces."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.logs.tests import TEST_TRIGGERS
from triage.matching import Scanner, check_pattern, clean_block, clean_line, find
from triage.matching.pieces import pieces_of
from triage.matching.sieve import Sieve
from triage.rules.builtin import parse_builtin

STAMP = "2026-11-30T11:26:03.0611977Z"


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        ("No space left on device", (r"No space left on",)),
        (r"^FAILED (?P<test>\S+::\S+)", ("^FAILED ",)),
        (r"timed out after \d+ms|(?:OOMKilled|oom-kill)", ("timed out after ", "OOMKilled", "oom-kill")),
        (r"\w+ warning", (" warning",)),
        (r"(?i)fatal", ("(?i:fatal)",)),
        (r"a(?i:b)cdefg", ("a(?i:b)cdefg",)),
        (r"[Cc]onnection (?:was |is )?reset", ("[Cc]onnection ",)),
        (r"^={70}$", ("^(?:=){4,}$",)),
        (r"error: .* in .*\.kt:\d+", (r"\.kt:(?:\d)",)),
        (r"[Ee]rror .*Cargo\.lock needs", (r"Cargo\.lock nee",)),
        (r"running test .* zypper", (" zypper",)),
        (r"(?:fatal: )?\s*\d+ warnings?", (r"(?:\d) warning",)),
    ],
)
def test_a_pattern_is_relaxed_to_what_it_cannot_do_without(pattern: str, pieces: tuple[str, ...]) -> None:
    assert pieces_of(pattern) == pieces


@pytest.mark.parametrize(
    "pattern", [r"\w+", r"^\s+\S", r"\d+", r"(?:error: fatal|\S+x)", r"\Qquoted text\E", r"[a-z]+: "]
)
def test_a_pattern_without_anything_rare_has_no_pieces(pattern: str) -> None:
    assert pieces_of(pattern) is None


_ATOMS = st.sampled_from(
    ["a", "b", "err", "error: ", r"\d", r"\s", r"\w", ".", "[ab]", "[^a]", r"\.", "x", "é", r"\bfail\b", "{", "[0-9:]"]
)
_PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda each: f"(?:{'|'.join(each)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "{2}", "{1,3}", "{0,2}", "{2,}", "{6}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map(lambda each: f"(?i:{each})"),
        inner.map(lambda each: f"({each})"),
    ),
    max_leaves=8,
)


@st.composite
def patterns_and_matches(draw: st.DrawFn) -> tuple[str, str]:
    pattern = draw(_PATTERNS)
    if draw(st.booleans()):
        pattern = f"^{pattern}"
    around = draw(st.text(alphabet="ab é:1\t", max_size=4))
    matching = draw(st.from_regex(re.compile(pattern.removeprefix("^"), re.ASCII), fullmatch=True))
    return pattern, matching + around if pattern.startswith("^") else around + matching + around


@given(patterns_and_matches())
def test_every_line_that_a_pattern_matches_passes_the_sieve(case: tuple[str, str]) -> None:
    pattern, line = case
    if check_pattern(pattern) is not None or find(pattern, line) is None or not line.isprintable():
        return
    raw = line.encode()

    assert Sieve({pattern: pieces_of(pattern)}).lines(b"before\n" + raw + b"\nafter") != []
    assert (7, 7 + len(raw)) in Sieve({pattern: pieces_of(pattern)}).lines(b"before\n" + raw + b"\nafter")


_COLOURS = st.sampled_from(
    ["\x1b[31m", "\x1b[0m", "\x1b[1;38;5;196m", "\x1b[K", "\x1b(B", "\x1b[m\x1b[K", "\x1b]0;t\x07", "\x1b"]
)


@given(patterns_and_matches(), st.sampled_from(["", STAMP, f"{STAMP} ", f"\ufeff{STAMP} "]), st.data())
def test_a_pattern_is_found_wherever_colours_stand(case: tuple[str, str], start: str, data: st.DataObject) -> None:
    pattern, line = case
    if check_pattern(pattern) is not None or not line.isprintable():
        return
    text = start + line
    for at in sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)), reverse=True):
        text = text[:at] + data.draw(_COLOURS) + text[at:]
    raw = f"before\n{text}\n\x1b[32mafter\x1b[0m".encode()

    with_colours = list(Scanner({"it": pattern}, sifts_after=0).scan_block(raw))

    assert with_colours == list(Scanner({"it": pattern}, sifts_after=0).scan_block(clean_block(raw)))
    lines = [clean_line(each).decode() for each in raw.split(b"\n")]
    assert with_colours == [(index, "it") for index, each in enumerate(lines) if find(pattern, each) is not None]


@pytest.mark.parametrize(
    "construct",
    [r"\s", r"\W", r"\D", "[^a]", "[^]]", r"[\s\d]", r"[\t-~]", "[[:space:]]", r"[\x00-\x1f]", r"\pC", "[ \t-~]"],
)
def test_no_piece_reaches_over_the_end_of_a_line_and_hides_what_ends_there(construct: str) -> None:
    assert Sieve({"it": (f"rr{construct}", "r$")}).lines(b"err\nno")[0] == (0, 3)


def test_the_sieve_loses_nothing_of_the_built_in_rules() -> None:
    rules = parse_builtin()
    patterns = {**rules.patterns(), **TEST_TRIGGERS}
    examples = [example.excerpt.text for example in rules.examples]
    block = "\n".join(examples).encode()

    sifted = list(Scanner(patterns, sifts_after=0).scan_block(block))

    assert sifted == list(Scanner(patterns, sifts_after=len(block)).scan_block(block))
    assert len(sifted) > len(examples) / 2
