"""What can break, as data: loading, checking and holding `rules.yaml`."""
