"""Drafts of rules from failures that no rule explains."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_failure, a_job, a_line, the_facts
from triage.entry.cli import main
from triage.history.records import Unmatched
from triage.history.store import Store
from triage.matching import find
from triage.model import Basis, Fault
from triage.rules import check_examples, load_rules
from triage.rules.clusters import Cluster, cluster
from triage.rules.drafts import Draft, draft, pattern_of

if TYPE_CHECKING:
    from pathlib import Path

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def lost(number: int, *, host: str = "runner-7") -> Unmatched:
    return Unmatched(
        excerpt=f"frobnicator lost its oil after {number}.5s on {host}, pid {4000 + number}",
        at=NOON,
        pull=("acme/engine", number // 2),
        author=f"dev{number % 3}",
        host=host,
    )


OTHER = Unmatched(excerpt="frobnicator found no oil in its barrel", at=NOON)


def of(*failures: Unmatched) -> tuple[Cluster, ...]:
    return cluster(failures).clusters


def test_failures_that_differ_by_what_varies_are_one_cluster() -> None:
    first, second = of(*(lost(number) for number in range(6)), OTHER)

    assert (first.size, first.texts, second.size) == (6, 1, 1)
    assert (len(first.pulls), len(first.authors), len(first.hosts)) == (3, 3, 1)
    assert first.newest == NOON


def test_failures_that_say_nearly_the_same_are_one_cluster() -> None:
    wordings = [f"cannot open the valve of barrel {colour}: it is stuck" for colour in ("red", "blue", "green")]

    (found,) = of(*(Unmatched(excerpt=text, at=None) for text in wordings))

    assert (found.size, found.texts, sorted(found.samples)) == (3, 3, sorted(wordings))


def test_a_flood_of_different_texts_is_counted_and_not_compared() -> None:
    flood = [Unmatched(excerpt=f"{letter * 9} is {letter * 5}", at=None) for letter in "abcdefghij"]

    found = cluster([*flood, *(lost(number) for number in range(5))], most_compared=4)

    assert (found.failures, found.left_out) == (15, 7)
    assert [one.size for one in found.clusters] == [5, 1, 1, 1]


@pytest.mark.parametrize(
    ("samples", "pattern"),
    [
        (["the frobnicator lost its oil"], "the frobnicator lost its oil"),
        (["oil lost (2 l) in barrel red", "oil lost (2 l) in barrel blue"], r"oil lost \(2 l\) in barrel"),
        (["frobnicator at 10:11:12 ran dry"], "frobnicator at.*ran dry"),
        (["no oil for /tmp/tmpab12cd34/x: broken"], "no oil for /.*/x: broken"),
        (["frobnicator   ran\tdry again"], r"frobnicator\s+ran\s+dry\s+again"),
        (["exit 1"], None),
        (["abc def ghi", "jkl mno pqr"], None),
    ],
)
def test_a_drafted_pattern_keeps_what_all_lines_share_and_leaves_out_what_varies(
    samples: list[str], pattern: str | None
) -> None:
    assert pattern_of(samples) == pattern
    assert pattern is None or all(find(pattern, sample) is not None for sample in samples)


def test_a_draft_is_a_rule_that_proves_itself_and_claims_nothing() -> None:
    found = of(*(lost(number) for number in range(6)), OTHER)

    made = draft(found[0], found[1:], taken={"frobnicator-lost-its-oil"})

    assert isinstance(made, Draft)
    rules = load_rules("version: 1\nrules:\n" + "\n".join(f"  {line}" for line in made.yaml.split("\n")), "draft")
    (rule,) = rules.rules
    assert (rule.id, rule.fault) == ("frobnicator-lost-its-oil-2", Fault.UNKNOWN)
    assert "fault: unknown  # a person decides" in made.yaml
    assert "A person has to decide `fault`" in made.yaml
    assert check_examples(rules) == ()
    assert [example.excerpt.text for example in rules.examples if not example.is_match] == [OTHER.excerpt]


def test_what_shows_where_nothing_failed_makes_no_draft() -> None:
    (found,) = of(Unmatched(excerpt="Cleaning up orphan processes", at=None))

    assert draft(found, (), ()) == "what its lines share shows in a passing log (`checkout`), too"


def remember(place: Path, *texts: str) -> None:
    """Keep a failure for each text, in a run of its own, as a triage would."""
    with Store.open(place) as store:
        for number, text in enumerate(texts, start=1):
            job = a_job(number=number, run=number)
            failure = a_failure(job=job, basis=Basis.GUESS, evidence=(a_line(text, job=job),))
            store.add(the_facts([failure]), [failure], reader="test")


def test_an_empty_history_is_told_from_one_that_rules_explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "history.db")

    assert main(["rules", "suggest", "--history", place]) == 0
    told = capsys.readouterr()
    assert (told.out, "no failure is kept in" in told.err, "triage history sync" in told.err) == ("", True, True)


def test_the_command_prints_a_rules_file_that_can_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "history.db"
    remember(place, *(lost(number).excerpt for number in range(3)), OTHER.excerpt)

    assert main(["rules", "suggest", "--history", str(place)]) == 0

    text = capsys.readouterr().out
    assert text.startswith(
        "# 4 failures that no rule explains; 3 of them in 1 cluster:\n#\n#   1. 3 failures, 1 wording"
    )
    (tmp_path / "drafts.yml").write_text(text)
    assert main(["rules", "check", str(tmp_path / "drafts.yml")]) == 0
    assert capsys.readouterr().out.startswith("1 rule with 4 examples: all hold")


def test_failures_of_which_none_say_the_same_are_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "history.db"
    remember(place, lost(1).excerpt, OTHER.excerpt)

    assert main(["rules", "suggest", "--history", str(place)]) == 0
    assert "2 are explained by no rule, and fewer than 2 of them say the same; --least 1" in capsys.readouterr().err
