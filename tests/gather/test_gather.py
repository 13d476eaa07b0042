"""What one triage reads, what it leaves alone, and what it does when something cannot be read."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.gather.reads import FORK, HEAD, REPOSITORY, FakeReads, a_comparison, a_job, a_pull, a_run
from triage.errors import ProviderError, RateLimited
from triage.gather import gather
from triage.logs import TextSource
from triage.matching import Scanner
from triage.model import Log, LogState, MissingLog
from triage.source.protocol import Page
from triage.source.request import PullRequestRequest, RunRequest

if TYPE_CHECKING:
    from triage.model import Facts

WORKFLOW = "name: CI\njobs: {test: {needs: build}}\n"
SCANNER = Scanner({"boom": "boom"})
PULL = PullRequestRequest(5)
RUN = RunRequest(7)


def facts_of(reads: FakeReads, request: PullRequestRequest | RunRequest, **options: Any) -> Facts:
    return gather(reads, request, SCANNER, **options)


def broken_run(jobs: int = 2, **fields: Any) -> FakeReads:
    """A fork's run in which every job failed, with its log."""
    return FakeReads(
        pulls={5: a_pull()},
        runs={7: a_run()},
        job_lists={7: [a_job(number) for number in range(1, jobs + 1)]},
        logs={number: f"one\nboom {number}\n" for number in range(1, jobs + 1)},
        workflow_files={".github/workflows/ci7.yml": WORKFLOW},
        by_head=[a_pull()],
        **fields,
    )


def whys(facts: Facts) -> list[str]:
    return [str(gap) for gap in facts.gaps]


def test_a_forks_run_comes_with_its_pull_request_its_files_and_its_logs() -> None:
    facts = facts_of(broken_run(), RUN)

    assert facts.pull is not None
    assert (facts.pull.number, facts.pull.merge_base, facts.pull.behind_by) == (5, "0ld", 3)
    assert facts.files is not None
    assert [file.path for file in facts.files] == ["a.py"]
    assert [type(job.log) for job in facts.red] == [Log, Log]
    assert facts.workflows[facts.runs[0].id].jobs[0].needs == ("build",)
    assert facts.gaps == ()


def test_one_run_of_a_fork_costs_its_logs_and_five_requests() -> None:
    reads = broken_run(jobs=12)

    facts_of(reads, RUN)

    assert len(reads.asked_for("log")) == 12
    assert sorted(kind for kind, _ in reads.asked if kind != "log") == [
        "compare",
        "file",
        "jobs",
        "pulls_with_head",
        "run",
    ]


def test_a_pull_request_costs_its_logs_three_requests_and_two_a_broken_run() -> None:
    reads = broken_run(jobs=3)
    reads.runs |= {8: a_run(8, conclusion="success"), 9: a_run(9, conclusion="skipped")}
    reads.job_lists |= {8: [a_job(80, 8, conclusion="success")]}

    facts = facts_of(reads, PULL)

    assert len(reads.asked_for("log")) == 3
    kinds = sorted(kind for kind, _ in reads.asked if kind != "log")
    assert kinds == ["compare", "file", "jobs", "jobs", "pull", "runs_at"]
    assert [run.id for run in facts.runs] == [7, 8, 9]
    assert [job.id for job in facts.jobs] == [1, 2, 3, 80]


def test_a_green_run_has_nothing_red_and_no_log_is_read() -> None:
    reads = broken_run()
    reads.runs = {7: a_run(conclusion="success")}
    reads.job_lists = {7: [a_job(1, conclusion="success"), a_job(2, conclusion="skipped", steps=[], runner_name=None)]}

    facts = facts_of(reads, RUN)

    assert facts.red == ()
    assert len(facts.jobs) == 2
    assert reads.asked_for("log") == reads.asked_for("file") == []


def test_a_run_on_a_branch_looks_for_no_pull_request() -> None:
    reads = broken_run()
    reads.runs = {7: a_run(event="push", head_branch="main", head_repository=REPOSITORY)}

    facts = facts_of(reads, RUN)

    assert facts.pull is None
    assert facts.files is None
    assert facts.repository.default_branch == "main"
    assert facts.gaps == ()
    assert [kind for kind, _ in reads.asked if kind != "log"] == ["run", "repository", "jobs", "file"]


