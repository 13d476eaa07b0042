"""Whatever a log, a job name or a title says, the comment keeps its form (threats T5, T6, T7, T30)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render.github_html import Page
from tests.render.hostile import FRAGMENTS, MARKER, MENTIONS, foreign_strings, hostile_text, rewritten
from tests.render.samples import a_regression, case_a, case_b
from triage.render.foreign_text import shown_line
from triage.render.markdown import render_markdown
from triage.render.step_summary import render_step_summary

if TYPE_CHECKING:
    from triage.model import Report

ACTED_ON = re.compile(
    r"@[A-Za-z0-9]|#\d|\bGH-\d|https?://|www\.|ftp://|:[a-z0-9_+-]+:|(?<![0-9A-Za-z])(?=[0-9]*[a-f])[0-9a-f]{7,40}(?![0-9A-Za-z])",
    re.IGNORECASE,
)
TEMPLATES = {"case-a": case_a(), "case-b": case_b(), "regression": a_regression()}


def filled(template: Report, texts: list[str]) -> tuple[Report, Report]:
    """Return the report with hostile texts in it, and its twin in which every different text is a plain word."""
    visible = [text if shown_line(text).strip(" .") else f"x{text}" for text in texts]
    places = {text: place for place, text in enumerate(foreign_strings(template))}
    hostile = rewritten(template, lambda text: visible[places[text] % len(visible)])
    words = {text: f"word{place}" for place, text in enumerate(dict.fromkeys(visible))}
    return hostile, rewritten(hostile, words.__getitem__)


@given(name=st.sampled_from(sorted(TEMPLATES)), texts=st.lists(hostile_text(), min_size=1, max_size=12))
def test_hostile_text_adds_no_element_to_the_comment(name: str, texts: list[str]) -> None:
    hostile, plain = filled(TEMPLATES[name], texts)

    page = Page(render_markdown(hostile))

    assert page.structure == Page(render_markdown(plain)).structure
    assert all(link.startswith("https://github.com/sgl-project/sglang/actions/") for link in page.links)
    assert not ACTED_ON.search(page.running), ACTED_ON.search(page.running)
    assert not page.comments


@given(texts=st.lists(hostile_text(), min_size=1, max_size=12))
def test_hostile_text_adds_no_element_to_the_step_summary(texts: list[str]) -> None:
    hostile, plain = filled(case_a(), texts)

    page = Page(render_step_summary(hostile))

    assert page.structure == Page(render_step_summary(plain)).structure
    assert not ACTED_ON.search(page.running)


@pytest.mark.parametrize("text", FRAGMENTS)
@pytest.mark.parametrize("name", TEMPLATES)
def test_every_known_trick_in_every_place_at_once_changes_nothing(name: str, text: str) -> None:
    hostile, plain = filled(TEMPLATES[name], [text])

    page = Page(render_markdown(hostile))

    assert page.structure == Page(render_markdown(plain)).structure
    assert not ACTED_ON.search(page.running)


@pytest.mark.parametrize("mention", MENTIONS)
def test_mentions_and_references_stay_readable(mention: str) -> None:
    hostile, _ = filled(case_b(), [mention])

    page = Page(render_markdown(hostile))

    assert mention in "\n".join(page.code)


def test_the_marker_cannot_be_quoted() -> None:
    hostile, _ = filled(case_a(), [MARKER, f"`{MARKER}`", f"```\n{MARKER}\n```"])

    text = render_markdown(hostile, marker=MARKER)

    assert text.startswith(MARKER + "\n")
    assert text.count("<!--") == 1


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/actions/runs/1",
        "http://github.com/sgl-project/sglang/actions/runs/1",
        "https://github.com@evil.example/x",
        "https://github.com.evil.example/x",
        "https://github.com/sgl-project/sglang/pull/1",
        "https://github.com/other/repo/issues/1",
        "javascript:alert(1)",
        "https://github.com/x) [y](https://evil.example",
        "https://github.com/x\n[y](https://evil.example)",
        "//evil.example/x",
        "",
    ],
)
def test_only_addresses_on_the_repository_s_host_that_notify_nobody_are_links(address: str) -> None:
    def with_address(report: Report) -> Report:
        causes = tuple(
            replace(cause, evidence=tuple(replace(fact, url=address) for fact in cause.evidence))
            for cause in report.causes
        )
        return replace(report, causes=causes)

    page = Page(render_markdown(with_address(case_b())))

    assert set(page.links) == {"https://github.com/sgl-project/sglang/actions/runs/35296443070/job/11"}


def test_the_query_of_an_address_is_never_printed() -> None:
    report = case_b()
    signed = "https://github.com/sgl-project/sglang/actions/runs/1?sig=abc&se=1#step:1:2"
    causes = tuple(
        replace(cause, evidence=tuple(replace(fact, url=signed) for fact in cause.evidence)) for cause in report.causes
    )

    text = render_markdown(replace(report, causes=causes))

    assert "sig=" not in text
    assert "https://github.com/sgl-project/sglang/actions/runs/1#step:1:2" in Page(text).links
