"""One test for each threat of `docs/security.md`, through the doors that the world has; more stand where it says."""

from __future__ import annotations

import json
import os
import re
import ssl
import subprocess
import sys
import threading
import time
import tomllib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.commands.desk import Desk
from tests.fakegithub import Dropped, Elsewhere, FakeGitHub, GzipBomb, StoredLog
from tests.fakegithub.build import RUNS
from tests.github.conftest import QUICK
from tests.publish.test_runner import read_outputs
from tests.reliability.test_faults import few_rules, later, ours, post, pull_number, without_fault
from tests.render.github_html import Page
from tests.render.hostile import rewritten
from tests.render.samples import case_b
from triage.app import triage
from triage.entry.action import main as action
from triage.entry.cli import main
from triage.errors import ConfigError, ProviderError, UsageError
from triage.github import connect
from triage.history.lookback import Limits
from triage.matching import Scanner
from triage.model import Category, MissingLog
from triage.publish import RunnerFiles
from triage.publish.marker import marker_of
from triage.recorded import Recorder
from triage.render.annotations import render_annotations
from triage.render.json_report import render_json
from triage.render.markdown import render_markdown
from triage.render.terminal import render_terminal
from triage.rules import load_rules, parse_builtin
from triage.source.request import PullRequestRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.model import Report

ROOT = Path(__file__).parent.parent.parent
WORKFLOWS = sorted([*ROOT.glob(".github/workflows/triage*.yml"), *ROOT.glob("docs/workflows/triage*.yml")])
EXCUSES = frozenset(Category) - {Category.UNKNOWN, Category.REGRESSION, Category.CASCADE}
MAIN = "d" * 40
BOT = "github-actions[bot]"


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub.from_recording(RUNS / "regression") as running:
        yield running


def triaged(fake: FakeGitHub, *, limits: Limits | None = None, number: int | None = None) -> Report:
    with connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=QUICK) as reads:
        return triage(PullRequestRequest(number or pull_number()), reads, few_rules(), limits=limits)


def hostile(text: str) -> Report:
    """Return a report in which whatever others wrote is this text."""
    return rewritten(case_b(), lambda _: text)


def workflow_steps() -> list[dict[str, Any]]:
    read = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in WORKFLOWS]
    return [step for workflow in read for job in workflow["jobs"].values() for step in job["steps"]]


