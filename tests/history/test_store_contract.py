"""What is promised of the store, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.builders import (
    NOW,
    REPOSITORY,
    a_job,
    a_line,
    a_pull,
    a_run,
    a_test,
    broken_machine,
    failing_tests,
    the_facts,
)
from tests.history.stories import (
    ANOTHER,
    LONG_AGO,
    READER,
    a_known_failure,
    add,
    branch_run,
    everything,
    on_main,
    on_pull,
)
from triage.decide import signatures_of
from triage.history.records import BranchKind, PullOfRun
from triage.history.store import KEPT_FOR, Store
from triage.model import (
    Conclusion,
    Fault,
    Gap,
    JobFacts,
    JobId,
    Log,
    LogLine,
    LogState,
    MissingLog,
    Outcome,
    Run,
    RunId,
    Signature,
    Step,
)

if TYPE_CHECKING:
    from pathlib import Path

    from triage.model import Failure


def signature(failure: Failure) -> Signature:
    (only,) = signatures_of(failure)
    return only


# What is added


def test_the_same_triage_twice_changes_nothing(store: Store) -> None:
    story = on_pull(a_known_failure())
    add(store, story)
    before = everything(store)

    add(store, story)

    assert before["triage_sighting"]
    assert everything(store) == before


def test_a_job_that_ended_replaces_what_it_was_while_it_ran(store: Store) -> None:
    running = replace(a_job(number=11, conclusion=None), run_id=RunId(501), steps=())
    facts = replace(on_main(run=501, status="in_progress", conclusion=None)[0], jobs=(running,))
    store.add(facts, (), reader=READER)
    failure = failing_tests(job=a_job(number=11))

    add(store, on_main(failure, run=501))

    (known,) = store.baseline(REPOSITORY, since=LONG_AGO)
    assert known.job.conclusion is Conclusion.FAILURE
    assert known.run.conclusion is Conclusion.FAILURE
    assert known.failure is not None
    assert len(everything(store)["triage_job"]) == 1


def test_an_older_view_never_undoes_a_newer_one(store: Store) -> None:
    ended = on_main(failing_tests(job=a_job(number=11)), run=501)
    add(store, ended)
    before = everything(store)
    running = replace(ended[0].jobs[0], status="in_progress", conclusion=None, completed_at=None)
    earlier = on_main(run=501, status="in_progress", conclusion=None)[0]

    store.add(replace(earlier, jobs=(running,)), (), reader=READER)

    assert everything(store) == before


def test_what_a_better_reader_finds_replaces_what_was_read_before(store: Store) -> None:
    job = a_job(number=11)
    add(store, on_main(broken_machine(job=job)), reader="old")
    better = failing_tests(job=job)

    add(store, on_main(better), reader="new")

    (known,) = store.baseline(REPOSITORY, since=LONG_AGO)
    assert known.failure is not None
    assert known.failure.reader == "new"
    assert known.failure.signatures == (signature(better),)
    assert not store.sightings(REPOSITORY, [signature(broken_machine(job=job))], since=LONG_AGO)[
        signature(broken_machine(job=job))
    ].on_default


def test_an_earlier_attempt_keeps_its_failure_when_the_newer_one_is_green(store: Store) -> None:
    failure = a_known_failure()
    add(store, on_main(failure, run=501))
    green = replace(a_job(name="unit-test", conclusion=Conclusion.SUCCESS), run_attempt=2)
    facts = on_main(run=501, green=(green,), attempt=2, conclusion=Conclusion.SUCCESS)[0]

    store.add(facts, (), reader=READER)

    attempts = [(one.run.attempt, one.job.conclusion) for one in store.baseline(REPOSITORY, since=LONG_AGO)]
    assert attempts == [(2, Conclusion.SUCCESS), (1, Conclusion.FAILURE)]


def test_attempts_that_only_their_jobs_tell_of_are_kept(store: Store) -> None:
    first = replace(a_job(number=11, attempt=1), run_id=RunId(601))
    facts, failures = on_pull(a_known_failure(), run=601, attempt=2)

    store.add(replace(facts, earlier_jobs=(first,)), failures, reader=READER)

    assert [job.run_attempt for job in store.jobs_of(REPOSITORY, RunId(601))] == [1, 2]


def test_every_word_of_a_job_and_its_run_is_given_back(store: Store) -> None:
    steps = (
        Step(number=1, name="Set up job", conclusion=Conclusion.SUCCESS, started_at=NOW, completed_at=NOW),
        Step(number=2, name="Tests", status="in_progress"),
    )
    job = replace(a_job(name="gpu (2)", labels=("2-gpu", "self-hosted")), steps=steps, check_run_id=77)
    failure = failing_tests(a_test(), a_test(name="t.py::other", exception="KeyError"), job=job, ran=40)

    facts, failures = on_main(replace(failure, evidence=(a_line("RuntimeError: mat1"),)), run=501)
    store.add(facts, failures, reader=READER)

    (known,) = store.baseline(REPOSITORY, since=LONG_AGO)
    assert known.run == facts.runs[0]
    assert known.job == replace(facts.jobs[0], workflow=facts.runs[0].workflow)
    assert known.failure is not None
    assert set(known.failure.signatures) == set(signatures_of(failure))
    assert (known.failure.fault, known.failure.tests_run) == (Fault.CODE, 40)
    assert known.failure.excerpt == "RuntimeError: mat1"
    assert known.failure.whole


@pytest.mark.parametrize("text", ["nul \0 in it", "half \ud83d of a pair", "x" * 100_000, "naïve — 測試", "'; DROP --"])
def test_whatever_a_log_holds_can_be_kept_and_found(store: Store, text: str) -> None:
    failure = failing_tests(a_test(name=f"test[{text}]", message=text), job=a_job(name=f"job {text}"))
    told = replace(failure, title=text, evidence=(a_line(text),))

    add(store, on_main(told))

    found = store.sightings(REPOSITORY, signatures_of(told), since=LONG_AGO)
    short = len(text) < 10_000
    assert [len(one.on_default) for one in found.values()] == [1 if short else 0]
    (known,) = store.baseline(REPOSITORY, since=LONG_AGO)
    assert known.failure is not None
    assert known.failure.whole is short
    assert known.failure.signatures == (signatures_of(told) if short else ())


def test_numbers_that_a_log_made_up_are_cut(store: Store) -> None:
    add(store, on_main(failing_tests(ran=10**30)))

    (known,) = store.baseline(REPOSITORY, since=LONG_AGO)

    assert known.failure is not None
    assert known.failure.tests_run == 2**31 - 1


def test_secrets_are_masked_before_they_are_kept(store: Store) -> None:
    secret = f"ghp_{'a1B2' * 10}"
    failure = replace(a_known_failure(), title=f"with {secret}", evidence=(a_line(f"token {secret}"),))
    facts, failures = on_main(failure)
    log = Log(lines=(LogLine(1, f"export TOKEN={secret}"),), total_lines=1)

    store.add(replace(facts, red=(JobFacts(job=facts.jobs[0], log=log),)), failures, reader=READER)

    assert secret not in repr(everything(store))
    (kept,) = store.read_jobs(REPOSITORY, facts.jobs, reader=READER).values()
    assert isinstance(kept.log, Log)
    assert kept.log.lines[0].text == "export TOKEN=***"


# Sightings


def test_a_signature_is_found_on_main_and_on_pull_requests_newest_first(store: Store) -> None:
    failure = a_known_failure()
    add(store, on_main(replace(failure, job=a_job(runner="host-7")), run=501, at=NOW - timedelta(hours=3)))
    add(store, on_main(replace(failure, job=a_job(runner="host-8")), run=502, at=NOW - timedelta(hours=1)))
    add(store, on_pull(replace(failure, job=a_job()), run=601, number=8, author="somebody"))

    found = store.sightings(REPOSITORY, [signature(failure)], since=LONG_AGO)[signature(failure)]

    assert [(one.run_id, one.runner, one.pull_number) for one in found.on_default] == [
        (502, "host-8", None),
        (501, "host-7", None),
    ]
    assert [(one.run_id, one.pull_number, one.author) for one in found.on_pulls] == [(601, 8, "somebody")]
    assert found.on_default[0].head_sha == f"{502:040x}"
    assert found.on_default[0].at == NOW - timedelta(hours=1)


def test_another_error_of_the_same_test_is_another_signature(store: Store) -> None:
    add(store, on_main(failing_tests(a_test(exception="KeyError", message="'meta_info'"))))

    other = signature(failing_tests(a_test()))

    assert not store.sightings(REPOSITORY, [other], since=LONG_AGO)[other].on_default


def test_signatures_of_another_version_are_never_the_same(store: Store) -> None:
    failure = a_known_failure()
    add(store, on_main(failure))

    newer = replace(signature(failure), version=signature(failure).version + 1)

    assert not store.sightings(REPOSITORY, [newer], since=LONG_AGO)[newer].on_default


def test_what_lies_before_the_window_is_not_seen(store: Store) -> None:
    failure = a_known_failure()
    add(store, on_main(failure, at=NOW - timedelta(days=8)))

    found = store.sightings(REPOSITORY, [signature(failure)], since=NOW - timedelta(days=7))

    assert not found[signature(failure)].on_default


def test_many_pull_requests_do_not_crowd_out_main(store: Store) -> None:
    failure = a_known_failure()
    add(store, on_main(replace(failure, job=a_job()), at=NOW - timedelta(days=2)))
    for number in range(1, 6):
        add(store, on_pull(replace(failure, job=a_job()), run=600 + number, number=number))

    found = store.sightings(REPOSITORY, [signature(failure)], since=LONG_AGO, limit=2)[signature(failure)]

    assert [len(found.on_default), len(found.on_pulls)] == [1, 2]


def test_other_attempts_of_a_run_are_told_apart(store: Store) -> None:
    failure = a_known_failure()
    add(store, on_pull(replace(failure, job=a_job()), run=601, attempt=1))
    add(store, on_pull(replace(failure, job=a_job()), run=601, attempt=2))
    add(store, on_pull(replace(failure, job=a_job()), run=602, number=9))

    found = store.sightings(REPOSITORY, [signature(failure)], since=LONG_AGO, in_runs=[RunId(601)])

    assert [one.attempt for one in found[signature(failure)].in_runs] == [2, 1]


@pytest.mark.parametrize(
    "fields",
    [
        {"head_repository": "someone/engine"},
        {"head_repository": ""},
        {"event": "pull_request"},
        {"event": "pull_request_target"},
        {"event": "workflow_run"},
        {"head_branch": "main2"},
    ],
)
def test_a_fork_that_calls_its_branch_main_is_no_baseline(store: Store, fields: dict[str, Any]) -> None:
    failure = a_known_failure()

    add(store, on_main(failure, **fields))

    assert not store.sightings(REPOSITORY, [signature(failure)], since=LONG_AGO)[signature(failure)].on_default
    assert not store.baseline(REPOSITORY, since=LONG_AGO)
    assert not store.test_results(REPOSITORY, [a_test().id], since=LONG_AGO)


def test_a_run_whose_pull_request_is_learned_later_moves_to_it(store: Store) -> None:
    failure = a_known_failure()
    facts, failures = on_pull(failure, run=601, number=8)
    store.add(replace(facts, pull=None), failures, reader=READER)
    before = store.sightings(REPOSITORY, [signature(failure)], since=LONG_AGO)[signature(failure)]

    store.add_runs(REPOSITORY, facts.runs, pulls=[PullOfRun(run_id=RunId(601), number=8, author="somebody")])
    store.add_runs(REPOSITORY, facts.runs)

    after = store.sightings(REPOSITORY, [signature(failure)], since=LONG_AGO)[signature(failure)]
    assert not before.on_pulls
    assert [(one.pull_number, one.author) for one in after.on_pulls] == [(8, "somebody")]


def test_a_test_that_a_retry_mended_did_not_fail_the_job(store: Store) -> None:
    flaky = a_test(outcome=Outcome.FLAKY)
    real = a_test(name="t.py::real")
    failure = failing_tests(flaky, real)

    add(store, on_main(failure))

    (known,) = store.baseline(REPOSITORY, since=LONG_AGO)
    assert known.failure is not None
    assert known.failure.signatures == (signature(failure),)
    (result,) = store.test_results(REPOSITORY, [flaky.id], since=LONG_AGO)[flaky.id]
    assert result.outcome is Outcome.FLAKY
    assert result.signature is not None


# Repositories


def test_repositories_are_never_mixed(store: Store) -> None:
    failure = a_known_failure()
    private = replace(ANOTHER, private=True)
    add(store, on_main(failure, repository=private))
    add(store, on_pull(replace(failure, job=a_job()), repository=private))

    found = store.sightings(REPOSITORY, [signature(failure)], since=LONG_AGO)[signature(failure)]

    assert not found.on_default
    assert not found.on_pulls
    assert not store.baseline(REPOSITORY, since=LONG_AGO)
    assert not store.known_runs(REPOSITORY, [RunId(501), RunId(601)])
    assert not store.jobs_of(REPOSITORY, RunId(501))
    assert not store.known_jobs(REPOSITORY, [failure.job.id])
    assert not store.test_results(REPOSITORY, [a_test().id], since=LONG_AGO)
    assert store.sightings(private, [signature(failure)], since=LONG_AGO)[signature(failure)].on_default


def test_the_same_name_on_another_server_is_another_repository(store: Store) -> None:
    failure = a_known_failure()
    elsewhere = replace(REPOSITORY, url="https://git.acme.example/acme/engine")

    add(store, on_main(failure, repository=elsewhere))

    assert not store.baseline(REPOSITORY, since=LONG_AGO)
    assert len(store.baseline(elsewhere, since=LONG_AGO)) == 1


def test_the_same_run_of_two_repositories_is_two_runs(store: Store) -> None:
    failure = a_known_failure()
    add(store, on_main(failure))

    add(store, on_main(failure, repository=ANOTHER))

    assert len(store.baseline(REPOSITORY, since=LONG_AGO)) == 1
    assert len(store.baseline(ANOTHER, since=LONG_AGO)) == 1


# Baselines


def test_main_tells_of_green_jobs_and_of_the_steps_they_executed(store: Store) -> None:
    green = a_job(name="unit-test", conclusion=Conclusion.SUCCESS)
    skipped = a_job(name="docs", conclusion=Conclusion.SKIPPED, step=None)
    facts, _ = on_main(run=501, green=(green, skipped))
    store.add(facts, (), reader=READER)

    (known,) = store.baseline(
        REPOSITORY, since=LONG_AGO, workflow_path=".github/workflows/pr-test.yml", job_names=["unit-test"]
    )

    assert known.failure is None
    assert [(step.name, step.conclusion) for step in known.job.steps] == [("Run tests", Conclusion.SUCCESS)]
    assert not store.baseline(REPOSITORY, since=LONG_AGO, workflow_path=".github/workflows/other.yml")


def test_a_red_job_that_was_not_read_says_so(store: Store) -> None:
    facts, _ = on_main(a_known_failure())

    store.add(facts, (), reader=READER)

    (known,) = store.baseline(REPOSITORY, since=LONG_AGO)
    assert known.job.is_red
    assert known.failure is None


def test_pull_requests_are_no_baseline(store: Store) -> None:
    add(store, on_pull(a_known_failure()))

    assert not store.baseline(REPOSITORY, since=LONG_AGO)


def test_jobs_of_main_come_newest_first_and_not_more_than_asked_for(store: Store) -> None:
    for hour in range(4):
        add(store, on_main(replace(a_known_failure(), job=a_job()), run=500 + hour, at=NOW - timedelta(hours=hour)))

    found = store.baseline(REPOSITORY, since=NOW - timedelta(hours=3), limit=2)

    assert [one.run.id for one in found] == [500, 501]


def test_what_came_of_a_test_on_main_is_told(store: Store) -> None:
    test = a_test()
    passing = a_job(name="unit-test", conclusion=Conclusion.SUCCESS)
    add(store, on_main(failing_tests(test), run=501, at=NOW - timedelta(hours=2)))
    facts, _ = on_main(run=502, green=(passing,), at=NOW - timedelta(hours=1))
    store.add(facts, (), reader=READER, passed={passing.id: [test.id]})

    results = store.test_results(REPOSITORY, [test.id, "t.py::never"], since=LONG_AGO)

    assert list(results) == [test.id]
    assert [(one.where.run_id, one.outcome) for one in results[test.id]] == [(502, None), (501, Outcome.FAILED)]
    assert [one.signature for one in results[test.id]] == [None, signature(failing_tests(test))]


def test_tests_that_passed_stay_known_beside_those_that_failed(store: Store) -> None:
    failure = failing_tests(a_test(name="t.py::fails"))
    facts, failures = on_main(failure)

    for _ in range(2):
        store.add(facts, failures, reader=READER, passed={failure.job.id: ["t.py::passes"]})

    assert set(store.test_results(REPOSITORY, ["t.py::fails", "t.py::passes"], since=LONG_AGO)) == {
        "t.py::fails",
        "t.py::passes",
    }


# What need not be asked again


def test_a_finished_run_whose_jobs_are_all_there_is_known(store: Store) -> None:
    add(store, on_main(a_known_failure(), run=501))
    listed = branch_run(502)
    store.add_runs(REPOSITORY, [listed])

    known = store.known_runs(REPOSITORY, [RunId(501), RunId(502), RunId(503)])

    assert {run: one.jobs_known for run, one in known.items()} == {501: True, 502: False}
    assert known[RunId(502)].run == listed


@pytest.mark.parametrize(
    ("status", "gaps"), [("in_progress", ()), ("completed", (Gap("jobs", "only some", hides_jobs=True),))]
)
def test_jobs_of_a_run_are_not_all_known_while_some_may_be_missing(
    store: Store, status: str, gaps: tuple[Gap, ...]
) -> None:
    facts, failures = on_main(a_known_failure(), status=status)

    store.add(replace(facts, gaps=gaps), failures, reader=READER)

    assert not store.known_runs(REPOSITORY, [RunId(501)])[RunId(501)].jobs_known


def test_a_new_attempt_of_a_known_run_has_jobs_to_ask_for(store: Store) -> None:
    add(store, on_main(a_known_failure(), run=501))

    store.add_runs(REPOSITORY, [branch_run(501, attempt=2)])

    known = store.known_runs(REPOSITORY, [RunId(501)])[RunId(501)]
    assert (known.run.attempt, known.jobs_known) == (2, False)


def test_a_job_is_known_to_the_reader_that_read_it_and_to_no_other(store: Store) -> None:
    failure = a_known_failure()
    add(store, on_pull(failure))

    assert store.has_job(REPOSITORY, failure.job.id, reader=READER)
    assert not store.has_job(REPOSITORY, failure.job.id, reader="rules-2")
    assert not store.has_job(REPOSITORY, JobId(1), reader=READER)


def test_a_job_as_read_is_given_back_whole(store: Store) -> None:
    facts, failures = on_pull(failing_tests(a_test(frames=[("a.py", 3)])))
    lines = (LogLine(1, "one", at=NOW, step=2), LogLine(7, "seven"))
    log = Log(lines=lines, total_lines=9, hits={"rule:x:0": (1, 7)}, complete=False)
    red = JobFacts(job=facts.jobs[0], log=log, tests=failures[0].tests)

    store.add(replace(facts, red=(red,)), failures, reader=READER)

    assert store.read_jobs(REPOSITORY, facts.jobs, reader=READER) == {red.job.id: red}
    assert not store.read_jobs(REPOSITORY, facts.jobs, reader="rules-2")
    assert not store.read_jobs(ANOTHER, facts.jobs, reader=READER)


@pytest.mark.parametrize(
    ("log", "is_kept"),
    [
        (MissingLog(state=LogState.EXPIRED, why="gone"), True),
        (MissingLog(state=LogState.ABSENT, why="never was"), True),
        (MissingLog(state=LogState.PENDING, why="not yet"), False),
        (MissingLog(state=LogState.UNREADABLE, why="broken off"), False),
        (Log(lines=(), total_lines=0, truncated=True), False),
    ],
)
def test_only_what_another_look_would_show_too_is_kept(store: Store, *, log: Log | MissingLog, is_kept: bool) -> None:
    facts, failures = on_pull(a_known_failure())

    store.add(replace(facts, red=(JobFacts(job=facts.jobs[0], log=log),)), failures, reader=READER)

    assert bool(store.read_jobs(REPOSITORY, facts.jobs, reader=READER)) is is_kept


def test_a_log_that_may_still_be_on_its_way_is_asked_for_again(place: str | Path) -> None:
    facts, failures = on_pull(a_known_failure(), at=NOW)
    red = JobFacts(job=facts.jobs[0], log=MissingLog(state=LogState.ABSENT, why="not there"))

    with Store.open(place, clock=lambda: NOW + timedelta(minutes=2)) as store:
        store.add(replace(facts, red=(red,)), failures, reader=READER)

        assert not store.read_jobs(REPOSITORY, facts.jobs, reader=READER)


def test_a_job_that_changed_since_is_read_again(store: Store) -> None:
    facts, failures = on_pull(a_known_failure())
    store.add(facts, failures, reader=READER)
    (job,) = facts.jobs

    changed = replace(job, conclusion=Conclusion.CANCELLED)

    assert store.read_jobs(REPOSITORY, [job], reader=READER)
    assert not store.read_jobs(REPOSITORY, [changed], reader=READER)


def test_answers_are_kept_under_their_names(store: Store) -> None:
    runs = (a_run(number=1), a_run(number=2))

    store.keep(REPOSITORY, "runs", {"of yesterday": runs})

    names = ["of yesterday", "of today"]
    assert store.kept(REPOSITORY, "runs", names, tuple[Run, ...]) == {"of yesterday": runs}
    assert store.kept(REPOSITORY, "other", names, tuple[Run, ...]) == {}
    assert store.kept(ANOTHER, "runs", names, tuple[Run, ...]) == {}


def test_an_answer_in_a_form_that_is_not_known_is_no_answer(store: Store) -> None:
    store.keep(REPOSITORY, "runs", {"x": a_run(number=1)})

    assert store.kept(REPOSITORY, "runs", ["x"], Step) == {}


def test_answers_go_when_their_time_is_over(place: str | Path) -> None:
    now = NOW
    with Store.open(place, clock=lambda: now) as store:
        store.keep(REPOSITORY, "runs", {"old": a_run(number=1)})
        now = NOW + KEPT_FOR + timedelta(seconds=1)

        store.keep(REPOSITORY, "runs", {"new": a_run(number=2)})

        assert list(store.kept(REPOSITORY, "runs", ["old", "new"], Run)) == ["new"]


# Upkeep


def test_pruning_removes_what_is_old_with_all_that_belongs_to_it(store: Store) -> None:
    old, new = failing_tests(a_test(name="t.py::old")), failing_tests(a_test(name="t.py::new"))
    add(store, on_main(old, run=501, at=NOW - timedelta(days=40)))
    add(store, on_main(new, run=502, at=NOW - timedelta(days=1)))
    add(store, on_pull(replace(new, job=a_job()), run=601, at=NOW - timedelta(days=35)))

    removed = store.prune(NOW - timedelta(days=30))

    assert (removed.runs, removed.jobs, removed.failures, removed.signatures) == (2, 2, 2, 1)
    left = everything(store)
    assert {name: len(rows) for name, rows in left.items() if name != "triage_kept"} == {
        "triage_repository": 1,
        "triage_run": 1,
        "triage_job": 1,
        "triage_failure": 1,
        "triage_signature": 1,
        "triage_sighting": 1,
        "triage_test": 1,
        "triage_test_result": 1,
        "triage_feedback": 0,
    }
    assert store.prune(NOW - timedelta(days=30)).runs == 0


def test_the_summary_counts_by_branch_and_names_what_is_seen_most(store: Store) -> None:
    often, once = a_known_failure(), broken_machine()
    add(store, on_main(replace(often, job=a_job()), run=501, at=NOW - timedelta(days=2)))
    add(store, on_pull(replace(often, job=a_job()), run=601, number=8))
    add(store, on_pull(replace(once, job=a_job()), run=602, number=9))
    add(store, on_main(a_known_failure(), repository=ANOTHER))

    summaries = store.summary(top=1)

    assert [one.repository for one in summaries] == ["acme/engine", "acme/other"]
    main, pulls = summaries[0].branches
    assert (main.kind, main.runs, main.jobs, main.failures) == (BranchKind.DEFAULT, 1, 1, 1)
    assert (pulls.kind, pulls.runs, pulls.failures) == (BranchKind.PULL, 2, 2)
    assert main.oldest == main.newest == NOW - timedelta(days=2)
    (top,) = summaries[0].signatures
    assert (top.signature, top.sightings, top.on_default, top.pulls) == (signature(often), 2, 1, 1)


def test_an_empty_history_has_nothing_to_say(store: Store) -> None:
    unseen = signature(a_known_failure())

    assert store.sightings(REPOSITORY, [unseen], since=LONG_AGO)[unseen].on_default == ()
    assert store.summary() == ()
    assert store.prune(NOW).runs == 0


def test_a_failed_triage_leaves_nothing_behind(store: Store) -> None:
    facts, failures = on_pull(a_known_failure())
    of_another_job = replace(failures[0], job=a_job(number=99_999))

    with pytest.raises(KeyError):
        store.add(facts, (*failures, of_another_job), reader=READER)

    assert not any(everything(store).values())


def test_a_pull_request_counts_for_every_run_of_it_that_is_not_of_main(store: Store) -> None:
    failure = a_known_failure()
    facts = the_facts((failure,), pull=a_pull(number=8, author="somebody"))

    store.add(facts, (failure,), reader=READER)

    (seen,) = store.sightings(REPOSITORY, [signature(failure)], since=LONG_AGO)[signature(failure)].on_pulls
    assert (seen.pull_number, seen.author) == (8, "somebody")
