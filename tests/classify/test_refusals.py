"""Gates and reports in words that no rule knows; and jobs that only sound like them."""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.classify.context import JobContext
from triage.classify.structure import has_own_words
from triage.logs import TextSource, read_log, read_tests
from triage.model import Failure, Fault, Job, JobFacts, JobId, RunId
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
END = "##[error]Process completed with exit code 1.\n"


def failure_of(text: str) -> Failure:
    log = read_log(TextSource("job.log", text), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER)


def step(said: str, *inputs: str) -> str:
    env = "".join(f"  {line}\n" for line in inputs)
    return f"##[group]Run ./ci/check.sh\nshell: /usr/bin/bash -e {{0}}\nenv:\n{env}##[endgroup]\n{said}\n{END}"


@pytest.mark.parametrize(
    ("said", "label"),
    [
        (
            "##[error]Selected tests require the 'run-all' label. Ask a committer to add 'run-all' to this PR.",
            "run-all",
        ),
        ("##[error]Multi-host jobs need the label 'ci/dist' (set by a maintainer). Label not found.", "ci/dist"),
        ("error: no fragment in this pull request; add one or set the label `no-news`", "no-news"),
        ("Label `safe to test` is required before CI runs on this pull request", "safe to test"),
        ("All labels are required for this PR: area,kind", None),
        ("At least one label is required on this pull request.", None),
        ("Pull request is labeled as 'On Hold'\nThe check fails so that it cannot be merged", None),
        ("##[error]This PR requires at least 2 approvals.", None),
        ("##[error]Please set a milestone for this PR.", None),
        ("This PR does not have a CI label.\nThis check will remain failed until a CI label is added.", None),
        ("##[error]Please wait: the last run was 9 minutes ago, the cool-down is 60 minutes.", None),
    ],
)
def test_a_gate_that_asks_for_a_label_or_a_pause_refused(said: str, label: str | None) -> None:
    failure = failure_of(step(said))
    assert (failure.fault, failure.label) == (Fault.MISSING_LABEL, label)


@pytest.mark.parametrize(
    "said",
    [
        "error: label 'done' used but not defined",
        "deploy/api.yaml:12: the label 'app' is required on Deployment",
        "Error: Deployment needs the label 'app.kubernetes.io/name' to be set",
        "Dockerfile: info: Label `maintainer` is missing.",
        "validation error: label 'app.kubernetes.io/name' is required",
        "you must provide labels: {'owner'}",
        "Error: order 12 requires approval of a clerk",
        "error: label 'pr' used but not defined",
        "ValueError: y contains previously unseen labels: 'cat'",
        "Traceback (most recent call last):\n  File \"/w/ci/check.py\", line 3, in main\n    run()\nKeyError: 'label'",
    ],
)
def test_labels_of_other_things_are_no_gate(said: str) -> None:
    assert failure_of(step(said)).fault in {Fault.CODE, Fault.UNKNOWN}


READS_LABELS = "PR_LABELS: [dependencies]"


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("octo/enforce-label-action@v2", "##[error]Please select one label for the release notes (fix, feature, none)"),
        ("octo/enforce-label-action@v2", "##[error]hold label is banned"),
        ("./ci/gate.sh", "Did not find a label matching 'port/*' or 'no-port', failing the check."),
        ("./ci/gate.sh", "##[error]Set exactly one of the area labels"),
        ("./ci/gate.sh", "Label 'status: hold' is present. Failing the job."),
    ],
)
def test_a_step_that_reads_the_labels_and_misses_one_is_a_gate(run: str, said: str) -> None:
    text = step(said, READS_LABELS).replace("./ci/check.sh", run)
    assert failure_of(text).fault is Fault.MISSING_LABEL


@pytest.mark.parametrize(
    "said",
    [
        "error: label 'done' used but not defined",
        "##[error]the map has no label 'north'",
    ],
)
def test_a_step_that_works_on_labels_of_its_own_is_no_gate(said: str) -> None:
    assert failure_of(step(said)).fault in {Fault.CODE, Fault.UNKNOWN}
    long = "\n".join(f"assembling part {number}" for number in range(30))
    assert failure_of(step(f"{long}\n{said}", READS_LABELS)).fault in {Fault.CODE, Fault.UNKNOWN}


def test_a_gate_in_a_job_whose_tests_failed_explains_nothing() -> None:
    tests = "not ok 1 - adds\n  ---\n  message: 'expected 2'\n  ...\n1..1\n# tests 1\n# fail  1"
    assert failure_of(step(f"TAP version 13\n{tests}\nAdd the label 'skip-ci' to this PR")).fault is Fault.CODE


