"""A report as terminal text, Markdown or JSON."""
