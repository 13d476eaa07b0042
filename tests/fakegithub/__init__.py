"""A GitHub that runs on this machine, and the builder of the recorded runs it serves."""
