"""However large it gets: bounded time, memory, requests and files, and nobody left out without a word.

Scaled down for every day; `python -m benchmarks.load` is the full size.
"""

from __future__ import annotations

import gc
import os
import resource
import time
import tracemalloc
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.fakegithub import Drip, FakeGitHub, StoredLog
from tests.fakegithub.build import RUNS
from tests.github.conftest import QUICK
from tests.reliability.loads import FAILING, ORDINARY, MadeLog, failing_tests, large, one_line
from tests.reliability.test_faults import few_rules, pull_number
from triage.app import triage
from triage.classify import make_scanner
from triage.github import connect
from triage.github.logs import DownloadedLog
from triage.history.lookback import Limits
from triage.history.store import Store
from triage.logs import read_log, read_tests
from triage.model import Category, LogState
from triage.recorded import Recorded
from triage.recorded.files import FileSource
from triage.render.markdown import render_markdown
from triage.settings import BUILT_IN
from triage.source.protocol import Page
from triage.source.request import PullRequestRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from triage.github.budget import Budget
    from triage.model import Report

JSON = dict[str, Any]
MOST_COMMENT = 65_536


@dataclass(frozen=True, slots=True)
class Enlarged:
    """The reads of a recording, with one red job made many, each with a log of any size."""

    reads: Recorded
    jobs_number: int
    log_of: Callable[[JSON], MadeLog]
    files_number: int = 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reads, name)

    def jobs(self, run_id: int) -> Page:
        page = self.reads.jobs(run_id)
        red = next((job for job in page.items if job["conclusion"] == "failure"), None)
        if red is None:
            return page
        many = tuple(
            {**red, "id": red["id"] + 100_000 * place, "name": f"gpu (shard {place})"}
            for place in range(1, self.jobs_number + 1)
        )
        return Page(items=many, total_count=len(many))

    def log(self, job: JSON) -> MadeLog:
        return self.log_of(job)

    def compare(self, base: str, head: str) -> JSON:
        answer = self.reads.compare(base, head)
        files = [{**answer["files"][0], "filename": f"engine/part_{place}.py"} for place in range(self.files_number)]
        return {**answer, "files": files}

    def files(self, number: int) -> Page:
        items = tuple(
            {"status": "modified", "patch": "@@ -1 +1 @@", "filename": f"engine/part_{place}.py"}
            for place in range(self.files_number)
        )
        return Page(items=items, total_count=len(items))


def enlarged(jobs: int, log: MadeLog, *, files: int = 1) -> Report:
    reads = Enlarged(Recorded(RUNS / "regression"), jobs, lambda _: log, files)
    return triage(PullRequestRequest(pull_number()), reads, few_rules())


