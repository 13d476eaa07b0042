from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render import samples
from tests.render.github_html import Page
from tests.render.hostile import MARKER, hostile_text, rewritten
from triage.model import Action, Category, Conclusion, Gap, JobId, LogState, NotExercised, Rerun, TestReport, Verdict
from triage.render.markdown import COMMENT_LIMIT, render_markdown
from triage.render.markdown_text import JOINER
from triage.render.step_summary import SUMMARY_LIMIT, render_step_summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.model import Report


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_the_comment_is_the_one_a_reviewer_has_seen(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}.md", render_markdown(samples.SAMPLES[name](), marker=MARKER))


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    make = samples.SAMPLES[name]

    assert render_markdown(make()) == render_markdown(make())
    assert render_step_summary(make()) == render_step_summary(make())


def test_the_marker_stands_at_the_very_beginning_and_the_headline_under_it() -> None:
    lines = render_markdown(samples.case_a(), marker=MARKER).splitlines()

    assert lines[:3] == [MARKER, "", "### CI triage: 21 failed jobs, 6 causes; nothing points at this change"]


def test_without_a_marker_the_headline_comes_first() -> None:
    assert render_markdown(samples.case_a()).startswith("### CI triage: 21 failed jobs, 6 causes; ")


def jobs_in_table(text: str) -> int:
    """Add up the column of jobs: `1 + 5 that follow`."""
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith(("| | what", "| --"))]
    cells = [row.split(" | ")[2] for row in rows]
    return sum(int(word.replace(",", "")) for cell in cells for word in cell.split() if word.replace(",", "").isdigit())


@pytest.mark.parametrize("make", [samples.case_a, samples.a_regression, samples.many_causes])
@pytest.mark.parametrize("limit", [4_000, 8_000, 30_000, 60_000, 10_000_000])
def test_the_jobs_in_the_table_add_up_to_all_red_jobs_however_short_it_is(
    make: Callable[[], Report], limit: int
) -> None:
    report = make()

    assert jobs_in_table(render_markdown(report, limit=limit)) == len(report.jobs)


def test_every_red_job_is_named_in_the_block_of_its_cause() -> None:
    report = samples.case_a()

    text = render_markdown(report)

    for row in report.jobs:
        assert f"[`{row.failure.job.name}`]({row.failure.job.url})" in text


def test_the_author_s_failures_come_first_and_stand_open() -> None:
    text = render_markdown(samples.a_regression())

    first, second, folded = (text.index(start) for start in ("#### 2 · ", "#### 3 · ", "<details><summary>1 · "))
    assert first < second < folded


def test_a_single_cause_stands_open_because_there_is_nothing_else_to_read() -> None:
    assert "#### 1 · `TestEncoderAttention.test_run`" in render_markdown(samples.case_b())


def test_a_deciding_line_stands_verbatim_in_a_fence_and_leads_to_the_log() -> None:
    page = Page(render_markdown(samples.case_a()))

    assert any(
        'Error response from daemon: cannot remove container "ci_sglang_xpu": could not kill container: tried to kill '
        "container, but did not receive an exit event\n" in code
        for code in page.code
    )
    assert "https://github.com/sgl-project/sglang/actions/runs/35296443073/job/101#step:4:34" in page.links


def test_lines_that_several_jobs_share_are_shown_once() -> None:
    report = samples.case_b()
    cause = report.causes[0]
    again = tuple(replace(fact, url="", line=9) for fact in cause.evidence)
    report = replace(report, causes=(replace(cause, evidence=(*cause.evidence, *again)),))

    text = render_markdown(report)

    assert text.count("\nKeyError: 'meta_info'\n") == 1


def test_tests_of_several_jobs_are_not_added_up_as_if_they_were_different_ones() -> None:
    report = samples.a_regression()
    root = report.jobs[1]
    twin = replace(root, failure=replace(root.failure, job=replace(root.failure.job, id=JobId(9), name="unit (2)")))
    causes = tuple(
        replace(cause, jobs=(*cause.jobs, JobId(9))) if cause.id == twin.cause else cause for cause in report.causes
    )

    text = render_markdown(replace(report, jobs=(*report.jobs, twin), causes=causes))

    assert " failed in step `pytest`; 4 tests failed. " in text


