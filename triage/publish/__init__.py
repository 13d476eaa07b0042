"""Comment, step summary, check run."""
