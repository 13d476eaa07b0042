from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import jsonschema
import pytest
import re2
import yaml

from triage.classify import make_scanner
from triage.matching import Scanner
from triage.matching.patterns import for_block, options
from triage.matching.pieces import pieces_of
from triage.model import Fault, Rerun
from triage.rules import builtin_rules, check_examples, parse_builtin
from triage.rules.builtin import SNAPSHOT, rules_file
from triage.rules.compile import main, products, schema
from triage.rules.fields import EXCUSES, RULE_FIELDS

if TYPE_CHECKING:
    from triage.model import Rule

RULES = parse_builtin().rules


def test_every_rule_alone_does_what_its_examples_say() -> None:
    assert [str(problem) for problem in check_examples(parse_builtin())] == []


def test_the_snapshot_holds_the_rules_of_the_yaml() -> None:
    assert json.loads(SNAPSHOT.read_text(encoding="utf-8"))["sha"] == parse_builtin().sha
    assert builtin_rules().rules == RULES


def test_everything_made_from_the_rules_is_up_to_date() -> None:
    for path, text in products().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `python -m triage.rules.compile`"
    assert main(["--check"]) == 0


def test_the_schema_for_editors_accepts_the_built_in_rules() -> None:
    jsonschema.validate(yaml.safe_load(rules_file().read_text(encoding="utf-8")), dict(schema()))


def test_there_are_at_least_200_rules_and_each_explains_something() -> None:
    assert len(RULES) >= 200
    assert all(rule.fault is not Fault.UNKNOWN or rule.wrapper or rule.advice or rule.rerun for rule in RULES)


def test_every_fault_that_can_be_read_from_text_has_rules() -> None:
    counted = Counter(rule.fault for rule in RULES if not rule.wrapper)

    assert set(counted) >= {
        Fault.CODE,
        Fault.INFRASTRUCTURE,
        Fault.GPU_RESIDUE,
        Fault.MISSING_LABEL,
        Fault.CASCADE,
        Fault.CANCELLED,
        Fault.STARVED,
    }


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.fault in EXCUSES], ids=lambda rule: rule.id)
def test_a_rule_that_excuses_says_whether_a_rerun_helps(rule: Rule) -> None:
    assert rule.rerun is Rerun.UNKNOWN or rule.rerun_why


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.fault is Fault.INFRASTRUCTURE], ids=lambda r: r.id)
def test_somebody_is_told_of_a_broken_machine_or_service(rule: Rule) -> None:
    assert rule.owner


_WHAT_LOGS_ARE_FULL_OF = (
    "f4c2a09b7e11: Pulling fs layer",
    "Requirement already satisfied: numpy>=1.26 in /opt/hostedtoolcache/Python/3.11.7/x64/lib",
    "[12/804] c++ -O2 -Wall -Iinclude -MD -MF build/core/queue.o.d -c src/core/queue.cpp",
    "[ 41%] Building CXX object src/core/CMakeFiles/core.dir/queue.cpp.o",
    "tests/core/test_queue.py::test_push[3] PASSED                                [ 42%]",
    "2026-11-30 10:14:22 INFO  engine.core: step=41 loss=0.1810 lr=0.0009 tokens/s=1810",
    'INFO:     10.0.31.20:5555 - "POST /generate HTTP/1.1" 200 OK',
    '{"level":"info","ts":1783061.92,"caller":"core/queue.go:47","msg":"queue ready"}',
    "[INFO] Tests are skipped.",
    "Skipping optional dependency; java.lang.String is used instead",
    "=== PAUSE TestQueue/push",
    "   Compiling queue-core v0.4.1",
    "##[endgroup]",
    "",
)


@pytest.mark.parametrize("line", _WHAT_LOGS_ARE_FULL_OF)
def test_what_logs_are_full_of_is_sifted_out(line: str) -> None:
    # Each line that passes costs as much as a kilobyte that does not.
    patterns = set(make_scanner(builtin_rules()).patterns.values())
    pieces = {piece for pattern in patterns for piece in pieces_of(pattern) or ()}

    assert {piece for piece in pieces if re2.search(for_block(piece), line.encode(), options())} == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_pattern_has_a_text_that_can_be_looked_for(rule: Rule) -> None:
    # Without three letters that must stand there, a pattern is tried on every part of every log.
    for pattern in (*rule.lines, *rule.unless):
        looked_for = re2.Filter()
        looked_for.Add(for_block(pattern), options())
        looked_for.Add(b"never in the text", options())
        looked_for.Compile()

        assert not looked_for.Match(b"zzzz 12 qqqq\n", potential=True), pattern


@pytest.mark.parametrize("line", ["a" * 8000, " " * 8000, "0:" * 4000, "/" * 8000, "error: " * 1000, "at " * 2500])
def test_a_hostile_line_costs_no_more_than_its_length(line: str) -> None:
    scanner = Scanner(builtin_rules().patterns())

    assert sum(1 for _ in scanner.scan_block(f"{line}\n".encode() * 20)) < 20 * len(RULES)


def test_the_keys_of_every_rule_stand_in_the_same_order() -> None:
    order = {field.name: place for place, field in enumerate(RULE_FIELDS)}
    document = yaml.safe_load(rules_file().read_text(encoding="utf-8"))

    for rule in document["rules"]:
        places = [order[key] for key in rule]
        assert all(before < after for before, after in pairwise(places)), rule["id"]
