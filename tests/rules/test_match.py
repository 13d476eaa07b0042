from __future__ import annotations

import pytest

from triage.logs import TextSource, read_log
from triage.matching import Scanner
from triage.model import Fault, Log, LogLine, Rule
from triage.rules import Match, RuleSet, matches, read_text


def a_rule(rule_id: str, *lines: str, **more: object) -> Rule:
    fields: dict[str, object] = {"id": rule_id, "title": rule_id, "fault": Fault.CODE, "lines": lines, **more}
    return Rule(**fields)  # type: ignore[arg-type]  # the fields are given by name


def found_in(text: str, *rules: Rule) -> tuple[Match, ...]:
    rule_set = RuleSet(rules=rules, sha="")
    return matches(rule_set, read_text(text, Scanner(rule_set.patterns())))


def test_a_rule_shows_on_every_line_it_matches() -> None:
    found = found_in("ok\nerror: a\nok\nerror: b", a_rule("error", "error: (?P<what>.+)"))

    assert [(match.line.number, match.captures["what"]) for match in found] == [(2, "a"), (4, "b")]


def test_matches_come_by_line_and_on_one_line_in_file_order() -> None:
    found = found_in("disk error\nnet error", a_rule("net", "net"), a_rule("disk", "disk"), a_rule("any", "error"))

    assert [(match.line.number, match.rule.id) for match in found] == [(1, "disk"), (1, "any"), (2, "net"), (2, "any")]


def test_several_lines_must_stand_in_order_and_the_last_one_decides() -> None:
    rule = a_rule("gone", "resolving (?P<package>\\w+)", "404 (?P<why>.+)")

    (found,) = found_in("404 early\nresolving torch\nretrying\n404 Not Found", rule)

    assert (found.line.number, [line.number for line in found.lines]) == (4, [2, 4])
    assert dict(found.captures) == {"package": "torch", "why": "Not Found"}


@pytest.mark.parametrize(("between", "expected"), [(2, 1), (3, 0)])
def test_several_lines_must_stand_close_together(between: int, expected: int) -> None:
    rule = a_rule("hang", "nvidia-smi", "timed out", within=3)

    found = found_in("nvidia-smi\n" + "output\n" * between + "timed out", rule)

    assert len(found) == expected


def test_the_nearest_line_above_is_taken() -> None:
    rule = a_rule("failed", "job (?P<job>\\w+)", "result failure")

    (found,) = found_in("job a\nresult success\njob b\nresult failure", rule)

    assert found.captures["job"] == "b"


def test_a_line_that_must_not_match_silences_the_rule_on_that_line_only() -> None:
    rule = a_rule("refused", "refused: (?P<host>\\S+)", but_not=("localhost",))

    (found,) = found_in("refused: localhost\nrefused: index.example.net", rule)

    assert found.captures["host"] == "index.example.net"


@pytest.mark.parametrize(("lines_between", "speaks"), [(0, False), (39, False), (40, True)])
def test_a_line_nearby_silences_the_rule(lines_between: int, *, speaks: bool) -> None:
    rule = a_rule("missing", "no such package", unless=("network down",))

    above = found_in("network down\n" + "x\n" * lines_between + "no such package", rule)
    below = found_in("no such package\n" + "x\n" * lines_between + "network down", rule)

    assert bool(above) is bool(below) is speaks


def test_what_silences_a_rule_does_so_in_a_log_that_is_full_of_it() -> None:
    rule = a_rule("missing", "no such package", unless=("network down",))
    rule_set = RuleSet(rules=(rule,), sha="0")
    noise = "network down\n" * 500

    log = read_log(TextSource("job", f"{noise}no such package\n{noise}"), Scanner(rule_set.patterns()))

    assert matches(rule_set, log) == ()


@pytest.mark.parametrize(("fault", "speaks"), [(Fault.INFRASTRUCTURE, False), (Fault.CODE, True)])
def test_a_rule_excuses_nothing_where_the_lines_that_may_silence_it_were_not_kept(
    fault: Fault, *, speaks: bool
) -> None:
    rule = a_rule("missing", "no such package", unless=("network down",), fault=fault)
    kept = (LogLine(500, "no such package"),)
    log = Log(lines=kept, total_lines=1000, hits={"rule:missing": (500,)}, complete=False)

    assert bool(matches(RuleSet(rules=(rule,), sha=""), log)) is speaks


def test_a_group_that_took_no_part_is_no_capture() -> None:
    (found,) = found_in("error: a", a_rule("error", "error: (?P<one>a)|fatal: (?P<two>b)"))

    assert dict(found.captures) == {"one": "a"}
