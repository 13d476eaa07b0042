"""What to do about a cause."""

from __future__ import annotations

from triage.decide.advice.case import OF_MACHINES, Case
from triage.decide.advice.rerun import RERUNS, Again, rerun
from triage.decide.advice.steps import actions, advice

__all__ = ["OF_MACHINES", "RERUNS", "Again", "Case", "actions", "advice", "rerun"]
