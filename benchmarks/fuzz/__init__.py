"""Coverage-guided fuzzing, for as long as one likes; not part of the tests."""