def test_a_command_stands_in_a_block_of_its_own_to_be_copied() -> None:
    assert "\n```\n/tag-and-rerun-ci extra\n```\n" in render_markdown(samples.case_a())


def test_what_covers_the_change_and_ran_no_test_is_said_at_the_top() -> None:
    text = render_markdown(samples.case_a())

    said = "**Not tested:** `stage-a-test-1-gpu-xpu` covers 1 changed file and gave no test result."
    assert text.index(said) < text.index("| what broke |")


def test_what_could_not_be_seen_is_said_at_the_top_and_told_at_the_foot() -> None:
    text = render_markdown(samples.a_regression())

    assert "**Not seen:** 2 things, listed at the foot." in text
    assert text.index("**What could not be seen**") > text.index("</details>")
    assert "- Log of `nightly`: it has expired (410).\n" in text


def test_an_all_green_report_says_what_it_stands_on_and_nothing_about_failures() -> None:
    text = render_markdown(samples.all_green())

    assert "Complete: `CI 0`, `CI 1`, `CI 2`, `CI 3` and `CI 4`." in text
    assert "|" not in text
    assert "To do" not in text


def test_a_run_in_progress_is_said_to_be_able_to_change_the_answer() -> None:
    text = render_markdown(samples.still_running())

    assert "**Not finished:** 2 of 3 workflow runs (`AMD` and `XPU`); the answer can change." in text


def test_nothing_failed_yet_is_not_told_as_all_green() -> None:
    runs = (samples.a_run(1, "Base", conclusion=Conclusion.SUCCESS), samples.a_run(2, "AMD", conclusion=None))

    text = render_markdown(
        samples.a_report(Verdict.INCOMPLETE, "no failed job so far; 1 run is still going", runs=runs)
    )

    assert "No failed job so far; 1 of 2 workflow runs finished." in text


def test_a_red_run_without_a_red_job_is_not_told_as_all_green() -> None:
    text = render_markdown(samples.a_report(Verdict.INCOMPLETE, "no failed job so far; not everything could be read"))

    assert "No failed job was found, but what could not be seen may hide one." in text


def test_no_run_at_all_is_not_told_as_all_green() -> None:
    text = render_markdown(samples.a_report(Verdict.INCOMPLETE, "nothing found", runs=()))

    assert "No workflow run was found, so nothing is known." in text


@pytest.mark.parametrize(
    ("silent", "said"),
    [
        ((), ""),
        ((1,), "1 of the 4 red jobs ran no test and says nothing about the change either way."),
        ((1, 2), "2 of the 4 red jobs ran no test and say nothing about the change either way."),
        ((1, 2, 3, 4), "All 4 red jobs ran no test and say nothing about the change either way."),
    ],
)
def test_jobs_that_ran_no_test_are_counted_as_no_signal(silent: tuple[int, ...], said: str) -> None:
    report = of_one_category(Category.INFRASTRUCTURE, samples.a_regression(), silent)

    text = render_markdown(report)

    assert said in text
    assert ("either way" in text) == bool(said)


@pytest.mark.parametrize("category", [Category.REGRESSION, Category.UNKNOWN])
def test_a_build_that_breaks_of_the_change_or_may_is_not_said_to_prove_nothing(category: Category) -> None:
    text = render_markdown(of_one_category(category, samples.a_regression(), (1, 2, 3, 4)))

    assert "either way" not in text
    assert "Not exercised: 4 jobs ran no test" in text


def of_one_category(category: Category, report: Report, silent: tuple[int, ...]) -> Report:
    """Return the report with all jobs in one category, their logs read, and some of them silent."""
    causes = tuple(replace(cause, category=category) for cause in report.causes)
    jobs = tuple(
        replace(row, category=category, failure=replace(row.failure, tests=TestReport(), log_state=LogState.READ))
        for row in report.jobs
    )
    none = tuple(NotExercised(job=JobId(job), why="x") for job in silent)
    return replace(report, causes=causes, jobs=jobs, not_exercised=none)


