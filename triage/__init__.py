"""CI triage: what broke in each failed job, and whose failure it is."""

__version__ = "0.1.0"
