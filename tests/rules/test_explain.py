"""Why a rule won or lost, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.rules.yaml_rules import with_field
from triage.classify import classify_job, make_scanner
from triage.classify.context import JobContext
from triage.classify.explaining import Lot, Reason, reasons, story_of
from triage.entry.cli import main
from triage.evaluate import job_facts, load_cases
from triage.logs import TextSource, read_log, read_tests
from triage.model import Job, JobFacts, JobId, RunId
from triage.rules import builtin_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

LABELLED = Path(__file__).parents[1] / "fixtures" / "labelled"
RULES = builtin_rules()
SCANNER = make_scanner(RULES)
END = "##[error]Process completed with exit code 1."
FULL = "tar: write error: No space left on device"


def told(*lines: str) -> dict[tuple[int, str], Reason]:
    log = read_log(TextSource("log", "\n".join(lines)), SCANNER)
    job = Job(id=JobId(0), run_id=RunId(0), run_attempt=1, name="log")
    facts = JobFacts(job=job, log=log, tests=read_tests(log))
    failure = classify_job(facts, RULES, SCANNER)
    found = reasons(JobContext(facts=facts, rules=RULES, scanner=SCANNER), failure)
    return {(reason.line, reason.rule): reason for reason in found}


def test_the_rule_that_is_believed_won_and_the_line_that_only_says_so_is_void() -> None:
    found = told("##[group]Run make", FULL, END)

    assert found[2, "disk-full"].lot is Lot.WON
    assert found[3, "exit-code"] == Reason(3, "exit-code", Lot.VOID, "a wrapper: it only says that something failed")


def test_what_may_have_come_of_a_broken_machine_loses_to_it() -> None:
    gone = "curl: (7) Failed to connect to 127.0.0.1 port 18300 after 0 ms: Connection refused"
    found = told("##[group]Run make", gone, FULL, END)

    assert found[3, "disk-full"].lot is Lot.WON
    assert found[2, "local-server-gone"].lot is Lot.LOST
    assert found[2, "local-server-gone"].why.startswith("`disk-full` (line 3) blames no code and ends the part")


def test_an_excuse_loses_to_code_that_is_broken_apart_from_it() -> None:
    found = told("##[group]Run make", FULL, "error[E0425]: cannot find value `x` in this scope", END)

    assert found[3, "rust-compile-error"].lot is Lot.WON
    assert found[2, "disk-full"].lot is Lot.LOST
    assert found[2, "disk-full"].why.startswith("`rust-compile-error` (line 3) blames the code: an excuse must end")


def test_a_rule_that_its_own_condition_silences_is_told_with_it() -> None:
    found = told("##[group]Run make", "# No space left on device", END)

    silent = [reason for reason in found.values() if reason.lot is Lot.SILENT and reason.rule == "disk-full"]
    assert [reason.line for reason in silent] == [2]
    assert silent[0].why.startswith("`but_not` holds: the line matches `")


def test_nothing_is_looked_for_in_a_log_that_ends_well() -> None:
    found = told(FULL, "Done. Your build exited with 0.")

    assert found[1, "disk-full"].why == "the log ends well, so nothing is looked for"


def answers() -> Iterator[tuple[str, JobContext]]:
    for case in load_cases(LABELLED / "h200"):
        facts = job_facts(case, SCANNER)
        yield case.id, JobContext(facts=facts, rules=RULES, scanner=SCANNER)


def test_the_reasons_fit_the_answers_on_labelled_logs() -> None:
    for case, context in answers():
        failure = classify_job(context.facts, RULES, SCANNER)
        found = reasons(context, failure)
        story = story_of(context)
        counted = {(match.line.number, match.rule.id) for match in story.failing} if story else set()
        won = {reason.rule for reason in found if reason.lot is Lot.WON}
        assert won == ({failure.rule.id} if failure.rule and story else set()), case
        assert {(r.line, r.rule) for r in found if r.lot is Lot.LOST} <= counted, case
        assert all(reason.why for reason in found), case


def test_the_command_tells_of_own_rules_and_of_those_that_expired(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, log = tmp_path / "mine.yml", tmp_path / "job.log"
    rules.write_text(with_field("expires: 2027-01-31").replace("disk-full", "our-disk"))
    log.write_text(f"2027-02-01T10:00:00.0000000Z {FULL}\n2027-02-01T10:00:01.0000000Z {END}\n")

    assert main(["rules", "explain", str(log), "--rules", str(rules)]) == 0
    out = capsys.readouterr().out
    assert "  won    disk-full, line 1\n" in out
    assert "  not asked: our-disk expired after 2027-01-31\n" in out

    log.write_text(log.read_text().replace("2027-02-01", "2027-01-31"))
    assert main(["rules", "explain", str(log), "--rules", str(rules)]) == 0
    out = capsys.readouterr().out
    assert "  won    our-disk, line 1\n" in out
    assert "  lost   disk-full, line 1\n" in out


def test_the_command_describes_a_rule_with_its_issue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "mine.yml"
    rules.write_text(with_field("issue: https://github.com/acme/engine/issues/7").replace("disk-full", "our-disk"))

    assert main(["rules", "explain", "our-disk", "--rules", str(rules)]) == 0
    assert "  issue    https://github.com/acme/engine/issues/7\n" in capsys.readouterr().out


def test_bench_names_the_speed_of_rules_and_those_without_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, log = tmp_path / "mine.yml", tmp_path / "job.log"
    rules.write_text(with_field(r"line: '\d+ \w\w \d+|No space left on device'", without="line"))
    log.write_text("12 ab 34\n")

    assert main(["rules", "bench", str(log), "--rules", str(rules), "--top", "3"]) == 0
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 4
    assert all(" MB/s  " in line for line in told.out.splitlines()[1:])
    assert "rule `disk-full` has a pattern without a text of three letters that must stand there" in told.err