@pytest.mark.parametrize(
    ("reruns", "said"),
    [
        ((Rerun.HELPS, Rerun.POINTLESS, Rerun.POINTLESS), "helps cause 1 only."),
        ((Rerun.HELPS, Rerun.HELPS, Rerun.POINTLESS), "helps causes 1 and 2 only."),
        ((Rerun.POINTLESS, Rerun.POINTLESS, Rerun.POINTLESS), "pointless as things are."),
        ((Rerun.HELPS, Rerun.UNKNOWN, Rerun.POINTLESS), "helps cause 1; may or may not help cause 2."),
        ((Rerun.HELPS, Rerun.HELPS, Rerun.HELPS), "helps causes 1, 2 and 3."),
    ],
)
def test_the_top_says_which_causes_a_re_run_helps(reruns: tuple[Rerun, ...], said: str) -> None:
    report = samples.a_regression()
    causes = tuple(replace(cause, rerun=rerun, actions=()) for cause, rerun in zip(report.causes, reruns, strict=True))

    assert f"**Re-run:** {said}" in render_markdown(replace(report, causes=causes))


@pytest.mark.parametrize("causes", [1, 20, 60, 300])
def test_no_report_is_too_large_for_a_comment(causes: int) -> None:
    text = render_markdown(samples.many_causes(causes), marker=MARKER)

    assert len(text.encode()) <= COMMENT_LIMIT
    assert Page(text).structure[0] == "<h3>"
    assert text.rstrip().endswith("</sub>")


def test_a_shortened_comment_says_so_and_counts_what_it_leaves_out() -> None:
    text = render_markdown(samples.many_causes(120))

    assert "shortened to fit" in text
    assert "90 more causes: see the JSON report." in text


@given(
    causes=st.integers(1, 16),
    limit=st.integers(4_000, 60_000),
    texts=st.lists(hostile_text().map(lambda text: text * 10), min_size=1, max_size=5),
)
def test_whatever_it_holds_it_fits_and_every_fence_and_fold_is_closed(
    causes: int, limit: int, texts: list[str]
) -> None:
    place = iter(range(10**9))
    report = rewritten(samples.many_causes(causes), lambda _: texts[next(place) % len(texts)])
    gaps = tuple(Gap(text, text) for text in texts) * 20

    text = render_markdown(replace(report, gaps=gaps), marker=MARKER, limit=limit)

    assert len(text.encode()) <= limit
    page = Page(text.removeprefix(MARKER))  # closing all elements is checked while it is read
    assert page.structure.count("<details>") == page.structure.count("</details>")
    assert page.structure[-1] == "</p>"
    assert page.code[-1] == "/triage help"


def test_under_a_limit_that_fits_nothing_the_headline_is_left() -> None:
    assert (
        render_markdown(samples.case_a(), marker=MARKER, limit=100) == f"{MARKER}\n\n### CI triage: not-caused-by-pr\n"
    )


def test_the_step_summary_lists_every_red_job() -> None:
    report = samples.case_a()

    text = render_step_summary(report)

    ledger = text.partition("Every red job")[2]
    assert all(row.failure.job.name in ledger for row in report.jobs)


def test_the_step_summary_stays_far_below_the_size_that_github_refuses() -> None:
    text = render_step_summary(samples.many_causes(2_000))

    assert len(text.encode()) < SUMMARY_LIMIT < 1024 * 1024
    assert Page(text).structure[-1] == "</details>"
    assert " more | | | | | |" in text


def gated(**changes: object) -> Report:
    report = samples.case_a()
    causes = tuple(
        replace(cause, **changes) if cause.category is Category.MISSING_LABEL else cause  # type: ignore[arg-type]  # fields of it
        for cause in report.causes
    )
    return replace(report, causes=causes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "add the label `run-ci-extra` (`/tag-and-rerun-ci extra`)."),
        (
            {"actions": (), "advice": "Mark the pull request ready for review."},
            "mark the pull request ready for review.",
        ),
        (
            {"actions": (Action(kind="wait", text="Wait until the cool-down is over"),)},
            "wait until the cool-down is over.",
        ),
        ({"actions": (), "advice": ""}, "see to cause 6."),
    ],
)
def test_a_closed_gate_always_asks_the_author_for_something(changes: dict[str, object], said: str) -> None:
    assert f"**To do:** {said}\\\n" in render_markdown(gated(**changes))


