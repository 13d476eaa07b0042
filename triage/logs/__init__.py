"""Raw text to a bounded `Log`, and the failed tests that stand in it."""