@pytest.mark.parametrize(
    ("said", "inputs", "roots"),
    [
        (
            "build_linux: success\nbuild_mac: failure\n##[error]A required build job did not succeed",
            ("MAC_RESULT: failure",),
            ("build_mac",),
        ),
        (
            "error: refusing to bundle, upstream job mac did not succeed",
            ('NEEDS: {"linux":"success","mac":"failure","win":"cancelled"}',),
            ("mac", "win"),
        ),
        ("lint: success\ntests: cancelled\ndocs: failure", ("TESTS_RESULT: cancelled",), ("docs", "tests")),
    ],
)
def test_a_job_that_only_shows_results_of_others_follows_them(
    said: str, inputs: tuple[str, ...], roots: tuple[str, ...]
) -> None:
    failure = failure_of(step(said, *inputs))
    assert (failure.fault, failure.roots) == (Fault.CASCADE, roots)


@pytest.mark.parametrize(
    ("said", "given", "roots"),
    [
        ("##[error]A job in this workflow did not succeed (results: success failure)", "RESULTS: success failure", ()),
        ("Failing because the wheels job failed", 'needs: {"wheels": {"result": "failure"}}', ("wheels",)),
        ("##[error]❌ At least one job failed.", "JOB_RESULTS: success failure skipped", ()),
        ("Some workflows have failed!", 'if [[ failure == "success" ]]; then', ()),
        ("wheels: failure", 'case "failure" in', ("wheels",)),
    ],
)
def test_a_step_that_was_handed_results_of_others_needs_not_name_them(
    said: str, given: str, roots: tuple[str, ...]
) -> None:
    failure = failure_of(step(said, given))
    assert (failure.fault, failure.roots) == (Fault.CASCADE, roots)


@pytest.mark.parametrize(
    "said",
    [
        "src/a.c:3:1: error: unknown type name 'part'\n##[error]build: failure",
        "looking at the style\nkit.xx has tabs\n❌ style: failure",
        "running the parts\nOne or more jobs failed",
    ],
)
def test_a_script_that_reports_on_its_own_checks_follows_nobody(said: str) -> None:
    assert failure_of(step(said)).fault in {Fault.CODE, Fault.UNKNOWN}


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ('if [[ "failure" != "success" ]]; then exit 1; fi', Fault.CASCADE),
        ('NEEDS_JSON: {"lint": {"result": "cancelled"}}', Fault.CASCADE),
        ("STATUS: failure", Fault.UNKNOWN),
        ("COLOUR: blue", Fault.UNKNOWN),
    ],
)
def test_a_step_that_says_nothing_follows_what_it_was_handed(given: str, fault: Fault) -> None:
    assert failure_of(step("", given)).fault is fault


@pytest.mark.parametrize(
    "said",
    [
        "##[error]style: failure",
        "❌ style failed with result: failure",
        "One or more required jobs failed",
        "style: failure\ndocs: success",
    ],
)
def test_a_job_that_reports_on_its_own_steps_follows_nobody(said: str) -> None:
    """Steps that may fail (`continue-on-error`), and a last one that tells what became of them."""
    own = step("house style: a forbidden include").replace("check.sh", "style.sh")
    assert failure_of(own + step(said, "STYLE_RESULT: failure")).fault in {Fault.CODE, Fault.UNKNOWN}


@pytest.mark.parametrize(
    ("said", "inputs"),
    [
        ("parse: success\nrender: failure", ()),  # results of its own checks: nothing was handed to it
        ("lint: success\ntests: success\nTypeError: cannot read undefined", ("TESTS_RESULT: success",)),
        ("tests: failure\npublishing anyway\nerror: version 1.2.0 exists", ("TESTS_RESULT: failure",)),
        ("src/app.c:3:1: error: unknown type\n##[error]A required build job did not succeed", ("X_RESULT: failure",)),
    ],
)
def test_a_job_with_words_of_its_own_follows_nobody(said: str, inputs: tuple[str, ...]) -> None:
    assert failure_of(step(said, *inputs)).fault in {Fault.CODE, Fault.UNKNOWN}


def test_what_a_step_was_asked_to_do_is_no_evidence() -> None:
    failure = failure_of(step("nothing to see", "MESSAGE: fatal error that was never printed"))
    assert not any("never printed" in fact.text for fact in failure.evidence)


