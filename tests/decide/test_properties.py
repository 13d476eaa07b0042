"""The laws, for any mix of failures."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import (
    NOW,
    a_failure,
    a_file,
    a_job,
    a_pull,
    a_rule,
    a_test,
    following,
    on_main,
    on_pull,
    the_facts,
)
from triage.decide import NO_HISTORY, Decided, History, Seen, decide, signatures_of
from triage.model import (
    Basis,
    Category,
    Conclusion,
    Facts,
    Failure,
    Fault,
    LogState,
    Outcome,
    Signature,
    TestReport,
    Verdict,
    Where,
)

ASKS_THE_AUTHOR = {Category.REGRESSION, Category.UNKNOWN}
FILES = ("docs/guide.md", "docker/Dockerfile", "test/unit/test_pool.py", "python/engine/pool.py", "scripts/start.sh")
NAMES = ("unit", "gpu (2)", "xpu", "finish", "call / gate")

tests = st.builds(
    lambda name, file, frame, outcome: a_test(
        name=name, file=file, frames=[(frame, 3)] if frame else [], outcome=outcome
    ),
    st.sampled_from(["test_a", "test_b"]),
    st.sampled_from([None, "test/unit/test_pool.py", "test/unit/test_queue.py"]),
    st.sampled_from([None, "python/engine/pool.py", "python/engine/queue.py"]),
    st.sampled_from([Outcome.FAILED, Outcome.ERROR, Outcome.FLAKY, Outcome.CRASHED]),
)

rules = st.none() | st.builds(
    lambda name, fault, where: a_rule(name=name, title=f"The {name} broke", fault=fault, where=where),
    st.sampled_from(["image-unpack", "pip-timeout", "gpu-lost"]),
    st.sampled_from(list(Fault)),
    st.sampled_from(list(Where)),
)


@st.composite
def failures(draw: st.DrawFn) -> Failure:
    rule = draw(rules)
    conclusion = draw(st.sampled_from([Conclusion.FAILURE, Conclusion.CANCELLED, Conclusion.TIMED_OUT]))
    job = a_job(
        name=draw(st.sampled_from(NAMES)),
        run=draw(st.sampled_from([1, 2])),
        attempt=2,
        conclusion=conclusion,
        runner=draw(st.sampled_from([None, "host-1", "host-2"])),
        step=draw(st.sampled_from(["Start CI container", "Install", "Run tests"])),
    )
    basis = draw(st.sampled_from(list(Basis)))
    failed = draw(st.lists(tests, max_size=2))
    # Half of the jobs are read as they should be, the other half in any way at all.
    usual = Fault.CODE if any(test.outcome is not Outcome.FLAKY for test in failed) else Fault.FLAKY
    return a_failure(
        job=job,
        fault=rule.fault if rule else draw(st.just(usual) | st.sampled_from(list(Fault))),
        basis=Basis.RULE if rule and basis is not Basis.PLATFORM else basis,
        rule=rule,
        title=rule.title if rule else "Something broke",
        tests=TestReport(failures=tuple(failed)),
        signature=draw(st.none() | st.builds(lambda name: Signature("rule", (name,)), st.sampled_from("ab"))),
        log_state=draw(st.sampled_from(list(LogState))),
        roots=tuple(draw(st.lists(st.sampled_from(NAMES), max_size=2))),
        label=draw(st.none() | st.just("run-ci")),
    )


@st.composite
def situations(draw: st.DrawFn) -> tuple[Facts, tuple[Failure, ...], History]:
    found = tuple(draw(st.lists(failures(), max_size=6)))
    changed = draw(st.lists(st.sampled_from(FILES), max_size=3, unique=True))
    facts = the_facts(
        found,
        files=draw(st.none() | st.just(tuple(a_file(path, added_lines=[3]) for path in changed))),
        pull=draw(st.sampled_from([a_pull(), a_pull(labels=("run-ci",))])),
        green=[a_job(name="lint", conclusion=draw(st.sampled_from([Conclusion.SUCCESS, None])))],
        earlier=[
            replace(
                failure.job, run_attempt=1, conclusion=draw(st.sampled_from([Conclusion.SUCCESS, Conclusion.FAILURE]))
            )
            for failure in found
        ],
    )
    return facts, found, History(seen={one: draw(seen(one)) for failure in found for one in signatures_of(failure)})


@st.composite
def seen(draw: st.DrawFn, signature: Signature) -> Seen:
    results = draw(st.lists(st.sampled_from([signature, None, Signature("rule", ("another",))]), max_size=4))
    return on_main(
        *results,
        newest=NOW,
        in_branch=draw(st.sampled_from([True, False, None])),
        complete=draw(st.booleans()),
        pulls=[on_pull(number) for number in draw(st.lists(st.sampled_from([1, 2, 3]), max_size=3, unique=True))],
        attempts=[on_pull(9)] if draw(st.booleans()) else [],
    )


def by_job(decided: Decided) -> dict[int, Category]:
    return {row.failure.job.id: row.category for row in decided.jobs}


def excused(decided: Decided) -> set[int]:
    """Jobs that ask nothing of the author; a follower asks what its cause asks."""
    asking = {cause.id for cause in decided.causes if cause.category in ASKS_THE_AUTHOR}
    return {row.failure.job.id for row in decided.jobs if row.cause not in asking}


@given(situations())
def test_the_ledger_is_closed_and_its_totals_add_up(situation: tuple[Facts, tuple[Failure, ...], History]) -> None:
    facts, found, history = situation

    decided = decide(facts, found, history)

    told = [job for cause in decided.causes for job in cause.jobs]
    assert Counter(told) == Counter(failure.job.id for failure in found)
    assert [row.failure for row in decided.jobs] == list(found)
    for cause in decided.causes:
        members = [row for row in decided.jobs if row.cause == cause.id]
        assert {row.failure.job.id for row in members} == set(cause.jobs)
        assert cause.root_job == cause.jobs[0]
        assert {row.category for row in members} <= {cause.category, Category.CASCADE}
        assert cause.title
        assert cause.because
        assert cause.rerun_why
        assert cause.advice


@given(situations())
def test_the_same_facts_give_the_same_answer(situation: tuple[Facts, tuple[Failure, ...], History]) -> None:
    facts, found, history = situation

    assert decide(facts, found, history) == decide(facts, found, history)


@given(situations())
def test_the_verdict_is_the_worst_that_the_ledger_holds(situation: tuple[Facts, tuple[Failure, ...], History]) -> None:
    facts, found, history = situation

    decided = decide(facts, found, history)
    categories = set(by_job(decided).values())

    assert (decided.verdict is Verdict.CAUSED_BY_PR) == (Category.REGRESSION in categories)
    if decided.verdict is Verdict.NOT_CAUSED_BY_PR:
        assert not categories & ASKS_THE_AUTHOR


@given(situations())
def test_not_knowing_what_the_change_touches_excuses_nobody_else(
    situation: tuple[Facts, tuple[Failure, ...], History],
) -> None:
    facts, found, history = situation

    known = decide(facts, found, history)
    unread = decide(replace(facts, files=None), found, history)

    assert excused(unread) <= excused(known)


@given(situations())
def test_a_smaller_history_excuses_nobody_else(situation: tuple[Facts, tuple[Failure, ...], History]) -> None:
    facts, found, history = situation
    shorter = History(
        seen={one: replace(what, complete=False, pulls=what.pulls[1:]) for one, what in history.seen.items()}
    )

    whole = excused(decide(facts, found, history))

    assert excused(decide(facts, found, shorter)) <= whole
    assert excused(decide(facts, found, NO_HISTORY)) <= whole
    assert excused(decide(replace(facts, earlier_jobs=()), found, history)) <= whole


@given(situations(), st.data())
def test_a_lost_log_excuses_nobody_else(
    situation: tuple[Facts, tuple[Failure, ...], History], data: st.DataObject
) -> None:
    facts, found, history = situation
    lost = tuple(without_log(failure) if data.draw(st.booleans()) else failure for failure in found)

    assert excused(decide(facts, lost, history)) <= excused(decide(facts, found, history))


def without_log(failure: Failure) -> Failure:
    """The same job, read again when its log is gone: what the platform says is all that is left."""
    if failure.basis is Basis.PLATFORM and not failure.tests.failures:
        return failure
    return replace(
        failure,
        fault=Fault.UNKNOWN,
        basis=Basis.NOTHING,
        rule=None,
        signature=None,
        tests=TestReport(),
        log_state=LogState.EXPIRED,
        roots=(),
        label=None,
    )


@given(situations())
def test_a_failed_test_is_never_excused_by_text_that_is_not_its_own_error(
    situation: tuple[Facts, tuple[Failure, ...], History],
) -> None:
    facts, found, _ = situation
    quiet = replace(facts, earlier_jobs=())

    for row in decide(quiet, found, NO_HISTORY).jobs:
        failure = row.failure
        failed = any(test.outcome is not Outcome.FLAKY for test in failure.tests.failures)
        own_error = failure.rule is None or failure.rule.where is Where.TEST_ERROR
        if failed and not own_error:
            assert row.category in ASKS_THE_AUTHOR
        if failed and failure.rule is None:
            assert row.category is not Category.INFRASTRUCTURE


@given(st.permutations(range(5)))
def test_the_order_of_jobs_does_not_change_any_answer(order: list[int]) -> None:
    made = [
        a_failure(job=a_job(name="unit", number=1), fault=Fault.CODE, tests=TestReport(failures=(a_test(),))),
        a_failure(job=a_job(name="xpu", number=2), fault=Fault.INFRASTRUCTURE, rule=a_rule()),
        following("unit", "xpu", job=a_job(name="finish", number=3)),
        following("finish", job=a_job(name="report", number=4)),
        a_failure(job=a_job(name="other", number=5), fault=Fault.UNKNOWN),
    ]
    ordered = tuple(made[place] for place in order)

    assert by_job(decide(the_facts(ordered), ordered)) == {
        1: Category.UNKNOWN,
        2: Category.INFRASTRUCTURE,
        3: Category.CASCADE,
        4: Category.CASCADE,
        5: Category.UNKNOWN,
    }
