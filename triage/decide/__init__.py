"""Whose failure it is: checks, causes, verdict."""