def test_the_author_is_told_when_there_is_nothing_to_do() -> None:
    report = gated(category=Category.INFRASTRUCTURE, actions=())

    assert "**To do:** nothing for the author.\\\n" in render_markdown(report)


def test_machines_of_github_are_not_named_as_hosts_that_could_be_mended() -> None:
    report = samples.case_a()
    rows = tuple(
        replace(row, failure=replace(row.failure, job=replace(row.failure.job, runner="GitHub Actions 1000000123")))
        if row.cause == 2
        else row
        for row in report.jobs
    )

    text = render_markdown(replace(report, jobs=rows))

    assert "GitHub Actions" not in text
    assert "| 4 other PRs |" in text


def test_a_long_name_of_a_test_is_cut_to_its_end_in_the_title_and_whole_below() -> None:
    name = (
        "test/registered/unit/hardware_backend/mlx/test_mixin.py::TestOverlapLoopGracefulExit::test_returns_when_asked"
    )
    report = samples.case_b()
    cause, row = report.causes[0], report.jobs[0]
    test = replace(row.failure.tests.failures[0], id=name)
    row = replace(row, failure=replace(row.failure, tests=replace(row.failure.tests, failures=(test,))))

    text = render_markdown(replace(report, causes=(replace(cause, title=f"`{name}` fails"),), jobs=(row,)))

    assert "#### 1 · `TestOverlapLoopGracefulExit::test_returns_when_asked` fails" in text
    assert f"- `{name}`" in text


def test_what_a_fact_says_is_not_said_twice() -> None:
    report = samples.a_regression()
    causes = tuple(
        replace(cause, because="`poster.py:41` is in the traceback and in the change.") if cause.id == 2 else cause
        for cause in report.causes
    )

    assert render_markdown(replace(report, causes=causes)).count("is in the traceback and in the change") == 1


def test_general_advice_gives_way_to_the_step_that_begins_with_it() -> None:
    report = samples.a_regression()
    causes = tuple(
        replace(cause, advice="Mend the change.", actions=(Action(kind="fix", text="Mend the change: 4 tests fail"),))
        for cause in report.causes
    )

    assert "**Next:** Mend the change: 4 tests fail.\n" in render_markdown(replace(report, causes=causes))


@pytest.mark.parametrize("state", [LogState.EXPIRED, LogState.ABSENT, LogState.UNREADABLE, LogState.TRUNCATED])
def test_without_a_whole_log_nobody_says_that_no_test_ran(state: LogState) -> None:
    report = samples.a_regression()
    docs = report.jobs[0]
    docs = replace(docs, failure=replace(docs.failure, log_state=state))

    text = render_markdown(replace(report, jobs=(docs, *report.jobs[1:])))

    assert "1 of the 4 red jobs shows no test that ran and says nothing about the change either way." in text
    assert "Not exercised: 1 job shows no test that ran" in text
    assert "zero tests ran" not in text


def test_a_job_that_never_started_ran_no_test_though_it_has_no_log() -> None:
    report = samples.case_a()

    assert "11 of the 21 red jobs ran no test" in render_markdown(report)
    assert {row.failure.log_state for row in report.jobs if row.cause == 4} == {LogState.ABSENT}


def with_issue(url: str) -> Report:
    report = samples.case_a()
    causes = tuple(replace(one, rule=replace(one.rule, issue=url)) if one.rule else one for one in report.causes)
    return replace(report, causes=causes)


def test_the_issue_in_which_a_cause_is_known_is_linked_without_a_note_being_left_there() -> None:
    text = render_markdown(with_issue("https://github.com/acme/engine/issues/1234")).replace(JOINER, "")

    assert "- Known: [#1234](https://redirect.github.com/acme/engine/issues/1234)." in text
    assert "https://github.com/acme/engine/issues" not in text


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://tracker.example/browse/CI-12", "Known: [an issue](https://tracker.example/browse/CI-12)."),
        ("https://git.example/a/b/-/issues/7", "Known: [#7](https://git.example/a/b/-/issues/7)."),
        ("https://tracker.example/a)[x](y", "Known: an issue."),
    ],
)
def test_an_issue_may_be_kept_anywhere_and_its_address_breaks_nothing(url: str, written: str) -> None:
    assert f"- {written}" in render_markdown(with_issue(url)).replace(JOINER, "")
