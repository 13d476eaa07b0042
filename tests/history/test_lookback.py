"""Looking back: what counts as a baseline or a witness, and what happens where not everything can be seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakegithub import build
from triage.classify import classify, make_scanner
from triage.decide import History, Trend, decide
from triage.errors import ProviderError
from triage.gather import gather
from triage.history.lookback import Limits, look_back
from triage.model import Category, Conclusion, Facts, Failure, PullRequest, Run
from triage.recorded import Recorded
from triage.rules import builtin_rules
from triage.source.protocol import Page
from triage.source.request import PullRequestRequest, RunRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from triage.model import MissingLog
    from triage.source.protocol import JSON, LogSource

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
XPU = "pr-test-xpu.yml"
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


class Changed(Recorded):
    """A recording that counts what looking back asks for, and in which tests change an answer."""

    def __init__(self, case: str) -> None:
        super().__init__(build.RUNS / case)
        self.asked: list[str] = []
        self.left: int | None = None
        self.of_main: Callable[[JSON], JSON] = dict
        self.of_pull: Callable[[JSON], JSON] = dict
        self.of_job: Callable[[JSON], JSON] = dict
        self.unreadable: set[int] = set()

    def runs_on(self, branch: str, *, workflow: str | None = None, since: datetime, limit: int = 100) -> Page:
        self.asked.append("runs")
        page = super().runs_on(branch, workflow=workflow, since=since, limit=limit)
        return Page(items=tuple(self.of_main(run) for run in page.items), total_count=page.total_count)

    def failed_runs(self, workflow: str, *, event: str, since: datetime, limit: int = 100) -> Page:
        self.asked.append("runs")
        return super().failed_runs(workflow, event=event, since=since, limit=limit)

    def recent_pulls(self) -> Page:
        self.asked.append("pulls")
        page = super().recent_pulls()
        return Page(items=tuple(self.of_pull(pull) for pull in page.items), total_count=page.total_count)

    def jobs(self, run_id: int) -> Page:
        self.asked.append(f"jobs {run_id}")
        page = super().jobs(run_id)
        return Page(items=tuple(self.of_job(job) for job in page.items), total_count=page.total_count)

    def log(self, job: JSON) -> LogSource | MissingLog:
        self.asked.append(f"log {job['run_id']}")
        if job["id"] in self.unreadable:
            raise ProviderError("GitHub did not answer")
        return super().log(job)

    def files(self, number: int) -> Page:
        self.asked.append(f"files {number}")
        return super().files(number)

    def requests_left(self) -> int | None:
        return None if self.left is None else self.left - len(self.asked)


def looked(
    reads: Changed, *, limits: Limits | None = None, change: Callable[[Facts], Facts] | None = None
) -> tuple[Facts, tuple[Failure, ...], History]:
    """Gather and classify a recording, then look back; `reads.asked` holds what that alone asked for."""
    asked = reads.about["request"]
    request = PullRequestRequest(number=asked["pull"]) if "pull" in asked else RunRequest(run_id=asked["run"])
    facts = gather(reads, request, SCANNER)
    facts = change(facts) if change else facts
    failures = classify(facts, RULES, SCANNER)
    reads.asked.clear()
    return facts, failures, look_back(reads, facts, failures, RULES, SCANNER, limits=limits)


def categories(found: tuple[Facts, tuple[Failure, ...], History]) -> dict[str, Category]:
    return {job.failure.job.name: job.category for job in decide(*found).jobs}


def trends(found: tuple[Facts, tuple[Failure, ...], History]) -> set[Trend]:
    return {seen.trend(signature) for signature, seen in found[2].seen.items()}


def with_pull(**fields: Any) -> Callable[[Facts], Facts]:
    def change(facts: Facts) -> Facts:
        pull: PullRequest | None = facts.pull
        return replace(facts, pull=replace(pull, **fields) if pull else None)

    return change


def without_pull(facts: Facts) -> Facts:
    return replace(facts, pull=None)


def is_of(run: JSON, number: int) -> bool:
    pull = Recorded(build.RUNS / "case-a").pull(number)
    return bool(run["head_branch"] == pull["head"]["ref"])


def place_of(run: JSON) -> dict[str, str]:
    return {"head_branch": run["head_branch"], "head_repository": run["head_repository"]["full_name"]}


# --------------------------------------------------------------------------------------------------------------------
# What it costs


def test_case_a_is_compared_within_the_usual_budget() -> None:
    reads = Changed("case-a")

    *_, history = looked(reads)

    assert len(reads.asked) <= Limits().requests
    assert history.gaps == ()


@pytest.mark.parametrize("requests", [0, 1, 2, 5, 12, 25])
def test_a_small_budget_is_never_exceeded_and_says_what_it_left_out(requests: int) -> None:
    reads = Changed("case-a")

    *_, history = looked(reads, limits=Limits(requests=requests))

    assert len(reads.asked) <= requests
    assert any("requests for it were used up" in gap.why for gap in history.gaps)


@pytest.mark.parametrize("case", ["case-a", "case-b", "fails-on-main", "flaky-on-main"])
@pytest.mark.parametrize("requests", range(0, 12, 2))
def test_a_history_cut_short_only_ever_lowers_a_claim(case: str, requests: int) -> None:
    whole = categories(looked(Changed(case)))

    cut = categories(looked(Changed(case), limits=Limits(requests=requests)))

    assert {name: category for name, category in cut.items() if category not in {whole[name], Category.UNKNOWN}} == {}


def test_requests_are_left_to_others() -> None:
    reads = Changed("case-b")
    reads.left = 103

    *_, history = looked(reads, limits=Limits(reserve=100))

    assert len(reads.asked) <= 3
    assert any("GitHub allows only 10" in gap.why for gap in history.gaps)


def test_after_the_deadline_nothing_is_asked() -> None:
    reads = Changed("case-b")

    *_, history = looked(reads, limits=Limits(seconds=0))

    assert reads.asked == []
    assert any("were over" in gap.why for gap in history.gaps)


def test_nothing_is_asked_for_what_the_run_itself_explains() -> None:
    reads = Changed("expired-log")

    looked(reads)

    assert reads.asked == []


def test_files_of_others_are_not_read_where_main_answers() -> None:
    reads = Changed("case-a")

    looked(reads)

    assert [what for what in reads.asked if what.startswith("files")] == []


# --------------------------------------------------------------------------------------------------------------------
# The default branch


@pytest.mark.parametrize(
    "stranger",
    [
        {"event": "pull_request"},
        {"event": "merge_group"},
        {"head_repository": {"id": 9, "full_name": "somebody/engine"}},
        {"head_repository": None},
        {"head_branch": "main-2"},
        {"status": "in_progress"},
    ],
)
def test_only_the_default_branchs_own_finished_runs_are_baselines(stranger: JSON) -> None:
    reads = Changed("fails-on-main")
    reads.of_main = lambda run: {**run, **stranger}

    found = looked(reads)

    assert set(categories(found).values()) == {Category.UNKNOWN, Category.CASCADE}
    assert all(seen.baselines == () for seen in found[2].seen.values())


def test_a_run_of_main_at_the_commit_under_triage_is_no_baseline() -> None:
    """A pull request from the default branch into another, or one that was pushed there as it is."""
    reads = Changed("case-a")
    reads.of_main = lambda run: {**run, "head_sha": "5f0c1de4b7a90c3e2d81f6a5940be7c1d3286f0a"}
    _, _, history = looked(reads)

    assert not any(seen.baselines for seen in history.seen.values())


def test_what_main_shows_after_a_change_was_merged_excuses_nothing() -> None:
    reads = Changed("fails-on-main")
    reads.of_main = lambda run: {**run, "created_at": "2026-10-20T09:00:00Z"}

    open_one, merged = looked(reads), looked(reads, change=with_pull(state="closed"))

    assert categories(open_one)["unit (3.12)"] is Category.PRE_EXISTING
    assert categories(merged)["unit (3.12)"] is Category.UNKNOWN


@pytest.mark.parametrize("title", ["Divide by seconds (#711)", "Merge pull request #711 from a/b", 'Revert "x" (#711)'])
def test_once_the_change_itself_was_on_main_nothing_there_excuses_it(title: str) -> None:
    reads = Changed("fails-on-main")
    reads.of_main = lambda run: {**run, "head_commit": {**run["head_commit"], "message": f"{title}\n\nMore"}}

    found = looked(reads)

    assert found[2].own_commits
    assert categories(found)["unit (3.12)"] is Category.UNKNOWN


def test_a_log_of_main_that_cannot_be_read_leaves_open_what_came_of_it() -> None:
    reads = Changed("fails-on-main")
    jobs = {job["id"]: job["run_id"] for run in (38090990003, 38095990004) for job in Recorded.jobs(reads, run).items}
    reads.unreadable = {job for job, run in jobs.items() if run == 38095990004}

    found = looked(reads)

    assert trends(found) == {Trend.UNTOLD}
    assert categories(found)["unit (3.12)"] is Category.UNKNOWN
    assert any("GitHub did not answer" in gap.why for gap in found[2].gaps)


def test_a_green_job_counts_only_when_its_log_names_the_test() -> None:
    named, unnamed = Changed("case-b"), Changed("case-b")
    passing = next(job["id"] for job in unnamed.jobs(35801990425).items if job["name"] == "stage-a-test-1-gpu-xpu")
    unnamed.unreadable = {passing}

    assert trends(looked(named)) == {Trend.MENDED}
    assert trends(looked(unnamed)) == {Trend.UNTOLD}


def test_a_job_of_main_that_never_came_to_the_step_is_no_baseline() -> None:
    found = looked(Changed("main-infra-killed"))

    assert all(seen.baselines == () for seen in found[2].seen.values())


def test_that_a_commit_is_not_in_the_branch_is_told_by_the_order_of_pushes() -> None:
    (seen,) = looked(Changed("case-b"))[2].seen.values()

    assert [one.in_branch for one in seen.baselines if one.signature is None][:1] == [False]


def test_a_failing_run_of_main_itself_names_the_commits_since_it_passed() -> None:
    """Where the default branch is under triage, there is no change to blame but a range of commits."""
    reads = Changed("case-b")
    tip = "faa5a9578e91ae8b4b13ab43d4ae697cbaf50ae8"
    reads.of_main = lambda run: {
        **run,
        "head_sha": "fca7a97b986b2b372ab3e3e430cd891ee2f8b186",
        "conclusion": "success",
        "created_at": "2026-09-23T09:05:00Z",
    }

    def on_main(facts: Facts) -> Facts:
        runs: Sequence[Run] = facts.runs
        pushed = tuple(replace(run, event="push", head_branch="main", head_sha=tip) for run in runs)
        return replace(facts, pull=None, files=None, runs=pushed)

    facts, failures, history = looked(reads, change=on_main)

    (seen,) = history.seen.values()
    assert seen.commits is not None
    assert seen.commits.count == 3
    texts = [fact.text for fact in decide(facts, failures, history).jobs[0].evidence]
    assert any(text.startswith("last passed on the default branch at `fca7a97`, broken by one of 3") for text in texts)


# --------------------------------------------------------------------------------------------------------------------
# Other pull requests


def witnesses(reads: Changed, job: str, **options: Any) -> set[int | None]:
    _, failures, history = looked(reads, **options)
    failure = next(one for one in failures if one.job.name == job)
    return {sighting.pull_number for _, seen in history.of(failure) for sighting in seen.pulls}


def test_no_pull_request_of_the_same_author_is_a_witness() -> None:
    reads = Changed("case-a")
    reads.of_pull = lambda pull: {**pull, "user": {**pull["user"], "login": "contributor-a"}}

    assert witnesses(reads, "stage-a-test-1-gpu-xpu") == set()


def test_no_pull_request_of_the_same_stack_is_a_witness() -> None:
    reads = Changed("case-a")
    on_top = {38779: "hisparse-any-device", 38831: "router-warm-up"}  # one on this one, one on that
    reads.of_pull = lambda pull: {
        **pull,
        "base": {**pull["base"], "ref": on_top.get(pull["number"], pull["base"]["ref"])},
    }

    assert witnesses(reads, "stage-a-test-1-gpu-xpu") == {39980}


def test_a_revert_of_the_change_is_no_witness() -> None:
    reads = Changed("case-a")
    reads.of_pull = lambda pull: {**pull, "title": f"Revert #39471 {pull['title']}"}

    assert witnesses(reads, "stage-a-test-1-gpu-xpu") == set()


def green_on_main(reads: Changed) -> None:
    """Leave nothing of main, so that other pull requests are all there is to go by."""
    reads.of_main = lambda run: {**run, "event": "pull_request"}


def test_others_alone_make_it_flaky_at_most() -> None:
    reads = Changed("case-a")
    green_on_main(reads)

    assert categories(looked(reads))["stage-a-unit-test-mlx"] is Category.FLAKY


def test_others_that_touch_the_same_file_are_no_witnesses() -> None:
    reads = Changed("case-a")
    green_on_main(reads)
    shared = "python/sglang/srt/constrained/grammar.py"  # of #38468

    def also(facts: Facts) -> Facts:
        files = facts.files or ()
        return replace(facts, files=(*files, replace(files[0], path=shared)))

    assert witnesses(reads, "stage-a-unit-test-mlx", change=also) == {39902, 36559, 39059}


def test_others_whose_files_are_not_known_are_no_witnesses() -> None:
    reads = Changed("case-a")
    green_on_main(reads)

    def lost(number: int) -> Page:
        raise ProviderError("GitHub did not answer")

    reads.files = lost  # type: ignore[method-assign]  # this one answer of the fake is lost
    found = looked(reads)

    assert categories(found)["stage-a-unit-test-mlx"] is Category.UNKNOWN


@pytest.mark.parametrize("same", ["commit", "branch"])
def test_a_run_of_the_change_itself_is_no_witness_where_github_does_not_say_whose_it_is(same: str) -> None:
    reads = Changed("case-a")
    theirs = next(
        run for run in reads.failed_runs(XPU, event="pull_request", since=LONG_AGO).items if is_of(run, 38779)
    )
    fields = {"commit": {"head_sha": theirs["head_sha"]}, "branch": place_of(theirs)}[same]

    def not_found(facts: Facts) -> Facts:
        return replace(facts, pull=None, runs=tuple(replace(run, **fields) for run in facts.runs))

    assert witnesses(Changed("case-a"), "stage-a-test-1-gpu-xpu", change=without_pull) >= {38779}
    assert 38779 not in witnesses(reads, "stage-a-test-1-gpu-xpu", change=not_found)


# --------------------------------------------------------------------------------------------------------------------
# Other attempts


def test_the_same_failure_in_an_earlier_attempt_is_found_where_main_passes() -> None:
    reads = Changed("same-stack")

    def twice(facts: Facts) -> Facts:
        again = {job.id: replace(job, run_attempt=2) for job in facts.jobs}
        red = tuple(replace(one, job=again[one.job.id]) for one in facts.red)
        return replace(facts, jobs=tuple(again.values()), red=red, earlier_jobs=facts.jobs)

    facts, failures, history = looked(reads, change=twice)

    found = {failure.job.name: [seen for _, seen in history.of(failure)] for failure in failures}
    assert [one.attempt for seen in found["unit (3.12)"] for one in seen.attempts][:1] == [1]
    assert {job.conclusion for job in facts.earlier_jobs} >= {Conclusion.FAILURE}