def peak_megabytes() -> float:
    """Return the most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def test_many_large_logs_are_read_in_bounded_memory() -> None:
    enlarged(1, large(1))
    before = peak_megabytes()

    report = enlarged(8, large(8))

    assert [row.failure.log_state for row in report.jobs] == [LogState.READ] * 8
    assert peak_megabytes() - before < 150
    assert peak_megabytes() < 900  # of this whole process, with all that other tests left in it


def test_of_256_jobs_in_a_matrix_every_one_is_in_the_report_and_the_comment_fits() -> None:
    report = enlarged(256, large(0))

    assert [row.failure.log_state for row in report.jobs] == [LogState.READ] * 256
    assert sum(len(cause.jobs) for cause in report.causes) == 256
    assert len(render_markdown(report).encode()) < MOST_COMMENT


def test_of_2000_changed_files_the_report_takes_no_longer_than_it_should() -> None:
    began = time.process_time()

    report = enlarged(20, failing_tests(50), files=2_000)

    assert time.process_time() - began < 20
    assert [row.failure.log_state for row in report.jobs] == [LogState.READ] * 20
    assert len(render_markdown(report).encode()) < MOST_COMMENT


def test_100_000_failed_tests_in_one_log_are_bounded() -> None:
    began = time.process_time()
    log = read_log(failing_tests(100_000), make_scanner(few_rules()))
    tests = read_tests(log)

    assert time.process_time() - began < 30
    assert tests.ran == 100_003
    assert tests.failures
    assert len(log.lines) < 30_000


def test_one_line_of_a_hundred_megabytes_takes_no_memory() -> None:
    tracemalloc.start()
    log = read_log(one_line(100), make_scanner(few_rules()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert log.total_lines == 3
    assert max(len(line.text) for line in log.lines) < 10_000
    assert peak < 30_000_000


def test_more_logs_than_may_be_read_are_told_and_none_is_excused() -> None:
    reads = Enlarged(Recorded(RUNS / "regression"), 30, lambda _: large(0))
    settings = replace(BUILT_IN, max_logs=10)

    report = triage(PullRequestRequest(pull_number()), reads, few_rules(), settings=settings)

    assert len(report.jobs) == 30
    unread = [row for row in report.jobs if row.failure.log_state is LogState.UNREADABLE]
    assert len(unread) == 20
    assert {row.category for row in unread} == {Category.UNKNOWN}
    assert any("at most 10 logs are read" in gap.why for gap in report.gaps)


def test_a_triage_ends_at_its_deadline_whatever_is_still_to_read() -> None:
    with FakeGitHub.from_recording(RUNS / "regression") as fake:
        for number in fake.state.logs:
            fake.state.logs[number] = StoredLog(data=ORDINARY + FAILING)
        fake.fail("BLOB *", Drip(seconds=60), times=None)
        began = time.monotonic()
        with connect(
            fake.repository, token=fake.token, api_url=fake.api_url, limits=replace(QUICK, read_timeout=20), deadline=3
        ) as reads:
            report = triage(PullRequestRequest(pull_number()), reads, few_rules(), limits=Limits(seconds=5))

    assert time.monotonic() - began < 50
    assert len(report.jobs) == 3
    assert any("too long" in gap.why or "limit" in gap.why for gap in report.gaps)


@dataclass(slots=True)
class SoMuchTime:
    """A budget of time that is over after so many looks at it."""

    looks: int

    @property
    def left(self) -> float:
        self.looks -= 1
        return self.looks


def test_a_log_that_is_being_read_when_the_time_is_over_ends_there_and_says_so(tmp_path: Path) -> None:
    place = tmp_path / "7.log"
    place.write_bytes(ORDINARY * 10 + FAILING)
    scanner = make_scanner(few_rules())
    whole = read_log(FileSource(place), scanner)

    source = DownloadedLog(place, name="log", truncated=False, budget=cast("Budget", SoMuchTime(10)))
    cut = read_log(source, scanner)

    assert not whole.truncated
    assert cut.truncated
    assert 0 < cut.total_lines < whole.total_lines / 2
    assert cut.lines[:100] == whole.lines[:100]


def test_a_log_without_any_time_left_is_as_good_as_none(tmp_path: Path) -> None:
    place = tmp_path / "7.log"
    place.write_bytes(FAILING)

    log = read_log(
        DownloadedLog(place, name="log", truncated=False, budget=cast("Budget", SoMuchTime(0))),
        make_scanner(few_rules()),
    )

    assert log.truncated
    assert log.lines == ()


# ---------------------------------------------------------------------------------------------------------------------
# Again and again: `python -m benchmarks.load --soak 1000` weighs the process, too

# Of one triage: the report that the test holds. What a triage makes is many times that.
MOST_NEW_OBJECTS = 300


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted where Linux tells them")
def test_triages_again_and_again_on_one_history_leave_nothing_open_and_nothing_behind(tmp_path: Path) -> None:
    recorded = Recorded(RUNS / "regression")
    with Store.open(tmp_path / "history.db") as store:

        def again(times: int) -> Iterator[Report]:
            for _ in range(times):
                yield triage(PullRequestRequest(pull_number()), recorded, few_rules(), limits=Limits(), store=store)

        first = list(again(2))
        gc.collect()
        files, size, objects = open_files(), size_of(tmp_path), len(gc.get_objects())
        last = list(again(3))
        gc.collect()

    assert open_files() <= files
    assert len(gc.get_objects()) <= objects + MOST_NEW_OBJECTS * len(last)
    assert size_of(tmp_path) <= size + 100_000
    assert last[-1] == first[-1]
