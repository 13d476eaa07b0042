"""Which of the rules that show in the failing part is believed, when code and machine contradict each other there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.classify.afterwards import something_else_failed
from triage.classify.cut_short import cut_short
from triage.classify.ending import Outcome
from triage.classify.guesses import error_lines, telling_lines, told_in
from triage.classify.holders import BUSY, holder_of
from triage.classify.leading import says_less
from triage.classify.signs import shape_of
from triage.classify.test_words import SAYS_NOTHING
from triage.model import Fault
from triage.regex import regex
from triage.rules.match import BLAMES_CODE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from triage.classify.story import Story
    from triage.classify.view import Section
    from triage.model import Failure, LogLine
    from triage.rules.match import Match

TOGETHER = 30
"""Lines within which rules speak of one and the same trouble."""

IN_ONE_BREATH = 3
"""Lines that a tool may print of a trouble before it names the trouble."""

BESIDE = 2
"""Lines above and below words that excuse among which others that state an error are quoted with them."""

FINAL_LINES = 15
"""An infrastructure fault that ends the failing part is believed although errors that blame nobody stand above it."""

OUTLIVED = 100
"""Lines that a step wrote between words of trouble and its being stopped, from which these words stopped nothing."""


def rules_where_it_failed(story: Story) -> Failure | None:
    """The rule that shows last in the failing part, unless code and machine contradict each other there."""
    code = [match for match in story.failing if match.rule.fault in BLAMES_CODE and not _is_outlived(story, match)]
    excuses = [match for match in story.failing if match.rule.fault not in BLAMES_CODE]
    code = [match for match in code if not _is_felt(story, match, excuses)]
    if not code and not excuses:
        passed_on = _passed_on(story)
        return _from_code(story, passed_on) if passed_on else None
    if not excuses and (broken_off := cut_short(story, code)):
        return broken_off
    if code and (not excuses or _stands_after(story, code[-1], excuses[-1])):
        swallowed = _swallowed(story, code)
        return story.from_match(swallowed, lines_of(swallowed, *code)) if swallowed else _from_code(story, code)
    end = story.ending.failing.end
    if code and end is not None and end.number - excuses[-1].line.number > FINAL_LINES:
        return _from_code(story, code)
    if any(_is_of_its_own(match, excuses) for match in code):
        return _from_code(story, code)
    if not code and something_else_failed(story, excuses[-1].line.number):
        return None
    best = _first_alike(_most_exact(story, excuses), excuses)
    same = [match for match in excuses if match.rule.id == best.rule.id]
    others = [match for match in excuses if match.rule.id != best.rule.id]
    beside = telling_lines(story.view.between(best.line.number - BESIDE, best.line.number + BESIDE), most=BESIDE)
    return story.from_match(best, [*lines_of(best, *reversed(same), *reversed(others)), *beside])


def _is_felt(story: Story, code: Match, excuses: list[Match]) -> bool:
    """Whether this is only what came of a device that the program did not get, and said so just above."""
    causes = FELT.get(code.rule.id, frozenset())
    above = (match for match in excuses if 0 < code.line.number - match.line.number <= TOGETHER)
    return any(match.rule.id in causes and _is_proven(story, match) for match in above)


def _is_proven(story: Story, match: Match) -> bool:
    """Whether the words themselves show that the device's trouble is no program's doing."""
    if match.rule.id == BUSY:
        return holder_of(story.view, match) is not None
    return match.rule.id != LOST or _OFF_THE_BUS.search(match.line.text) is not None


FELT = {
    "local-server-gone": frozenset({"accelerator-busy"}),
    "segmentation-fault": frozenset({"board-hung"}),
    "step-out-of-time": frozenset({"gpu-lost"}),
}
"""Rules on what comes of a device's trouble: its server is not there, its driver aborts the program, or it waits."""

LOST = "gpu-lost"
_OFF_THE_BUS = regex(r"(?i)\bfallen off the bus\b|\b(?:device )?lost from (?:the )?bus\b|\bGPU is lost\b")
"""A kernel that hangs makes the driver reset the device; it takes no device off the bus."""


