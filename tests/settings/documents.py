"""Settings files that are right or wrong, as an editor and the loader meet them."""

from __future__ import annotations

RIGHT = {
    "least": "version: 1\n",
    "jobs": 'version: 1\njobs: {aggregators: [finish, "wait-for-*"], gates: ["* / pr-gate"]}\n',
    "labels": "version: 1\nlabels:\n- {label: 'run-ci: extra', command: /ok to test, advice: Ask a committer.}\n",
    "coverage": 'version: 1\ncoverage: [{paths: ["src/**/*.py"], jobs: [gpu]}]\n',
    "compare": "version: 1\ncompare: {window_days: 30, requests: 0, seconds: 600, history: 'postgresql://db/x'}\n",
    "comment": "version: 1\ncomment: {when: always, key: a.b-c_9, on_worse: new-comment, verify_after_seconds: 1}\n",
    "commands": "version: 1\ncommands: {rerun: {role: maintain}, ack: {role: read, author: true}}\n",
    "caps": "version: 1\nrerun_caps: {pull: 0, person: 1000, day: 10000}\n",
    "rules": "version: 1\nrules: {files: [.github/own.yml, ci/rules/b.yml]}\n",
}
"""What both take, by name."""

WRONG = {
    "empty": "{}\n",
    "a list": "- version: 1\n",
    "no version": "jobs: {gates: [x]}\n",
    "version 2": "version: 2\n",
    "version as text": "version: '1'\n",
    "unknown section": "version: 1\nrule: {files: [x.yml]}\n",
    "unknown key": "version: 1\nrules: {file: [x.yml]}\n",
    "unknown command": "version: 1\ncommands: {re-run: {role: write}}\n",
    "empty section": "version: 1\njobs:\n",
    "section as list": "version: 1\ncomment: [{when: always}]\n",
    "list as section": "version: 1\nlabels: {label: x}\n",
    "text for list": "version: 1\njobs: {gates: all}\n",
    "empty list": "version: 1\njobs: {gates: []}\n",
    "no entries": "version: 1\nlabels: []\n",
    "an entry without anything": "version: 1\nlabels: [{}]\n",
    "an entry without its label": "version: 1\nlabels: [{command: /x}]\n",
    "coverage without jobs": "version: 1\ncoverage: [{paths: [a]}]\n",
    "a number for text": "version: 1\njobs: {gates: [7]}\n",
    "nothing for text": "version: 1\njobs: {gates: [~]}\n",
    "blank text": "version: 1\njobs: {gates: [' ']}\n",
    "two lines": 'version: 1\nlabels: [{label: x, advice: "a\\nb"}]\n',
    "long text": f"version: 1\nlabels: [{{label: {'x' * 51}}}]\n",
    "many entries": f"version: 1\njobs: {{gates: [{', '.join(['x'] * 201)}]}}\n",
    "text for number": "version: 1\ncompare: {window_days: '7'}\n",
    "fraction": "version: 1\nlogs: {most: 1.5}\n",
    "below the least": "version: 1\ncompare: {requests: -1}\n",
    "above the most": "version: 1\ncompare: {window_days: 31}\n",
    "unknown word": "version: 1\ncomment: {when: never}\n",
    "key with capitals": "version: 1\ncomment: {key: A B}\n",
    "no command": "version: 1\nlabels: [{label: x, command: merge}]\n",
    "role alone": "version: 1\ncommands: {rerun: maintain}\n",
    "nobody": "version: 1\ncommands: {rerun: {}}\n",
    "only the author": "version: 1\ncommands: {rerun: {author: true}}\n",
    "unknown role": "version: 1\ncommands: {rerun: {role: everybody}}\n",
    "text for flag": "version: 1\ncommands: {rerun: {role: write, author: 'true'}}\n",
    "path upwards": "version: 1\nrules: {files: [../own.yml]}\n",
    "path from the root": "version: 1\nrules: {files: [/etc/passwd]}\n",
    "path with backslash": "version: 1\nrules: {files: ['.github\\own.yml']}\n",
    "id of no rule's form": "version: 1\nrules: {disabled: [Runner_Lost]}\n",
    "glob for everything": "version: 1\njobs: {gates: ['**']}\n",
    "password": "version: 1\ncompare: {history: 'postgresql://a:b@host/x'}\n",
}
"""What both refuse, by name."""

ONLY_THE_LOADER_KNOWS = {
    "twice": "version: 1\njobs: {gates: [a]}\njobs: {gates: [b]}\n",
    "alias": "version: 1\njobs: {gates: &a [x], aggregators: *a}\n",
    "no such rule": "version: 1\nrules: {disabled: [no-such-rule]}\n",
    "invisible text": 'version: 1\njobs: {gates: ["a\\u202eb"]}\n',
}
"""What a schema cannot say."""
