"""GitHub's JSON objects, complete: every field that GitHub's description requires, from the few that matter.

The addresses are those of github.com; the fake puts its own in their place when it answers.
"""

from tests.fakegithub.objects.commits import commit, comparison, content
from tests.fakegithub.objects.ids import API, JSON, WEB, node_id, number_for, sha_for
from tests.fakegithub.objects.pulls import changed_file, issue_comment, pull_minimal, pull_request, reaction
from tests.fakegithub.objects.repositories import label, minimal_repository, repository, user
from tests.fakegithub.objects.runs import annotation, check_run, job, step, workflow_run

__all__ = [
    "API",
    "JSON",
    "WEB",
    "annotation",
    "changed_file",
    "check_run",
    "commit",
    "comparison",
    "content",
    "issue_comment",
    "job",
    "label",
    "minimal_repository",
    "node_id",
    "number_for",
    "pull_minimal",
    "pull_request",
    "reaction",
    "repository",
    "sha_for",
    "step",
    "user",
    "workflow_run",
]