def _passed_on(story: Story) -> list[Match]:
    """What code is blamed for above a failing part that says nothing: it only passes on what an earlier step kept."""
    section = story.ending.failing
    begin = story.view.line(section.first)
    if begin is None or not begin.text.startswith("##[group]Run "):
        return []
    if any(not look.wraps and not look.idle for look in told_in(story.view, section)):
        return []
    above = [match for match in story.outside_tests if section.first - KEPT <= match.line.number < section.first]
    return [match for match in above if match.rule.fault is Fault.CODE]


KEPT = 200
"""Lines above a step that only passes a failure on within which that failure is looked for."""


def _swallowed(story: Story, code: list[Match]) -> Match | None:
    """The installation that gave up above, when all that is said after it is that something is not there.

    Void when an installation succeeded in between: then what is missing was never asked for.
    """
    if any(match.rule.id not in MISSING or _OWN.search(match.line.text) for match in code) or story.view.tests.ran:
        return None
    above = [match for match in story.matches if match.line.number < code[0].line.number]
    broken = next((match for match in reversed(above) if match.rule.id in INSTALLS), None)
    if broken is None or broken.rule.fault is not Fault.INFRASTRUCTURE:
        return None
    between = story.view.between(broken.line.number + 1, code[0].line.number - 1)
    return None if any(_INSTALLED.search(line.text) for line in between) else broken


MISSING = frozenset({"python-import-error", "node-module-missing", "command-not-found", "shared-library-missing"})
"""Rules that only know that something is not there, not why."""

INSTALLS = frozenset(
    {
        "apt-mirror",
        "rpm-mirror",
        "python-index-unreachable",
        "yarn-gave-up",
        "npm-registry-unreachable",
        "homebrew-or-chocolatey-download",
        "other-package-download",
        "ruby-php-index-unreachable",
    }
)
"""Rules on installations that gave up because a server did not answer."""

_OWN = regex(r"cannot import name|partially initialized|No module named '\w+\.|Cannot find module '\.|: \./|\bsh: \./")
"""What no installation would have brought: names within a package, files of the repository."""

_INSTALLED = regex(
    r"\bSuccessfully installed\b|\b(?:added|changed|installed) \d+ packages?\b|\bTransaction (?:finished|complete)"
    r"|^Setting up \S+ \(|^(?:Installed|Complete)[:!]|^Executing transaction: .*done|^Bundle complete"
    r"|\bDone in [\d.]+ ?m?s"
)


def _is_outlived(story: Story, match: Match) -> bool:
    """Whether the step worked on long after these words until somebody stopped it: then they were no failure of it."""
    end = story.ending.failing.end
    if story.ending.outcome is not Outcome.CANCELLED or end is None or match.rule.id in COMPILERS:
        return False
    return end.number - match.line.number > OUTLIVED


def _is_of_its_own(code: Match, excuses: list[Match]) -> bool:
    """Whether code is blamed apart from all excuses: a symptom stands below its cause, and near it."""
    if code.rule.fault is not Fault.CODE or code.rule.id in SAYS_NOTHING:
        return False
    above = 0 if code.rule.id in COMPILERS else IN_ONE_BREATH
    distances = [excuse.line.number - code.line.number for excuse in excuses]
    return all(distance > above or -distance > TOGETHER for distance in distances)


def _stands_after(story: Story, code: Match, excuse: Match) -> bool:
    """Whether the code is blamed last; on one line by the rule that stands first in the file."""
    order = [rule.id for rule in story.context.rules.rules]
    places = [(match.line.number, -order.index(match.rule.id)) for match in (code, excuse)]
    return places[0] > places[1]


def _most_exact(story: Story, found: list[Match]) -> Match:
    """Of the rules that show together at the end, the one that stands first in the file: exact ones stand first."""
    order = {rule.id: place for place, rule in enumerate(story.context.rules.rules)}
    together = [match for match in found if found[-1].line.number - match.line.number <= TOGETHER]
    first = min(order[match.rule.id] for match in together)
    return next(match for match in reversed(together) if order[match.rule.id] == first)


