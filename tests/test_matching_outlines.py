"""What patterns cannot do without, worked out ahead: it saves time, and alters nothing."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.test_matching_sieve import patterns_and_matches
from triage.classify import compile as signs_compile
from triage.classify import make_scanner, signs
from triage.logs import OUTLINES, TEST_TRIGGERS
from triage.logs.compile import outlines
from triage.matching import Outlines, Scanner, check_pattern, find
from triage.matching.outlines import outline_of
from triage.matching.tries import AT_ONCE_AFTER, Tries
from triage.matching.words import demands_of
from triage.rules.builtin import parse_builtin


@pytest.mark.parametrize(
    ("pattern", "demands"),
    [
        ("No space left", ((("no space left",),),)),
        (r"^FAILED (?P<test>\S+::\S+)", ((("failed ",), ("::",)),)),
        (r"timed out \d+ms|(?:OOMKilled|oom-kill)", ((("timed out ",), ("ms",)), (("oomkilled",),), (("oom-kill",),))),
        (r"[Cc]onnection (?:was |is )?reset", ((("connection ",), ("reset",)),)),
        (r"error: (?:in|at) .*\.kt", ((("error: ",), (".kt",), ("in", "at")),)),
        (r"(?:ab)+c{0}de{2}f", ((("ab",),),)),
        (r"(?i)É+ fatal", (((" fatal",),),)),
    ],
)  # fmt: skip
def test_a_pattern_demands_the_words_that_stand_in_all_it_matches(
    pattern: str, demands: tuple[tuple[tuple[str, ...], ...], ...]
) -> None:
    assert demands_of(pattern) == demands


@pytest.mark.parametrize("pattern", [r"\w+", "a|long text", r"\Qquoted\E", r"\x41bc", r"\pNabc", "(?i)éé", "(ab"])
def test_a_pattern_of_which_nothing_is_known_demands_nothing(pattern: str) -> None:
    assert demands_of(pattern) == ()


@given(patterns_and_matches())
def test_a_pattern_is_found_with_its_outline_wherever_it_matches(case: tuple[str, str]) -> None:
    pattern, line = case
    if check_pattern(pattern) is None and find(pattern, line) is not None:
        assert Tries((pattern,), {pattern: outline_of(pattern)}).on(line.encode()).keys() == {pattern}


@pytest.mark.parametrize("line", ["KISS", "\u212ai\u017f\u017f"])
def test_letters_that_fold_to_ascii_count_as_it(line: str) -> None:
    tries = Tries(("(?i)kiss",), {"(?i)kiss": outline_of("(?i)kiss")})

    assert tries.on(line.encode()).keys() == {"(?i)kiss"}


def test_the_built_in_rules_find_the_same_in_a_small_log_with_their_outlines() -> None:
    rules = parse_builtin()
    lines = [line.encode() for example in rules.examples for line in example.excerpt.text.splitlines()]
    with_outlines = make_scanner(rules)
    block = b"\n".join(lines)

    found = list(with_outlines.scan_block(block))

    assert len(block) > AT_ONCE_AFTER
    assert found == list(Scanner(with_outlines.patterns, sifts_after=10 * len(block)).scan_block(block))
    assert found == list(with_outlines.scan_block(block))  # now with all words at once


def test_words_count_only_where_they_stand_on_one_line() -> None:
    pattern = r"error: .*denied"
    tries = Tries((pattern,), {})

    assert tries.on(b"error: one\ntwo denied") == {}
    assert pattern not in tries._compiled
    assert tries.on(b"error: one\ntwo denied\nerror: three\nerror: four is denied\n").keys() == {pattern}


def test_a_pattern_that_was_changed_has_no_outline() -> None:
    written = Outlines(OUTLINES.read_bytes())

    known = written.of([*TEST_TRIGGERS.values(), "never written"])

    assert known.keys() <= set(TEST_TRIGGERS.values())
    assert len(known) > len(TEST_TRIGGERS) / 2


def test_the_outlines_of_the_marks_are_up_to_date() -> None:
    assert OUTLINES.read_text(encoding="utf-8") == outlines(), "run `python -m triage.logs.compile`"


def test_the_outlines_of_the_looks_are_up_to_date() -> None:
    written = signs.OUTLINES.read_text(encoding="utf-8")

    assert written == signs_compile.outlines(), "run `python -m triage.classify.compile`"
