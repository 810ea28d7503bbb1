"""The changes, oldest first by number."""
