"""The same reads from a folder, and the recorder that writes it."""
