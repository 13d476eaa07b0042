"""A process that the kernel killed on a host without memory: was it the job that used it up?"""

from __future__ import annotations

import pytest

from triage.classify import classify_log, make_scanner
from triage.logs import TextSource, read_log, read_tests
from triage.model import Fault
from triage.rules import builtin_rules

RULES = builtin_rules()
SCANNER = make_scanner(RULES)
END = "##[error]Process completed with exit code 2.\n"
KILLED = (
    "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\nmake: *** [all] Error 2\n"
)
HOST = (
    "[41.1] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),mems_allowed=0,global_oom,task=cc1plus,pid=91,uid=1\n"
)
FREE = "               total        used        free\nMem:             125         121           1\n"


def victim(kb: int) -> str:
    return f"[41.2] Out of memory: Killed process 91 (cc1plus) total-vm:1482120kB, anon-rss:{kb}kB, file-rss:0kB\n"


def run(command: str, output: str) -> str:
    return f"##[group]Run {command}\n{command}\nshell: /usr/bin/bash -e {{0}}\n##[endgroup]\n{output}"


def fault_of(*steps: str) -> Fault:
    log = read_log(TextSource("job.log", "".join(steps)), SCANNER)
    return classify_log("job.log", log, read_tests(log), RULES, SCANNER).fault


def test_a_few_compilers_of_a_gigabyte_do_not_fill_a_host_of_a_hundred() -> None:
    kernel = HOST + victim(1_210_044)
    assert fault_of(run("make -j4", KILLED), END, run("sudo dmesg; free -g", kernel + FREE)) is Fault.INFRASTRUCTURE
    pages = "[41.0] 32768000 pages RAM\n"
    assert fault_of(run("make -j4", KILLED), END, run("sudo dmesg", pages + kernel)) is Fault.INFRASTRUCTURE


@pytest.mark.parametrize("command", ["make -j96", "make -j", "make -j$(nproc)", "ninja", "make -j4 && make -j96"])
def test_as_many_compilers_as_may_have_filled_it_are_not_excused(command: str) -> None:
    kernel = HOST + victim(1_210_044) + FREE
    assert fault_of(run(command, KILLED), END, run("sudo dmesg; free -g", kernel)) is Fault.CODE


def test_what_the_job_started_in_the_background_may_have_filled_it() -> None:
    started = run("docker compose up -d", "started\n")
    kernel = HOST + victim(1_210_044) + FREE
    assert fault_of(started, run("make -j4", KILLED), END, run("sudo dmesg; free -g", kernel)) is Fault.CODE


def test_a_compiler_killed_on_a_host_of_unknown_size_is_not_excused() -> None:
    assert fault_of(run("make -j4", KILLED), END, run("sudo dmesg", HOST + victim(210_044))) is Fault.CODE


def test_a_compiler_that_is_large_by_itself_is_not_excused() -> None:
    kernel = HOST + victim(60_000_000) + FREE
    assert fault_of(run("make -j4", KILLED), END, run("sudo dmesg; free -g", kernel)) is Fault.CODE


@pytest.mark.parametrize(
    "command", ["pytest -n auto", "pytest -n 64", "python run.py --workers=64", "xargs -P0 python"]
)
@pytest.mark.parametrize("size", [FREE, ""])
def test_small_processes_of_which_the_job_may_run_many_are_not_excused(command: str, size: str) -> None:
    worker = victim(900_044).replace("cc1plus", "python")
    killed = "run.sh: line 3:  91 Killed                  python work.py\n"
    kernel = HOST.replace("cc1plus", "python") + worker + size
    assert fault_of(run("python work.py", killed), END, run("sudo dmesg; free -g", kernel)) is Fault.INFRASTRUCTURE
    assert fault_of(run(command, killed), END, run("sudo dmesg; free -g", kernel)) in {Fault.CODE, Fault.UNKNOWN}
