"""Tests. A package, so that they can share the fake GitHub."""
