"""Measurements that anyone can repeat: `python -m benchmarks.reading --help`."""
