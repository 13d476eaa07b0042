"""Live reads and writes: PyGithub for objects, requests for logs."""