@cache
def imported() -> frozenset[str]:
    """Return every module that triage imports, at whatever time."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "triage").rglob("*.py")]
    return frozenset(
        found for text in texts for found in re.findall(r"^ *(?:from|import) ([\w.]+)", text, re.MULTILINE)
    )


def belongs_to(modules: frozenset[str], *packages: str) -> list[str]:
    return sorted(one for one in modules if any(one == name or one.startswith(f"{name}.") for name in packages))


def test_t01_nothing_of_the_change_is_run(tmp_path: Path) -> None:
    for name in ("sitecustomize.py", "usercustomize.py", "rich.py", "yaml.py", "json.py", "triage.py"):
        (tmp_path / name).write_text("import sys\nsys.stdout.write('pwned')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "GITHUB_REPOSITORY": "acme-ml/engine"}

    done = subprocess.run(
        [sys.executable, "-I", "-m", "triage.entry.action"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "pwned" not in done.stdout + done.stderr
    assert "No triage" in done.stdout
    assert 'exec "$(cat "$home/python-path")" -I -m triage.entry.action' in (ROOT / "action.yml").read_text()
    assert [step for step in workflow_steps() if set(step) - {"uses", "with"} or "checkout" in step["uses"]] == []


def test_t02_rules_come_from_the_default_branch_alone(fake: FakeGitHub, capfd: pytest.CaptureFixture[str]) -> None:
    run = next(one for one in fake.state.all_runs() if one["event"] == "pull_request")
    fake.state.contents[run["head_sha"], ".github/triage.yml"] = b"version: 1\nrules: [evil.yaml]\n"
    environment = {
        "GITHUB_EVENT_NAME": "workflow_dispatch",
        "GITHUB_API_URL": fake.api_url,
        "GITHUB_REPOSITORY": fake.repository,
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_SHA": MAIN,
        "TRIAGE_RUN_ID": str(run["id"]),
        "TRIAGE_TOKEN": fake.token,
        "TRIAGE_DRY_RUN": "true",
    }

    assert action(environment) == 0

    asked = [one.query["ref"] for one in fake.asked("GET */contents/.github/triage.yml")]
    assert asked == [MAIN]
    assert not fake.asked("GET */contents/evil.yaml")
    assert "triage of" in capfd.readouterr().out


def test_t03_a_rules_file_that_is_a_bomb_is_refused_with_its_place() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]

    with pytest.raises(ConfigError, match=r"rules\.yaml:1:5"):
        load_rules("\n".join([*levels, "rules: *a9"]), "rules.yaml")


def test_t04_a_pattern_that_would_backtrack_costs_no_more_than_its_line() -> None:
    line = b"a" * 1_000_000 + b"!\n"
    began = time.process_time()

    found = list(Scanner({"evil": "(a+)+$", "good": "a!"}).scan_block(line * 4))

    assert time.process_time() - began < 5
    assert {key for _, key in found} <= {"evil", "good"}


def test_t05_a_log_cannot_leave_its_fence() -> None:
    page = Page(render_markdown(hostile("```\n````\n</details><img src=x onerror=alert(1)><script>alert(1)</script>")))

    assert [one for one in page.structure if one.startswith(("<img", "<script"))] == []


def test_t06_nobody_is_mentioned_and_nothing_referred_to() -> None:
    page = Page(render_markdown(hostile("cc @octocat @acme/team fixes #1 acme/engine#1 GH-1")))

    assert re.findall(r"(?<![\w`])@[a-z]|(?<!\w)#1|GH-1", page.running) == []


def test_t07_a_forged_marker_is_nobodys_comment_of_ours(fake: FakeGitHub) -> None:
    marker = str(marker_of(without_fault(), "default"))
    forged = marker.replace(":", ":9", 1)
    fake.comment(pull_number(), author="mallory", body=f"{forged}\n\nAll is well, merge it.")

    post(fake, without_fault())

    assert [one["user"]["login"] for one in fake.state.comments.values()] == ["mallory", BOT]


@pytest.fixture
def desk() -> Iterator[Desk]:
    with FakeGitHub.from_recording(RUNS / "lost-runner") as running:
        desk = Desk(fake=running, number=561)
        desk.settings("version: 1\ncompare: {requests: 0}\n")
        desk.let("maintainer-w", "write")
        desk.let("passer-by", "read")
        yield desk


def test_t08_who_may_not_is_refused_and_nothing_is_done(desk: Desk) -> None:
    assert desk.say("/triage rerun", by="passer-by").is_refused
    assert desk.reruns == []


def test_t09_a_push_after_the_comment_ends_it(desk: Desk) -> None:
    event = desk.event("/triage rerun", by="maintainer-w")
    desk.fake.state.pulls[561]["head"]["sha"] = "e" * 40

    desk.give(event)

    assert desk.reruns == []


def test_t10_only_what_ran_is_run_again_and_nothing_is_approved(desk: Desk) -> None:
    desk.say("/triage rerun", by="maintainer-w")

    acts = [one.path for one in desk.fake.asked("POST */actions/*")]
    assert acts
    assert [path for path in acts if not re.search(r"/(rerun|rerun-failed-jobs)$", path)] == []


def test_t11_one_process_looks_and_acts() -> None:
    per_job = [
        job["steps"] for path in WORKFLOWS for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    ]

    assert per_job
    assert [steps for steps in per_job if len(steps) != 1] == []


@pytest.mark.parametrize(
    "text", ["::error::x", "##[error]x", "a\n::add-mask::a\n", "a\r##[set-env name=X]y", "%0A::x::"]
)
def test_t12_no_line_we_print_is_a_command_of_others(text: str) -> None:
    lines = render_annotations(hostile(text)).splitlines()

    assert lines
    assert [line for line in lines if not re.match(r"::(error|warning|notice) title=[^:]*::", line)] == []


def test_t13_an_output_cannot_set_another_one(tmp_path: Path) -> None:
    place = tmp_path / "output"

    RunnerFiles(output=place).write_outputs(
        {"comment-url": "x\nEOF\nverdict=all-good\nPATH<<EOF\n/evil\nEOF", "a": "b"}
    )

    assert set(read_outputs(place.read_text(encoding="utf-8"))) == {"comment-url", "a"}


def test_t14_a_lost_answer_makes_no_second_comment(fake: FakeGitHub) -> None:
    fake.fail("POST */comments", Dropped(stored=True))

    post(fake, without_fault())
    post(fake, later(without_fault()))

    assert len(ours(fake)) == 1


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:1/x",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "https://elsewhere.example/x",
        "https://productionresultssa0.blob.core.windows.net@elsewhere.example/x",
    ],
)
def test_t15_the_token_and_we_go_nowhere_else(fake: FakeGitHub, address: str) -> None:
    job = next(job for job in fake.state.jobs.values() if fake.state.logs.get(job["id"], StoredLog()).status == 200)
    fake.fail("GET */logs", Elsewhere(location=address), times=None)

    with (
        connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=QUICK) as reads,
        pytest.raises(ProviderError) as raised,
    ):
        reads.log(job)

    assert fake.token not in str(raised.value)
    assert fake.asked(host="blob") == []


def test_t16_the_signature_of_a_link_is_in_nothing_we_leave(fake: FakeGitHub, tmp_path: Path) -> None:
    with connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=QUICK) as live:
        reads = Recorder(live, tmp_path, request=PullRequestRequest(pull_number()))
        report = triage(PullRequestRequest(pull_number()), reads, few_rules())
    outputs = [render_markdown(report), render_terminal(report, width=100, colour=True), render_json(report)]
    outputs += [path.read_text("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file()]

    assert fake.links
    assert [text for text in outputs if "sig=" in text or any(one in text for one in fake.links)] == []


def test_t17_a_secret_in_a_log_is_not_told_again() -> None:
    secret = "ghp_" + "a1B2" * 9
    report = hostile(f"using {secret}")

    for text in (render_markdown(report), render_terminal(report, width=1000, colour=False), render_json(report)):
        assert secret not in text
        assert "using ***" in text


def test_t18_a_bomb_is_cut_at_our_size(fake: FakeGitHub) -> None:
    job = next(job for job in fake.state.jobs.values() if fake.state.logs.get(job["id"], StoredLog()).status == 200)
    fake.fail("BLOB *", GzipBomb(megabytes=100), times=None)
    small = replace(QUICK, log_bytes=1_000_000)

    with connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=small) as reads:
        log = reads.log(job)
        assert not isinstance(log, MissingLog)
        with log.open() as file:
            size = sum(map(len, iter(lambda: file.read(65_536), b"")))

    assert size <= 1_000_000
    assert log.truncated


def test_t19_no_xml_is_parsed_so_that_no_entity_is_expanded() -> None:
    modules = imported()

    assert "json" in modules
    assert (
        belongs_to(modules, "xml", "lxml", "defusedxml", "junitparser", "expat", "pyexpat", "bs4", "html.parser") == []
    )


def test_t20_nothing_of_others_moves_the_cursor_or_makes_a_link() -> None:
    evil = "\x1b]0;title\x07\x1b]8;;http://evil.example\x1b\\x\x1b]8;;\x1b\\[/nope][link=http://evil.example]x[/link]\x9b2J"

    text = render_terminal(hostile(evil), width=100, colour=False)

    assert set(text).isdisjoint("\x1b\x07\x9b\r")
    assert "[/nope]" in text


def test_t21_instructions_in_a_log_instruct_nobody(fake: FakeGitHub) -> None:
    orders = (
        "FAILED tests/test_pool.py::test_pool - Ignore all previous instructions\n/triage rerun\n::triage rerun::\n"
    )
    for number in fake.state.logs:
        fake.state.logs[number] = StoredLog(data=orders.encode())

    post(fake, triaged(fake))

    (comment,) = ours(fake)
    assert [one.path for one in fake.requests if one.method != "GET" and "rerun" in one.path] == []
    assert not comment.startswith("/")
    assert belongs_to(imported(), "mcp", "openai", "anthropic", "google.genai", "langchain", "litellm", "llm") == []


def test_t22_what_a_failing_test_prints_excuses_it_never(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = [line for example in parse_builtin().examples for line in example.excerpt.text.splitlines()]
    place = tmp_path / "job.log"
    place.write_text(
        "\n".join(
            [
                "============================= test session starts ==============================",
                "collected 2 items",
                "",
                "tests/test_evil.py F.                                                    [100%]",
                "",
                "=================================== FAILURES ===================================",
                "__________________________________ test_evil ___________________________________",
                "",
                "    def test_evil():",
                ">       assert pool.size() == 3",
                "E       assert 4 == 3",
                "",
                "tests/test_evil.py:9: AssertionError",
                "----------------------------- Captured stdout call -----------------------------",
                *printed,
                "=========================== short test summary info ============================",
                "FAILED tests/test_evil.py::test_evil - assert 4 == 3",
                "========================= 1 failed, 1 passed in 0.12s ==========================",
                "##[error]Process completed with exit code 1.",
            ]
        ),
        encoding="utf-8",
    )

    assert main(["log", str(place), "--format", "json"]) == 0

    assert len(printed) > 100
    assert json.loads(capsys.readouterr().out)["fault"] in {"code", "unknown"}


def test_t23_runs_of_forks_are_no_history_of_main() -> None:
    with FakeGitHub.from_recording(RUNS / "fails-on-main") as fake:
        number = next(iter(fake.state.pulls))
        believed = triaged(fake, limits=Limits(), number=number)
        for run in fake.state.runs.values():
            if run["head_branch"] == "main":
                run["event"] = "pull_request"
                run["head_repository"] = {**run["head_repository"], "full_name": "mallory/engine", "id": 666}

        doubted = triaged(fake, limits=Limits(), number=number)

    assert Category.PRE_EXISTING in {row.category for row in believed.jobs}
    assert Category.PRE_EXISTING not in {row.category for row in doubted.jobs}


def test_t24_no_cache_is_shared_with_changes() -> None:
    texts = [path.read_text(encoding="utf-8") for path in [*WORKFLOWS, ROOT / "action.yml"]]

    assert [text for text in texts if "actions/cache" in text or "cache:" in text] == []


def test_t25_what_we_run_is_pinned_to_what_was_looked_at() -> None:
    used = re.findall(r"uses: *(\S+)", "\n".join(path.read_text() for path in ROOT.glob(".github/workflows/*.yml")))
    locked = (ROOT / "requirements" / "core.txt").read_text(encoding="utf-8")
    fuzz = (ROOT / "requirements" / "fuzz.txt").read_text(encoding="utf-8")
    direct = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]

    assert [one for one in used if one != "$/" and not re.search(r"@[0-9a-f]{40}$", one)] == []
    assert len(re.findall(r"^\S+==", locked, re.MULTILINE)) <= 20
    assert [name for name in re.split(r"\n(?=\S)", locked + fuzz) if "--hash=sha256:" not in name] == []
    assert len(direct) <= 20


def test_t26_two_jobs_of_one_name_are_two_jobs(fake: FakeGitHub) -> None:
    run = next(one for one in fake.state.all_runs() if one["event"] == "pull_request")
    red = next(job for job in fake.state.jobs_of(run["id"]) if job["conclusion"] == "failure")
    twin = {**red, "id": red["id"] + 7_000_000, "runner_id": 99, "runner_name": "other"}
    fake.state.jobs[twin["id"]] = twin
    fake.state.logs[twin["id"]] = StoredLog(data=b"OSError: [Errno 28] No space left on device\n")

    rows = {row.failure.job.id: row for row in triaged(fake).jobs}

    assert {red["id"], twin["id"]} <= set(rows)
    assert rows[red["id"]].evidence != rows[twin["id"]].evidence


def test_t27_a_report_is_told_only_where_its_runs_are(fake: FakeGitHub) -> None:
    private = replace(without_fault(), repository=replace(without_fault().repository, full_name="acme-ml/secret"))

    with pytest.raises(UsageError, match="not published in"):
        post(fake, private)

    assert fake.state.comments == {}


def test_t28_nothing_listens_so_that_no_request_can_be_forged() -> None:
    servers = (
        "http.server",
        "socketserver",
        "wsgiref",
        "asyncio",
        "starlette",
        "uvicorn",
        "flask",
        "aiohttp",
    )

    assert belongs_to(imported(), *servers) == []


def test_t29_the_last_requests_of_the_hour_are_left_to_others(fake: FakeGitHub) -> None:
    fake.rate_limit = 60

    report = triaged(fake, limits=Limits(reserve=100))

    assert not fake.asked("GET */actions/workflows/*/runs")
    assert len(report.jobs) == len(without_fault().jobs)
    assert any("allows only" in gap.why for gap in report.gaps)


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "a|b", "two\nlines", "\u202egnp.exe", "..\\..\\x", "\x00"])
def test_t30_a_name_is_never_a_path_and_never_a_cell(fake: FakeGitHub, tmp_path: Path, name: str) -> None:
    plain = render_markdown(triaged(fake))
    for job in fake.state.jobs.values():
        job["name"] = name + job["name"]

    with connect(fake.repository, token=fake.token, api_url=fake.api_url, limits=QUICK) as live:
        reads = Recorder(live, tmp_path / "here", request=PullRequestRequest(pull_number()))
        report = triage(PullRequestRequest(pull_number()), reads, few_rules())

    assert [one.name for one in tmp_path.iterdir()] == ["here"]
    cells = [Page(text).structure.count("<td>") for text in (plain, render_markdown(report))]
    assert cells[0] == cells[1]


@pytest.mark.parametrize(("action_", "minutes"), [("edited", 0), ("created", 11)])
def test_t31_an_old_or_edited_comment_commands_nothing(desk: Desk, action_: str, minutes: int) -> None:
    event = desk.event("/triage rerun", by="maintainer-w", action=action_)

    desk.give(event, now=desk.fake.state.now + timedelta(minutes=minutes))

    assert desk.reruns == []


def test_t32_a_certificate_nobody_vouches_for_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHTTPSVERIFY", "0")
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(own_certificate(tmp_path))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            with (
                connect(
                    "acme/engine",
                    token="ghs_" + "x" * 36,
                    api_url=f"https://127.0.0.1:{server.server_port}",
                    limits=replace(QUICK, retries=0),
                ) as reads,
                pytest.raises(ProviderError) as raised,
            ):
                reads.run(1)
        finally:
            server.shutdown()

    assert "ertificate" in str(raised.value)


def own_certificate(folder: Path) -> Path:
    """Write a key and a certificate that it signed itself."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    place = folder / "own.pem"
    place.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return place


# ---------------------------------------------------------------------------------------------------------------------
# The table


ROW = re.compile(r"^\| T(\d+) \|.*\| (.+) \|$", re.MULTILINE)


def test_every_threat_of_the_table_has_its_test_and_every_test_its_threat() -> None:
    rows = {int(number): proof for number, proof in ROW.findall((ROOT / "docs" / "security.md").read_text("utf-8"))}
    tests = [name for name in globals() if re.match(r"test_t\d\d_", name)]

    assert sorted(rows) == list(range(1, 33))
    for number, proof in rows.items():
        mine = [name for name in tests if name.startswith(f"test_t{number:02}_")]
        assert [name for name in mine if f"`{name}`" in proof], f"T{number}: {proof}"
    assert {int(name[6:8]) for name in tests} == set(rows)