@pytest.mark.parametrize(("first", "own"), [("house style: a forbidden include", True), ("", False)])
def test_a_job_one_of_whose_own_steps_failed_has_words_of_its_own(first: str, *, own: bool) -> None:
    text = (step(first).replace("check.sh", "style.sh") if first else "") + step("style: failure")
    log = read_log(TextSource("job.log", text), SCANNER)
    job = Job(id=JobId(1), run_id=RunId(1), run_attempt=1, name="all green")
    facts = JobFacts(job=job, log=log, tests=read_tests(log))
    assert has_own_words(JobContext(facts=facts, rules=RULES, scanner=SCANNER)) is own


DRAFT = "PR #41 is a draft: device jobs are not started for drafts."


def test_a_draft_that_a_gate_refused_is_told() -> None:
    assert failure_of(step(DRAFT)).fault is Fault.MISSING_LABEL


@pytest.mark.parametrize(
    "error",
    [
        "src/wire.c:14:3: error: expected ';' before 'return'",
        "docs are built\n" * 9 + "ERROR: the index has no entry for `wire`",
    ],
)
def test_a_job_that_only_tells_of_a_draft_and_then_fails_of_its_own_was_not_refused(error: str) -> None:
    assert failure_of(step(f"{DRAFT}\n{error}")).fault in {Fault.CODE, Fault.UNKNOWN}


NOT_THERE = "##[error]Unable to download artifact(s): Artifact not found for name: wheels\n"


def test_an_artifact_is_missing_because_the_job_that_makes_it_failed() -> None:
    fetch = f"##[group]Run actions/download-artifact@v4\nwith:\n  name: wheels\n##[endgroup]\n{NOT_THERE}"
    report = "##[group]Run ./ci/report.sh\n##[endgroup]\nwheels job result: failure\n"
    failure = failure_of(fetch + report)
    assert (failure.fault, failure.roots) == (Fault.CASCADE, ("wheels",))
    assert "Artifact not found" in "\n".join(piece.text for piece in failure.evidence)
    assert failure_of(fetch).fault is Fault.UNKNOWN
    assert failure_of(fetch + report.replace("failure", "success")).fault is Fault.UNKNOWN


def test_a_gate_that_prints_the_results_of_many_jobs_follows_the_one_that_failed() -> None:
    green = "".join(f'  "part-{number}": {{ "result": "success" }},\n' for number in range(120))
    said = f'{{\n  "unit": {{ "result": "failure" }},\n{green}  "docs": {{ "result": "success" }}\n}}'
    failure = failure_of(step(f"{said}\nThe gate stays shut: some checks have failed"))
    assert (failure.fault, failure.roots) == (Fault.CASCADE, ("unit",))


@pytest.mark.parametrize(
    "said",
    [
        "reading the sheets\n2 of the sheets do not add up\nNot publishing: job sheets failed",
        "the wire is broken, giving up\nResults: build=failure test=skipped",
        "ERROR: migration 12 does not apply\nSkipping the upload because an earlier stage has failed",
        "src/wire.c:3:1: error: unknown type name 'u33'\nA previous job has failed. Exiting.",
    ],
)
def test_a_script_that_failed_of_its_own_and_calls_its_parts_jobs_follows_nobody(said: str) -> None:
    assert failure_of(step(said)).fault in {Fault.CODE, Fault.UNKNOWN}


@pytest.mark.parametrize(
    ("results", "fault"),
    [
        ('{"wheels":{"result":"failure"},"docs":{"result":"success"}}', Fault.CASCADE),
        ('{"wheels":{"result":"success"},"docs":{"result":"failure"}}', Fault.UNKNOWN),  # it made one of another name
        ('{"wheel":{"result":"failure"}}', Fault.UNKNOWN),
    ],
)
def test_an_artifact_is_missing_because_the_job_in_its_name_failed(results: str, fault: Fault) -> None:
    told = f"##[group]Run ./ci/tell.sh\nenv:\n  NEEDS: {results}\n##[endgroup]\n"
    missing = NOT_THERE.replace("wheels", "linux-wheels")
    fetch = f"##[group]Run actions/download-artifact@v4\nwith:\n  name: linux-wheels\n##[endgroup]\n{missing}"
    failure = failure_of(told + fetch)
    assert (failure.fault, failure.roots) == (fault, ("wheels",) if fault is Fault.CASCADE else ())
    assert "Artifact not found" in failure.evidence[0].text