def _first_alike(last: Match, found: Sequence[Match]) -> Match:
    """The first of lines in a row that say the same of several things: a tool that asks for many says so of each."""
    first = last
    for match in reversed(found):
        if match.rule.id != last.rule.id or match.line.number >= first.line.number:
            continue
        if first.line.number - match.line.number > IN_ONE_BREATH or not _is_alike(match, last):
            break
        first = match
    return first


def _is_alike(match: Match, other: Match) -> bool:
    """Whether two lines begin with one word, have as many words, and most of them in common, but not all: no retry."""
    words, others = (shape_of(each.line.text).split() for each in (match, other))
    common = sum(1 for word, said in zip(words, others, strict=False) if word == said)
    return words[:1] == others[:1] and len(words) == len(others) and len(words) / 2 < common < len(words)


def _from_code(story: Story, code: list[Match]) -> Failure:
    """The first error of the last outburst explains a build."""
    outburst = [code[-1]]
    for match in reversed(code[:-1]):
        if outburst[0].line.number - match.line.number > _OUTBURST:
            break
        outburst.insert(0, match)
    telling = _causes(outburst)
    first, last = telling[:_FIRST_ERRORS], telling[-1:]
    guesses = error_lines(story.view, story.ending)
    before = [] if story.ending.failing.holds(telling[0].line.number) else guesses[:1]
    same = next(match for match in code if match.rule.id == telling[0].rule.id)
    other = _of_other_parts(story)
    raised = _raised_before(telling[0], outburst)
    return story.from_match(telling[0], [*before, *raised, *lines_of(*first, *last), same.line, *other, *guesses])


def _raised_before(match: Match, outburst: list[Match]) -> list[LogLine]:
    """What was raised before a wait that came to nothing: others wait in vain for the process that died of it."""
    if match.rule.id not in WAITS:
        return []
    return [
        other.line for other in outburst if other.rule.id in SAYS_NOTHING and other.line.number < match.line.number
    ][:1]


WAITS = frozenset({"collective-timeout"})
"""Rules on processes that wait for others."""


def _of_other_parts(story: Story) -> list[LogLine]:
    """What code is blamed for in the other parts that failed: a step may have been allowed to fail."""
    parts = story.ending.sections[1:FIRST_PARTS]
    found = (next((match for match in story.outside_tests if _blames(match, part)), None) for part in parts)
    return [match.line for match in found if match is not None]


def _blames(match: Match, part: Section) -> bool:
    return match.rule.fault is Fault.CODE and part.holds(match.line.number)


FIRST_PARTS = 3
"""Parts that failed of which code is quoted."""


def _causes(outburst: list[Match]) -> list[Match]:
    """Those that name a cause; without any, what was raised; a server's silence only where nothing else was said."""
    for said_less in (SAYS_NOTHING | SYMPTOMS, SYMPTOMS):
        if telling := [match for match in outburst if match.rule.id not in said_less]:
            return telling
    return outburst


COMPILERS = frozenset(
    {
        "c-compile-error",
        "cuda-compile-error",
        "msvc-compile-error",
        "rust-compile-error",
        "rust-lint-or-syntax",
        "swift-compile-error",
        "haskell-compile-error",
        "fortran-compile-error",
    }
)
"""Rules on errors in a source file that a download which breaks off later cannot bring about."""

SYMPTOMS = frozenset({"local-server-gone"})
"""Rules that only know what came of an error: a server that died is felt by all who ask it."""

_FIRST_ERRORS = 4
_OUTBURST = 200


def lines_of(*found: Match) -> Iterator[LogLine]:
    """The deciding lines first, then the lines that led to them."""
    for match in found:
        if _PLACE.match(match.line.text) or says_less(match.line) or match.rule.id in GAVE_UP:
            yield from match.lines
        yield match.line
    for match in found:
        yield from match.lines[:-1]


GAVE_UP = frozenset(
    {"python-index-gave-up", "setup-archive-cut-short", "elixir-warnings", "hdl-warnings", "unity-licensing-service"}
)
"""Rules that decide on what came of the trouble; what it was stands above that."""

_PLACE = regex(r"^\s*(?:-->|at|└─) \S+:\d+|^\s+\S+\.exs?:\d+: ")
"""A line that only says where: what was said of the place stands above it."""
