"""Where facts come from: the one protocol that live GitHub, GitHub Enterprise and recorded runs all speak."""

from triage.source.protocol import JSON, LogSource, Page, Reads

__all__ = ["JSON", "LogSource", "Page", "Reads"]
