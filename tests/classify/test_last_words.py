"""What a job that was stopped said last."""

from __future__ import annotations

import pytest

from triage.classify import classify_job, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Annotation, Conclusion, Job, JobFacts, JobId, RunId
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)


def test_the_last_words_of_a_job_that_ran_out_of_time_are_quoted_and_no_ticking_clock() -> None:
    ticks = "\n".join(f"[12:{minute}:14Z] Mem: 2.5/30.7GB | CPU: 3 %" for minute in range(10, 40))
    text = f"##[group]Run ./sanity\n##[endgroup]\n+ ./probe --device 0\n{ticks}\n##[error]The operation was canceled.\n"
    log = read_log(TextSource("log", text), SCANNER)
    job = Job(id=JobId(1), run_id=RunId(1), run_attempt=1, name="sanity", conclusion=Conclusion.CANCELLED)
    words = Annotation(message="The job running on runner gpu-2 has exceeded the maximum execution time of 15 minutes.")

    failure = classify_job(JobFacts(job=job, log=log, tests=read_tests(log), annotations=(words,)), RULES, SCANNER)

    assert [fact.text for fact in failure.evidence] == [
        words.message,
        "+ ./probe --device 0",
        "##[error]The operation was canceled.",
    ]


def evidence_of(message: str, *said: str) -> list[str]:
    text = "\n".join(("##[group]Run ./sanity", "##[endgroup]", *said, "Post job cleanup."))
    log = read_log(TextSource("log", f"{text}\n"), SCANNER)
    job = Job(id=JobId(1), run_id=RunId(1), run_attempt=1, name="sanity", conclusion=Conclusion.CANCELLED)
    facts = JobFacts(job=job, log=log, tests=read_tests(log), annotations=(Annotation(message=message),))
    return [fact.text for fact in classify_job(facts, RULES, SCANNER).evidence]


def test_of_a_job_that_was_cancelled_it_tells_more_that_it_was_than_what_it_was_at() -> None:
    newer = "Canceling since a higher priority waiting request for 'sanity-41' exists"
    end = "##[error]The operation was canceled."
    assert evidence_of(newer, "compiling wing 3 of 8", end) == [newer, end, "compiling wing 3 of 8"]


def test_a_line_of_the_log_that_says_what_github_says_stands_before_it() -> None:
    lost = "The self-hosted runner lost communication with the server."
    line = f"##[error]{lost} Verify the machine is running."
    assert evidence_of(lost, "compiling wing 3 of 8", line) == [line, lost, "compiling wing 3 of 8"]


@pytest.mark.parametrize(
    "said", ["ninja: build stopped: interrupted by user.", "Terminate orphan process: pid (41) (wing)"]
)
def test_what_was_said_when_a_job_was_cancelled_is_quoted_last(said: str) -> None:
    end = "##[error]The operation was canceled."
    quoted = evidence_of("The run was canceled by @heron.", "compiling wing 3 of 8", end, said)
    assert quoted[1:] == [end, "compiling wing 3 of 8", said]
