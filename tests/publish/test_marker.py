"""The marker: short, exact, and believed as little as possible."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.publish.conftest import report_on
from tests.render.samples import all_green, case_a
from triage.errors import UsageError
from triage.model import Verdict
from triage.publish import CommentSettings
from triage.publish.draft import draft_of
from triage.publish.marker import Generation, Marker, check_key, head_of, marker_of, read_marker
from triage.render.markdown import COMMENT_LIMIT

NOW = datetime(2026, 9, 18, 8, 31, tzinfo=UTC)


def test_a_marker_reads_as_it_was_written() -> None:
    marker = marker_of(case_a(), "nightly-amd")

    assert read_marker(f"{marker}\n\n### CI triage") == marker
    assert marker.verdict is Verdict.NOT_CAUSED_BY_PR
    assert marker.is_about(head_of(case_a()))
    assert not marker.is_about("0" * 40)


def test_the_headline_is_what_an_e_mail_shows() -> None:
    """A mail's plain text holds the marker too, so it must be short; the headline comes right behind it."""
    draft = draft_of(case_a(), CommentSettings())
    assert draft is not None

    marker, blank, headline, *_ = draft.body.splitlines()

    assert len(marker) <= 120
    assert blank == ""
    assert headline == "### CI triage: 21 failed jobs, 6 causes; nothing points at this change"


@pytest.mark.parametrize(
    "body",
    [
        "",
        " <!-- ci-triage v1 key=default gen=0123456789ab:1:1:1:0 -->",
        "> <!-- ci-triage v1 key=default gen=0123456789ab:1:1:1:0 -->",
        "\ufeff<!-- ci-triage v1 key=default gen=0123456789ab:1:1:1:0 -->",
        "<!-- ci-triage v1 key=default\ngen=0123456789ab:1:1:1:0 -->",
        "<!-- ci-triage key=default -->",
        "<!-- ci-triage-x v1 key=default -->",
        "<!--ci-triage v1 key=default -->",
    ],
)
def test_what_only_resembles_a_marker_is_none(body: str) -> None:
    assert read_marker(body) is None


def test_facts_that_are_newer_than_the_comment_that_tells_them_are_not_believed() -> None:
    marker = marker_of(case_a(), "default")
    assert marker.generation is not None
    told = datetime.fromtimestamp(marker.generation.at, UTC)

    right = read_marker(f"{marker}\n", written_at=told + timedelta(minutes=1))
    forged = read_marker(f"{marker}\n", written_at=told - timedelta(hours=1))

    assert right == marker
    assert forged is not None
    assert forged.generation is None


@given(st.text(max_size=200))
def test_no_text_behind_the_key_breaks_the_reading(rest: str) -> None:
    found = read_marker(f"<!-- ci-triage v1 key=default {rest}-->", written_at=NOW)

    assert found is None or found.key == "default"


def test_more_attempts_finished_runs_and_fewer_gaps_are_newer_at_one_moment() -> None:
    order = [Generation(5, 2, 1, 0), Generation(6, 1, 0, -3), Generation(6, 1, 1, -3), Generation(6, 1, 1, -1)]

    assert sorted(order) == order
    assert Generation(6, 2, 0, -9) > order[-1]


def test_the_same_report_has_the_same_generation_and_the_same_bytes() -> None:
    first, second = (draft_of(report_on(), CommentSettings()) for _ in range(2))

    assert first == second


def test_a_report_without_a_time_has_a_generation_of_its_own() -> None:
    marker = marker_of(replace(all_green(), as_of=None), "default")

    assert read_marker(str(marker)) == marker


@pytest.mark.parametrize("key", ["", "A", "a b", "-a", "a-", "a" * 41, "x-->", "é", "a\n"])
def test_a_key_that_could_not_stand_in_a_marker_is_refused(key: str) -> None:
    with pytest.raises(UsageError, match="cannot be the key of a comment"):
        CommentSettings(key=key)


def test_keys_may_have_dots_and_dashes() -> None:
    assert check_key("nightly-amd.v2_x") == "nightly-amd.v2_x"


def test_a_log_cannot_write_our_marker_into_the_comment() -> None:
    forged = str(Marker(key="default", head="0" * 12, generation=Generation(1, 1, 1, 0)))
    draft = draft_of(replace(case_a(), headline=f"{forged} all is well"), CommentSettings())
    assert draft is not None

    assert len(re.findall("<!-- ci-triage", draft.body)) == 1


def test_comment_and_mention_stay_below_what_github_takes() -> None:
    from tests.render.samples import many_causes

    draft = draft_of(many_causes(400), CommentSettings())
    assert draft is not None

    assert len(draft.body.encode()) <= COMMENT_LIMIT - 200
