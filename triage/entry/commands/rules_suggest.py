"""`triage rules suggest`: what fails again and again and no rule knows, and a draft of a rule for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.entry.options import number
from triage.entry.output import say, show
from triage.errors import ConfigError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from triage.rules.clusters import Cluster, Clustered
    from triage.rules.drafts import Draft

TOP: Final = 10
LEAST: Final = 2
MOST_FAILURES: Final = 100_000
"""Failures looked at, newest first."""

SHOWN: Final = 160
INSTALL: Final = "pip install 'ci-triage[history,suggest]'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `rules suggest` takes."""
    parser.add_argument(
        "--history", metavar="PATH|URL", help="where it is kept (default: a file in your own data folder)"
    )
    parser.add_argument(
        "--top", metavar="N", type=number("number of clusters"), default=TOP, help="how many (default: %(default)s)"
    )
    parser.add_argument(
        "--least",
        metavar="N",
        type=number("number of failures"),
        default=LEAST,
        help="failures that a cluster must hold at least (default: %(default)s)",
    )
    parser.set_defaults(rules_run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print a rules file with the drafts; what could not be drafted stands in it as a comment.

    Raises:
        UsageError: A package is missing, or there is to be no history.
        HistoryUnavailable: It cannot be opened.
    """
    from triage.classify.test_words import SAYS_NOTHING
    from triage.history.opening import require_store
    from triage.rules.clusters import cluster

    with require_store(arguments.history) as store:
        name = store.name
        kept = sum(branch.failures for one in store.summary(top=1) for branch in one.branches)
        try:
            found = cluster(store.unmatched(SAYS_NOTHING, most=MOST_FAILURES))
        except ModuleNotFoundError as error:
            if error.name != "rapidfuzz":
                raise
            raise UsageError(f"suggesting rules needs a package that is not installed: {INSTALL}") from error
    large = [one for one in found.clusters if one.size >= arguments.least]
    if not large:
        say(_nothing(name, kept, found, arguments.least))
        return 0
    show("\n".join(_file(found, large, arguments.top)) + "\n")
    return 0


def _nothing(name: str, kept: int, found: Clustered, least: int) -> str:
    if not kept:
        return (
            f"no failure is kept in {name} yet; `triage history sync` fills it with what a branch did, "
            "and every triage with a history adds what it saw"
        )
    if not found.failures:
        return f"a rule, or a failed test, explains each of the {kept:,} failures kept in {name}"
    return (
        f"of {kept:,} failures kept in {name}, {found.failures:,} are explained by no rule, and fewer than {least} of "
        "them say the same; --least 1 shows them one by one"
    )


def _file(found: Clustered, large: list[Cluster], top: int) -> Iterator[str]:
    from triage.render.words import plural
    from triage.rules.clusters import nearest
    from triage.rules.drafts import about, draft

    failures = sum(one.size for one in large)
    explained = plural(found.failures, "failure")
    yield f"# {explained} that no rule explains; {failures:,} of them in {plural(len(large), 'cluster')}:"
    yield "#"
    for place, one in enumerate(large[:top], start=1):
        yield f"#  {place:>2}. {about(one)[0]}"
        yield f"#      {_shown(one.text)}"
    if len(large) > top:
        yield f"#  and {len(large) - top:,} smaller ones; --top shows more"
    if found.left_out:
        yield f"#  {found.left_out:,} failures are of too many different kinds and were not compared"
    yield "#"
    yield "# Below, a draft for each. Name it, decide its `fault`, then run `triage rules check FILE`."
    yield "version: 1"
    taken = _ids()
    drafts: list[str] = []
    for place, one in enumerate(large[:top], start=1):
        made = draft(one, nearest(one, found.clusters), taken)
        if isinstance(made, str) or (why := _unproved(made)):
            yield f"# No draft for cluster {place}: {made if isinstance(made, str) else why}."
            continue
        taken.add(made.id)
        drafts.append(made.yaml)
    yield from ["rules:", *("  " + line if line else "" for text in drafts for line in [*text.split("\n"), ""])]


def _unproved(made: Draft) -> str | None:
    """Say why a draft would not pass `rules check`; None when it does."""
    from triage.classify.proof import rule_that_wins
    from triage.rules import builtin_rules, check_examples, check_winners, load_rules

    text = "version: 1\nrules:\n" + "\n".join(f"  {line}" for line in made.yaml.split("\n"))
    try:
        rules = load_rules(text, "draft")
    except ConfigError as error:
        return error.problems[0].message
    problems = check_examples(rules) or check_winners(rules, rule_that_wins(rules.before(builtin_rules())))
    return problems[0].message if problems else None


def _ids() -> set[str]:
    from triage.rules import builtin_rules

    return {rule.id for rule in builtin_rules().rules}


def _shown(text: str) -> str:
    from triage.render.foreign_text import shown_line

    return shown_line(text, limit=SHOWN)