def test_a_run_that_names_one_pull_request_belongs_to_it() -> None:
    reads = broken_run()
    reads.runs = {7: a_run(pull_requests=[{"number": 5, "base": {"repo": {"id": 1}}}])}

    facts = facts_of(reads, RUN)

    assert facts.pull is not None
    assert reads.asked_for("pull") == [5]
    assert reads.asked_for("pulls_with_head") == []


def test_a_closed_pull_request_is_found_by_its_commit() -> None:
    reads = broken_run(by_commit=[a_pull(state="closed")])
    reads.by_head = []

    facts = facts_of(reads, RUN)

    assert facts.pull is not None
    assert reads.asked_for("compare") == [("ba5e", HEAD)]


@pytest.mark.parametrize(
    "other",
    [
        a_pull(6, head={"sha": "other", "ref": "fix", "repo": FORK}),
        a_pull(6, head={"sha": HEAD, "ref": "fix", "repo": {"id": 3}}),
        a_pull(6, head={"sha": HEAD, "ref": "fix", "repo": None}),
    ],
)
def test_a_pull_request_with_another_head_is_not_the_runs(other: dict[str, Any]) -> None:
    reads = broken_run()
    reads.by_head = [other]

    facts = facts_of(reads, RUN)

    assert facts.pull is None
    assert whys(facts) == [f"pull request: none has commit {HEAD[:10]} as its head, or not any more"]


@pytest.mark.parametrize("known_by", ["head", "number"])
def test_between_two_pull_requests_nothing_is_guessed(known_by: str) -> None:
    reads = broken_run()
    if known_by == "head":
        reads.by_head = [a_pull(5), a_pull(6)]
    else:
        reads.runs = {7: a_run(pull_requests=[{"number": number} for number in (5, 6)])}

    facts = facts_of(reads, RUN)

    assert facts.pull is None
    assert "more than one: #5, #6" in whys(facts)[0]


def test_a_pull_request_that_moved_on_is_compared_at_the_commit_that_was_tested() -> None:
    moved = a_pull(head={"sha": "new", "ref": "fix", "repo": FORK}, changed_files=9)
    reads = broken_run()
    reads.pulls = {5: moved}
    reads.runs = {7: a_run(pull_requests=[{"number": 5}])}

    facts = facts_of(reads, RUN)

    assert facts.files is not None
    assert reads.asked_for("compare") == [("main", HEAD)]
    assert reads.asked_for("files") == []
    assert "moved on to new" in whys(facts)[0]


def test_files_beyond_a_comparison_are_listed() -> None:
    reads = broken_run(comparison=a_comparison(*(f"{number}.py" for number in range(300))))
    reads.pulls = {5: a_pull(changed_files=301)}
    reads.file_list = [{"filename": f"{number}.py"} for number in range(301)]

    facts = facts_of(reads, PULL)

    assert facts.files is not None
    assert len(facts.files) == 301


def test_a_list_of_files_that_is_not_whole_is_none() -> None:
    reads = broken_run(comparison=a_comparison())
    reads.file_list = Page(items=({"filename": "a.py"},), total_count=3001)

    facts = facts_of(reads, PULL)

    assert facts.files is None
    assert whys(facts) == ["changed files: GitHub lists only 1 of 3001; what is not in the list proves nothing"]


def test_without_a_comparison_the_files_are_listed_and_the_gap_is_told() -> None:
    reads = broken_run(comparison=ProviderError("GitHub failed"), file_list=[{"filename": "a.py"}])

    facts = facts_of(reads, PULL)

    assert facts.pull is not None
    assert facts.pull.behind_by is None
    assert facts.files is not None
    assert whys(facts) == ["comparison with main: GitHub failed"]


def test_a_job_that_never_started_is_asked_for_its_annotation_and_not_for_a_log() -> None:
    reads = broken_run()
    reads.job_lists = {7: [a_job(1, conclusion="cancelled", runner_name=None, steps=[])]}
    reads.notes = {1: [{"path": ".github", "message": "The operation was canceled."}]}

    (red,) = facts_of(reads, RUN).red

    assert reads.asked_for("log") == []
    assert isinstance(red.log, MissingLog)
    assert red.log.why == "no runner ever took the job, so nothing was logged"
    assert red.annotations[0].message == "The operation was canceled."


