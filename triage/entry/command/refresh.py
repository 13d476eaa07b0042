"""`/triage`: the report, anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triage.entry.command.answers import Answer
from triage.publish import CommentSettings, OnWorse, Pace, PublishSettings, publish
from triage.publish.outcome import Failed, NotAllowed, Unknown, url_of

if TYPE_CHECKING:
    from triage.entry.command.turn import Turn


def run(turn: Turn) -> Answer:
    """Write the report anew, and say where it is: the answer is how commands are counted, too."""
    house, settings = turn.house, turn.house.settings
    outcome = publish(
        turn.report,
        house.writes,
        settings=PublishSettings(
            # Whoever asks gets an answer, green or not.
            comment=CommentSettings(
                key=settings.comment_key,
                on_worse=OnWorse(settings.on_worse),
                when_green=True,
                commands=settings.names_commands,
            ),
            pace=Pace(lag=house.lag),
        ),
        sleep=house.sleep,
    ).comment
    if isinstance(outcome, Failed | NotAllowed | Unknown):
        return Answer(text="The report could not be written; the log of the workflow says why.", has_helped=False)
    url = url_of(outcome)
    if not url:
        return Answer(text="There is nothing to report: no workflow run of this pull request was found.")
    return Answer(text=f"[The report]({url}) says how things stand now.")
