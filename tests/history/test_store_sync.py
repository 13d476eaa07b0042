"""`triage history`: filling the store from a branch, within requests, and what is shown and thrown away."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.builders import NOW, REPOSITORY
from tests.history.stories import a_known_failure, add, everything, on_main
from triage.classify import make_scanner
from triage.entry.cli import main
from triage.gather.sync import Synced, sync
from triage.history.records import BranchKind
from triage.history.store import Store
from triage.model import Repository, RunId
from triage.recorded import Recorded
from triage.rules import builtin_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.matching import Scanner
    from triage.source import Reads

CASE_A = Path(__file__).parent.parent / "fixtures" / "runs" / "case-a"
ENGINE = Repository(full_name="acme-ml/engine", url="https://github.com/acme-ml/engine")
AUTUMN = datetime(2026, 9, 1, tzinfo=UTC)
ENOUGH = 1_000
XPU_ON_MAIN = RunId(35301744417)
NEVER = "9999999999"
"""Days that reach back to every recording, whatever the date is."""


class Asked:
    """A recording that remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []
        self._recorded = Recorded(CASE_A)

    @property
    def reads(self) -> Reads:
        return cast("Reads", self)

    @property
    def kinds(self) -> Counter[str]:
        return Counter(name for name, _ in self.calls)

    def __getattr__(self, name: str) -> Callable[..., object]:
        method = getattr(self._recorded, name)

        def asked(*arguments: Any, **options: Any) -> object:
            self.calls.append((name, arguments[0]["id"] if name == "log" else arguments))
            return method(*arguments, **options)

        return asked


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return make_scanner(builtin_rules())


def run_sync(store: Store, scanner: Scanner, asked: Asked, *, most: int = ENOUGH, reader: str = "rules") -> Synced:
    return sync(asked.reads, store, builtin_rules(), scanner, reader=reader, since=AUTUMN, most_requests=most)


def test_a_sync_keeps_what_main_did_with_its_hosts(store: Store, scanner: Scanner) -> None:
    done = run_sync(store, scanner, Asked())

    assert (done.listed, done.known, done.read, done.left) == (11, 0, 11, 0)
    jobs = store.baseline(ENGINE, since=AUTUMN, workflow_path=".github/workflows/pr-test-xpu.yml")
    broken = [one for one in jobs if one.job.is_red and one.job.name == "stage-a-test-1-gpu-xpu"]
    assert [(one.run.id, one.job.runner) for one in broken] == [(XPU_ON_MAIN, "system815752")]
    (failure,) = [one.failure for one in broken]
    assert failure is not None
    (signature,) = failure.signatures
    seen = store.sightings(ENGINE, [signature], since=AUTUMN)[signature].on_default
    assert [one.run_id for one in seen] == [XPU_ON_MAIN]
    assert "could not kill container" in failure.excerpt or "cannot remove container" in failure.excerpt


def test_a_second_sync_asks_for_the_list_alone(store: Store, scanner: Scanner) -> None:
    run_sync(store, scanner, Asked())
    before = everything(store)
    again = Asked()

    done = run_sync(store, scanner, again)

    assert again.kinds == {"repository": 1, "runs_on": 1}
    assert (done.known, done.read, done.requests) == (11, 0, 2)
    assert everything(store) == before


@pytest.mark.parametrize("most", [1, 2, 3, 4, 7, 12])
def test_a_sync_never_asks_for_more_than_it_may(store: Store, scanner: Scanner, most: int) -> None:
    asked = Asked()

    done = run_sync(store, scanner, asked, most=most)

    assert len(asked.calls) == done.requests <= max(most, 2)  # the repository and the list are asked for in any case
    assert done.left > 0


def test_syncs_that_stop_early_add_up_to_one_that_does_not(store: Store, scanner: Scanner, tmp_path: Path) -> None:
    asked = Asked()
    for _ in range(20):
        done = run_sync(store, scanner, asked, most=8)

    assert done.left == 0
    logs = [what for name, what in asked.calls if name == "log"]
    assert len(logs) == len(set(logs))
    with Store.open(tmp_path / "whole.db") as whole:
        run_sync(whole, scanner, Asked())
        assert store.baseline(ENGINE, since=AUTUMN) == whole.baseline(ENGINE, since=AUTUMN)