UNFINISHED = {"number": 2, "name": "Tests", "status": "in_progress", "conclusion": None}
FINE = {"number": 1, "name": "Set up", "status": "completed", "conclusion": "success"}


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({}, False),
        ({"conclusion": "cancelled"}, True),
        ({"conclusion": "timed_out"}, True),
        ({"steps": [FINE, UNFINISHED]}, True),
        ({"steps": [FINE]}, True),
        ({"check_run_url": None, "conclusion": "cancelled"}, False),
    ],
)
def test_annotations_are_read_only_where_the_log_cannot_tell(fields: dict[str, Any], *, asked: bool) -> None:
    reads = broken_run()
    reads.job_lists = {7: [a_job(1, **fields)]}

    facts_of(reads, RUN)

    assert bool(reads.asked_for("annotations")) is asked


def test_a_missing_log_is_explained_by_annotations() -> None:
    reads = broken_run(jobs=1)
    reads.logs = {}
    reads.notes = {1: [{"path": ".github", "message": "The self-hosted runner lost communication with the server."}]}

    (red,) = facts_of(reads, RUN).red

    assert isinstance(red.log, MissingLog)
    assert red.annotations[0].is_from_platform


def test_what_fails_for_one_job_hides_no_other() -> None:
    reads = broken_run(jobs=3)
    reads.logs[2] = ProviderError("the store that keeps the job's log answered 500")

    facts = facts_of(reads, RUN)

    assert [isinstance(job.log, Log) for job in facts.red] == [True, False, True]
    missing = facts.red[1].log
    assert isinstance(missing, MissingLog)
    assert missing.state is LogState.UNREADABLE
    assert whys(facts) == ["log of job 2: the store that keeps the job's log answered 500"]


def test_logs_that_fail_alike_are_told_in_one_line() -> None:
    reads = broken_run(jobs=6)
    reads.logs = dict.fromkeys(range(1, 7), RateLimited("GitHub's request limit is used up"))

    facts = facts_of(reads, RUN)

    assert len(facts.red) == 6
    assert whys(facts) == ["logs of job 1, job 2, job 3 and 3 more: GitHub's request limit is used up"]


def test_a_crash_of_ours_on_one_log_is_owned_and_hides_no_other() -> None:
    class Trap(TextSource):
        def open(self) -> Any:
            raise KeyError("a mistake of ours")

    reads = broken_run(jobs=2)
    reads.logs[1] = Trap("log of job 1", "")

    facts = facts_of(reads, RUN)

    assert isinstance(facts.red[1].log, Log)
    assert whys(facts) == ["log of job 1: triage itself failed on this log (KeyError); please report it"]


def test_annotations_that_cannot_be_read_are_a_gap() -> None:
    reads = broken_run(jobs=1)
    reads.job_lists = {7: [a_job(1, conclusion="cancelled")]}
    reads.notes = {1: ProviderError("it needs the permission `checks: read`")}

    assert whys(facts_of(reads, RUN)) == ["annotations of job 1: it needs the permission `checks: read`"]


def test_a_list_of_jobs_that_is_not_whole_may_hide_red_ones() -> None:
    reads = broken_run()
    reads.job_lists = {7: Page(items=(a_job(1),), total_count=230)}

    (gap,) = facts_of(reads, RUN).gaps

    assert str(gap) == "jobs of run 7 of CI 7: GitHub gave only 1 of 230"
    assert gap.hides_jobs


def test_a_job_that_cannot_be_read_may_be_red() -> None:
    reads = broken_run()
    reads.job_lists = {7: [a_job(1), {"id": 2, "run_id": 7}]}

    facts = facts_of(reads, RUN)

    assert len(facts.red) == 1
    assert facts.gaps[0].hides_jobs


