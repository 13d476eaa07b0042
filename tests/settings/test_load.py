"""A settings file is strict: each mistake is told, with its place, all of them at once."""

from __future__ import annotations

import pytest

from triage.errors import ConfigError
from triage.rules.document import FOREIGN_BYTES
from triage.settings import BUILT_IN, CommandCaps, Permit, RerunCaps, Role, When, load_settings

ALL = """\
version: 1
rules: {files: [.github/triage-rules.yml], disabled: [docker-whiteout]}
jobs: {aggregators: [finish, "wait-for-*"], gates: ["* / pr-gate"]}
labels:
- {label: run-ci-extra, command: /tag-and-rerun-ci extra, advice: Ask a committer.}
- {label: hold}
coverage:
- {paths: ["src/**", "*.toml"], jobs: [gpu]}
compare: {window_days: 14, requests: 0, seconds: 30, history: none}
logs: {most: 50}
comment: {when: off, key: nightly-amd, on_worse: mention, verify_after_seconds: 5}
commands: {rerun: {role: maintain}, ack: {role: read, author: true}}
command_caps: {person: 3}
rerun_caps: {pull: 2}
"""


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        load_settings(text)
    return [str(problem) for problem in raised.value.problems]


def test_every_setting_is_read(any_rule: str) -> None:
    read = load_settings(ALL.replace("docker-whiteout", any_rule))

    assert (read.rule_files, read.disabled_rules) == ((".github/triage-rules.yml",), (any_rule,))
    assert (read.aggregators, read.gates) == (("finish", "wait-for-*"), ("* / pr-gate",))
    way = read.way_out("run-ci-extra")
    assert way is not None
    assert (way.command, way.advice) == ("/tag-and-rerun-ci extra", "Ask a committer.")
    assert read.way_out("other") is None
    assert (read.coverage[0].paths, read.coverage[0].jobs) == (("src/**", "*.toml"), ("gpu",))
    assert (read.window_days, read.look_back_requests, read.look_back_seconds, read.history) == (14, 0, 30, "none")
    assert (read.max_logs, read.comment, read.comment_key) == (50, When.OFF, "nightly-amd")
    assert (read.on_worse, read.verify_after) == ("mention", 5)
    assert read.permits["rerun"] == Permit(role=Role.MAINTAIN)
    assert read.permits["ack"] == Permit(role=Role.READ, author=True)
    assert read.permits["label"] == BUILT_IN.permits["label"]
    assert read.command_caps == CommandCaps(person=3)
    assert read.rerun_caps == RerunCaps(pull=2)


def test_a_file_that_says_nothing_leaves_everything_as_it_is() -> None:
    assert load_settings("version: 1\n") == BUILT_IN


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rules: {}\n", "1:1: the file has no `version`"),
        ("version: 2\n", "1:10: version must be the number 1"),
        ("version: 1\ncoment: {}\n", "2:1: the file has no key `coment`; perhaps `comment` is meant; it may have: "),
        ("version: 1\ngates: [x]\n", "2:1: the file has no key `gates`; it stands under `jobs`"),
        ("version: 1\njobs:\n\tgates: [x]\n", "3:1: not YAML: a tab"),
        ("version: 1\njobs: {gates: [*-gate]}\n", "2:16: `*-gate` is an alias; write the value out, in quotes if"),
        ("version: 1\nlabels:\n- label: a: b\n", "3:11: not YAML: a colon where none can stand"),
        ("", "1:1: the file is empty; it must say `version: 1`"),
        ("version: 1\n---\nversion: 1\n", "2:1: a second document begins here"),
        ("version: 1\nlabels: [{}]\n", "2:10: an entry of `labels` has no `label`"),
        ("version: 1\ncommands: {rerun: {}}\n", "2:19: `rerun` has no `role`"),
        (
            "version: 1\nlogs: {most: '7'}\n",
            "2:14: `most` must be a whole number from 1 to 2,000, and this is the text",
        ),
        ("version: 1\nsecrets: {}\n", "2:1: the file has no key `secrets`"),
        ("version: 1\nversion: 1\n", "2:1: `version` stands here twice"),
        ("version: 1\nrules: {files: [../own.yml]}\n", "2:17: `../own.yml` is no path"),
        ("version: 1\nrules: {files: [/etc/passwd]}\n", "2:17: `/etc/passwd` is no path"),
        ("version: 1\nrules: {disabled: [no-such]}\n", "2:20: there is no built-in rule `no-such`"),
        ("version: 1\njobs: {gates: ['**']}\n", "2:16: `**` fits everything"),
        ("version: 1\njobs: {gates: []}\n", "2:15: `gates` is an empty list"),
        ("version: 1\njobs: {gates: all}\n", "2:15: `gates` must be a list"),
        ("version: 1\nlabels: [{command: /x}]\n", "2:10: an entry of `labels` has no `label`"),
        ("version: 1\nlabels: [{label: x, command: merge}]\n", "2:30: `merge` is no comment command"),
        ("version: 1\ncompare: {window_days: 31}\n", "2:24: `window_days` must be a whole number from 1 to 30"),
        ("version: 1\ncompare: {requests: -1}\n", "2:21: `requests` must be a whole number from 0 to 500"),
        ("version: 1\ncompare: {history: 'postgresql://a:b@host/x'}\n", "2:20: a password does not belong"),
        ("version: 1\ncomment: {when: never}\n", "2:17: `when` must be one of: always, on-failure, off"),
        ("version: 1\ncomment: {key: A B}\n", "2:16: `A B` is no key"),
        ("version: 1\ncommands: {rerun: {author: true}}\n", "2:19: `rerun` has no `role`"),
        ("version: 1\ncommands: {rerun: {role: everybody}}\n", "2:26: `role` must be one of"),
        ("version: 1\ncommands: {rerun: {role: write, author: yes}}\n", "2:41: `author` must be `true` or `false`"),
        ("version: 1\njobs: &all {gates: [x]}\n", "2:7: `&all` is an anchor"),
        ("version: 1\njobs: !!python/name:os.system {}\n", "2:7: `"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, told: str) -> None:
    assert any(one.startswith(f".github/triage.yml:{told}") for one in problems(text)), problems(text)


def test_all_mistakes_are_told_at_once_in_file_order() -> None:
    told = problems("version: 3\njobs: {gates: [7]}\ncomment: {key: '!'}\nwhat: 1\n")

    assert [one.split(":")[1] for one in told] == ["1", "2", "3", "4"]


def test_a_file_that_is_too_large_is_not_even_parsed() -> None:
    assert "bytes; at most 262,144 are read" in problems(f"version: 1\n#{'x' * FOREIGN_BYTES}\n")[0]


def test_an_alias_bomb_is_refused_before_it_is_walked() -> None:
    levels = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))

    assert any("is an alias" in one for one in problems(f"version: 1\na0: &a0 [x]\n{levels}\n"))
