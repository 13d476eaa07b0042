"""How the sentences of a report are put together, so that nothing is said twice."""

from __future__ import annotations

from dataclasses import replace

from tests.render import samples
from triage.model import Action, Category, Evidence, EvidenceKind, RunId
from triage.render.markdown import render_markdown
from triage.render.terminal import render_terminal


def test_the_reason_stands_in_the_first_sentence_and_leads_to_its_proof() -> None:
    report = samples.case_a()
    cause = next(one for one in report.causes if one.category is Category.PRE_EXISTING)
    main = next(fact for fact in cause.evidence if fact.kind is EvidenceKind.MAIN_RUN)
    causes = tuple(replace(one, because=main.text) if one is cause else one for one in report.causes)

    text = render_markdown(replace(report, causes=causes))

    assert f"{main.text[1:]}. ([run {main.run_id}]({main.url}); log line " in text
    assert text.count(main.text[1:]) == 1


def test_facts_in_the_same_words_are_said_once_with_all_their_places() -> None:
    report = samples.case_b()
    cause = report.causes[0]
    runs = tuple(
        Evidence(
            kind=EvidenceKind.MAIN_RUN, text="the same before", run_id=RunId(n), url=f"{samples.REPOSITORY.url}/{n}"
        )
        for n in (1, 2)
    )
    report = replace(report, causes=(replace(cause, evidence=(*cause.evidence, *runs)),))

    url = samples.REPOSITORY.url
    assert f"- The same before. ([run 1]({url}/1) and [run 2]({url}/2))\n" in render_markdown(report)
    assert all(f"{url}/{n}\n" in render_terminal(report, width=80, colour=False) for n in (1, 2))


def test_machines_are_reported_in_one_sentence() -> None:
    report = samples.case_a()
    steps = tuple(Action(kind="report-runner", text=f"Have `h{n}` looked at", runner=f"h{n}") for n in (1, 2))
    causes = tuple(replace(cause, advice="", actions=steps) for cause in report.causes)

    text = render_markdown(replace(report, causes=causes))

    assert "**Next:** Have `h1` and `h2` looked at.\n" in text
    assert "Have `h1`, `h2` and 1 more looked at.\n" in text


def test_the_heading_is_not_said_again_as_a_next_step() -> None:
    report = samples.a_regression()
    causes = tuple(
        replace(cause, advice="Mend the change.", actions=(Action(kind="fix", text=f"Mend the change: {cause.title}"),))
        for cause in report.causes
    )

    assert "**Next:** Mend the change.\n" in render_markdown(replace(report, causes=causes))


def test_a_re_run_of_a_single_cause_is_told_without_its_number() -> None:
    assert "**Re-run:** helps.\n" in render_markdown(samples.still_running())


def test_a_reason_that_goes_on_from_the_answer_is_no_second_sentence() -> None:
    text = render_markdown(samples.case_a())

    assert "| helps once runners are free |" in text
    assert "- A re-run helps once runners are free.\n" in text
    assert "- A re-run is pointless: it fails on main.\n" in text
    assert "| pointless |" in text