def test_a_list_of_runs_that_is_not_whole_may_hide_red_ones() -> None:
    (gap,) = facts_of(broken_run(runs_counted=1001), PULL).gaps

    assert "GitHub gave only 1 of 1001" in str(gap)
    assert gap.hides_jobs


def test_jobs_of_one_run_that_cannot_be_read_hide_no_other_run() -> None:
    reads = broken_run()
    reads.runs[8] = a_run(8)
    reads.job_lists[8] = ProviderError("GitHub failed")

    facts = facts_of(reads, PULL)

    assert len(facts.red) == 2
    assert [gap.hides_jobs for gap in facts.gaps if "run 8" in gap.what] == [True]


def test_without_the_jobs_of_any_run_there_is_nothing_to_report() -> None:
    reads = broken_run()
    reads.job_lists = {7: ProviderError("it needs the permission `actions: read`", status=403)}

    with pytest.raises(ProviderError, match="actions: read"):
        facts_of(reads, RUN)


@pytest.mark.parametrize("request_", [RunRequest(404), PullRequestRequest(404)])
def test_what_does_not_exist_is_an_error(request_: RunRequest | PullRequestRequest) -> None:
    with pytest.raises(ProviderError):
        facts_of(broken_run(), request_)


def test_a_run_that_never_got_to_its_jobs_stays_with_its_workflow_file() -> None:
    reads = broken_run()
    reads.runs = {7: a_run(conclusion="startup_failure")}
    reads.job_lists = {7: []}
    reads.workflow_files = {".github/workflows/ci7.yml": "jobs: ["}

    facts = facts_of(reads, PULL)

    assert [run.id for run in facts.runs] == [7]
    assert facts.red == ()
    assert "not valid YAML in line 1" in whys(facts)[0]


def test_a_workflow_file_that_is_not_there_is_a_gap_and_asked_for_once() -> None:
    reads = broken_run()
    reads.runs = {number: a_run(number, path=".github/workflows/ci.yml", event=f"e{number}") for number in (7, 8)}
    reads.job_lists = {7: [a_job(1)], 8: [a_job(2, 8)]}

    facts = facts_of(reads, PULL)

    assert facts.workflows == {}
    assert whys(facts) == [f"workflow file .github/workflows/ci.yml: there is none at {HEAD[:10]}"]
    assert len(reads.asked_for("file")) == 1


def test_the_file_of_a_target_run_is_that_of_the_base_branch() -> None:
    reads = broken_run()
    reads.runs = {7: a_run(event="pull_request_target")}

    facts_of(reads, PULL)

    assert reads.asked_for("file") == [(".github/workflows/ci7.yml", "ba5e")]


def test_a_scan_of_githubs_own_has_no_workflow_file() -> None:
    reads = broken_run()
    reads.runs = {7: a_run(path="dynamic/github-code-scanning/codeql")}

    facts_of(reads, PULL)

    assert reads.asked_for("file") == []


def test_jobs_in_progress_are_kept_and_the_finished_ones_are_read() -> None:
    reads = broken_run(jobs=1)
    reads.runs = {7: a_run(status="in_progress", conclusion=None)}
    reads.job_lists[7].append(a_job(2, status="in_progress", conclusion=None))

    facts = facts_of(reads, RUN)

    assert not facts.runs[0].is_complete
    assert [job.job.id for job in facts.red] == [1]
    assert [job.id for job in facts.jobs] == [1, 2]


def test_logs_are_read_at_the_same_time() -> None:
    meeting = threading.Barrier(4, timeout=10)

    class Meeting(TextSource):
        def open(self) -> Any:
            meeting.wait()  # breaks unless four readers come
            return super().open()

    reads = broken_run(jobs=4)
    reads.logs = {number: Meeting(f"log {number}", "boom\n") for number in range(1, 5)}

    facts = facts_of(reads, RUN, workers=4)

    assert [type(job.log) for job in facts.red] == [Log] * 4
    assert [job.job.id for job in facts.red] == [1, 2, 3, 4]


def test_progress_says_what_is_read() -> None:
    told: list[str] = []

    facts_of(broken_run(), RUN, progress=told.append)

    assert told[0] == "reading run 7"
    assert told[-1] == "reading the logs of 2 failed jobs: 2 done"
