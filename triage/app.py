"""The one recipe: fetch, read, classify, look back, decide, report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triage import __version__
from triage.classify import classify, make_scanner
from triage.decide import NO_HISTORY, decide
from triage.decide.moments import newest_time
from triage.gather import gather
from triage.history.keeping import Keeping, reader_of
from triage.history.lookback import look_back
from triage.report import make_report
from triage.settings import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Callable

    from triage.history.lookback import Limits
    from triage.history.store import Store
    from triage.model import Gap, Report
    from triage.rules import RuleSet
    from triage.settings import Settings
    from triage.source import Reads
    from triage.source.request import Request


def triage(
    request: Request,
    reads: Reads,
    rules: RuleSet,
    *,
    settings: Settings = BUILT_IN,
    gaps: tuple[Gap, ...] = (),
    limits: Limits | None = None,
    store: Store | Gap | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Triage a run or a pull request: the whole flow, one arrow a line.

    Args:
        request: What to triage.
        reads: GitHub, or a recording of it.
        rules: What is known to break. Those that had expired when the jobs ran are left out: the day is that of the
            facts and not of a clock, so that the same run is told the same for ever.
        settings: What the repository says of its own CI.
        gaps: What the caller could not see, such as settings that are wrong.
        limits: What comparing with main and other pull requests may cost; None to compare with nothing.
        store: What keeps what was seen; a gap when it could not be opened.
        progress: Told in a few words what is being done.

    Raises:
        ProviderError: the run or pull request itself could not be read.
    """
    scanner = make_scanner(rules)
    keeping = Keeping(store, reader=reader_of(rules, settings))
    reads = keeping.reads(reads)
    facts = gather(
        reads, request, scanner, max_logs=settings.max_logs, read_before=keeping.read_before, progress=progress
    )
    as_of = newest_time(facts)
    rules = rules.on(as_of.date() if as_of else None)
    keeping.judged_by(reader_of(rules, settings))
    failures = classify(facts, rules, scanner, settings)
    keeping.add(facts, failures)
    history = NO_HISTORY
    if limits is not None:
        memory = keeping.answers(facts.repository)
        history = look_back(
            reads,
            facts,
            failures,
            rules,
            scanner,
            settings=settings,
            limits=limits,
            memory=memory,
            progress=progress,
        )
    history = replace(history, gaps=(*history.gaps, *keeping.gaps))
    decided = decide(replace(facts, gaps=(*gaps, *facts.gaps)), failures, history, settings)
    return make_report(facts, decided, rules_sha=rules.sha, settings_sha=settings.sha, version=__version__)