def test_failed_runs_are_read_before_green_ones(store: Store, scanner: Scanner) -> None:
    asked = Asked()

    run_sync(store, scanner, asked)

    order = [what[0] for name, what in asked.calls if name == "jobs" and isinstance(what, tuple)]
    recorded = Recorded(CASE_A)
    listed = {run["id"]: run["conclusion"] for run in recorded.runs_on("main", since=AUTUMN).items}
    conclusions = [listed[run] for run in order]
    assert conclusions == sorted(conclusions, key=lambda one: one == "success")
    assert asked.kinds["log"] == sum(one.job.is_red for one in store.baseline(ENGINE, since=AUTUMN))


def test_other_rules_read_the_logs_again(store: Store, scanner: Scanner) -> None:
    run_sync(store, scanner, Asked())
    again = Asked()

    done = run_sync(store, scanner, again, reader="newer rules")

    assert done.read == 4
    assert again.kinds["log"] == done.logs > 0


# The command


def triage(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["history", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_history_can_be_filled_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "history.db")

    filled = triage(capsys, "sync", "--recorded", str(CASE_A), "--days", NEVER, "--history", place)
    shown = triage(capsys, "show", "--history", place)

    assert filled[0] == shown[0] == 0
    assert "acme-ml/engine: 11 runs listed, 0 known before, 11 read with 8 logs" in filled[1]
    assert "default branch       11 runs" in shown[1]
    assert "container-cannot-be-removed" in shown[1]
    assert "TestOverlapLoopGracefulExit" in shown[1]


def test_a_sync_that_may_not_ask_for_all_says_how_to_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "history.db")
    given = ("--recorded", str(CASE_A), "--days", NEVER, "--max-requests", "5", "--history", place)

    _, out, _ = triage(capsys, "sync", *given)

    assert "runs are left: run it again, or give more --max-requests" in out


def test_the_history_can_be_shown_to_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "history.db"
    with Store.open(place) as store:
        add(store, on_main(a_known_failure()))

    _, out, _ = triage(capsys, "show", "--format", "json", "--history", str(place))

    (told,) = json.loads(out)
    assert told["repository"] == "acme/engine"
    assert [(one["kind"], one["runs"], one["failures"]) for one in told["branches"]] == [("default", 1, 1)]
    assert [(one["sightings"], one["on_default"], one["newest"]) for one in told["signatures"]] == [
        (1, 1, f"{NOW:%Y-%m-%dT%H:%M:%SZ}")
    ]


def test_an_empty_history_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = triage(capsys, "show", "--history", str(tmp_path / "history.db"))

    assert "nothing is kept in" in out


def test_what_a_log_said_cannot_command_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "history.db"
    failure = a_known_failure()
    assert failure.signature is not None
    hostile = replace(failure, signature=replace(failure.signature, parts=("\x1b[2J\x1b]0;owned\x07evil\u202e",)))
    with Store.open(place) as store:
        add(store, on_main(hostile))

    _, out, _ = triage(capsys, "show", "--history", str(place))

    assert "evil" in out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_pruning_says_what_it_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "history.db"
    now = datetime.now(UTC)
    with Store.open(place) as store:
        add(store, on_main(a_known_failure(), run=501, at=now - timedelta(days=40)))
        add(store, on_main(run=502, at=now - timedelta(days=2)))

    _, out, _ = triage(capsys, "prune", "--days", "30", "--history", str(place))

    assert "removed 1 runs from before" in out
    assert "1 jobs and 1 failures, and 1 signatures that were not seen since; the file is 0.0 MB smaller\n" in out
    with Store.open(place) as store:
        (summary,) = store.summary()
    assert [(one.kind, one.runs) for one in summary.branches] == [(BranchKind.DEFAULT, 1)]


@pytest.mark.parametrize("command", ["show", "prune"])
def test_a_broken_history_ends_the_command_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    place = tmp_path / "history.db"
    place.write_text("this is no database at all, and long enough to be looked at" * 20)

    code, out, err = triage(capsys, command, "--history", str(place))

    assert (code, out) == (2, "")
    assert err == f"triage: the history in {place} is no database; give another path\n"


def test_a_repository_that_was_never_synced_has_no_baseline(store: Store) -> None:
    assert store.baseline(REPOSITORY, since=AUTUMN) == ()
